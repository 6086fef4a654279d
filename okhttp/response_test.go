package okhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// bodyOf makes a response with some content.
func bodyOf(contentType string, length int64, content string) *Response {
	var b okio.Buffer
	b.WriteString(content)
	return NewResponse(nil, 200, ResponseBodyFrom(contentType, length, &b))
}

const chunkedHello = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n"

// executed runs a GET of http://server.test/.
func (w *world) executed(opts ...CallOption) *Response {
	w.t.Helper()
	resp, err := w.client.Get(w.t.Context(), "http://server.test/", opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
}

// Fact 67 and section 9.8.
func TestTrailers(t *testing.T) {
	want := func(t *testing.T, resp *Response) {
		t.Helper()
		if h, err := resp.Trailers(); err != nil || h.Len() != 2 || h.Get("X-Sum") != "1" {
			t.Errorf("trailers %v, %v", h, err)
		}
	}
	t.Run("after the body", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(chunkedHello))
			resp := w.executed()
			if text, err := resp.Body.Text(); text != "hello" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			want(t, resp)
			want(t, resp)
			if resp.Headers().Get("X-Sum") != "" {
				t.Error("the trailers are among the headers")
			}
		})
	})
	t.Run("before the body, which is drained", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(chunkedHello, okText("next")))
			resp := w.executed()
			want(t, resp)
			if p, err := io.ReadAll(resp.Body); len(p) != 0 || err != nil {
				t.Errorf("left over: %q, %v", p, err)
			}
			resp.Body.Close()
			want(t, resp)
			w.want("200 next")(w.get("http://server.test/"))
		})
	})
	t.Run("in the middle of the body", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(chunkedHello))
			resp := w.executed()
			io.ReadFull(resp.Body, make([]byte, 2))
			want(t, resp)
		})
	})
	t.Run("of a response made of it", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(chunkedHello))
			resp := w.executed()
			other := resp.With(ResponseStatus(201, ""), ResponseBodyFrom("", -1, new(okio.Buffer)))
			resp.Body.Bytes()
			want(t, other)
			other.Body.Close()
		})
	})
	t.Run("after transparent gzip", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			packed := gz("hello")
			w.serve("server.test", "10.0.0.1", answer(fmt.Sprintf(
				"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n", len(packed), packed)))
			resp := w.executed()
			if text, err := resp.Body.Text(); text != "hello" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			want(t, resp)
		})
	})
	t.Run("none", func(t *testing.T) {
		for _, text := range []string{okText("hello"), okText(""), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"} {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(text))
				resp := w.executed()
				if h, err := resp.Trailers(); err != nil || h.Len() != 0 {
					t.Errorf("trailers %v, %v", h, err)
				}
				resp.Body.Close()
			})
		}
		if h, err := NewResponse(nil, 200).Trailers(); err != nil || h.Len() != 0 {
			t.Errorf("of a response made by hand: %v, %v", h, err)
		}
	})
	t.Run("closed early, the rest is there", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(chunkedHello))
			resp := w.executed()
			resp.Body.Close()
			want(t, resp) // closing drained it
		})
	})
	t.Run("closed early, the rest does not come", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(chunkedHello[:len(chunkedHello)-4]))
			resp := w.executed()
			resp.Body.Close()
			if _, err := resp.Trailers(); !errors.Is(err, http1.ErrTrailersTruncated) {
				t.Errorf("error %v", err)
			}
		})
	})
	t.Run("cut short", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answerAndClose(chunkedHello[:len(chunkedHello)-4]))
			resp := w.executed()
			for range 2 {
				var e *Error
				if _, err := resp.Trailers(); !errors.As(err, &e) || e.Phase != PhaseResponseBody || !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("error %v", err)
				}
			}
			resp.Body.Close()
		})
	})
	t.Run("canceled while waiting", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(chunkedHello[:len(chunkedHello)-4]))
			call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
			resp, err := call.Execute(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Second, call.Cancel)
			start := time.Now()
			if _, err := resp.Trailers(); !errors.Is(err, ErrCanceled) || time.Since(start) != time.Second {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
			resp.Body.Close()
			w.holdsNothing()
		})
	})
}

// The ways of reading a body mix: what one has taken, the next does not see.
func TestReadingMixes(t *testing.T) {
	for _, source := range []string{"server", "gzip", "hand"} {
		t.Run(source, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				resp := bodyOf("", 10, "0123456789")
				switch source {
				case "server":
					w.serve("server.test", "10.0.0.1", answer(okText("0123456789")))
					resp = w.executed()
				case "gzip":
					w.serve("server.test", "10.0.0.1", answer(gzipResponse(gz("0123456789"))))
					resp = w.executed()
				}
				if p, err := resp.PeekBody(3); string(p) != "012" || err != nil {
					t.Errorf("peeked %q, %v", p, err)
				}
				p := make([]byte, 2)
				if _, err := io.ReadFull(resp.Body, p); string(p) != "01" || err != nil {
					t.Errorf("read %q, %v", p, err)
				}
				if p, err := resp.PeekBody(100); string(p) != "23456789" || err != nil {
					t.Errorf("peeked %q, %v", p, err)
				}
				if p, err := resp.PeekBody(0); len(p) != 0 || err != nil {
					t.Errorf("peeked %q, %v", p, err)
				}
				if p, err := resp.PeekBody(-1); len(p) != 0 || err != nil {
					t.Errorf("peeked %q, %v", p, err)
				}
				if c, err := resp.Body.Source().ReadByte(); c != '2' || err != nil {
					t.Errorf("read %q, %v", c, err)
				}
				if first := resp.Body.Source(); resp.Body.Source() != first {
					t.Error("not the same source each time")
				}
				var b okio.Buffer
				if n, err := resp.Body.ReadBuffer(&b, 2); n != 2 || err != nil {
					t.Errorf("moved %d, %v", n, err)
				}
				if got, err := b.ReadText(2); got != "34" || err != nil {
					t.Errorf("moved %q, %v", got, err)
				}
				var out bytes.Buffer
				if n, err := resp.Body.WriteTo(&failAfter{&out, 2}); n != 2 || !errors.Is(err, io.ErrShortWrite) || out.String() != "56" {
					t.Errorf("wrote %d %q, %v", n, &out, err)
				}
				resp.Body.Close()
				if _, err := resp.Body.Text(); !errors.Is(err, okio.ErrClosed) {
					t.Errorf("reading a closed body: %v", err)
				}
				if _, err := resp.PeekBody(1); !errors.Is(err, okio.ErrClosed) {
					t.Errorf("peeking into a closed body: %v", err)
				}
			})
		})
	}
}

// failAfter takes some bytes and then no more.
type failAfter struct {
	w    io.Writer
	left int
}

func (f *failAfter) Write(p []byte) (int, error) {
	n, _ := f.w.Write(p[:min(len(p), f.left)])
	f.left -= n
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// What was read before does not make the rest disagree with the length.
func TestReadTheRest(t *testing.T) {
	for name, read := range map[string]func(*ResponseBody) error{
		"Read":   func(b *ResponseBody) error { _, err := io.ReadFull(b, make([]byte, 2)); return err },
		"Source": func(b *ResponseBody) error { return b.Source().Skip(2) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("hello")))
				for _, resp := range []*Response{w.executed(), bodyOf("", 5, "hello")} {
					if err := read(resp.Body); err != nil {
						t.Fatal(err)
					}
					if text, err := resp.Body.Text(); text != "llo" || err != nil {
						t.Errorf("the rest is %q, %v", text, err)
					}
				}
			})
		})
	}
}

func TestResponseBodyOfWrongLength(t *testing.T) {
	closed := 0
	for _, c := range []struct {
		length  int64
		content string
		want    string
	}{
		{10, "hello", "Content-Length (10) and stream length (5) disagree"},
		{3, "hello", "Content-Length (3) and stream length (5) disagree"},
		{0, "hello", "Content-Length (0) and stream length (5) disagree"},
		{1 << 62, "hello", "disagree"}, // and no attempt to make room for it
		{5, "hello", ""},
		{-1, "hello", ""},
		{-7, "hello", ""},
	} {
		for name, read := range map[string]func(*ResponseBody) error{
			"Bytes": func(b *ResponseBody) error { _, err := b.Bytes(); return err },
			"Text":  func(b *ResponseBody) error { _, err := b.Text(); return err },
			"JSON":  func(b *ResponseBody) error { return b.JSON(new(any)) },
		} {
			content := `"` + c.content[2:] + `"`
			var b okio.Buffer
			b.WriteString(content)
			closed = 0
			resp := NewResponse(nil, 200, ResponseBodyFrom("", c.length, &countedClose{&b, &closed}))
			err := read(resp.Body)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, io.ErrUnexpectedEOF)) {
				t.Errorf("%s of %d bytes that should be %d: %v", name, len(content), c.length, err)
			}
			if closed != 1 {
				t.Errorf("%s closed %d times", name, closed)
			}
		}
	}
}

type countedClose struct {
	okio.Source
	n *int
}

func (c *countedClose) Close() error {
	*c.n++
	return c.Source.Close()
}

func TestJSONBody(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText(`{"a": [1, 2]}`), okText(`{"a"`), okText(``), okText(`{"a": "b"}`)))
		var v struct{ A []int }
		if err := w.executed().Body.JSON(&v); err != nil || len(v.A) != 2 {
			t.Errorf("%+v, %v", v, err)
		}
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		for range 2 {
			if err := w.executed().Body.JSON(&v); !errors.As(err, &syntax) {
				t.Errorf("error %v", err)
			}
		}
		if err := w.executed().Body.JSON(&v); !errors.As(err, &kind) {
			t.Errorf("error %v", err)
		}
		w.holdsNothing()
	})
}

// Closing never fails for a body from a server, and fails as its source does for one that was made.
func TestCloseOfBody(t *testing.T) {
	boom := errors.New("boom")
	resp := NewResponse(nil, 200, ResponseBodyFrom("", -1, &closeFails{Source: new(okio.Buffer), err: boom}))
	if err := resp.Body.Close(); err != boom {
		t.Errorf("closing: %v", err)
	}
	if text, err := NewResponse(nil, 200, ResponseBodyFrom("", -1, &closeFails{Source: new(okio.Buffer), err: boom})).Body.Text(); text != "" || err != nil {
		t.Errorf("reading %q, %v: a failure to close a body that was read whole is of no interest", text, err)
	}
}

type closeFails struct {
	okio.Source
	err error
}

func (c *closeFails) Close() error { return c.err }

func TestNewResponse(t *testing.T) {
	req := mustRequest(t, "GET", "http://server.test/")
	resp := NewResponse(req, 404)
	if resp.Status != 404 || resp.Message != "" || resp.Protocol != HTTP11 || resp.Request() != req || resp.Headers().Len() != 0 || resp.IsSuccess() {
		t.Errorf("response %+v", resp)
	}
	if p, err := resp.Body.Bytes(); len(p) != 0 || err != nil || resp.Body.Len() != 0 || resp.Body.ContentType() != "" {
		t.Errorf("body %q, %v", p, err)
	}
	if resp.Prior() != nil || resp.CacheResponse() != nil || resp.NetworkResponse() != nil || resp.Handshake() != nil || !resp.SentAt().IsZero() || !resp.ReceivedAt().IsZero() {
		t.Errorf("response %+v", resp)
	}

	headers, err := Headers{}.With("X", "y")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1, 0)
	for _, sent := range []time.Time{{}, at, time.Unix(-1, 0)} {
		for _, received := range []time.Time{at, at.Add(1), at.Add(-1), time.Unix(0, 0)} { // clocks are set back too
			if r := NewResponse(req, 200, WithTimes(sent, received)); !r.SentAt().Equal(sent) || !r.ReceivedAt().Equal(received) {
				t.Errorf("sent %v, received %v, want %v, %v", r.SentAt(), r.ReceivedAt(), sent, received)
			}
		}
	}
	if r := NewResponse(req, 200, WithTimes(at, time.Time{})); !r.SentAt().Equal(at) {
		t.Errorf("sent %v", r.SentAt())
	}
	hs := &Handshake{Version: "TLSv1.3"}
	part := bodyOf("a/b", 3, "xyz")
	full := resp.With(nil, ResponseStatus(201, "Made"), ResponseHeaders(headers), ResponseRequest(nil), WithPrior(part), WithCacheResponse(part), WithNetworkResponse(part),
		WithHandshake(hs), WithTimes(at, at.Add(1)))
	if full.Status != 201 || full.Message != "Made" || full.Headers().Get("X") != "y" || full.Request() != nil || full.Handshake() != hs || full.SentAt() != at || full.ReceivedAt() != at.Add(1) || !full.IsSuccess() {
		t.Errorf("response %+v", full)
	}
	if full.Body != resp.Body || resp.Status != 404 || resp.Headers().Len() != 0 {
		t.Errorf("the original is %+v", resp)
	}
	for name, r := range map[string]*Response{"prior": full.Prior(), "cache": full.CacheResponse(), "network": full.NetworkResponse()} {
		if r == part || r.Body.ContentType() != "a/b" || r.Body.Len() != 3 {
			t.Errorf("%s: %+v", name, r)
		}
		for how, read := range map[string]func(*Response) error{
			"Bytes": func(r *Response) error { _, err := r.Body.Bytes(); return err },
			"Text":  func(r *Response) error { _, err := r.Body.Text(); return err },
			"JSON":  func(r *Response) error { return r.Body.JSON(new(any)) },
			"Read":  func(r *Response) error { _, err := r.Body.Read(make([]byte, 1)); return err },
			"Peek":  func(r *Response) error { _, err := r.PeekBody(1); return err },
			"Copy":  func(r *Response) error { _, err := r.Body.WriteTo(io.Discard); return err },
		} {
			if err := read(r.With(WithoutBody())); !errors.Is(err, ErrUnreadableBody) {
				t.Errorf("%s of the %s body: %v", how, name, err)
			}
		}
	}
	if text, err := part.Body.Text(); text != "xyz" || err != nil {
		t.Errorf("the original body is %q, %v", text, err)
	}
	none := full.With(WithPrior(nil), WithCacheResponse(nil), WithNetworkResponse(nil), WithHandshake(nil))
	if none.Prior() != nil || none.CacheResponse() != nil || none.NetworkResponse() != nil || none.Handshake() != nil {
		t.Errorf("response %+v", none)
	}
	bodiless := (&Response{Status: 200}).With(WithoutBody())
	if _, err := bodiless.Body.Bytes(); !errors.Is(err, ErrUnreadableBody) {
		t.Errorf("error %v", err)
	}
}

func TestIsSuccess(t *testing.T) {
	for status, want := range map[int]bool{199: false, 200: true, 204: true, 299: true, 300: false, 404: false, 0: false} {
		if NewResponse(nil, status).IsSuccess() != want {
			t.Errorf("%d", status)
		}
	}
}

func TestNetworkResponse(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.0 203 Other\r\nContent-Type: a/b\r\nContent-Length: 1\r\n\r\nx"))
		before := time.Now()
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/#f", Header("X", "y")))
		if err != nil {
			t.Fatal(err)
		}
		n := resp.NetworkResponse()
		if n != resp.NetworkResponse() || n == resp {
			t.Error("not the same network response each time")
		}
		if n.Status != 203 || n.Message != "Other" || n.Protocol != HTTP10 || n.Body.ContentType() != "a/b" || n.Body.Len() != 1 || n.NetworkResponse() != nil {
			t.Errorf("network response %+v", n)
		}
		if h := n.Request().Headers(); h.Get("Host") != "server.test" || h.Get("X") != "y" || h.Get("User-Agent") == "" {
			t.Errorf("sent headers %v", h)
		}
		if h := resp.Request().Headers(); h.Len() != 1 {
			t.Errorf("own headers %v", h)
		}
		if _, err := n.Body.Bytes(); !errors.Is(err, ErrUnreadableBody) {
			t.Errorf("error %v", err)
		}
		if resp.SentAt() != before || resp.ReceivedAt() != before {
			t.Errorf("sent at %v, received at %v, want %v", resp.SentAt(), resp.ReceivedAt(), before)
		}
		if cleared := resp.With(WithNetworkResponse(nil)); cleared.NetworkResponse() != nil {
			t.Error("a network response that was taken away is there")
		}
		if text, err := resp.Body.Text(); text != "x" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// Facts 2 and 3, and what else has no body.
func TestResponsesWithoutBody(t *testing.T) {
	for name, c := range map[string]struct {
		method, response string
		length           int64
	}{
		"fact 2: HEAD": {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", 0},
		"HEAD, chunk":  {"HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 0},
		"204":          {"GET", "HTTP/1.1 204 X\r\n\r\n", 0},
		"304":          {"GET", "HTTP/1.1 304 X\r\nContent-Length: 100\r\n\r\n", 0},
		"205":          {"GET", "HTTP/1.1 205 X\r\nContent-Length: 0\r\n\r\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(c.response, okText("next")))
				resp, err := w.client.Do(t.Context(), mustRequest(t, c.method, "http://server.test/"))
				if err != nil {
					t.Fatal(err)
				}
				if p, err := resp.Body.Bytes(); len(p) != 0 || err != nil {
					t.Errorf("body %q, %v", p, err)
				}
				w.want("200 next")(w.get("http://server.test/"))
				if w.lookups != 1 {
					t.Error("the connection was not used again")
				}
			})
		})
	}
	for _, status := range []int{204, 205} { // fact 3
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: 39\r\n\r\n%039d", status, 0)))
			_, err := w.get("http://server.test/")
			var pe *ProtocolError
			if want := fmt.Sprintf("HTTP %d had non-zero Content-Length: 39", status); !errors.As(err, &pe) || pe.Detail != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// A body is read under the context that the call was given.
func TestBodyIsBoundToTheContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		resp, err := w.client.Get(ctx, "http://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		p, err := io.ReadAll(resp.Body)
		if string(p) != "he" || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%q, %v after %v", p, err, time.Since(start))
		}
		resp.Body.Close()
		w.holdsNothing()
	})
}
