package disklru_test

import (
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/okhttp-go/ok/okhttp-cache/disklru"
	"github.com/okhttp-go/ok/okio"
)

// newStore opens a store in memory; on a disk there is no FileSystem in the options.
func newStore() *disklru.Store {
	files := &okio.FakeFileSystem{}
	files.EmulateUnix()
	store, err := disklru.Open(okio.ParsePath("/cache"), disklru.Options{FileSystem: files, AppVersion: 1, ValueCount: 2, MaxSize: 20})
	if err != nil {
		log.Fatal(err)
	}
	return store
}

// put writes an entry.
func put(store *disklru.Store, key string, values ...string) {
	editor, err := store.Edit(key)
	if err != nil {
		log.Fatal(err)
	}
	for i, text := range values {
		if err := write(editor, i, text); err != nil {
			log.Fatal(err)
		}
	}
	if err := editor.Commit(); err != nil {
		log.Fatal(err)
	}
}

// write writes a value of an entry.
func write(editor *disklru.Editor, i int, text string) error {
	sink, err := editor.Sink(i)
	if err != nil {
		return err
	}
	file := okio.NewBufferedSink(sink)
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func Example() {
	store := newStore()
	defer store.Close()

	editor, err := store.Edit("cat")
	if err != nil {
		log.Fatal(err)
	}
	for i, text := range []string{"a name", "a picture"} {
		sink, err := editor.Sink(i)
		if err != nil {
			log.Fatal(err)
		}
		file := okio.NewBufferedSink(sink)
		_, _ = file.WriteString(text)
		_ = file.Close()
	}
	if err := editor.Commit(); err != nil {
		log.Fatal(err)
	}

	snapshot, err := store.Get("cat")
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	text, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(1)))
	fmt.Println(string(text), snapshot.Length(1), err)
	// Output: a picture 9 <nil>
}

func ExampleStore_Get() {
	store := newStore()
	defer store.Close()
	_, err := store.Get("dog")
	fmt.Println(errors.Is(err, disklru.ErrNotFound))
	// Output: true
}

func ExampleStore_Edit() {
	store := newStore()
	defer store.Close()
	editor, err := store.Edit("cat")
	if err != nil {
		log.Fatal(err)
	}
	defer editor.Abort()
	_, err = store.Edit("cat")
	fmt.Println(err)
	// Output: disklru: edit of cat refused: it is being edited
}

func ExampleStore_SetMaxSize() {
	store := newStore()
	defer store.Close()
	put(store, "old", "name", "picture")
	put(store, "new", "name", "picture")
	if err := store.Flush(); err != nil { // which does not leave eviction to the background
		log.Fatal(err)
	}
	size, err := store.Size()
	fmt.Println(size, err)
	// Output: 11 <nil>
}

func ExampleStore_Snapshots() {
	store := newStore()
	defer store.Close()
	put(store, "a", "", "1")
	put(store, "b", "", "22")
	it := store.Snapshots()
	defer it.Close()
	for it.Next() {
		fmt.Println(it.Snapshot().Key(), it.Snapshot().Length(1))
	}
	if err := it.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a 1
	// b 2
}
