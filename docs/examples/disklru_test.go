package examples

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/okhttp-go/ok/okhttp-cache/disklru"
	"github.com/okhttp-go/ok/okio"
)

// #region store

// thumbnail returns an image from the store, or makes it and stores it.
func thumbnail(store *disklru.Store, key string, draw func() ([]byte, error)) ([]byte, error) {
	snapshot, err := store.Get(key)
	if err == nil {
		defer snapshot.Close()
		return io.ReadAll(okio.NewBufferedSource(snapshot.Source(0)))
	}
	image, err := draw()
	if err != nil {
		return nil, err
	}
	editor, err := store.Edit(key)
	if err != nil {
		return image, nil // somebody else writes it, or the disk is full: so be it
	}
	sink, err := editor.Sink(0)
	if err != nil {
		return image, editor.Abort()
	}
	file := okio.NewBufferedSink(sink)
	_, _ = file.Write(image) // a fault is told by Commit
	_ = file.Close()
	_ = editor.Commit()
	return image, nil
}

// #endregion store

// #region snapshot-edit

// comment replaces value 1 of an entry, unless somebody has changed the entry since the snapshot was taken.
func comment(snapshot *disklru.Snapshot, text string) error {
	editor, err := snapshot.Edit()
	if err != nil {
		return err // a *disklru.RefusedError
	}
	sink, err := editor.Sink(1)
	if err != nil {
		return errors.Join(err, editor.Abort())
	}
	file := okio.NewBufferedSink(sink)
	_, _ = file.WriteString(text)
	_ = file.Close()
	return editor.Commit()
}

// #endregion snapshot-edit

// #region iterate

// forget removes the entries that are larger than limit.
func forget(store *disklru.Store, limit int64) error {
	it := store.Snapshots()
	defer it.Close()
	for it.Next() {
		if it.Snapshot().Length(0) > limit {
			if err := it.Remove(); err != nil {
				return err
			}
		}
	}
	return it.Err()
}

// #endregion iterate

func TestDiskLRU(t *testing.T) {
	files := &okio.FakeFileSystem{}
	files.EmulateUnix()
	store, err := disklru.Open(okio.ParsePath("/cache"), disklru.Options{FileSystem: files, AppVersion: 1, ValueCount: 1, MaxSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	drawn := 0
	for range 2 {
		image, err := thumbnail(store, "cat", func() ([]byte, error) { drawn++; return bytes.Repeat([]byte("cat"), 100), nil })
		if err != nil || len(image) != 300 {
			t.Errorf("got %d bytes, %v", len(image), err)
		}
	}
	if drawn != 1 {
		t.Errorf("drawn %d times", drawn)
	}
	if err := forget(store, 299); err != nil {
		t.Error(err)
	}
	if _, err := store.Get("cat"); !errors.Is(err, disklru.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestDiskLRUComment(t *testing.T) {
	files := &okio.FakeFileSystem{}
	files.EmulateUnix()
	store, err := disklru.Open(okio.ParsePath("/cache"), disklru.Options{FileSystem: files, AppVersion: 1, ValueCount: 2, MaxSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	editor, err := store.Edit("cat")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		sink, err := editor.Sink(i)
		if err != nil {
			t.Fatal(err)
		}
		_ = sink.WriteBuffer(okio.NewBufferString(fmt.Sprint(i)), 1)
	}
	if err := editor.Commit(); err != nil {
		t.Fatal(err)
	}
	snapshot, err := store.Get("cat")
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if err := comment(snapshot, "a good cat"); err != nil {
		t.Error(err)
	}
	var refused *disklru.RefusedError
	if err := comment(snapshot, "or not"); !errors.As(err, &refused) || refused.Reason != disklru.Stale {
		t.Errorf("got %v", err)
	}
}
