package okhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// outcome is what a callback of Enqueue got.
type outcome struct {
	text string
	err  error
	at   time.Duration // since enqueue
}

// enqueue enqueues a GET and returns where its outcome will be.
func (w *world) enqueue(ctx context.Context, c *Client, url string, opts ...RequestOption) (*Call, <-chan outcome) {
	w.t.Helper()
	call := c.NewCall(mustRequest(w.t, "GET", url, opts...))
	return call, w.enqueued(ctx, call)
}

func (w *world) enqueued(ctx context.Context, call *Call) <-chan outcome {
	done := make(chan outcome, 1)
	var callbacks atomic.Int32
	began := time.Now()
	call.Enqueue(ctx, func(resp *Response, err error) {
		if callbacks.Add(1) > 1 {
			w.t.Error("a second callback")
		}
		o := outcome{err: err, at: time.Since(began)}
		if err == nil {
			o.text, o.err = resp.Body.Text()
		}
		done <- o
	})
	return done
}

// slow answers each request with its path after a second.
func slow(requests int) func(*peer) {
	return func(p *peer) {
		for range requests {
			r, _ := p.request()
			if r == nil {
				return
			}
			time.Sleep(time.Second)
			p.send(okText(r.URL.Path))
		}
		io.Copy(io.Discard, p.in)
	}
}

func repeat(n int, script func(*peer)) []func(*peer) { return slices.Repeat([]func(*peer){script}, n) }

func TestDispatcherDefaults(t *testing.T) {
	d := new(Dispatcher) // as NewDispatcher(DispatcherConfig{})
	for range 100 {      // beyond every limit
		if _, err := d.enter("h", true); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Stats(); got != (DispatcherStats{Running: 5, Queued: 95}) {
		t.Errorf("one host: %+v", got)
	}
	d = NewDispatcher(DispatcherConfig{})
	for i := range 100 {
		if _, err := d.enter(fmt.Sprint(i), true); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Stats(); got != (DispatcherStats{Running: 64, Queued: 36}) {
		t.Errorf("many hosts: %+v", got)
	}
	d = NewDispatcher(DispatcherConfig{MaxRequests: -1, MaxRequestsPerHost: -1, MaxQueued: 1})
	for range 1000 {
		if _, err := d.enter("h", true); err != nil {
			t.Fatal(err)
		}
	}
}

// Section 3.3: calls run in their order, but one that waits for its host alone lets others pass. Stats and queue events tell of it.
func TestDispatcherOrder(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("a.test", "10.0.0.1", repeat(2, slow(3))...)
		w.serve("b.test", "10.0.0.2", repeat(2, slow(3))...)
		d := NewDispatcher(DispatcherConfig{MaxRequests: 2, MaxRequestsPerHost: 1})
		c := w.client.With(WithDispatcher(d))
		var log []string
		var mu sync.Mutex
		var wg sync.WaitGroup
		began := time.Now()
		for _, url := range []string{"a.test/1", "a.test/2", "b.test/3", "b.test/4", "a.test/5"} {
			wg.Add(1)
			c.NewCall(mustRequest(t, "GET", "http://"+url)).Enqueue(t.Context(), func(resp *Response, err error) {
				defer wg.Done()
				if err != nil {
					t.Error(err)
					return
				}
				text, _ := resp.Body.Text()
				mu.Lock()
				defer mu.Unlock()
				log = append(log, fmt.Sprint(text, "@", time.Since(began)))
			})
		}
		if got := d.Stats(); got != (DispatcherStats{Running: 2, Queued: 3}) {
			t.Errorf("stats %+v", got)
		}
		wg.Wait()
		synctest.Wait()
		slices.Sort(log)
		// 3 overtakes 2, which waits for its host; 2 comes before 5.
		if got, want := strings.Join(log, " "), "/1@1s /2@2s /3@1s /4@2s /5@3s"; got != want {
			t.Errorf("order %s, want %s", got, want)
		}
		if got := d.Stats(); got != (DispatcherStats{}) || len(d.running) != 0 {
			t.Errorf("stats %+v, by host %v", got, d.running)
		}
	})
}

// The per-host limit knows no ports, and the limit over all holds for every host.
func TestDispatcherHostIsTheName(t *testing.T) {
	d := NewDispatcher(DispatcherConfig{MaxRequests: 3, MaxRequestsPerHost: 1})
	first, _ := d.enter("a", true)
	second, _ := d.enter("a", true)
	for _, host := range []string{"b", "c"} {
		if ticket, _ := d.enter(host, true); ticket.turn != nil {
			t.Errorf("%s waits", host)
		}
	}
	if ticket, _ := d.enter("d", true); ticket.turn == nil {
		t.Error("a fourth call runs")
	}
	d.leave(first)
	select {
	case <-second.turn:
	default:
		t.Error("the oldest call that fits was not started")
	}
	d.leave(first) // does nothing
	if got := d.Stats(); got != (DispatcherStats{Running: 3, Queued: 1}) {
		t.Errorf("stats %+v", got)
	}
}

// Execute is limited when the dispatcher is told so, and only then.
func TestLimitExecute(t *testing.T) {
	for _, limited := range []bool{false, true} {
		t.Run(fmt.Sprint(limited), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", slow(2), slow(1))
				began := time.Now()
				_, first := w.enqueue(t.Context(), w.client, "http://server.test/1")
				synctest.Wait()
				w.mu.Lock()
				w.events = nil
				w.mu.Unlock()
				w.want("200 /2")(w.get("http://server.test/2"))
				want := time.Second
				if limited {
					want = 2 * time.Second
				}
				if got := time.Since(began); got != want {
					t.Errorf("took %v, want %v", got, want)
				}
				w.mu.Lock()
				queued := strings.Count(strings.Join(w.events, " "), "queueStart") == 1 && strings.Count(strings.Join(w.events, " "), "queueEnd") == 1
				w.mu.Unlock()
				if queued != limited {
					t.Errorf("queue events: %v", queued)
				}
				<-first
			}, WithDispatcher(NewDispatcher(DispatcherConfig{MaxRequests: 1, LimitExecute: limited})))
		})
	}
	t.Run("and the queue is full", func(t *testing.T) {
		d := NewDispatcher(DispatcherConfig{MaxRequests: 1, MaxQueued: 1, LimitExecute: true})
		inWorld(t, func(t *testing.T, w *world) {
			for range 2 {
				if _, err := d.enter("other", true); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.get("http://server.test/"); !errors.Is(err, ErrQueueFull) || !strings.Contains(err.Error(), ": queue: dispatcher queue full") {
				t.Errorf("error %v", err)
			}
			w.wantEvents("callStart callFailed")
		}, WithDispatcher(d))
	})
	t.Run("a panic gives the place back", func(t *testing.T) {
		d := NewDispatcher(DispatcherConfig{LimitExecute: true})
		inWorld(t, func(t *testing.T, w *world) {
			func() {
				defer func() {
					if v := recover(); v != "boom" {
						t.Errorf("recovered %v", v)
					}
				}()
				w.get("http://server.test/")
			}()
			if got := d.Stats(); got != (DispatcherStats{}) {
				t.Errorf("stats %+v", got)
			}
		}, WithDispatcher(d), intercept(func(context.Context, Chain) (*Response, error) { panic("boom") }))
	})
}

// The idle callback runs after those that waited were promoted, once, and calls of Execute count too. (The reference tests before it
// promotes, so with one place it fires while calls wait.)
func TestOnIdle(t *testing.T) {
	var idle []time.Duration
	var began time.Time
	d := NewDispatcher(DispatcherConfig{MaxRequests: 1, OnIdle: func() { idle = append(idle, time.Since(began)) }})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", slow(5), slow(5))
		began = time.Now()
		_, first := w.enqueue(t.Context(), w.client, "http://server.test/1")
		_, second := w.enqueue(t.Context(), w.client, "http://server.test/2")
		ctx, cancel := context.WithCancel(t.Context())
		_, third := w.enqueue(ctx, w.client, "http://server.test/3")
		cancel()
		time.Sleep(1500 * time.Millisecond)
		w.want("200 /4")(w.get("http://server.test/4")) // until 2.5 s, when the second is over
		for _, c := range []<-chan outcome{first, second, third} {
			<-c
		}
		synctest.Wait()
		if !slices.Equal(idle, []time.Duration{2500 * time.Millisecond}) {
			t.Errorf("idle at %v", idle)
		}
		idle = nil
		w.want("200 /5")(w.get("http://server.test/5"))
		if len(idle) != 1 {
			t.Errorf("idle %d times after one Execute", len(idle))
		}
		if d.free != 0 {
			t.Errorf("%d calls of Execute left", d.free)
		}
	}, WithDispatcher(d))
}

// For a call that returned from Execute the dispatcher does not wait until its body is closed.
func TestIdleWithOpenBody(t *testing.T) {
	idle := 0
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		resp := w.executed()
		if idle != 1 {
			t.Errorf("idle %d times", idle)
		}
		resp.Body.Close()
	}, WithDispatcher(NewDispatcher(DispatcherConfig{OnIdle: func() { idle++ }})))
}

// Misuse reaches the callback too, which never runs on the goroutine that enqueues.
func TestEnqueueMisuse(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		call, done := w.enqueue(t.Context(), w.client, "http://server.test/")
		if o := <-done; o.err != nil {
			t.Fatal(o.err)
		}
		var held sync.Mutex // by the enqueuing goroutine, wanted by the callback
		misused := make(chan error, 1)
		check := func(enqueue func(func(*Response, error))) {
			held.Lock()
			enqueue(func(_ *Response, err error) {
				held.Lock()
				defer held.Unlock()
				misused <- err
			})
			held.Unlock()
			var ce *CallError
			if err := <-misused; !errors.As(err, &ce) {
				t.Errorf("error %v, want a CallError", err)
			}
		}
		check(func(f func(*Response, error)) { call.Enqueue(t.Context(), f) })
		//lint:ignore SA1012 that is the misuse
		check(func(f func(*Response, error)) { call.Clone().Enqueue(nil, f) })
		if _, err := call.Execute(t.Context()); err == nil {
			t.Error("an enqueued call was executed")
		}
	})
}

// A panic on our goroutine is delivered as the failure; everything the call held is free.
func TestEnqueuedPanic(t *testing.T) {
	panics := func(context.Context, Chain) (*Response, error) { panic("boom") }
	afterwards := func(ctx context.Context, c Chain) (*Response, error) {
		c.Proceed(ctx, c.Request())
		panic("boom")
	}
	hook := func(*Call) *EventListener {
		return &EventListener{QueueEnd: func(QueueEvent) { panic("boom") }, RequestHeadersStart: func(*Call) { panic("boom") }}
	}
	for name, opt := range map[string]Option{
		"interceptor":                    intercept(panics),
		"interceptor after the response": intercept(afterwards),
		"network interceptor":            interceptNetwork(panics),
		"network interceptor afterwards": interceptNetwork(afterwards),
		"listener":                       WithEventListener(hook),
	} {
		t.Run(name, func(t *testing.T) {
			d := NewDispatcher(DispatcherConfig{MaxRequests: 1})
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")), answer(okText("x")))
				_, first := w.enqueue(t.Context(), w.client, "http://server.test/")
				_, second := w.enqueue(t.Context(), w.client, "http://server.test/") // waits
				for _, c := range []<-chan outcome{first, second} {
					o := <-c
					var p *PanicError
					var e *Error
					if !errors.As(o.err, &p) || p.Value != "boom" || !errors.As(o.err, &e) || !strings.Contains(o.err.Error(), "panic during a call: boom") {
						t.Errorf("outcome %+v", o)
					}
				}
				synctest.Wait()
				if got := w.client.active.Load(); got != 0 {
					t.Errorf("%d calls left", got)
				}
				w.mu.Lock()
				starts, failures := strings.Count(strings.Join(w.events, " "), "callStart"), strings.Count(strings.Join(w.events, " "), "callFailed")
				w.mu.Unlock()
				if name != "listener" && (starts != 2 || failures != 2) {
					t.Errorf("%d calls started and %d failed", starts, failures)
				}
				if got := d.Stats(); got != (DispatcherStats{}) {
					t.Errorf("stats %+v", got)
				}
				w.holdsNothing()
			}, WithDispatcher(d), opt)
		})
	}
}

// Fact 103: calls that upgrade have no part in the limit of their host, only in that of all.
func TestUpgradesSkipThePerHostLimit(t *testing.T) {
	d := NewDispatcher(DispatcherConfig{MaxRequests: 3, MaxRequestsPerHost: 1})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", repeat(3, slow(2))...)
		var all []<-chan outcome
		for i := range 4 {
			_, done := w.enqueue(t.Context(), w.client, fmt.Sprint("http://server.test/", i), Upgrade("echo"))
			all = append(all, done)
		}
		_, plain := w.enqueue(t.Context(), w.client, "http://server.test/plain")
		if got := d.Stats(); got != (DispatcherStats{Running: 3, Queued: 2}) {
			t.Errorf("stats %+v", got)
		}
		for i, c := range all {
			want := time.Second
			if i == 3 {
				want *= 2
			}
			if o := <-c; o.err != nil || o.at != want {
				t.Errorf("%d: %+v", i, o)
			}
		}
		if o := <-plain; o.err != nil || o.at != 2*time.Second {
			t.Errorf("plain %+v", o)
		}
	}, WithDispatcher(d))
}

// A dispatcher may be shared; each client's Close ends its own calls.
func TestSharedDispatcher(t *testing.T) {
	d := NewDispatcher(DispatcherConfig{MaxRequests: 1})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", slow(2))
		other := w.client.With(WithReadTimeout(time.Minute))
		_, mine := w.enqueue(t.Context(), w.client, "http://server.test/1")
		_, theirs := w.enqueue(t.Context(), other, "http://server.test/2")
		_, last := w.enqueue(t.Context(), w.client, "http://server.test/3")
		synctest.Wait()
		other.Close()
		if o := <-theirs; !errors.Is(o.err, ErrCanceled) || o.at != 0 {
			t.Errorf("closed client's %+v", o)
		}
		for _, c := range []<-chan outcome{mine, last} {
			if o := <-c; o.err != nil {
				t.Error(o.err)
			}
		}
	}, WithDispatcher(d))
}

// Many goroutines, with cancellation in between: every callback comes once, the limits hold and nothing is left.
func TestDispatcherRace(t *testing.T) {
	const calls, limit, perHost = 200, 7, 3
	d := NewDispatcher(DispatcherConfig{MaxRequests: limit, MaxRequestsPerHost: perHost})
	var running, most atomic.Int32
	var callbacks [calls]atomic.Int32
	var perHostNow [4]atomic.Int32
	short := intercept(func(ctx context.Context, c Chain) (*Response, error) {
		host := &perHostNow[c.Request().URL().Host()[0]-'a']
		if n := host.Add(1); n > perHost {
			t.Errorf("%d calls of one host", n)
		}
		defer host.Add(-1)
		n := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
		}
		return NewResponse(c.Request(), 204), nil
	})
	inWorld(t, func(t *testing.T, w *world) {
		var done, enqueuing sync.WaitGroup
		done.Add(calls)
		for i := range calls {
			enqueuing.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				call := w.client.NewCall(mustRequest(t, "GET", fmt.Sprintf("http://%c.test/", 'a'+i%4)))
				call.Enqueue(ctx, func(resp *Response, err error) {
					if resp != nil {
						resp.Body.Close()
					}
					callbacks[i].Add(1)
					cancel()
					done.Done()
				})
				switch i % 5 {
				case 0:
					call.Cancel()
				case 1:
					cancel()
				}
			})
		}
		enqueuing.Wait()
		done.Wait()
		synctest.Wait()
		for i := range callbacks {
			if n := callbacks[i].Load(); n != 1 {
				t.Errorf("call %d has %d callbacks", i, n)
			}
		}
		if n := most.Load(); n > limit || n < 2 {
			t.Errorf("%d at once, want up to %d", n, limit)
		}
		if got := d.Stats(); got != (DispatcherStats{}) || len(d.running) != 0 || w.client.active.Load() != 0 {
			t.Errorf("left: %+v, %v, %d active", got, d.running, w.client.active.Load())
		}
		w.holdsNothing()
	}, WithDispatcher(d), short)
}
