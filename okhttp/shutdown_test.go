package okhttp

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// shutDown runs Shutdown and tells when it returned, and with what.
func shutDown(ctx context.Context, c *Client) <-chan outcome {
	done := make(chan outcome, 1)
	began := time.Now()
	go func() {
		err := c.Shutdown(ctx)
		done <- outcome{err: err, at: time.Since(began)}
	}()
	return done
}

func wantShutdown(t *testing.T, done <-chan outcome, want time.Duration) {
	t.Helper()
	if o := <-done; o.err != nil || o.at != want {
		t.Errorf("Shutdown returned %v after %v, want nil after %v", o.err, o.at, want)
	}
}

func TestShutdownIdle(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		w.want("200 x")(w.get("http://server.test/"))
		w.events = nil
		wantShutdown(t, shutDown(t.Context(), w.client), 0)
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v", got)
		}
		if _, err := w.get("http://server.test/"); !errors.Is(err, ErrClientClosed) || !SafeToRetry(err) {
			t.Errorf("error %v", err)
		}
		w.wantEvents("callStart callFailed")
		wantShutdown(t, shutDown(t.Context(), w.client), 0) // again
	})
}

// Calls that run go on, over new connections if they have to, and new ones are refused meanwhile.
func TestShutdownWaitsForCalls(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("a.test", "10.0.0.1", func(p *peer) {
			p.request()
			time.Sleep(time.Second)
			p.send(redirectText(302, "http://b.test/x"))
			io.Copy(io.Discard, p.in)
		})
		w.serve("b.test", "10.0.0.2", slow(3))
		_, running := w.enqueue(t.Context(), w.client, "http://a.test/")
		_, queued := w.enqueue(t.Context(), w.client, "http://b.test/y")
		synctest.Wait()
		done := shutDown(t.Context(), w.client)
		synctest.Wait()
		if _, err := w.get("http://b.test/z"); !errors.Is(err, ErrClientClosed) {
			t.Errorf("error %v", err)
		}
		_, late := w.enqueue(t.Context(), w.client, "http://b.test/z")
		if o := <-late; !errors.Is(o.err, ErrClientClosed) {
			t.Errorf("enqueued late: %+v", o)
		}
		if o := <-running; o.err != nil || o.text != "/x" || o.at != 2*time.Second {
			t.Errorf("running %+v", o)
		}
		if o := <-queued; o.err != nil || o.text != "/y" || o.at != 3*time.Second {
			t.Errorf("queued %+v", o)
		}
		wantShutdown(t, done, 3*time.Second)
	}, WithDispatcher(NewDispatcher(DispatcherConfig{MaxRequests: 1})))
}

func TestShutdownWaitsForBodies(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("hello")))
		resp := w.executed()
		first, second := shutDown(t.Context(), w.client), shutDown(t.Context(), w.client)
		time.Sleep(time.Minute)
		if text, err := resp.Body.Text(); text != "hello" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		wantShutdown(t, first, time.Minute)
		wantShutdown(t, second, time.Minute)
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v", got)
		}
	})
}

// The end of the context closes at once.
func TestShutdownContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer())
		_, stalled := w.enqueue(t.Context(), w.client, "http://server.test/")
		synctest.Wait()
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		if o := <-shutDown(ctx, w.client); !errors.Is(o.err, why) || o.at != time.Second {
			t.Errorf("Shutdown %+v", o)
		}
		if o := <-stalled; !errors.Is(o.err, ErrCanceled) || o.at != time.Second {
			t.Errorf("the call %+v", o)
		}
		synctest.Wait()
		if got := w.client.active.Load(); got != 0 {
			t.Errorf("%d calls left", got)
		}
	})
}

// Each way to end a call is one that Shutdown knows of.
func TestShutdownCountsEveryEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), answer(okText("hello")), answerAndClose("nonsense"))
		if _, err := w.get("http://server.test/"); err == nil {
			t.Error("a body cut short is no error")
		}
		resp := w.executed()
		resp.Body.Close()
		w.client.cfg.pool.EvictAll()
		if _, err := w.get("http://server.test/"); err == nil {
			t.Error("nonsense is no error")
		}
		w.get("http://unknown.test/")
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
		call.Cancel()
		call.Execute(t.Context())
		call.Execute(t.Context()) // misuse, which is no call
		wantShutdown(t, shutDown(t.Context(), w.client), 0)
	})
}

// A derived client's Shutdown waits for its own calls and leaves the pool alone.
func TestShutdownOfDerivedClient(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", slow(1), answer(okText("x"), okText("y")))
		_, running := w.enqueue(t.Context(), w.client, "http://server.test/")
		synctest.Wait()
		derived := w.client.With(WithReadTimeout(time.Minute))
		if text, err := derived.Get(t.Context(), "http://server.test/"); err != nil {
			t.Fatal(err)
		} else {
			text.Body.Close()
		}
		wantShutdown(t, shutDown(t.Context(), derived), 0)
		if _, err := derived.Get(t.Context(), "http://server.test/"); !errors.Is(err, ErrClientClosed) {
			t.Errorf("error %v", err)
		}
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 2, Idle: 1, Streams: 1}) {
			t.Errorf("pool %+v", got)
		}
		w.want("200 y")(w.get("http://server.test/"))
		if o := <-running; o.err != nil {
			t.Error(o.err)
		}
	})
}
