package okcache_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"

	okcache "github.com/okhttp-go/ok/okhttp-cache"
	"github.com/okhttp-go/ok/okio"
)

// A store of one's own making has settings that Open leaves alone: here files in memory, and writes that a loss of power cannot undo.
func ExampleNewDiskStore() {
	files := new(okio.FakeFileSystem)
	store, err := okcache.NewDiskStore("/cache", 10<<20, okcache.DiskConfig{FileSystem: files, Sync: true})
	if err != nil {
		log.Fatal(err)
	}
	cache := okcache.New(store, okcache.Config{}) // for okhttp.WithCache
	if _, err := cache.Size(); err != nil {       // the first use makes the directory
		log.Fatal(err)
	}
	fmt.Println(cache.Close())
	names, err := files.List(okio.ParsePath("/cache"))
	fmt.Println(names, err)
	// Output:
	// <nil>
	// [/cache/journal /cache/journal.lock] <nil>
}

// The two values of an entry are seen once the edit is committed, both or none.
func ExampleEditor() {
	store := okcache.NewMemoryStore(1 << 20)
	defer store.Close()
	editor, err := store.Edit("key")
	if err != nil {
		log.Fatal(err)
	}
	for value, text := range []string{"head", "body"} {
		if err := write(editor, value, text); err != nil {
			log.Fatal(errors.Join(err, editor.Abort()))
		}
	}
	_, err = store.Get("key")
	fmt.Println("before:", errors.Is(err, fs.ErrNotExist))
	if err := editor.Commit(); err != nil {
		log.Fatal(err)
	}
	size, err := store.Size()
	fmt.Println("after:", size, err)
	// Output:
	// before: true
	// after: 8 <nil>
}

// A snapshot is what the entry was when it was got, whatever becomes of it since.
func ExampleSnapshot() {
	store := okcache.NewMemoryStore(1 << 20)
	defer store.Close()
	editor, err := store.Edit("key")
	if err == nil {
		err = errors.Join(write(editor, 0, "head"), write(editor, 1, "body"), editor.Commit())
	}
	if err != nil {
		log.Fatal(err)
	}
	snapshot, err := store.Get("key")
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	removed, err := store.Remove("key")
	fmt.Println(removed, err)
	text, err := okio.NewBufferedSource(snapshot.Source(1)).ReadText(snapshot.Length(1))
	fmt.Println(text, err)
	// Output:
	// true <nil>
	// body <nil>
}

// write writes a value of an entry.
func write(editor okcache.Editor, value int, text string) error {
	sink, err := editor.Sink(value)
	if err != nil {
		return err
	}
	return errors.Join(sink.WriteBuffer(okio.NewBufferString(text), int64(len(text))), sink.Close())
}
