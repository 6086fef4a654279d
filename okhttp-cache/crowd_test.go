package okcache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// versions answers each request with another body, which is the same throughout: a mixture of two would show.
type versions struct {
	n      atomic.Int64
	broken atomic.Int64 // every so many bodies fail in their midst, 0 for none
}

func (v *versions) RoundTrip(r *http.Request) (*http.Response, error) {
	n := v.n.Add(1)
	body := bytes.Repeat([]byte(fmt.Sprintf("%s %016d\n", r.URL.Path, n)), 1+int(n)*997%3000)
	var src io.Reader = bytes.NewReader(body)
	if every := v.broken.Load(); every > 0 && n%every == 0 {
		src = io.MultiReader(bytes.NewReader(body[:len(body)/2]), failing{})
	}
	return &http.Response{
		Status: "200 OK", StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(body)), Request: r, Body: io.NopCloser(src),
		Header: http.Header{"Cache-Control": {"max-age=" + strconv.FormatInt(n%2*1000, 10)}, "Etag": {fmt.Sprintf("%q", strconv.FormatInt(n, 10))},
			"Content-Length": {strconv.Itoa(len(body))}},
	}, nil
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

// Many calls for few URLs, in stores that are too small for them, with readers that leave early, responses that break off, and evictions and removals meanwhile:
// nobody reads a body that is mixed or cut, and no call fails but for a response that broke off.
func TestCrowd(t *testing.T) {
	disk := func(t *testing.T, c DiskConfig) Store {
		store, err := NewDiskStore(t.TempDir(), 200_000, c)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	encrypted := func(t *testing.T, store Store) Store {
		store, err := Encrypted(store, make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	for name, open := range map[string]func(t *testing.T) Store{
		"memory":           func(*testing.T) Store { return NewMemoryStore(200_000) },
		"disk":             func(t *testing.T) Store { return disk(t, DiskConfig{}) },
		"encrypted disk":   func(t *testing.T) Store { return encrypted(t, disk(t, DiskConfig{})) },
		"encrypted memory": func(t *testing.T) Store { return encrypted(t, NewMemoryStore(200_000)) },
	} {
		for _, config := range []Config{{}, {Collapse: true, Variants: true, StaleWhileRevalidate: true, Ranges: true}} {
			t.Run(fmt.Sprint(name, " ", config.Collapse), func(t *testing.T) {
				base := new(versions)
				base.broken.Store(13)
				cache := New(open(t), config)
				client := &http.Client{Transport: cache.RoundTripper(base)}
				var all sync.WaitGroup
				for i := range 8 {
					all.Go(func() {
						for j := range 40 {
							path := fmt.Sprint("/", (i+j*j)%5)
							resp, err := client.Get("http://site.test" + path)
							if err != nil {
								if !errors.Is(err, errBroken) {
									t.Error(err)
								}
								continue
							}
							checkVersion(t, path, resp, j%4 == 3)
							switch {
							case i == 0 && j%10 == 9:
								cache.EvictAll()
							case i == 1 && j%5 == 4:
								cache.Evict("http://site.test" + path)
							}
						}
					})
				}
				all.Wait()
				if size, err := cache.Size(); err != nil || cache.Flush() != nil {
					t.Error(size, err)
				}
				if size, _ := cache.Size(); size > 200_000 {
					t.Errorf("size %d", size)
				}
				if err := cache.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// checkVersion reads a body, or the beginning of it.
func checkVersion(t *testing.T, path string, resp *http.Response, early bool) {
	defer resp.Body.Close()
	var src io.Reader = resp.Body
	if early {
		src = io.LimitReader(src, 1000)
	}
	got, err := io.ReadAll(src)
	line, _, _ := strings.Cut(string(got), "\n")
	switch whole := strings.Repeat(line+"\n", len(got)/(len(line)+1)+1)[:len(got)]; {
	case err != nil && !errors.Is(err, errBroken):
		t.Errorf("%s after %d bytes: %v", path, len(got), err)
	case !strings.HasPrefix(line, path+" ") || string(got) != whole:
		t.Errorf("%s: a mixture of %d bytes that begins with %q", path, len(got), line)
	case err == nil && !early && int64(len(got)) != resp.ContentLength:
		t.Errorf("%s: %d bytes of %d", path, len(got), resp.ContentLength)
	}
}
