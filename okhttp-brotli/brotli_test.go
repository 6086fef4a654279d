package okbrotli_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-brotli"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

func TestDecodes(t *testing.T) {
	for _, text := range []string{"", "x", hello, strings.Repeat(hello, 50_000)} {
		e := newExchange(t, okbrotli.New(nil), send(packed(t, text)))
		resp := e.do("GET")
		if e.asked != "br, gzip" {
			t.Errorf("asked for %q", e.asked)
		}
		for _, name := range []string{"Content-Encoding", "Content-Length"} {
			if v, has := resp.Headers().Last(name); has {
				t.Errorf("%s: %s is left", name, v)
			}
		}
		if got, err := resp.Body.Text(); err != nil || got != text {
			t.Errorf("%d bytes, want %d; %v", len(got), len(text), err)
		}
	}
}

func TestDecodesGzipToo(t *testing.T) {
	e := newExchange(t, okbrotli.New(nil), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, hello)
		_ = z.Close()
	})
	if got, err := e.do("GET").Body.Text(); got != hello || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Responses without content keep the headers that tell of one.
func TestWithoutContent(t *testing.T) {
	for _, tt := range []struct {
		method string
		status int
		left   bool
	}{
		{"HEAD", 200, true},
		{"GET", 204, true},
		{"GET", 304, true},
		{"GET", 200, false}, // a body of unknown length that turns out to be empty
	} {
		e := newExchange(t, okbrotli.New(nil), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			w.WriteHeader(tt.status)
			w.(http.Flusher).Flush()
		})
		resp := e.do(tt.method)
		if _, has := resp.Headers().Last("Content-Encoding"); has != tt.left {
			t.Errorf("%s %d: Content-Encoding is left: %t", tt.method, tt.status, has)
		}
		if got, err := resp.Body.Text(); got != "" || err != nil {
			t.Errorf("%s %d: %q, %v", tt.method, tt.status, got, err)
		}
	}
}

// What was flushed can be read before more comes.
func TestStreams(t *testing.T) {
	next := make(chan bool)
	e := newExchange(t, okbrotli.New(nil), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		z := brotli.NewWriter(w)
		for range 3 {
			_, _ = io.WriteString(z, hello)
			_ = z.Flush()
			w.(http.Flusher).Flush()
			if !<-next {
				return
			}
		}
		_ = z.Close()
	})
	resp := e.do("GET")
	p := make([]byte, len(hello))
	for range 3 {
		if _, err := io.ReadFull(resp.Body, p); err != nil || string(p) != hello {
			t.Fatalf("%q, %v", p, err)
		}
		next <- true
	}
	if n, err := resp.Body.Read(p); n != 0 || err != io.EOF {
		t.Errorf("%d, %v at the end", n, err)
	}
	close(next)
}

// A decoder that was given back too early, twice or with something left in it makes a later stream fail.
func TestDecodersAreReused(t *testing.T) {
	var text strings.Builder
	for n := range 16_000 {
		text.WriteString(strconv.Itoa(n * n))
	}
	short, long := packed(t, hello), packed(t, text.String())
	for range 3 {
		for _, data := range []string{short, long, short + "x", long[:len(long)/2], "\xff\xff\xff", short} {
			src, err := okbrotli.Brotli().Decoder(okio.NewBufferString(data))
			if err != nil {
				t.Fatal(err)
			}
			other, err := okbrotli.Brotli().Decoder(okio.NewBufferString(long))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []okio.Source{src, other} {
				var b okio.Buffer
				if n, err := s.ReadBuffer(&b, 5); data[0] != 0xff && (n != 5 || err != nil) {
					t.Fatal(n, err)
				}
				b.Clear()
			}
			if n, err := io.Copy(io.Discard, okio.NewBufferedSource(src)); data == short && (n != int64(len(hello)-5) || err != nil) {
				t.Fatal(n, err)
			}
			for range 2 {
				if err := src.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if n, err := io.Copy(io.Discard, okio.NewBufferedSource(other)); n != int64(text.Len()-5) || err != nil {
				t.Fatal(n, err)
			}
		}
	}
}

// Closing in the middle frees the window even if the body is kept, and nothing runs in the background.
func TestCloseBeforeTheEnd(t *testing.T) {
	head, again := zeros(t, 1<<20)
	before := runtime.NumGoroutine()
	src, err := okbrotli.Brotli().Decoder(okio.NewBufferString(head + strings.Repeat(again, 25)))
	if err != nil {
		t.Fatal(err)
	}
	empty := heap()
	out := okio.NewBufferedSource(src)
	if err := out.Skip(20 << 20); err != nil {
		t.Fatal(err)
	}
	if n := runtime.NumGoroutine(); n != before {
		t.Errorf("%d goroutines, before there were %d", n, before)
	}
	held := heap() - empty
	if held < 16<<20 || held > 20<<20 {
		t.Errorf("%d KiB are held for a window of 16 MiB", held>>10)
	}
	for range 2 {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	if left := heap() - empty; left > 1<<20 {
		t.Errorf("%d KiB are held after Close", left>>10)
	}
	if _, err := src.ReadBuffer(new(okio.Buffer), 1); err != okio.ErrClosed {
		t.Errorf("%v after Close", err)
	}
	runtime.KeepAlive(src)
}

// heap is how much is in use, in bytes.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC() // twice, for what the pools hold
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestBesideOthers(t *testing.T) {
	i := okcompress.New(nil, okcompress.Zstd(), okbrotli.Brotli(), okcompress.Gzip())
	e := newExchange(t, i, send(packed(t, hello)))
	if got, err := e.do("GET").Body.Text(); got != hello || err != nil || e.asked != "zstd, br, gzip" {
		t.Errorf("%q, %v, asked for %q", got, err, e.asked)
	}
	twice := okcompress.New(nil, okbrotli.Brotli(), okbrotli.Brotli())
	client := okhttp.New(okhttp.WithInterceptor(twice))
	defer func() { _ = client.Close() }()
	_, err := client.Get(t.Context(), "http://localhost/")
	var bad *okcompress.AlgorithmError
	if !errors.As(err, &bad) || bad.Token != "br" {
		t.Error(err)
	}
}
