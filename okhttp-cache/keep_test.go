package okcache

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// Fact 66: what is cut short is not stored.
func TestCutShort(t *testing.T) {
	for name, answer := range map[string]string{
		"by length": reply("200 OK", "abcde", "Content-Length: 16", "Cache-Control: max-age=60", "Connection: close"),
		"chunked":   reply("200 OK", "5\r\nabcde\r\n", "Transfer-Encoding: chunked", "Cache-Control: max-age=60", "Connection: close"),
	} {
		t.Run(name, func(t *testing.T) {
			atSite(t, Config{}, func(s *site) {
				s.will(answer, reply("200 OK", "whole", "Cache-Control: max-age=60"))
				resp, err := s.client.Do(s.t.Context(), s.request("GET", "/"))
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%q, %v", text, err)
				}
				if got := s.cache.Stats(); got.Stored != 0 || got.Aborted != 1 {
					t.Errorf("%+v", got)
				}
				s.get("/", "200 whole")
				s.get("/", "200 whole")
				s.wantAsked(2)
			})
		})
	}
}

// Fact 67: what is closed early is stored if the rest comes at once, and not otherwise. Either way it cannot be read any more.
func TestClosedEarly(t *testing.T) {
	for _, c := range []struct {
		slow time.Duration
		want Stats
		took time.Duration
	}{
		{0, Stats{Requests: 1, Network: 1, Stored: 1}, 0},
		{time.Second / 6, Stats{Requests: 1, Network: 1, Aborted: 1}, 100 * time.Millisecond},
	} {
		atSite(t, Config{}, func(s *site) {
			s.slow = c.slow
			s.will(reply("200 OK", "ABCDE\nFGHIJKLMNOPQRSTUVWXYZ", "Cache-Control: max-age=60"))
			resp, err := s.client.Do(s.t.Context(), s.request("GET", "/"))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := resp.Body.Source().ReadText(5); text != "ABCDE" || err != nil {
				t.Fatal(text, err)
			}
			began := time.Now()
			resp.Body.Close()
			if took := time.Since(began); took != c.took {
				t.Errorf("closing took %v", took)
			}
			if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, okio.ErrClosed) {
				t.Errorf("read after Close: %v", err)
			}
			resp.Body.Close()
			if got := s.cache.Stats(); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// All was read but not the end: closing sees to it.
func TestEndNotSeen(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "abc", "Cache-Control: max-age=60"))
		resp, err := s.client.Do(s.t.Context(), s.request("GET", "/"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		s.get("/", "200 abc")
		s.wantAsked(1)
	})
}

// Facts 84, 85 and 86: what is stored is what came; it is unpacked each time.
func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "ABCABCABC")
	z.Close()
	atSite(t, Config{}, func(s *site) {
		head := []string{"Content-Encoding: gzip", "ETag: v1", "Vary: Accept-Encoding", "Cache-Control: max-age=1"}
		s.will(reply("200 OK", packed.String(), head...), reply("304 X", "", "Content-Encoding: identity"))
		s.get("/", "200 ABCABCABC")
		hit := s.get("/", "200 ABCABCABC")
		if hit.Headers().Get("Content-Encoding") != "" || hit.CacheResponse().Headers().Get("Content-Encoding") != "gzip" {
			t.Errorf("headers\n%s\nstored\n%s", hit.Headers(), hit.CacheResponse().Headers())
		}
		time.Sleep(2 * time.Second)
		s.get("/", "200 ABCABCABC")
		s.wantAsked(2)
		s.get("/", "200 ABCABCABC")
	})
	atSite(t, Config{}, func(s *site) { // fact 85
		s.will(reply("200 OK", "plain", "ETag: v1", "Cache-Control: max-age=0"), reply("304 X", "", "Content-Encoding: gzip"), reply("200 OK", "new"))
		s.get("/", "200 plain")
		s.get("/", "200 plain")
		s.get("/", "200 new")
	})
}

// Fact 96.
func TestVary(t *testing.T) {
	for _, c := range []struct {
		vary          string
		first, second []string
		hit           bool
	}{
		{"Accept-Language", []string{"Accept-Language: fr-CA"}, []string{"Accept-Language: en-US"}, false},
		{"Accept-Language", []string{"Accept-Language: fr-CA"}, []string{"accept-language: fr-CA"}, true},
		{"accept-LANGUAGE", []string{"Accept-Language: fr-CA"}, []string{"Accept-Language: fr-CA"}, true},
		{"Accept-Language", nil, []string{"Accept-Language: fr-CA"}, false},
		{"Accept-Language", []string{"Accept-Language: fr-CA"}, nil, false},
		{"Foo", nil, nil, true},
		{"A, B", []string{"A: 1", "B: 2"}, []string{"B: 2", "A: 1"}, true},
		{"A, B", []string{"A: 1", "B: 2"}, []string{"A: 1", "B: 3"}, false},
		{"A", []string{"A: 1", "A: 2"}, []string{"A: 1", "A: 2"}, true},
		{"A", []string{"A: 1", "A: 2"}, []string{"A: 2", "A: 1"}, false},
		{"A", []string{"A: 1", "A: 2"}, []string{"A: 1, 2"}, false},
		{"*", nil, nil, false},
		{"A, *", nil, nil, false},
	} {
		atSite(t, Config{}, func(s *site) {
			s.will(reply("200 OK", "a", "Cache-Control: max-age=60", "Vary: "+c.vary))
			s.get("/", "200 a", c.first...)
			want := "200 a"
			if !c.hit {
				s.will(reply("200 OK", "b", "Cache-Control: max-age=60"))
				want = "200 b"
			}
			s.get("/", want, c.second...)
		})
	}
}

// Fact 117, and its like: a store that fails costs nothing but the entry.
func TestStoreFails(t *testing.T) {
	for _, name := range []string{"sink", "appending", "write", "atomicMove", "close", "openReadOnly", "read", "delete", "metadata", "list", "lockFile",
		"createDirectory"} {
		t.Run(name, func(t *testing.T) {
			var fsys okio.FakeFileSystem
			fsys.EmulateUnix()
			store, err := NewDiskStore("/cache", 1<<20, DiskConfig{FileSystem: &fsys})
			if err != nil {
				t.Fatal(err)
			}
			fault := func(op okio.FakeOp) error {
				if op.Name == name {
					return errors.New("no " + name)
				}
				return nil
			}
			body := strings.Repeat("x", 100_000)
			atSiteOver(t, store, Config{}, func(s *site) {
				fsys.SetFault(fault) // before there is anything
				answer := reply("200 OK", body, "Cache-Control: max-age=60")
				for range 2 {
					s.will(answer)
					s.get("/a", "200 "+body)
					s.mu.Lock()
					s.answers = nil
					s.mu.Unlock()
				}
				fsys.SetFault(nil)
				s.will(answer)
				s.get("/b", "200 "+body)
				s.mu.Lock()
				s.answers = nil
				s.mu.Unlock()
				fsys.SetFault(fault) // once there is something
				for _, method := range []string{"GET", "GET", "POST", "GET"} {
					s.will(answer)
					if _, text := s.do(s.request(method, "/b")); text != body {
						t.Errorf("%s: %d bytes", method, len(text))
					}
					s.mu.Lock()
					s.answers = nil
					s.mu.Unlock()
				}
				fsys.SetFault(nil)
			})
			if err := fsys.CheckNoOpenFiles(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Facts 100 and 110, and others about connections and odd heads.
func TestValidationLeavesTheConnection(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		pool := okhttp.NewConnectionPool(okhttp.PoolConfig{})
		defer pool.Close()
		s.client = s.client.With(okhttp.WithPool(pool))
		s.will(reply("200 OK", "a", "ETag: v1"), reply("304 X", ""), reply("304 X", ""))
		s.get("/", "200 a")
		for range 2 {
			s.get("/", "200 a")
			if got := pool.Stats(); got != (okhttp.PoolStats{Connections: 1, Idle: 1}) {
				t.Errorf("%+v", got)
			}
		}
	})
}

// Fact 102, 104 and 105.
func TestURLs(t *testing.T) {
	atSite(t, Config{Variants: true}, func(s *site) {
		for _, path := range []string{"/a", "/b", "/c"} {
			s.will(reply("200 OK", path, "Cache-Control: max-age=60", "Vary: Q"))
			s.get(path, "200 "+path)
		}
		s.will(reply("200 OK", "b2", "Cache-Control: max-age=60", "Vary: Q"))
		s.get("/b", "200 b2", "Q: 1") // a variant is no other URL
		list := func() (urls string) {
			for url := range s.cache.URLs() {
				urls += strings.TrimPrefix(url, origin)
			}
			return urls
		}
		if got := list(); got != "/a/c/b" && got != "/a/b/c" {
			t.Errorf("URLs %s", got)
		}
		if removed, err := s.cache.Evict(origin + "/a"); !removed || err != nil {
			t.Error(removed, err)
		}
		if removed, err := s.cache.Evict(origin + "/a"); removed || err != nil {
			t.Error("removed twice", err)
		}
		if _, err := s.cache.Evict("nonsense"); err == nil {
			t.Error("nonsense was removed")
		}
		s.will(reply("200 OK", "again", "Cache-Control: max-age=60"))
		s.get("/a", "200 again")
		if n, err := s.cache.EvictFunc(func(url string) bool { return url != origin+"/a" }); n != 2 || err != nil {
			t.Error(n, err)
		}
		if got := list(); got != "/a" {
			t.Errorf("URLs %s", got)
		}
		for url := range s.cache.URLs() { // fact 105: what was promised comes, and may be removed
			if err := s.cache.EvictAll(); err != nil {
				t.Fatal(err)
			}
			if removed, err := s.cache.Evict(url); removed || err != nil {
				t.Error(removed, err)
			}
		}
		if size, err := s.cache.Size(); size != 0 || err != nil {
			t.Errorf("size %d, %v", size, err)
		}
		if got := list(); got != "" {
			t.Errorf("URLs %s", got)
		}
		s.will(reply("200 OK", "new"))
		s.get("/a", "200 new")
	})
}

// After Close, calls go on without the cache.
func TestClosedCache(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "Cache-Control: max-age=60"), reply("200 OK", "b"))
		s.get("/", "200 a")
		if err := s.cache.Close(); err != nil {
			t.Fatal(err)
		}
		s.get("/", "200 b")
		s.get("/", "504 ", "Cache-Control: only-if-cached")
	})
}
