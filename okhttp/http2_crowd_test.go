package okhttp

import (
	"crypto/tls"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// Many calls begin before the server could say that it allows a few streams a connection. Those that it refuses for that are made again, over as
// many connections as it takes, requests that must not be repeated too; and the connections are none the worse for it. A body that can be sent once
// waits for what the server says instead.
func TestHTTP2Crowd(t *testing.T) {
	for name, body := range map[string]func() *Body{
		"GET":      nil,
		"POST":     func() *Body { return Text("y") },
		"one shot": func() *Body { return OneShot("", -1, strings.NewReader("y")) },
	} {
		method := "GET"
		if body != nil {
			method = "POST"
		}
		t.Run(name, func(t *testing.T) {
			inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
				w.resolve("server.test", v4a)
				var asked int
				// More connections than calls may be opened: a call that loses its place on one to others opens another.
				w.serve2At(v4a+":80", nil, http2.Config{MaxConcurrentStreams: 7}, repeat2(200, streams(func(s *stream2) {
					w.mu.Lock()
					asked++
					w.mu.Unlock()
					time.Sleep(time.Second)
					s.answer(200, "x")
				}))...)
				const calls = 50
				outcomes := make(chan error, calls)
				for range calls {
					go func() {
						var sent *Body
						if body != nil {
							sent = body()
						}
						_, err := w.do(method, "http://server.test/", sent)
						outcomes <- err
					}()
				}
				for range calls {
					if err := <-outcomes; err != nil {
						t.Error(err)
					}
				}
				synctest.Wait()
				if asked != calls {
					t.Errorf("the server answered %d requests", asked)
				}
				got := w.client.cfg.pool.Stats()
				if got.Connections != got.Idle || got.Idle == 0 {
					t.Errorf("pool %+v, want some idle connections", got)
				}
			})
		})
	}
}

func repeat2(n int, script func(*peer2)) (list []func(*peer2)) {
	for range n {
		list = append(list, script)
	}
	return list
}

// What other calls do to a connection is no reason not to connect anew for one that it had no room for.
func TestAroundWhatFailed(t *testing.T) {
	a, b := okio.ConnPair(1 << 10)
	defer b.Close()
	conn := &Connection{route: &Route{}, http2: http2.NewClient(a, http2.Config{})}
	defer conn.close()
	conn.failed.Store(true)
	plan := routePlan{planner: &planner{selected: true}, last: conn}
	if plan.more() {
		t.Error("a route that failed is tried again")
	}
	if !plan.around() || plan.planner.pinned != conn.route {
		t.Error("no other attempt is made around a connection that other calls had used up")
	}
}

// That other calls were there first is not what a call failed with.
func TestErrorOfCrowded(t *testing.T) {
	crowded := &attemptError{phase: PhaseResponseHeaders, around: true, err: &StreamResetError{Code: http2.RefusedStream, Remote: true}}
	broken, refused := &attemptError{phase: PhaseRequestBody, err: io.ErrUnexpectedEOF}, &attemptError{phase: PhaseConnect, err: io.ErrClosedPipe}
	for _, test := range []struct {
		failed []error
		last   error
		phase  Phase
		want   error
		others int
	}{
		{nil, broken, PhaseRequestBody, io.ErrUnexpectedEOF, 0},
		{[]error{crowded}, broken, PhaseRequestBody, io.ErrUnexpectedEOF, 1},
		{[]error{broken}, refused, PhaseRequestBody, io.ErrUnexpectedEOF, 1},
		{[]error{crowded, broken, crowded}, refused, PhaseRequestBody, io.ErrUnexpectedEOF, 3},
		{[]error{broken, crowded}, refused, PhaseRequestBody, io.ErrUnexpectedEOF, 2},
	} {
		e := callError(&Request{method: "GET", url: mustURL(t, "http://server.test/")}, test.last, test.failed, false)
		if e.Phase != test.phase || !errors.Is(e.Err, test.want) || len(e.Attempts) != test.others {
			t.Errorf("%v and %v: %v in %v, and %v", test.failed, test.last, e.Err, e.Phase, e.Attempts)
		}
	}
}
