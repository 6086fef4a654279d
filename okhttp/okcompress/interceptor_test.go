package okcompress_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

const hello = "Hello, hello, hello!"

func TestDecodes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		made    []string // how the body is made
		headers []string
	}{
		{"gzip", []string{"gzip"}, []string{"gzip"}},
		{"deflate", []string{"deflate"}, []string{"deflate"}},
		{"deflate without zlib", []string{"raw"}, []string{"deflate"}},
		{"zstd", []string{"zstd"}, []string{"zstd"}},
		{"case does not count", []string{"zstd"}, []string{"ZSTD"}},
		{"the old name of gzip", []string{"gzip"}, []string{"x-gzip"}},
		{"a list", []string{"deflate", "gzip"}, []string{"deflate, gzip"}},
		{"a list in two lines", []string{"gzip", "zstd"}, []string{"gzip", "zstd"}},
		{"the same twice", []string{"gzip", "gzip"}, []string{"gzip,gzip"}},
		{"as many as are allowed", []string{"gzip", "zstd", "deflate", "gzip"}, []string{"gzip, zstd, deflate, gzip"}},
		{"empty elements and identity", []string{"gzip"}, []string{" , gzip,identity,"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newExchange(t, all(nil), send(packed(t, hello, tt.made...), tt.headers...))
			resp := e.do("GET")
			if got := strings.Join(e.asked, "|"); got != "zstd, gzip, deflate" {
				t.Errorf("asked for %q", got)
			}
			for _, name := range []string{"Content-Encoding", "Content-Length"} {
				if v, has := resp.Headers().Last(name); has {
					t.Errorf("%s: %s is left", name, v)
				}
			}
			if n := resp.Body.Len(); n != -1 {
				t.Errorf("length %d", n)
			}
			if got := resp.Body.ContentType(); got != "text/plain" {
				t.Errorf("type %q", got)
			}
			if got := text(t, resp); got != hello {
				t.Errorf("got %q", got)
			}
			if got := strings.Join(values(resp.NetworkResponse(), "Content-Encoding"), "|"); got != strings.Trim(strings.Join(tt.headers, "|"), " \t") {
				t.Errorf("the network's response has the coding %q", got)
			}
			if _, has := resp.NetworkResponse().Headers().Last("Content-Length"); !has {
				t.Error("the network's response has lost its length")
			}
		})
	}
}

func values(r *okhttp.Response, name string) (list []string) {
	for v := range r.Headers().Values(name) {
		list = append(list, v)
	}
	return list
}

// What cannot be decoded comes as it was sent, with its headers.
func TestLeavesAlone(t *testing.T) {
	zipped := packed(t, hello, "gzip")
	for _, tt := range []struct {
		name   string
		method string
		with   okhttp.RequestOption
		answer http.HandlerFunc
		want   string
		asked  string
		coding string
	}{
		{"no coding", "GET", nil, send(hello), hello, "zstd, gzip, deflate", ""},
		{"identity", "GET", nil, send(hello, "identity"), hello, "zstd, gzip, deflate", "identity"},
		{"unknown", "GET", nil, send(zipped, "br"), zipped, "zstd, gzip, deflate", "br"},
		{"a list with an unknown one", "GET", nil, send(zipped, "br, gzip"), zipped, "zstd, gzip, deflate", "br, gzip"},
		{"too many", "GET", nil, send(zipped, "gzip, gzip, gzip, gzip, gzip"), zipped, "zstd, gzip, deflate", "gzip, gzip, gzip, gzip, gzip"},
		{"asked for by the program", "GET", okhttp.Header("Accept-Encoding", "gzip"), send(zipped, "gzip"), zipped, "gzip", "gzip"},
		{"a range", "GET", okhttp.Header("Range", "bytes=0-9"), send(zipped, "gzip"), zipped, "", "gzip"},
		{"HEAD", "HEAD", nil, send("", "gzip"), "", "zstd, gzip, deflate", "gzip"},
		{"304", "GET", nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(304)
		}, "", "zstd, gzip, deflate", "gzip"},
		{"204", "GET", nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(204)
		}, "", "zstd, gzip, deflate", "gzip"},
		{"206", "GET", nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(206)
			_, _ = io.WriteString(w, zipped[5:])
		}, zipped[5:], "zstd, gzip, deflate", "gzip"},
		{"length 0", "GET", nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Length", "0")
		}, "", "zstd, gzip, deflate", "gzip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newExchange(t, all(nil), tt.answer)
			var opts []okhttp.RequestOption
			if tt.with != nil {
				opts = append(opts, tt.with)
			}
			resp := e.do(tt.method, opts...)
			if got := strings.Join(e.asked, "|"); got != tt.asked {
				t.Errorf("asked for %q, want %q", got, tt.asked)
			}
			if got := strings.Join(values(resp, "Content-Encoding"), "|"); got != tt.coding {
				t.Errorf("coding %q, want %q", got, tt.coding)
			}
			if got := text(t, resp); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A body that turns out to have no bytes is no damaged stream.
func TestEmptyBodyOfUnknownLength(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "zstd"} {
		e := newExchange(t, all(nil), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			w.(http.Flusher).Flush()
		})
		resp := e.do("GET")
		if _, has := resp.Headers().Last("Content-Encoding"); has {
			t.Error(coding, "is left")
		}
		if got := text(t, resp); got != "" {
			t.Errorf("%s: %q", coding, got)
		}
	}
}

// Without algorithms the client's own gzip is at work.
func TestNoAlgorithms(t *testing.T) {
	e := newExchange(t, okcompress.New(nil), send(packed(t, hello, "gzip"), "gzip"))
	if got := text(t, e.do("GET")); got != hello || e.asked[0] != "gzip" {
		t.Errorf("got %q, asked for %q", got, e.asked)
	}
}

// rot13 is a coding that a program brings.
func rot13(src okio.Source) (okio.Source, error) {
	return okio.FromReader(rotReader{okio.NewBufferedSource(src)}), nil // it does not close src, which does not matter
}

type rotReader struct{ src *okio.BufferedSource }

func (r rotReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	copy(p, rot(string(p[:n])))
	return n, err
}

func rot(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z':
			return 'a' + (c-'a'+13)%26
		case 'A' <= c && c <= 'Z':
			return 'A' + (c-'A'+13)%26
		}
		return c
	}, s)
}

func TestOwnAlgorithm(t *testing.T) {
	i := okcompress.New(nil, okcompress.Algorithm{Token: "rot13", Decoder: rot13}, okcompress.Gzip())
	e := newExchange(t, i, send(packed(t, rot(hello), "gzip"), "Rot13, gzip"))
	if got := text(t, e.do("GET")); got != hello {
		t.Errorf("got %q", got)
	}
	if e.asked[0] != "rot13, gzip" {
		t.Errorf("asked for %q", e.asked)
	}
}

func TestAlgorithmThatFails(t *testing.T) {
	why := errors.New("not today")
	for name, decode := range map[string]func(okio.Source) (okio.Source, error){
		"error":   func(okio.Source) (okio.Source, error) { return nil, why },
		"nothing": func(okio.Source) (okio.Source, error) { return nil, nil },
	} {
		e := newExchange(t, okcompress.New(nil, okcompress.Algorithm{Token: "x", Decoder: decode}), send(hello, "x"))
		_, err := e.do("GET").Body.Text()
		var d *okcompress.DecodeError
		if !errors.As(err, &d) || d.Coding != "x" || name == "error" && !errors.Is(err, why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadAlgorithms(t *testing.T) {
	ok := okcompress.Gzip()
	for _, tt := range []struct {
		list []okcompress.Algorithm
		want string
	}{
		{[]okcompress.Algorithm{{Token: "", Decoder: rot13}}, `algorithm "" does not have a token`},
		{[]okcompress.Algorithm{ok, {Token: "a,b", Decoder: rot13}}, `algorithm "a,b" does not have a token`},
		{[]okcompress.Algorithm{{Token: "a\r\nb", Decoder: rot13}}, `algorithm "a\r\nb" does not have a token`},
		{[]okcompress.Algorithm{{Token: "Identity", Decoder: rot13}}, `algorithm "Identity" is no coding`},
		{[]okcompress.Algorithm{{Token: "x"}}, `algorithm "x" has no decoder`},
		{[]okcompress.Algorithm{ok, {Token: "GZIP", Decoder: rot13}}, `algorithm "GZIP" was given twice`},
	} {
		client := okhttp.New(okhttp.WithInterceptor(okcompress.New(nil, tt.list...)))
		_, err := client.Get(context.Background(), "http://localhost/")
		var bad *okcompress.AlgorithmError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
		_ = client.Close()
	}
}

func TestTrailersAreKept(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "raw", "zstd"} {
		e := newExchange(t, all(nil), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "Sum")
			w.Header().Set("Content-Encoding", strings.Replace(coding, "raw", "deflate", 1))
			_, _ = io.WriteString(w, packed(t, hello, coding))
			w.(http.Flusher).Flush()
			w.Header().Set("Sum", "42")
		})
		resp := e.do("GET")
		if got := text(t, resp); got != hello {
			t.Errorf("%s: %q", coding, got)
		}
		trailers, err := resp.Trailers()
		if err != nil || trailers.Get("Sum") != "42" {
			t.Errorf("%s: trailers %v, %v", coding, trailers, err)
		}
	}
}

// What was flushed can be read before more comes.
func TestStreams(t *testing.T) {
	for coding, pack := range packers {
		next := make(chan bool)
		e := newExchange(t, all(nil), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", strings.Replace(coding, "raw", "deflate", 1))
			z, err := pack(w)
			if err != nil {
				t.Error(err)
				return
			}
			for range 3 {
				_, _ = io.WriteString(z, hello)
				_ = z.(interface{ Flush() error }).Flush()
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
				t.Fatalf("%s: %q, %v", coding, p, err)
			}
			next <- true
		}
		if n, err := resp.Body.Read(p); n != 0 || err != io.EOF {
			t.Errorf("%s: %d, %v at the end", coding, n, err)
		}
		close(next)
	}
}

func TestCloseBeforeTheEnd(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "raw", "zstd"} {
		long := packed(t, strings.Repeat(hello, 10_000), coding)
		e := newExchange(t, all(nil), send(long, strings.Replace(coding, "raw", "deflate", 1)))
		for range 3 { // with decoders that were given back too early or twice, the later ones would fail
			resp := e.do("GET")
			p := make([]byte, 2*len(hello))
			if _, err := io.ReadFull(resp.Body, p); err != nil || string(p) != hello+hello {
				t.Fatalf("%s: %q, %v", coding, p, err)
			}
			for range 2 {
				if err := resp.Body.Close(); err != nil {
					t.Errorf("%s: %v", coding, err)
				}
			}
			if _, err := resp.Body.ReadBuffer(new(okio.Buffer), 1); !errors.Is(err, okio.ErrClosed) {
				t.Errorf("%s: %v after Close", coding, err)
			}
		}
		if got := text(t, e.do("GET")); got != strings.Repeat(hello, 10_000) {
			t.Errorf("%s: %d bytes", coding, len(got))
		}
	}
}
