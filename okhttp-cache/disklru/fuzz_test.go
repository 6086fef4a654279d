package disklru

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// What a journal of any kind makes of a store: entries with legal keys and lengths whose sum is the size, in a directory that works.
func FuzzJournal(f *testing.F) {
	for _, records := range []string{
		"", "CLEAN a 1 1\n", "CLEAN a 1 1\nDIRTY a\n", "DIRTY a\nREMOVE a\nREAD b\n", "CLEAN a 1 1\r\n", "CLEAN a 9223372036854775807 1\n", "CLEAN a -1 1\n",
		"CLEAN ../a 1 1\n", "BOGUS\n", "CLEAN a 1 1\nCLEAN b 1", "READ a\nREAD a\n\n", "\x00\xff\n", "CLEAN a +1 01\n", "READ " + strings.Repeat("k", 121) + "\n",
	} {
		f.Add([]byte(header + records))
	}
	f.Add([]byte(""))
	f.Add([]byte(header[:20]))
	f.Add([]byte(strings.ReplaceAll(header, "\n", "\r\n") + "READ a\r\n"))
	f.Fuzz(func(t *testing.T, journal []byte) {
		fs := &okio.FakeFileSystem{}
		fs.EmulateUnix()
		dir := okio.ParsePath("/cache")
		put := func(p okio.Path, b []byte) {
			k, err := fs.Sink(p, 0)
			if err == nil {
				err = k.WriteBuffer(okio.NewBufferString(string(b)), int64(len(b)))
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = k.Close()
		}
		if err := fs.CreateDirectory(dir, 0); err != nil {
			t.Fatal(err)
		}
		put(okio.ParsePath("/a"), []byte("outside"))
		put(dir.Join("a.0"), []byte("x"))
		put(dir.Join("a.1"), []byte("y"))
		put(dir.Join("journal"), journal)
		store, err := Open(dir, Options{FileSystem: fs, AppVersion: 100, ValueCount: 2, MaxSize: math.MaxInt64, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		var size int64
		for _, e := range store.entries.all() {
			if !validKey(e.key) || len(e.lengths) != 2 || e.lengths[0] < 0 || e.lengths[1] < 0 || e.dirty || e.editor != nil {
				t.Errorf("entry %+v", e)
			}
			size += e.lengths[0] + e.lengths[1]
		}
		if size < 0 || size != store.size {
			t.Errorf("size %d, sum of lengths %d", store.size, size)
		}
		if snapshot, err := store.Get("a"); err == nil {
			if snapshot.Length(0) != 1 || snapshot.Length(1) != 1 {
				t.Errorf("lengths %d and %d", snapshot.Length(0), snapshot.Length(1))
			}
			_ = snapshot.Close()
		} else if err != ErrNotFound {
			t.Error(err)
		}
		set(t, store, "b", "value", "other")
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		store, err = Open(dir, Options{FileSystem: fs, AppVersion: 100, ValueCount: 2, MaxSize: math.MaxInt64, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		snapshot, err := store.Get("b")
		if err != nil {
			t.Fatal(err)
		}
		_ = snapshot.Close()
		_ = store.Close()
		if m, err := fs.Metadata(okio.ParsePath("/a")); err != nil || m.Size != 7 {
			t.Errorf("the file outside is %v, %v", m, err)
		}
	})
}

// A record that is read is written as it was, but for the ways in which a number can be spelled.
func FuzzRecord(f *testing.F) {
	for _, line := range []string{"CLEAN a 1 2", "DIRTY a", "REMOVE a-b_c", "READ 0", "CLEAN a 01 +2", "BOGUS", "", " ", "CLEAN  1 2", "READ a\x00"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var lengths [2]int64
		r, err := parseRecord(line, lengths[:])
		if err != nil {
			if !strings.HasPrefix(err.Error(), "unexpected journal line: ") || len(err.Error()) > 8*maxShown {
				t.Errorf("error %v", err)
			}
			return
		}
		again := appendRecord(nil, r.op, string(r.key), r.lengths)
		if r.op != opClean && string(again) != string(line)+"\n" {
			t.Errorf("%q is written as %q", line, again)
		}
		var second [2]int64
		s, err := parseRecord(bytes.TrimSuffix(again, []byte("\n")), second[:])
		if err != nil || s.op != r.op || !bytes.Equal(s.key, r.key) || second != lengths {
			t.Errorf("%q is read as %v, then as %v, %v", line, r, s, err)
		}
	})
}
