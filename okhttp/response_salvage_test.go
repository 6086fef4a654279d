package okhttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// teeing is a cache that keeps what is read, and after Close what came within the time.
func teeing(kept *bytes.Buffer, whole *bool, d time.Duration) CallOption {
	return cacheFunc(func(ctx context.Context, c Chain, _ *EventListener) (*Response, error) {
		resp, err := c.Proceed(ctx, c.Request())
		if err != nil {
			return nil, err
		}
		return resp.With(ResponseBodyFrom("", -1, &teeBody{resp.Body, kept, whole, d})), nil
	})
}

type teeBody struct {
	*ResponseBody
	kept  *bytes.Buffer
	whole *bool
	d     time.Duration
}

func (b *teeBody) Read(p []byte) (int, error) {
	n, err := b.ResponseBody.Read(p)
	b.kept.Write(p[:n])
	return n, err
}

func (b *teeBody) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	p := make([]byte, most)
	n, err := b.Read(p)
	dst.Write(p[:n])
	if n > 0 {
		err = nil
	}
	return int64(n), err
}

func (b *teeBody) Close() error {
	*b.whole = b.CloseInto(okio.ToWriter(b.kept), b.d)
	return nil
}

func TestCloseInto(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		whole  bool
		kept   string
	}{
		"with a length":      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", true, "0123456789"},
		"chunked":            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n", true, "0123456789"},
		"until the close":    {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789", true, "0123456789"},
		"cut":                {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n0123456789", false, "0123456789"},
		"cut between chunks": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\na\r\n0123456789\r\n", false, "0123456789"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answerAndClose(c.answer))
				var kept bytes.Buffer
				whole := !c.whole
				resp, err := w.client.Get(t.Context(), "http://server.test/", teeing(&kept, &whole, time.Second))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if whole != c.whole || kept.String() != c.kept {
					t.Errorf("whole %v, kept %q", whole, kept.String())
				}
				w.holdsNothing()
				if last := w.events[len(w.events)-1]; last != "callEnd" {
					t.Errorf("ends with %s", last)
				}
			})
		})
	}
}

// What does not come in time ends the exchange, but not as a failure.
func TestCloseIntoGivesUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789"))
		var kept bytes.Buffer
		whole := true
		resp, err := w.client.Get(t.Context(), "http://server.test/", teeing(&kept, &whole, 100*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		resp.Body.Close()
		if took := time.Since(began); whole || took != 100*time.Millisecond || kept.String() != "0123456789" {
			t.Errorf("whole %v after %v, kept %q", whole, took, kept.String())
		}
		w.holdsNothing()
		if last := w.events[len(w.events)-1]; last != "callEnd" {
			t.Errorf("ends with %s", last)
		}
	})
}

// Trailers are those of the whole body, and a body in front of it sees all of it.
func TestTrailersBehindAnotherBody(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\nA: b\r\n\r\n"))
		var kept bytes.Buffer
		whole := false
		resp, err := w.client.Get(t.Context(), "http://server.test/", teeing(&kept, &whole, time.Second))
		if err != nil {
			t.Fatal(err)
		}
		trailers, err := resp.Trailers()
		if err != nil || trailers.Get("A") != "b" || kept.String() != "0123456789" {
			t.Errorf("%v, %v, kept %q", trailers, err, kept.String())
		}
		resp.Body.Close()
		if !whole {
			t.Error("not whole")
		}
	})
}

// A body that is not a server's is closed into a sink too.
func TestCloseIntoOfAnyBody(t *testing.T) {
	body := newResponseBody(okio.FromReader(strings.NewReader("0123456789")), "", -1)
	io.ReadFull(body, make([]byte, 2))
	var kept bytes.Buffer
	if whole := body.CloseInto(okio.ToWriter(&kept), time.Second); !whole || kept.String() != "23456789" {
		t.Errorf("%v, %q", whole, kept.String())
	}
	broken := newResponseBody(okio.FromReader(io.MultiReader(strings.NewReader("01"), failing{})), "", -1)
	kept.Reset()
	if whole := broken.CloseInto(okio.ToWriter(&kept), time.Second); whole || kept.String() != "01" {
		t.Errorf("%v, %q", whole, kept.String())
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

// A request that proceeds apart outlives the call, and has its own events.
func TestProceedApart(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("apart")))
		var resp *Response
		cache := cacheFunc(func(ctx context.Context, c Chain, _ *EventListener) (_ *Response, err error) {
			if resp, err = c.ProceedApart(context.WithoutCancel(ctx), c.Request()); err != nil {
				return nil, err
			}
			return made(c, "own"), nil
		})
		w.want("200 own")(w.get("http://server.test/", cache))
		if text, err := resp.Body.Text(); text != "apart" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if resp.Request().Headers().Get("Host") != "server.test" {
			t.Errorf("headers %v", resp.Request().Headers())
		}
		w.holdsNothing()
	})
	t.Run("from elsewhere", func(t *testing.T) {
		client := New(WithInterceptor(InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
			return c.ProceedApart(ctx, c.Request())
		})))
		defer client.Close()
		if _, err := client.Get(t.Context(), "http://h/"); !errors.As(err, new(*InterceptorError)) {
			t.Errorf("error %v", err)
		}
	})
}

func TestUncheckedHeaders(t *testing.T) {
	h := UncheckedHeaders([]string{"", "A", "é", "ü", "odd"})
	if h.Len() != 2 || h.Get("é") != "ü" || h.Get("") != "A" {
		t.Errorf("%v", h)
	}
}
