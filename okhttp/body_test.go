package okhttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// write writes a body as a call does and returns what came.
func write(t testing.TB, b *Body) (string, error) {
	t.Helper()
	var got okio.Buffer
	sink := okio.NewBufferedSink(&got)
	err := b.writeTo(t.Context(), sink)
	if err == nil {
		err = sink.Flush()
	}
	text, readErr := got.ReadText(got.Len())
	if readErr != nil {
		t.Fatal(readErr)
	}
	return text, err
}

func mustBody(t testing.TB, c BodyConfig) *Body {
	t.Helper()
	b, err := NewBody(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openText(text string) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func TestBodies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("file content"), 0o600); err != nil {
		t.Fatal(err)
	}
	encoded, err := JSON(map[string]any{"a": 1, "b": "<"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body        *Body
		contentType string
		length      int64
		content     string
	}{
		"Bytes":          {Bytes("a/b", []byte("xyz")), "a/b", 3, "xyz"},
		"empty Bytes":    {Bytes("", nil), "", 0, ""},
		"Text":           {Text("aä€"), "text/plain; charset=utf-8", 6, "aä€"},
		"empty Text":     {Text(""), "text/plain; charset=utf-8", 0, ""},
		"JSON":           {encoded, "application/json", 22, `{"a":1,"b":"\u003c"}`},
		"Form":           {Form("a b", "1&2", "ä", "=", "*-._~", ""), "application/x-www-form-urlencoded", 29, "a+b=1%262&%C3%A4=%3D&*-._%7E="},
		"fact 95":        {Form("a+=& b", ""), "application/x-www-form-urlencoded", 13, "a%2B%3D%26+b="},
		"odd Form":       {Form("a", "b", "c"), "application/x-www-form-urlencoded", 6, "a=b&c="},
		"single Form":    {Form("a"), "application/x-www-form-urlencoded", 2, "a="},
		"empty Form":     {Form(), "application/x-www-form-urlencoded", 0, ""},
		"empty names":    {Form("", "", "", "x"), "application/x-www-form-urlencoded", 4, "=&=x"},
		"Form of bytes":  {Form("\x00\r\n\xff", "+%"), "application/x-www-form-urlencoded", 19, "%00%0D%0A%FF=%2B%25"},
		"File":           {File(file, "a/b"), "a/b", 12, "file content"},
		"FileFS":         {FileFS(fstest.MapFS{"x/y": {Data: []byte("in memory")}}, "x/y", "a/b"), "a/b", 9, "in memory"},
		"OneShot":        {OneShot("a/b", 3, strings.NewReader("xyz")), "a/b", 3, "xyz"},
		"OneShot, -1":    {OneShot("a/b", -1, strings.NewReader("xyz")), "a/b", -1, "xyz"},
		"OneShot, -5":    {OneShot("", -5, iotest.OneByteReader(strings.NewReader("xyz"))), "", -1, "xyz"},
		"Streamed":       {Streamed("a/b", func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, "xyz"); return err }), "a/b", -1, "xyz"},
		"NewBody, Open":  {mustBody(t, BodyConfig{ContentType: "a/b", Len: 3, Open: openText("xyz")}), "a/b", 3, "xyz"},
		"NewBody, Write": {mustBody(t, BodyConfig{Write: func(context.Context, io.Writer) error { return nil }}), "", 0, ""},
		"Progress":       {Progress(Text("xyz"), func(int64, int64) {}), "text/plain; charset=utf-8", 3, "xyz"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := len(c.content); c.length >= 0 && name != "JSON" && int64(got) != c.length {
				t.Fatalf("the table is wrong: %d bytes", got)
			}
			if c.body.ContentType() != c.contentType {
				t.Errorf("type %q, want %q", c.body.ContentType(), c.contentType)
			}
			if want := c.length; name != "JSON" && c.body.Len() != want {
				t.Errorf("length %d, want %d", c.body.Len(), want)
			}
			times := 2
			if c.body.cfg.OneShot {
				times = 1
			}
			for range times {
				if got, err := write(t, c.body); got != c.content || err != nil {
					t.Errorf("content %q, %v, want %q", got, err, c.content)
				}
			}
		})
	}
}

// trackedReader counts what is done to it.
type trackedReader struct {
	io.Reader
	closed   int
	closeErr error
}

func (r *trackedReader) Close() error {
	r.closed++
	return r.closeErr
}

// Every attempt opens the content anew, after the last one was closed: redirects, repetitions and retries alike.
func TestBodyIsOpenedForEachAttempt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			for _, text := range []string{redirectText(307, "/b"), statusResponse(503, "Retry-After: 0"), ""} { // and closes
				_, body := p.request()
				server.requests = append(server.requests, seen{body: body})
				p.send(text)
			}
		}, server.answer(okText("x")))
		var opened []*trackedReader
		body := mustBody(t, BodyConfig{Len: 7, Open: func(ctx context.Context) (io.ReadCloser, error) {
			if ctx.Value(contextKey{}) != "value" {
				t.Error("the context is not the call's")
			}
			for _, r := range opened {
				if r.closed != 1 {
					t.Errorf("opened again, but closed %d times", r.closed)
				}
			}
			r := &trackedReader{Reader: strings.NewReader("content")}
			opened = append(opened, r)
			return r, nil
		}})
		ctx := context.WithValue(t.Context(), contextKey{}, "value")
		resp, err := w.client.Do(ctx, mustRequest(t, "PUT", "http://server.test/", WithBody(body)))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if len(opened) != 4 || opened[3].closed != 1 {
			t.Errorf("opened %d times, want 4", len(opened))
		}
		for i, r := range server.requests {
			if r.body != "content" {
				t.Errorf("request %d had the body %q", i, r.body)
			}
		}
	})
}

type contextKey struct{}

func TestGzippedBody(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(redirectText(307, "/b"), okText("x")))
		text := strings.Repeat("content ", 10_000)
		body := Gzipped(Text(text))
		if body.Len() != -1 || body.ContentType() != "text/plain; charset=utf-8" {
			t.Errorf("length %d, type %q", body.Len(), body.ContentType())
		}
		resp, err := w.client.Do(t.Context(), mustRequest(t, "POST", "http://server.test/", WithBody(body), Header("Content-Encoding", "gzip")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if len(server.requests) != 2 {
			t.Fatalf("%d requests", len(server.requests))
		}
		for _, r := range server.requests {
			zr, err := gzip.NewReader(strings.NewReader(r.body))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(zr); err != nil || string(got) != text || len(r.body) > len(text)/10 {
				t.Errorf("%d bytes unpack to %d, %v", len(r.body), len(got), err)
			}
			if r.header.Get("Content-Encoding") != "gzip" {
				t.Errorf("headers %v", r.header)
			}
		}
	})
	if b := Gzipped(OneShot("", 1, strings.NewReader("x"))); !b.cfg.OneShot {
		t.Error("once compressed, a one-shot body is none any more")
	}
	if b := Gzipped(mustBody(t, BodyConfig{Open: openText(""), Duplex: true})); b.cfg.Duplex {
		t.Error("a compressed body is duplex")
	}
}

func TestProgress(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(redirectText(307, "/b"), okText("x"), okText("y")))
		type step struct{ done, total int64 }
		var steps []step
		const size = 100_000
		w.want("200 x")(w.do("PUT", "http://server.test/", Progress(Bytes("", make([]byte, size)), func(done, total int64) {
			steps = append(steps, step{done, total})
		})))
		rounds := 0
		for i, s := range steps {
			if s.total != size || s.done <= 0 || s.done > size {
				t.Fatalf("step %+v", s)
			}
			if i > 0 && s.done <= steps[i-1].done {
				if steps[i-1].done != size {
					t.Errorf("began again after %+v", steps[i-1])
				}
				rounds++
			}
		}
		if rounds != 1 || steps[len(steps)-1].done != size || len(steps) < 4 {
			t.Errorf("%d rounds, steps %v", rounds+1, steps)
		}
		for _, r := range server.requests {
			if len(r.body) != size || r.header.Get("Content-Length") != fmt.Sprint(size) {
				t.Errorf("%d bytes, headers %v", len(r.body), r.header)
			}
		}
		steps = nil
		w.want("200 y")(w.do("PUT", "http://server.test/", Progress(Gzipped(Text("x")), func(done, total int64) { steps = append(steps, step{done, total}) })))
		if len(steps) == 0 || steps[0].total != -1 {
			t.Errorf("steps %v", steps)
		}
	})
}

func TestFileBody(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	content := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	send := func(t *testing.T, body *Body) (requests []seen, err error) {
		inWorld(t, func(t *testing.T, w *world) {
			var server recorder
			w.serve("server.test", "10.0.0.1", server.answer(okText("x")))
			_, err = w.do("PUT", "http://server.test/", body)
			requests = server.requests
		})
		return requests, err
	}
	t.Run("grows", func(t *testing.T) {
		content("1234")
		body := File(path, "")
		content("12345")
		var pe *ProtocolError
		if r, err := send(t, body); !errors.As(err, &pe) || !strings.Contains(pe.Detail, "expected 4 bytes but received 5") || len(r) != 0 {
			t.Errorf("%v, error %v", r, err)
		}
	})
	t.Run("shrinks", func(t *testing.T) {
		content("1234")
		body := File(path, "")
		content("123")
		var pe *ProtocolError
		if r, err := send(t, body); !errors.As(err, &pe) || !strings.Contains(pe.Detail, "unexpected end of stream") || len(r) != 0 {
			t.Errorf("%v, error %v", r, err)
		}
	})
	t.Run("appears", func(t *testing.T) {
		os.Remove(path)
		body := File(path, "")
		if body.Len() != -1 {
			t.Errorf("length %d", body.Len())
		}
		content("late")
		if r, err := send(t, body); err != nil || r[0].body != "late" || r[0].header.Get("Content-Length") != "" {
			t.Errorf("%v, error %v", r, err)
		}
	})
	t.Run("vanishes", func(t *testing.T) {
		content("1234")
		body := File(path, "")
		os.Remove(path)
		if r, err := send(t, body); !errors.Is(err, fs.ErrNotExist) || len(r) != 0 {
			t.Errorf("%v, error %v", r, err)
		}
	})
	t.Run("is a folder", func(t *testing.T) {
		body := File(dir, "")
		if r, err := send(t, body); err == nil || len(r) != 0 || body.Len() != -1 {
			t.Errorf("%v, error %v, length %d", r, err, body.Len())
		}
	})
	t.Run("is empty", func(t *testing.T) {
		content("")
		if r, err := send(t, File(path, "")); err != nil || r[0].header.Get("Content-Length") != "0" {
			t.Errorf("%v, error %v", r, err)
		}
	})
	t.Run("absent in a file system", func(t *testing.T) {
		if r, err := send(t, FileFS(fstest.MapFS{}, "nothing", "")); !errors.Is(err, fs.ErrNotExist) || len(r) != 0 {
			t.Errorf("%v, error %v", r, err)
		}
	})
	t.Run("invalid name in a file system", func(t *testing.T) {
		if r, err := send(t, FileFS(fstest.MapFS{}, "../x", "")); err == nil || len(r) != 0 {
			t.Errorf("%v, error %v", r, err)
		}
	})
}

// A reader that was lent for one sending is closed once, and cannot be sent twice.
func TestOneShotBody(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(okText("x")), server.answer(okText("z")))
		r := &trackedReader{Reader: strings.NewReader("content")}
		body := OneShot("", -1, r)
		w.want("200 x")(w.do("POST", "http://server.test/", body))
		if r.closed != 1 {
			t.Errorf("closed %d times", r.closed)
		}
		_, err := w.do("POST", "http://server.test/", body)
		if err == nil || !strings.Contains(err.Error(), "one-shot body was sent before") {
			t.Errorf("sent twice: %v", err)
		}
		if len(server.requests) != 1 || r.closed != 1 {
			t.Errorf("%d requests, closed %d times", len(server.requests), r.closed)
		}
	})
	t.Run("the connection fails", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) { p.head() })
			w.resolve("server.test", "10.0.0.2")
			r := &trackedReader{Reader: strings.NewReader("content")}
			_, err := w.do("PUT", "http://server.test/", OneShot("", 7, r)) // PUT may be repeated, but not this one
			var e *Error
			if !errors.As(err, &e) || !e.Sent || len(e.Attempts) > 1 {
				t.Errorf("error %+v", err)
			}
			if r.closed != 1 {
				t.Errorf("closed %d times", r.closed)
			}
		})
	})
	t.Run("it cannot connect", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x")))
			r := &trackedReader{Reader: strings.NewReader("content")}
			body := OneShot("", 7, r)
			if _, err := w.do("PUT", "http://nowhere.test/", body); !SafeToRetry(err) {
				t.Errorf("error %v", err)
			}
			w.want("200 x")(w.do("PUT", "http://server.test/", body)) // nothing was taken from it
		})
	})
}

// movingReader must be moved from, not read.
type movingReader struct {
	okio.Buffer
	t      *testing.T
	closed int
}

func (m *movingReader) Read([]byte) (int, error) {
	m.t.Error("Read was called on a source")
	return 0, io.ErrUnexpectedEOF
}

func (m *movingReader) Close() error {
	m.closed++
	return nil
}

func TestBodyFromSourceMoves(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(okText("x"), okText("y")))
		for i, text := range []string{"x", "y"} {
			src := &movingReader{t: t}
			src.WriteString(strings.Repeat(text, 100_000))
			body := OneShot("", 100_000, src)
			if i == 1 {
				body = mustBody(t, BodyConfig{Len: -1, Open: func(context.Context) (io.ReadCloser, error) { return src, nil }})
			}
			w.want("200 " + text)(w.do("PUT", "http://server.test/", body))
			if got := server.requests[i].body; got != strings.Repeat(text, 100_000) || src.closed != 1 {
				t.Errorf("the server got %d bytes, closed %d times", len(got), src.closed)
			}
		}
	})
}

// Fact 66: HTTP/1 cannot, and the body is not touched.
func TestDuplexBodyOnHTTP1(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(okText("x")))
		for _, c := range []BodyConfig{
			{Len: -1, Duplex: true, Open: func(context.Context) (io.ReadCloser, error) { t.Error("opened"); return nil, io.EOF }},
			{Len: -1, Duplex: true, Write: func(context.Context, io.Writer) error { t.Error("written"); return nil }},
		} {
			_, err := w.do("POST", "http://server.test/", mustBody(t, c))
			var e *Error
			var pe *ProtocolError
			if !errors.As(err, &e) || !errors.As(err, &pe) || !strings.Contains(pe.Detail, "duplex") || e.Sent {
				t.Errorf("error %+v", err)
			}
		}
		if len(server.requests) != 0 {
			t.Errorf("the server got %v", server.requests)
		}
	})
}

// Section 9.12: a server may refuse a body by answering while it is written, and closing.
func TestAnswerWhileTheBodyIsWritten(t *testing.T) {
	const refusal = "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 4\r\n\r\nstop"
	for name, refuse := range map[string]func(*peer){
		"closes": func(p *peer) {
			p.head()
			p.send(refusal)
		},
		"stops reading": func(p *peer) {
			p.head()
			p.send(refusal)
			if c, ok := p.Conn.(interface{ CloseRead() error }); ok {
				c.CloseRead()
			}
			time.Sleep(time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", refuse, answer(okText("next")))
				w.want("413 stop")(w.do("POST", "http://server.test/", Bytes("", make([]byte, 16<<20))))
				w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestFailed responseHeadersStart responseHeadersEnd " +
					"followUpDecision false responseBodyStart responseBodyEnd 4 connectionReleased callEnd")
				if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
					t.Errorf("pool %+v", got)
				}
				w.want("200 next")(w.get("http://server.test/"))
			})
		})
	}
	t.Run("closes without an answer", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) { p.head() })
			_, err := w.do("POST", "http://server.test/", Bytes("", make([]byte, 16<<20)))
			var e *Error
			if !errors.As(err, &e) || e.Phase != PhaseRequestBody || !e.Sent || len(e.Attempts) != 1 {
				t.Errorf("error %+v", err)
			}
			w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestFailed responseFailed retryDecision false connectionReleased callFailed")
		})
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Large bodies of both kinds arrive as they are.
func TestLargeBodies(t *testing.T) {
	content := make([]byte, 3<<20)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(slices.Repeat([]string{okText("x")}, 3)...))
		for _, b := range []*Body{
			Bytes("", content),
			OneShot("", -1, iotest.HalfReader(bytes.NewReader(content))),
			Streamed("", func(_ context.Context, w io.Writer) error {
				for p := content; len(p) > 0; {
					n, err := w.Write(p[:min(len(p), 999)])
					if err != nil {
						return err
					}
					p = p[n:]
				}
				return nil
			}),
		} {
			w.want("200 x")(w.do("POST", "http://server.test/", b))
			if got := server.requests[len(server.requests)-1].body; got != string(content) {
				t.Errorf("%d bytes arrived, want %d", len(got), len(content))
			}
		}
	})
}
