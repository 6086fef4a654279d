package okhttp

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Queue events come for calls that waited, the start before the end, and the time in the queue is not the call's.
func TestQueueEvents(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", slow(2))
		_, first := w.enqueue(t.Context(), w.client, "http://server.test/1")
		synctest.Wait()
		w.mu.Lock()
		w.events = nil
		w.mu.Unlock()
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/2"), WithCallTimeout(1500*time.Millisecond))
		second := w.enqueued(t.Context(), call)
		w.wantEvents("callStart queueStart")
		if !call.IsExecuted() {
			t.Error("a queued call is not executed")
		}
		if o := <-first; o.err != nil || o.text != "/1" || o.at != time.Second {
			t.Errorf("first %+v", o)
		}
		if o := <-second; o.err != nil || o.text != "/2" || o.at != 2*time.Second {
			t.Errorf("second %+v", o)
		}
		synctest.Wait()
		w.wantEvents("responseHeadersStart responseHeadersEnd followUpDecision false responseBodyStart responseBodyEnd 2 connectionReleased callEnd queueEnd connectionAcquired " +
			"requestHeadersStart requestHeadersEnd responseHeadersStart responseHeadersEnd followUpDecision false responseBodyStart responseBodyEnd 2 connectionReleased callEnd")
	}, WithDispatcher(NewDispatcher(DispatcherConfig{MaxRequests: 1})))
}

func TestQueueEventsOfACallThatDoesNotWait(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		_, done := w.enqueue(t.Context(), w.client, "http://server.test/")
		if o := <-done; o.err != nil || o.text != "x" {
			t.Errorf("outcome %+v", o)
		}
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
	})
}

func TestQueueFull(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", slow(2))
		_, first := w.enqueue(t.Context(), w.client, "http://server.test/1")
		_, second := w.enqueue(t.Context(), w.client, "http://server.test/2")
		synctest.Wait()
		w.mu.Lock()
		w.events = nil
		w.mu.Unlock()
		_, third := w.enqueue(t.Context(), w.client, "http://server.test/3")
		o := <-third
		var e *Error
		if !errors.Is(o.err, ErrQueueFull) || !errors.As(o.err, &e) || e.Phase != PhaseQueue || !SafeToRetry(o.err) || o.at != 0 {
			t.Errorf("outcome %+v", o)
		}
		w.wantEvents("callStart callFailed")
		for _, c := range []<-chan outcome{first, second} {
			if o := <-c; o.err != nil {
				t.Error(o.err)
			}
		}
	}, WithDispatcher(NewDispatcher(DispatcherConfig{MaxRequests: 1, MaxQueued: 1})))
}

// What ends a call in the queue frees it at once, and its place in the queue. (In the reference a canceled call waits its turn.)
func TestEndInTheQueue(t *testing.T) {
	why := errors.New("changed my mind")
	for name, c := range map[string]struct {
		end      func(w *world, call *Call, cancel context.CancelCauseFunc)
		is       []error
		canceled int
	}{
		"Cancel":  {func(_ *world, call *Call, _ context.CancelCauseFunc) { call.Cancel() }, []error{ErrCanceled, context.Canceled}, 1},
		"context": {func(_ *world, _ *Call, cancel context.CancelCauseFunc) { cancel(nil) }, []error{context.Canceled}, 0},
		"cause":   {func(_ *world, _ *Call, cancel context.CancelCauseFunc) { cancel(why) }, []error{context.Canceled, why}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := NewDispatcher(DispatcherConfig{MaxRequests: 1})
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", slow(2))
				_, first := w.enqueue(t.Context(), w.client, "http://server.test/1")
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				call, second := w.enqueue(ctx, w.client, "http://server.test/2")
				_, third := w.enqueue(t.Context(), w.client, "http://server.test/3")
				synctest.Wait()
				w.mu.Lock()
				w.events = nil
				w.mu.Unlock()
				c.end(w, call, cancel)
				o := <-second
				var e *Error
				if !errors.As(o.err, &e) || e.Phase != PhaseQueue || len(e.Attempts) != 0 || e.Sent || o.at != 0 {
					t.Errorf("outcome %+v", o)
				}
				for _, is := range c.is {
					if !errors.Is(o.err, is) {
						t.Errorf("error %v is not %v", o.err, is)
					}
				}
				if n := w.takeCanceled(); n != c.canceled {
					t.Errorf("%d canceled events, want %d", n, c.canceled)
				}
				w.wantEvents("callFailed")
				if got := d.Stats(); got != (DispatcherStats{Running: 1, Queued: 1}) {
					t.Errorf("stats %+v", got)
				}
				<-first
				if o := <-third; o.err != nil || o.at != 2*time.Second {
					t.Errorf("third %+v", o)
				}
				w.holdsNothing()
			}, WithDispatcher(d))
		})
	}
	t.Run("deadline", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", slow(2))
			_, first := w.enqueue(t.Context(), w.client, "http://server.test/1")
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, second := w.enqueue(ctx, w.client, "http://server.test/2")
			o := <-second
			var e *Error
			if !errors.As(o.err, &e) || !e.Timeout() || !errors.Is(o.err, context.DeadlineExceeded) || errors.Is(o.err, ErrCallTimeout) || o.at != time.Millisecond {
				t.Errorf("outcome %+v", o)
			}
			<-first
		}, WithDispatcher(NewDispatcher(DispatcherConfig{MaxRequests: 1})))
	})
	t.Run("Close", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", slow(2))
			_, first := w.enqueue(t.Context(), w.client, "http://server.test/1")
			_, second := w.enqueue(t.Context(), w.client, "http://server.test/2")
			synctest.Wait()
			w.client.Close()
			for _, c := range []<-chan outcome{first, second} {
				if o := <-c; !errors.Is(o.err, ErrCanceled) || o.at != 0 {
					t.Errorf("outcome %+v", o)
				}
			}
			_, third := w.enqueue(t.Context(), w.client, "http://server.test/3")
			if o := <-third; !errors.Is(o.err, ErrClientClosed) {
				t.Errorf("outcome %+v", o)
			}
		}, WithDispatcher(NewDispatcher(DispatcherConfig{MaxRequests: 1})))
	})
	t.Run("before it was enqueued", func(t *testing.T) {
		d := NewDispatcher(DispatcherConfig{MaxRequests: 1})
		inWorld(t, func(t *testing.T, w *world) {
			if _, err := d.enter("other", true); err != nil {
				t.Fatal(err)
			}
			call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
			call.Cancel()
			if o := <-w.enqueued(t.Context(), call); !errors.Is(o.err, ErrCanceled) {
				t.Errorf("outcome %+v", o)
			}
			w.wantEvents("canceled callStart queueStart callFailed")
			if got := d.Stats(); got != (DispatcherStats{Running: 1}) {
				t.Errorf("stats %+v", got)
			}
		}, WithDispatcher(d))
	})
}

// Fact 103: a running call keeps its place until it returns, canceled or not, and no limit lifts the other.
func TestCanceledCallKeepsItsPlace(t *testing.T) {
	d := NewDispatcher(DispatcherConfig{MaxRequests: 100, MaxRequestsPerHost: 1})
	stubborn := intercept(func(ctx context.Context, c Chain) (*Response, error) {
		time.Sleep(time.Second)
		return NewResponse(c.Request(), 204), nil
	})
	inWorld(t, func(t *testing.T, w *world) {
		first, one := w.enqueue(t.Context(), w.client, "http://server.test/1")
		_, two := w.enqueue(t.Context(), w.client, "http://server.test/2")
		first.Cancel()
		synctest.Wait()
		if got := d.Stats(); got != (DispatcherStats{Running: 1, Queued: 1}) {
			t.Errorf("stats %+v", got)
		}
		if o := <-one; !errors.Is(o.err, ErrCanceled) || o.at != time.Second {
			t.Errorf("the first %+v", o)
		}
		if o := <-two; o.err != nil || o.at != 2*time.Second {
			t.Errorf("the second %+v", o)
		}
	}, WithDispatcher(d), stubborn)
}
