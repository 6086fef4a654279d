package disklru_test

import (
	"errors"
	"fmt"
	"log"
	"syscall"

	"github.com/okhttp-go/ok/okhttp-cache/disklru"
	"github.com/okhttp-go/ok/okio"
)

// A directory is looked at without a store: this one has a file that the journal does not know.
func ExampleInspect() {
	var files okio.FakeFileSystem
	options := disklru.Options{FileSystem: &files, AppVersion: 1, ValueCount: 1, MaxSize: 100}
	dir := okio.ParsePath("/cache")
	store, err := disklru.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	put(store, "cat", "meow")
	if err := store.Close(); err != nil {
		log.Fatal(err)
	}
	if h, err := files.OpenReadWrite(dir.Join("stranger"), okio.MustCreate); err == nil {
		h.Close()
	}

	report, err := disklru.Inspect(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range report.Entries {
		fmt.Println(e.Key, e.Lengths)
	}
	fmt.Println(report.Size, report.Problems)
	// Output:
	// cat [4]
	// 4 [stranger: it belongs to no entry]
}

// The disk is full, which who writes notices at the end.
func ExampleNotStoredError() {
	var files okio.FakeFileSystem
	files.EmulateUnix()
	store, err := disklru.Open(okio.ParsePath("/cache"), disklru.Options{FileSystem: &files, AppVersion: 1, ValueCount: 1, MaxSize: 100})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	put(store, "cat", "meow")
	files.SetFault(func(op okio.FakeOp) error {
		if op.Name == "write" && op.Path.Name() == "cat.0.tmp" {
			return syscall.ENOSPC
		}
		return nil
	})
	editor, err := store.Edit("cat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(write(editor, 0, "purr")) // no error: a cache is something to do without
	_, lost := errors.AsType[*disklru.NotStoredError](editor.Commit())
	fmt.Println(lost)
	// Output:
	// <nil>
	// true
}

// One store has the directory; another one gets it when that is closed.
func ExampleLockedError() {
	var files okio.FakeFileSystem
	files.EmulateUnix()
	options := disklru.Options{FileSystem: &files, AppVersion: 1, ValueCount: 1, MaxSize: 100}
	first, err := disklru.Open(okio.ParsePath("/cache"), options)
	if err != nil {
		log.Fatal(err)
	}
	_, err = disklru.Open(okio.ParsePath("/cache"), options)
	fmt.Println(errors.Is(err, okio.ErrLocked), err)
	first.Close()
	second, err := disklru.Open(okio.ParsePath("/cache"), options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second.Close())
	// Output:
	// true disklru: /cache is in use by another cache; each needs a directory of its own
	// <nil>
}

// An entry that is being edited is refused to others, who do without the cache.
func ExampleRefusedError() {
	store := newStore()
	defer store.Close()
	editor, err := store.Edit("cat")
	if err != nil {
		log.Fatal(err)
	}
	defer editor.Abort()
	_, err = store.Edit("cat")
	if refused, ok := errors.AsType[*disklru.RefusedError](err); ok {
		fmt.Println(refused.Key, refused.Reason == disklru.Editing)
	}
	// Output: cat true
}

// A new entry has all its values, or there is none.
func ExampleMissingValueError() {
	store := newStore()
	defer store.Close()
	editor, err := store.Edit("cat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(write(editor, 0, "only the name"))
	fmt.Println(editor.Commit())
	_, err = store.Get("cat")
	fmt.Println(err)
	// Output:
	// <nil>
	// disklru: Newly created entry didn't create value for index 1
	// disklru: no such entry
}

// Entries are removed on the way over all of them.
func ExampleIterator_Remove() {
	store := newStore()
	defer store.Close()
	put(store, "a", "", "1")
	put(store, "b", "", "22")
	it := store.Snapshots()
	defer it.Close()
	for it.Next() {
		if it.Snapshot().Length(1) > 1 {
			if err := it.Remove(); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Println(it.Err())
	fmt.Println(store.Size())
	// Output:
	// <nil>
	// 1 <nil>
}

// A key becomes the name of files, so that not all are possible.
func ExampleKeyError() {
	store := newStore()
	defer store.Close()
	_, err := store.Get("../cat")
	fmt.Println(err)
	// Output: disklru: keys must match regex [a-z0-9_-]{1,120}: "../cat"
}
