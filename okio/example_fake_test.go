package okio_test

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/okhttp-go/ok/okio"
)

// saveSettings is the code under test: it replaces a file so that a crash leaves the old or the new one.
func saveSettings(files okio.FileSystem, at okio.Path, text string) error {
	next := okio.ParsePath(at.String() + ".new")
	h, err := files.OpenReadWrite(next, 0)
	if err != nil {
		return err
	}
	_, err = h.WriteAt([]byte(text), 0)
	if err == nil {
		err = h.Truncate(int64(len(text)))
	}
	if err == nil {
		err = h.Sync()
	}
	if err := errors.Join(err, h.Close()); err != nil {
		return errors.Join(err, files.Delete(next, 0))
	}
	return files.AtomicMove(next, at)
}

func readSettings(files okio.FileSystem, at okio.Path) string {
	source, err := files.Source(at)
	if err != nil {
		return err.Error()
	}
	s := okio.NewBufferedSource(source)
	defer s.Close()
	text, err := s.ReadLine()
	if err != nil {
		return err.Error()
	}
	return text
}

func ExampleFakeFileSystem() {
	var files okio.FakeFileSystem
	files.EmulateUnix()
	at := okio.ParsePath("/settings")
	if err := saveSettings(&files, at, "volume=11"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(readSettings(&files, at))
	fmt.Println(files.AllPaths())
	fmt.Println(files.CheckNoOpenFiles())
	// Output:
	// volume=11
	// [/settings]
	// <nil>
}

// A disk that is full.
func ExampleFakeFileSystem_SetFault() {
	var files okio.FakeFileSystem
	files.EmulateUnix()
	at := okio.ParsePath("/settings")
	_ = saveSettings(&files, at, "volume=11")

	files.SetFault(func(op okio.FakeOp) error {
		if op.Name == "write" {
			return &okio.FakePartial{Bytes: 3, Err: syscall.ENOSPC}
		}
		return nil
	})
	err := saveSettings(&files, at, "volume=3")
	fmt.Println(errors.Is(err, syscall.ENOSPC))
	fmt.Println(readSettings(&files, at))
	fmt.Println(files.AllPaths())
	// Output:
	// true
	// volume=11
	// [/settings]
}

// Whenever the power goes, the old or the new settings are there.
func ExampleFakeFileSystem_AfterCrash() {
	var files okio.FakeFileSystem
	files.EmulateUnix()
	at := okio.ParsePath("/settings")
	_ = saveSettings(&files, at, "volume=11")
	files.SyncAll()

	found := make(map[string]bool)
	files.SetFault(func(op okio.FakeOp) error { // before each operation
		for seed := range uint64(20) {
			after := files.AfterCrash(okio.CrashOptions{Seed: seed})
			found[readSettings(after, at)] = true
		}
		return nil
	})
	_ = saveSettings(&files, at, "volume=3")
	files.SetFault(nil)
	after := files.Crash(okio.CrashOptions{Seed: 3})
	found[readSettings(after, at)] = true

	for text := range found {
		if text != "volume=11" && text != "volume=3" {
			fmt.Println("damaged:", text)
		}
	}
	fmt.Println(files.Delete(at, 0))
	// Output: delete /settings: okio: power lost
}
