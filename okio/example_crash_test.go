package okio_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/okhttp-go/ok/okio"
)

// What a loss of power leaves depends on the file system: POSIX alone does not keep a new name that nobody synced.
func ExampleFakeDirectories() {
	for _, kind := range []okio.FakeDirectories{okio.DirectoriesJournaled, okio.DirectoriesDeferred} {
		files := okio.FakeFileSystem{Directories: kind}
		h, err := files.OpenReadWrite(okio.ParsePath("/note"), okio.MustCreate)
		if err != nil {
			log.Fatal(err)
		}
		_, err = h.WriteAt([]byte("buy milk"), 0)
		if err := errors.Join(err, h.Sync(), h.Close()); err != nil {
			log.Fatal(err)
		}
		fmt.Println(files.Crash(okio.CrashOptions{}).AllPaths())
	}
	// Output:
	// [/note]
	// []
}

// After SyncDirectory a new name is certain to be there.
func ExampleSyncDirectory() {
	files := okio.FakeFileSystem{Directories: okio.DirectoriesDeferred}
	h, err := files.OpenReadWrite(okio.ParsePath("/note"), okio.MustCreate)
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(h.Sync(), h.Close()); err != nil {
		log.Fatal(err)
	}
	if err := okio.SyncDirectory(&files, okio.ParsePath("/")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(files.Crash(okio.CrashOptions{}).AllPaths())
	// Output: [/note]
}

// A test finds out which files its code left open, and where it opened them.
func ExampleFakeFileSystem_CheckNoOpenFiles() {
	var files okio.FakeFileSystem
	sink, err := files.Sink(okio.ParsePath("/log"), okio.MustCreate)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(files.OpenPaths(), files.CheckNoOpenFiles() != nil)
	_ = sink.Close()
	fmt.Println(files.OpenPaths(), files.CheckNoOpenFiles())
	// Output:
	// [/log] true
	// [] <nil>
}
