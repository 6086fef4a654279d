package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// slowly answers with a body that comes in pieces, one a second.
func slowly(w *world, pieces int) (target string) {
	w.serve("server.test", "10.0.0.1", func(p *peer) {
		p.request()
		p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for range pieces {
			time.Sleep(time.Second)
			p.send("1\r\nx\r\n")
		}
		p.send("0\r\n\r\n")
		p.head()
	})
	return "http://server.test/"
}

func slowly2(w *world, pieces int) (target string) {
	w.serve2("server.test", "10.0.0.1", nil, streams(func(s *stream2) {
		s.head(200, false)
		for range pieces {
			time.Sleep(time.Second)
			s.write("x")
		}
		s.Sink().Close()
	}))
	return "http://server.test/"
}

// overBoth runs a test with a body that comes in pieces, over both protocols.
func overBoth(t *testing.T, pieces int, test func(t *testing.T, w *world, url string), opts ...Option) {
	t.Run("http/1.1", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) { test(t, w, slowly(w, pieces)) }, opts...)
	})
	t.Run("h2", func(t *testing.T) {
		inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) { test(t, w, slowly2(w, pieces)) }, opts...)
	})
}

// Once lifted, the call's time limit does not concern the rest of the body; the caller's context does.
func TestLiftCallTimeout(t *testing.T) {
	limit := []Option{WithCallTimeout(2500 * time.Millisecond)}
	overBoth(t, 5, func(t *testing.T, w *world, url string) {
		resp, err := w.client.Get(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		resp.LiftCallTimeout()
		if text, err := resp.Body.Text(); text != "xxxxx" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		resp.LiftCallTimeout() // over
	}, limit...)
	overBoth(t, 5, func(t *testing.T, w *world, url string) {
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		resp, err := w.client.Get(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		resp.LiftCallTimeout()
		if text, err := io.ReadAll(resp.Body); string(text) != "xxx" || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrCallTimeout) {
			t.Errorf("%q, %v", text, err)
		}
		resp.Body.Close()
	}, limit...)
	overBoth(t, 5, func(t *testing.T, w *world, url string) {
		resp, err := w.client.Get(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		resp.LiftCallTimeout() // too late
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, ErrCallTimeout) {
			t.Error(err)
		}
		resp.Body.Close()
	}, limit...)
}

// The read timeout of a body can be shortened, lengthened and taken away.
func TestSetReadTimeout(t *testing.T) {
	for limit, want := range map[time.Duration]string{0: "xx", -1: "xx", 1100 * time.Millisecond: "xx", 900 * time.Millisecond: ""} {
		overBoth(t, 2, func(t *testing.T, w *world, url string) {
			resp, err := w.client.Get(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			resp.SetReadTimeout(limit)
			resp.LiftCallTimeout() // which keeps it
			text, err := io.ReadAll(resp.Body)
			if string(text) != want || errors.Is(err, os.ErrDeadlineExceeded) != (want == "") {
				t.Errorf("%v: %q, %v", limit, text, err)
			}
			resp.Body.Close()
			resp.SetReadTimeout(time.Second)
		}, WithReadTimeout(time.Second-1), WithCallTimeout(time.Hour))
	}
}

// A response leads back to its call, which ends the reading of the body from another goroutine.
func TestCallOfResponse(t *testing.T) {
	overBoth(t, 5, func(t *testing.T, w *world, url string) {
		resp, err := w.client.Get(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(1500 * time.Millisecond)
			resp.With(ResponseStatus(201, "")).Call().Cancel()
		}()
		if text, err := io.ReadAll(resp.Body); string(text) != "x" || !errors.Is(err, ErrCanceled) {
			t.Errorf("%q, %v", text, err)
		}
		resp.Body.Close()
		synctest.Wait()
	})
	byHand := bodyOf("", -1, "x")
	byHand.LiftCallTimeout()
	byHand.SetReadTimeout(1)
	if byHand.Call() != nil {
		t.Error("a call that never was")
	}
}

// The limits of a body are those of its response: okio's own are of no effect on it, nor on its source.
func TestBodyHasNoTimeout(t *testing.T) {
	for name, stream := range map[string]func(*Response) any{
		"body":   func(r *Response) any { return r.Body },
		"source": func(r *Response) any { return r.Body.Source() },
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, 3, func(t *testing.T, w *world, url string) {
				resp, err := w.client.Get(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				limit := okio.TimeoutOf(stream(resp))
				limit.SetLimit(time.Millisecond)
				if limit.Limit() != 0 {
					t.Errorf("a limit was set: %v", limit.Limit())
				}
				p := make([]byte, 1)
				if n, err := resp.Body.Read(p); n != 1 || err != nil {
					t.Errorf("%d bytes, %v", n, err)
				}
				resp.SetReadTimeout(time.Millisecond)
				if _, err := resp.Body.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%v, want a timeout", err)
				}
			})
		})
	}
}
