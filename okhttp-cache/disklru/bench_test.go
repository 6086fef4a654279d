package disklru

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// BenchmarkOpen opens a journal of 100,000 entries, each of which was written once and read once.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	var journal strings.Builder
	journal.WriteString("libcore.io.DiskLruCache\n1\n201105\n2\n\n")
	for i := range 100_000 {
		key := fmt.Sprintf("%032x", uint64(i)*0x9e3779b97f4a7c15)
		fmt.Fprintf(&journal, "DIRTY %s\nCLEAN %s %d %d\nREAD %s\n", key, key, 400+i%100, i, key)
	}
	if err := os.WriteFile(filepath.Join(dir, "journal"), []byte(journal.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(journal.Len()))
	for b.Loop() {
		store, err := New(okio.ParsePath(dir), Options{AppVersion: 201105, ValueCount: 2, MaxSize: 1 << 40})
		if err != nil {
			b.Fatal(err)
		}
		store.schedule = func(func()) {} // the journal is due to be written anew
		if err := store.Initialize(); err != nil {
			b.Fatal(err)
		}
		if n := store.entries.len(); n != 100_000 {
			b.Fatalf("%d entries", n)
		}
		_ = store.Close()
	}
}

const benchMeta = 400 // bytes of value 0

var benchSizes = []int{1 << 10, 1 << 20}

// BenchmarkGet reads both values of an entry, and the same of two files without a store.
func BenchmarkGet(b *testing.B) {
	for _, size := range benchSizes {
		store := onHost(b, Options{})
		set(b, store, "k", strings.Repeat("m", benchMeta), strings.Repeat("b", size))
		buffer := make([]byte, 64<<10)
		b.Run(fmt.Sprintf("store/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				readEntry(b, store, buffer)
			}
		})
		b.Run(fmt.Sprintf("floor/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			dir := store.Directory().String()
			for b.Loop() {
				for i := range 2 {
					f, err := os.Open(filepath.Join(dir, fmt.Sprint("k.", i)))
					if err != nil {
						b.Fatal(err)
					}
					drain(b, f, buffer)
					_ = f.Close()
				}
			}
		})
		b.Run(fmt.Sprintf("parallel/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.RunParallel(func(pb *testing.PB) {
				buffer := make([]byte, 64<<10)
				for pb.Next() {
					readEntry(b, store, buffer)
				}
			})
		})
	}
}

func readEntry(b *testing.B, store *Store, buffer []byte) {
	snapshot, err := store.Get("k")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 2 {
		drain(b, snapshot.Source(i).(io.Reader), buffer)
	}
	_ = snapshot.Close()
}

func drain(b *testing.B, r io.Reader, buffer []byte) {
	for {
		n, err := r.Read(buffer)
		if err == io.EOF || err == nil && n == 0 {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSet writes both values of an entry, and the same to two files that are moved over others.
func BenchmarkSet(b *testing.B) {
	for _, size := range benchSizes {
		meta, body := strings.Repeat("m", benchMeta), strings.Repeat("b", size)
		for name, options := range map[string]Options{"store": {}, "sync": {Sync: true}} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				store := onHost(b, options)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					set(b, store, "k", meta, body)
				}
			})
		}
		b.Run(fmt.Sprintf("floor/%d", size), func(b *testing.B) {
			dir := b.TempDir()
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for i, text := range []string{meta, body} {
					name := filepath.Join(dir, fmt.Sprint("k.", i))
					f, err := os.OpenFile(name+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := f.WriteString(text); err != nil {
						b.Fatal(err)
					}
					_ = f.Close()
					if err := os.Rename(name+".tmp", name); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
