package okhttp

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// The table of section 2.6, one row a stage: where Cancel finds the call, what is told afterwards, and what becomes of the connection. A
// context that ends instead has the same effect, without the event. (Looking up a name ends at once, and so does the wait in the queue,
// which the reference sits out.)
func TestCancelTable(t *testing.T) {
	const after = 100 * time.Millisecond
	const sent = "requestHeadersStart requestHeadersEnd "
	stalls := func(p *peer) { io.Copy(io.Discard, p.in) }
	_, clientTLS := tlsFor()

	request := func(method string, body *Body, opts ...RequestOption) func(*world) *Request {
		return func(w *world) *Request {
			return mustRequest(w.t, method, "http://server.test/", append(opts, WithBody(body))...)
		}
	}
	execute := func(ctx context.Context, _ *world, call *Call) error {
		resp, err := call.Execute(ctx)
		if err == nil {
			_, err = resp.Body.Bytes()
		}
		return err
	}
	for _, row := range []struct {
		stage   string
		opts    []Option
		script  func(*peer)
		request func(*world) *Request
		run     func(context.Context, *world, *Call) error
		inside  func(end func()) *EventListener // ends the call there instead of after a while
		succeed bool                            // the stage is not one that can fail
		events  string                          // apart from canceled
		pooled  int
		spared  int // pooled too, if the context ended: it concerns exchanges, and Cancel the connection
	}{
		{
			stage: "queued",
			opts:  []Option{WithDispatcher(fullDispatcher(false))},
			run: func(ctx context.Context, w *world, call *Call) error {
				return (<-w.enqueued(ctx, call)).err
			},
			events: "callStart queueStart callFailed",
		},
		{
			stage:  "queued in Execute",
			opts:   []Option{WithDispatcher(fullDispatcher(true))},
			events: "callStart queueStart callFailed",
		},
		{
			stage: "looking up the name",
			opts: []Option{WithDNS(DNSFunc(func(ctx context.Context, _ string) ([]netip.Addr, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}))},
			events: "callStart proxySelectStart proxySelectEnd dnsStart retryDecision false callFailed",
		},
		{
			stage:  "connecting",
			opts:   []Option{WithDialer(dialStall{})},
			events: "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectFailed retryDecision false callFailed",
		},
		{
			stage:   "in the handshake of TLS",
			opts:    []Option{WithTLSConfig(clientTLS)},
			request: func(w *world) *Request { return mustRequest(w.t, "GET", "https://server.test/") },
			script:  stalls,
			events:  "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart connectFailed retryDecision false callFailed",
		},
		{
			stage: "between the connection and the exchange",
			inside: func(end func()) *EventListener {
				return &EventListener{ConnectEnd: func(ConnectEvent) { end() }}
			},
			script: stalls,
			events: "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd retryDecision false callFailed",
		},
		{
			stage:   "writing a body that the server does not read",
			request: request("PUT", Bytes("", make([]byte, 1<<20))),
			script:  func(p *peer) { p.head(); time.Sleep(time.Hour) },
			events:  newConnection80 + sent + "requestBodyStart requestFailed responseFailed retryDecision false connectionReleased callFailed",
		},
		{
			stage:   "waiting for 100 (Continue)",
			request: request("PUT", Text("x"), Header("Expect", "100-continue")),
			script:  stalls,
			events:  newConnection80 + sent + "responseFailed retryDecision false connectionReleased callFailed",
		},
		{
			stage:   "waiting for 100 (Continue), with a limit",
			opts:    []Option{WithContinueWait(time.Minute)},
			request: request("PUT", Text("x"), Header("Expect", "100-continue")),
			script:  stalls,
			events:  newConnection80 + sent + "responseFailed retryDecision false connectionReleased callFailed",
		},
		{
			stage:  "waiting for the response",
			script: stalls,
			events: newConnection80 + sent + "responseFailed retryDecision false connectionReleased callFailed",
		},
		{
			stage:  "inside the head",
			script: func(p *peer) { p.request(); p.send("HTTP/1.1 200"); stalls(p) },
			events: newConnection80 + sent + "responseFailed retryDecision false connectionReleased callFailed",
		},
		{
			stage:  "pausing before a retry",
			opts:   []Option{WithRetryPolicy(RetryPolicy{})},
			script: answer(busyText(503, "Retry-After: 20")),
			events: newConnection80 + exchanged + "responseBodyStart responseBodyEnd 0 followUpDecision true connectionReleased callFailed",
			pooled: 1,
		},
		{
			stage:  "between a redirect and what follows it", // for which there is no attempt to decide about
			script: answer(redirectText(302, "/b")),
			inside: func(end func()) *EventListener {
				return &EventListener{FollowUpDecision: func(FollowUpDecision) { end() }}
			},
			events: newConnection80 + exchanged + "responseBodyStart responseBodyEnd 0 followUpDecision true connectionReleased callFailed",
			spared: 1,
		},
		{
			stage:  "waiting for what follows a redirect",
			script: func(p *peer) { p.request(); p.send(redirectText(302, "/b")); stalls(p) },
			events: newConnection80 + exchanged + "responseBodyStart responseBodyEnd 0 followUpDecision true " + sent + "responseFailed retryDecision false connectionReleased callFailed",
		},
		{
			stage:  "reading the body",
			script: func(p *peer) { p.request(); p.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"); stalls(p) },
			events: newConnection80 + exchanged + "followUpDecision false responseBodyStart responseFailed connectionReleased callFailed",
		},
		{
			stage:  "reading what gzip packed",
			script: func(p *peer) { p.request(); p.send(gzipResponse(gz("hello"))[:90]); stalls(p) },
			events: newConnection80 + exchanged + "followUpDecision false responseBodyStart responseFailed connectionReleased callFailed",
		},
		{
			stage:   "reading an upgraded socket",
			request: request("GET", nil, Upgrade("echo")),
			script:  switchAnd("", echoLines),
			run: func(_ context.Context, w *world, call *Call) error {
				resp, err := call.Execute(w.t.Context()) // the context does not concern it
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				s, _ := resp.Socket()
				_, err = s.Source().ReadBuffer(new(okio.Buffer), 1)
				return err
			},
			events: upgradeAccepted + "responseBodyStart responseFailed connectionReleased callFailed",
		},
		{
			stage:  "inside the last event of the body (fact 16)",
			script: answer(okText("hello")),
			inside: func(end func()) *EventListener {
				return &EventListener{ResponseBodyEnd: func(BodyEnd) { end() }}
			},
			succeed: true,
			events:  newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd",
		},
		{
			stage:  "after the end (fact 15)",
			script: answer(okText("hello")),
			run: func(ctx context.Context, w *world, call *Call) error {
				err := execute(ctx, w, call)
				time.Sleep(after)
				return err
			},
			succeed: true,
			events:  newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd",
			pooled:  1,
		},
	} {
		for _, how := range []string{"Cancel", "context"} {
			if how == "context" && row.stage == "reading an upgraded socket" {
				continue
			}
			t.Run(how+" "+row.stage, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.serve("server.test", "10.0.0.1", row.script, answer(okText("next")))
					w.serveAt("10.0.0.1:443", nil, row.script)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					req := request("GET", nil)
					if row.request != nil {
						req = row.request
					}
					call := w.client.NewCall(req(w))
					end := func() {
						if how == "Cancel" {
							call.Cancel()
							call.Cancel()
						} else {
							cancel()
							if row.inside != nil {
								synctest.Wait() // for what the context sets off
							}
						}
					}
					want := after
					if row.inside != nil {
						call.AddEventListener(row.inside(end))
						want = 0
					} else {
						time.AfterFunc(after, end)
					}
					run := execute
					if row.run != nil {
						run = row.run
					}
					began := time.Now()
					err := run(ctx, w, call)
					if got := time.Since(began); got != want {
						t.Errorf("freed after %v, want %v", got, want)
					}
					switch {
					case row.succeed && err != nil:
						t.Errorf("error %v", err)
					case !row.succeed && (!errors.Is(err, context.Canceled) || how == "Cancel" && !errors.Is(err, ErrCanceled)):
						t.Errorf("error %v, want a cancellation", err)
					}
					canceled := w.takeCanceled()
					if call.IsCanceled() != (how == "Cancel") {
						t.Errorf("IsCanceled is %v", call.IsCanceled())
					}
					if want := map[string]int{"Cancel": 1}[how]; canceled != want {
						t.Errorf("%d canceled events, want %d", canceled, want)
					}
					w.wantEvents(row.events)
					w.holdsNothing()
					pooled := row.pooled
					if how == "context" {
						pooled += row.spared
					}
					if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: pooled, Idle: pooled}) {
						t.Errorf("pool %+v, want %d", got, pooled)
					}
				}, append([]Option{WithReadTimeout(0), WithWriteTimeout(0), WithConnectTimeout(0)}, row.opts...)...)
			})
		}
	}
	t.Run("before the start (fact 15)", func(t *testing.T) {
		for _, enqueue := range []bool{false, true} {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(okText("x")))
				call := w.client.NewCall(request("GET", nil)(w))
				call.Cancel()
				call.Cancel()
				var err error
				if enqueue {
					err = (<-w.enqueued(t.Context(), call)).err
				} else {
					err = execute(t.Context(), w, call)
				}
				if !errors.Is(err, ErrCanceled) || len(server.requests) != 0 || w.lookups != 0 {
					t.Errorf("error %v, %d requests, %d look-ups", err, len(server.requests), w.lookups)
				}
				w.wantEvents("canceled callStart callFailed")
			})
		}
	})
}

// A call whose context ended beforehand sends nothing, not even over a connection that is at hand.
func TestContextThatEndedSendsNothing(t *testing.T) {
	why := errors.New("over")
	for range 20 { // it would be a race
		inWorld(t, func(t *testing.T, w *world) {
			var server recorder
			w.serve("server.test", "10.0.0.1", server.answer(okText("a"), okText("b")))
			w.want("200 a")(w.get("http://server.test/"))
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(why)
			_, err := w.client.Do(ctx, mustRequest(t, "POST", "http://server.test/", WithBody(Text("x"))))
			if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || !SafeToRetry(err) {
				t.Errorf("error %v", err)
			}
			w.want("200 b")(w.get("http://server.test/"))
			if len(server.requests) != 2 {
				t.Errorf("%d requests", len(server.requests))
			}
		})
	}
}

// fullDispatcher makes every call wait.
func fullDispatcher(execute bool) *Dispatcher {
	d := NewDispatcher(DispatcherConfig{MaxRequests: 1, LimitExecute: execute})
	d.start(&ticket{host: "other", perHost: true})
	return d
}
