package okio_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/okhttp-go/ok/okio"
)

// One process at a time works in a directory.
func ExampleLockFile() {
	dir, remove := exampleDir()
	defer remove()
	path := dir.Join("lock")

	mine, err := okio.LockFile(okio.OS(), path)
	if err != nil {
		log.Fatal(err)
	}
	_, err = okio.LockFile(okio.OS(), path) // does not wait
	fmt.Println("held by somebody:", errors.Is(err, okio.ErrLocked))
	if err := mine.Close(); err != nil {
		log.Fatal(err)
	}
	next, err := okio.LockFile(okio.OS(), path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(next.Close())
	// Output:
	// held by somebody: true
	// <nil>
}

// In a directory that others write to, a link or a pipe in the place of a file is found out before anything is read.
func ExampleOpenRegular() {
	var files okio.FakeFileSystem
	files.EmulateUnix()
	secret, trap := okio.ParsePath("/etc/secret"), okio.ParsePath("/inbox/letter")
	err := errors.Join(
		okio.CreateDirectories(&files, okio.ParsePath("/inbox"), 0),
		files.CreateSymlink(trap, secret),
	)
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = okio.OpenRegular(&files, trap)
	fmt.Println(errors.Is(err, okio.ErrNotRegular))
	// Output: true
}
