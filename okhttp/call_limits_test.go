package okhttp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestReadTimeout(t *testing.T) {
	t.Run("no answer", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer())
			start := time.Now()
			_, err := w.get("http://server.test/")
			var e *Error
			if !errors.As(err, &e) || !e.Timeout() || !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || e.Phase != PhaseResponseHeaders {
				t.Errorf("error %v", err)
			}
			if got := time.Since(start); got != 10*time.Second {
				t.Errorf("after %v, want 10 s", got)
			}
		})
	})
	t.Run("one byte a second is no timeout, but the call's is", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) {
				p.request()
				for _, b := range []byte(okText(strings.Repeat("x", 100))) {
					if _, err := p.Write([]byte{b}); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			})
			start := time.Now()
			_, err := w.get("http://server.test/", WithReadTimeout(2*time.Second), WithCallTimeout(time.Minute))
			if !errors.Is(err, ErrCallTimeout) || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			if got := time.Since(start); got != time.Minute {
				t.Errorf("after %v, want 1 min", got)
			}
		})
	})
	t.Run("fact 29: the call's, before and within the response", func(t *testing.T) {
		for name, script := range map[string]func(*peer){"before": answer(), "within": answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")} {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", script)
				call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"), WithCallTimeout(time.Second))
				resp, err := call.Execute(t.Context())
				if err == nil {
					_, err = resp.Body.Text()
				}
				var e *Error
				if !errors.Is(err, ErrCallTimeout) || !strings.Contains(err.Error(), ": call timeout") || !errors.As(err, &e) || !e.Timeout() {
					t.Errorf("%s: error %v", name, err)
				}
				// Decision 1: a time limit has an error of its own, and is no cancellation.
				if errors.Is(err, context.Canceled) || call.IsCanceled() {
					t.Errorf("%s: it is a cancellation", name)
				}
			})
		}
	})
	t.Run("slower than the read timeout", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) {
				p.request()
				p.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
				time.Sleep(3 * time.Second)
				p.send("llo")
			})
			_, err := w.get("http://server.test/", WithReadTimeout(2*time.Second))
			var e *Error
			if !errors.As(err, &e) || !e.Timeout() || e.Phase != PhaseResponseBody {
				t.Errorf("error %v", err)
			}
		})
	})
}

func TestContext(t *testing.T) {
	stall := func(p *peer) { io.Copy(io.Discard, p.in) }
	t.Run("deadline", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", stall)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			_, err := w.client.Get(ctx, "http://server.test/")
			if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, ErrCallTimeout) {
				t.Errorf("error %v", err)
			}
		})
	})
	t.Run("cancel with a cause", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", stall)
			why := errors.New("changed my mind")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(why) })
			_, err := w.client.Get(ctx, "http://server.test/")
			if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
		})
	})
	t.Run("canceled beforehand", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", stall)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := w.client.Get(ctx, "http://server.test/"); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	})
}

// dialStall never connects, until its context ends.
type dialStall struct{}

func (dialStall) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestConnectTimeout(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.resolve("server.test", "10.0.0.1", "10.0.0.2")
		start := time.Now()
		_, err := w.get("http://server.test/", WithConnectTimeout(3*time.Second))
		var e *Error
		if !errors.As(err, &e) || !e.Timeout() || errors.Is(err, context.DeadlineExceeded) || e.Phase != PhaseConnect {
			t.Errorf("error %v", err)
		}
		if got := time.Since(start); got != 3250*time.Millisecond {
			t.Errorf("after %v, want 3 s an address, the second begun after 250 ms", got)
		}
		start = time.Now()
		if _, err := w.get("http://server.test/", WithConnectTimeout(3*time.Second), WithFastFallback(false)); err == nil {
			t.Error("no error")
		}
		if got := time.Since(start); got != 6*time.Second {
			t.Errorf("after %v, want 3 s an address, one after another", got)
		}
	}, WithDialer(dialStall{}))
}

// Cancel at each stage frees the call at once.
func TestCancelAtEachStage(t *testing.T) {
	dnsStall := DNSFunc(func(ctx context.Context, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	stages := []struct {
		name   string
		script func(*peer)
		opts   []Option
		body   *Body
		read   bool
	}{
		{name: "resolving", opts: []Option{WithDNS(dnsStall)}},
		{name: "connecting", opts: []Option{WithDialer(dialStall{})}},
		{name: "waiting for the response", script: func(p *peer) { io.Copy(io.Discard, p.in) }},
		{name: "inside the head", script: func(p *peer) { p.request(); p.send("HTTP/1.1 200"); io.Copy(io.Discard, p.in) }},
		{name: "writing a body that the server does not read", script: func(p *peer) { p.head(); time.Sleep(time.Hour) },
			body: Bytes("", make([]byte, 1<<20))},
		{name: "reading the body", script: func(p *peer) {
			p.request()
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
			io.Copy(io.Discard, p.in)
		}, read: true},
		{name: "reading chunks", script: func(p *peer) {
			p.request()
			p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n")
			io.Copy(io.Discard, p.in)
		}, read: true},
	}
	for _, how := range []string{"Cancel", "context", "Close"} {
		for _, stage := range stages {
			t.Run(how+" while "+stage.name, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.serve("server.test", "10.0.0.1", stage.script)
					method := "GET"
					if stage.body != nil {
						method = "PUT"
					}
					req, err := NewRequest(method, "http://server.test/", WithBody(stage.body))
					if err != nil {
						t.Fatal(err)
					}
					call := w.client.NewCall(req)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					const after = 100 * time.Millisecond
					time.AfterFunc(after, func() {
						switch how {
						case "Cancel":
							call.Cancel()
							call.Cancel()
						case "context":
							cancel()
						case "Close":
							w.client.Close()
						}
					})
					start := time.Now()
					resp, err := call.Execute(ctx)
					if err == nil {
						if !stage.read {
							t.Fatal("no error")
						}
						_, err = resp.Body.Bytes()
					}
					if !errors.Is(err, context.Canceled) {
						t.Errorf("error %v, want a cancellation", err)
					}
					if how != "context" && !errors.Is(err, ErrCanceled) {
						t.Errorf("error %v, want ErrCanceled", err)
					}
					if got := time.Since(start); got != after {
						t.Errorf("freed after %v, want %v", got, after)
					}
					if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
						t.Errorf("pool %+v", got)
					}
					synctest.Wait() // for the event, which comes after the call was freed
					w.mu.Lock()
					n := strings.Count(strings.Join(w.events, " "), "canceled")
					w.mu.Unlock()
					if want := map[string]int{"Cancel": 1, "context": 0, "Close": 1}[how]; n != want {
						t.Errorf("%d canceled events, want %d", n, want)
					}
				}, append([]Option{WithWriteTimeout(0), WithReadTimeout(0)}, stage.opts...)...)
			})
		}
	}
}

func TestCancelBeforeExecute(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		req, _ := NewRequest("GET", "http://server.test/")
		call := w.client.NewCall(req)
		call.Cancel()
		if _, err := call.Execute(t.Context()); !errors.Is(err, ErrCanceled) {
			t.Errorf("error %v", err)
		}
		w.wantEvents("canceled callStart callFailed")
		if !call.IsCanceled() || !call.IsExecuted() {
			t.Error("flags are not set")
		}
	})
}

// Fact 15: canceling after the end does nothing to the connection, which another call may hold by then.
func TestCancelAfterTheEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a"), okText("b")))
		req, _ := NewRequest("GET", "http://server.test/")
		call := w.client.NewCall(req)
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := call.Execute(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := resp.Body.Bytes(); err != nil {
			t.Fatal(err)
		}
		call.Cancel()
		cancel()
		w.want("200 b")(w.get("http://server.test/"))
	})
}

// dialDeadline is like net.Dialer: it keeps the context's deadline by itself and fails with an error of its own.
type dialDeadline struct{}

func (dialDeadline) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	at, _ := ctx.Deadline()
	time.Sleep(time.Until(at))
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "i/o timeout", IsTimeout: true}}
}

func TestDialerThatKeepsTheDeadlineItself(t *testing.T) {
	for name, tt := range map[string]struct {
		opts []CallOption
		want error
		not  error
	}{
		"call timeout":    {[]CallOption{WithCallTimeout(time.Second), WithConnectTimeout(0)}, ErrCallTimeout, nil},
		"connect timeout": {[]CallOption{WithConnectTimeout(time.Second)}, os.ErrDeadlineExceeded, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.resolve("server.test", "10.0.0.1")
				_, err := w.get("http://server.test/", tt.opts...)
				if !errors.Is(err, tt.want) || tt.not != nil && errors.Is(err, tt.not) {
					t.Errorf("error %v, want %v", err, tt.want)
				}
			}, WithDialer(dialDeadline{}))
		})
	}
}
