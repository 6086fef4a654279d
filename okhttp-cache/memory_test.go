package okcache

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// discarding is a store that takes everything and has nothing.
type discarding struct{ Store }

func (discarding) Get(string) (Snapshot, error)    { return nil, errNoEntry }
func (discarding) Edit(string) (Editor, error)     { return discarding{}, nil }
func (discarding) Sink(int) (okio.Sink, error)     { return okio.Discard(), nil }
func (discarding) Commit() error                   { return nil }
func (discarding) Abort() error                    { return nil }
func (discarding) Close() error                    { return nil }
func (discarding) Remove(key string) (bool, error) { return false, nil }

type tripperFunc func(*http.Request) (*http.Response, error)

func (f tripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A gigabyte that is stored while it is read takes no memory.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("a gigabyte")
	}
	const size = 1 << 30
	for name, c := range map[string]Config{"stored": {}, "shared": {Collapse: true}} {
		t.Run(name, func(t *testing.T) {
			if name == "shared" {
				t.Setenv("TMPDIR", t.TempDir())
			}
			n := int64(size)
			if name == "shared" {
				n = 64 << 20 // which is written to the disk
			}
			cache := New(discarding{}, c)
			defer cache.Close()
			client := http.Client{Transport: cache.RoundTripper(tripperFunc(func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: 200, Status: "200 OK", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Cache-Control": {"max-age=60"}},
					ContentLength: n, Body: io.NopCloser(io.LimitReader(zeros{}, n)), Request: r,
				}, nil
			}))}
			resp, err := client.Get("http://site.test/")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			most := uint64(0)
			buf := make([]byte, 64<<10)
			for read, looked := int64(0), int64(0); ; {
				m, err := resp.Body.Read(buf)
				if read += int64(m); read-looked > n/32 {
					looked = read
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapInuse)
				}
				if err == io.EOF {
					if read != n {
						t.Errorf("read %d bytes", read)
					}
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if most > before.HeapInuse+24<<20 {
				t.Errorf("%d bytes in use, %d before", most, before.HeapInuse)
			}
			if got := cache.Stats(); got.Stored != 1 {
				t.Errorf("%+v", got)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// The memory store against a plain model: what was committed last is read, and the size is kept.
func TestMemoryStoreModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := NewMemoryStore(1000)
	type pair struct{ head, body string }
	model := map[string]pair{}
	var order []string
	touch := func(key string) {
		order = slices.DeleteFunc(order, func(k string) bool { return k == key })
		order = append(order, key)
	}
	size := func() (n int) {
		for _, p := range model {
			n += len(p.head) + len(p.body)
		}
		return n
	}
	for i := range 5000 {
		key := "k" + strconv.Itoa(rnd.IntN(12))
		switch rnd.IntN(6) {
		case 0:
			p := pair{strings.Repeat("h", rnd.IntN(50)), strings.Repeat("b", rnd.IntN(200))}
			put(t, s, key, p.head, p.body)
			model[key] = p
			touch(key)
			for size() > 1000 {
				delete(model, order[0])
				order = order[1:]
			}
		case 1:
			head, body, err := pick(s, key)
			p, ok := model[key]
			if ok != (err == nil) || ok && (head != p.head || body != p.body) {
				t.Fatalf("step %d: %s is %q, %q, %v, want %v %v", i, key, head, body, err, p, ok)
			}
			if ok {
				touch(key)
			}
		case 2:
			_, ok := model[key]
			if removed, err := s.Remove(key); removed != ok || err != nil {
				t.Fatal(removed, err)
			}
			delete(model, key)
			order = slices.DeleteFunc(order, func(k string) bool { return k == key })
		case 3: // an edit that comes to nothing
			e, err := s.Edit(key)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Edit(key); err == nil {
				t.Fatal("two editors")
			}
			writeValue(e, bodyValue, []byte("x"))
			e.Abort()
		case 4: // the head alone
			snapshot, err := s.Get(key)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			touch(key)
			e, err := snapshot.Edit()
			if err != nil {
				t.Fatal(err)
			}
			writeValue(e, metadataValue, []byte("H"))
			if err := e.Commit(); err != nil {
				t.Fatal(err)
			}
			if _, err := snapshot.Edit(); err == nil {
				t.Fatal("a snapshot of what has changed can be edited")
			}
			snapshot.Close()
			model[key] = pair{"H", model[key].body}
		case 5:
			n, keys := 0, []string(nil)
			for snapshot, err := range s.Snapshots() {
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, snapshot.Key())
				n++
			}
			if !slices.Equal(keys, order) {
				t.Fatalf("step %d: order %v, want %v", i, keys, order)
			}
		}
		if got, err := s.Size(); got != int64(size()) || err != nil {
			t.Fatalf("step %d: size %d, want %d", i, got, size())
		}
	}
}

// Readers and writers of one entry at the same time see whole entries.
func TestMemoryStoreConcurrently(t *testing.T) {
	s := NewMemoryStore(1 << 20)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := strings.Repeat(strconv.Itoa(i), 5000)
			for range 100 {
				if e, err := s.Edit("k"); err == nil {
					writeValue(e, metadataValue, []byte(text))
					writeValue(e, bodyValue, []byte(text))
					e.Commit()
				}
				if head, body, err := pick(s, "k"); err == nil && head != body {
					t.Error("head and body of different entries")
				}
			}
		})
	}
	wg.Wait()
}

// What is being written is bounded as what is stored is, also if nobody knows how long it will be.
func TestMemoryStoreBoundsEdits(t *testing.T) {
	store := NewMemoryStore(100).(*memoryStore)
	sink := func(key string) (Editor, okio.Sink) {
		editor, err := store.Edit(key)
		if err != nil {
			t.Fatal(err)
		}
		k, err := editor.Sink(bodyValue)
		if err != nil {
			t.Fatal(err)
		}
		return editor, k
	}
	write := func(k okio.Sink, n int) error {
		return k.WriteBuffer(okio.NewBufferString(strings.Repeat("x", n)), int64(n))
	}
	a, toA := sink("a")
	b, toB := sink("b")
	if err := errors.Join(write(toA, 60), write(toB, 40)); err != nil {
		t.Fatal(err)
	}
	if err := write(toB, 1); !errors.Is(err, errTooLarge) {
		t.Errorf("too much was taken: %v", err)
	}
	if _, err := a.Sink(bodyValue); err != nil { // from its start
		t.Fatal(err)
	}
	if err := write(toB, 60); err != nil {
		t.Error(err)
	}
	a.Abort()
	b.Abort()
	if err := write(toB, 1); err == nil || store.writing != 0 {
		t.Errorf("after the end: %v, %d bytes", err, store.writing)
	}
	if size, _ := store.Size(); size != 0 {
		t.Errorf("size %d", size)
	}
}
