package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// A goodbye that comes in the moment after a call, before a goroutine reads, is seen by the next call if that would fail by it.
func TestHTTP2GoAwayAfterTheCall(t *testing.T) {
	oneShot := func() *Body {
		return mustBody(t, BodyConfig{Len: -1, OneShot: true, Write: func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, "x"); return err }})
	}
	for name, test := range map[string]struct {
		body *Body
		opts []CallOption
	}{
		"without retries": {nil, []CallOption{WithRetryOnConnectionFailure(false)}},
		"one-shot body":   {oneShot(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
				goodbye := func(p *peer2) {
					which(p.accept(0))
					p.GoAway(http2.NoError)
					p.accept(1)
				}
				w.serve2("server.test", "10.0.0.1", config, goodbye, goodbye, goodbye)
				method := "GET"
				if test.body != nil {
					method = "POST"
				}
				for i := range 3 {
					w.want(fmt.Sprint("200 ", i, ".0"))(w.do(method, url, test.body, test.opts...))
					synctest.Wait() // the goodbye is in the socket
				}
			})
		})
	}
}

// A request that a server says goodbye to before it acts on it is sent again over another connection (RFC 9113 section 6.8), whether the one before was new or not, and even if
// it must not be sent twice. A server that does nothing but say goodbye is asked a bounded number of times.
func TestHTTP2GoAwayBeforeTheAnswer(t *testing.T) {
	const forever = 99
	for name, tt := range map[string]struct {
		served   int // requests that are answered before the first goodbye
		goodbyes int // connections that end without acting on the request
		retries  bool
		conns    int
		want     string
	}{
		"fresh":                  {0, 1, true, 2, "200 ok"},
		"fresh, twice":           {0, 2, true, 2, "GOAWAY"},
		"fresh, forever":         {0, forever, true, 2, "GOAWAY"},
		"fresh, without retries": {0, 1, false, 1, "GOAWAY"},
		"used":                   {1, 1, true, 2, "200 ok"},
		"used, twice":            {1, 2, true, 3, "200 ok"},
		"used, forever":          {1, forever, true, 3, "GOAWAY"},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
				conns := 0
				script := func(p *peer2) {
					conns++
					for n := 0; ; n++ {
						s := p.accept(n)
						switch {
						case s == nil:
							return
						case p.n == 0 && n < tt.served || p.n >= tt.goodbyes:
							s.answer(200, "ok")
						default:
							p.goAway(uint32(2*n) - min(1, uint32(2*n))) // after the stream before this one
							p.accept(n + 1)
							return
						}
					}
				}
				w.serve2("server.test", "10.0.0.1", config, script, script, script, script, script)
				for range tt.served {
					w.want("200 ok")(w.do("POST", url, Text("x")))
				}
				got, err := w.do("POST", url, Text("x"), WithRetryOnConnectionFailure(tt.retries))
				if err != nil {
					got = err.Error()
					var away *GoAwayError
					if !errors.As(err, &away) || !SafeToRetry(err) {
						t.Errorf("%T %v: a goodbye: %v, safe: %v", err, err, away, SafeToRetry(err))
					}
				}
				if !strings.Contains(got, tt.want) || conns != tt.conns {
					t.Errorf("got %s over %d connections, want %s over %d", got, conns, tt.want, tt.conns)
				}
				w.holdsNothing()
			})
		})
	}
}

// An end without a goodbye, which does not say what was acted on, is seen by the next call too if that may be sent once only.
func TestHTTP2EndAfterTheCall(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		over := make(chan struct{})
		end := func(p *peer2) {
			which(p.accept(0))
			<-over
			p.Close()
		}
		w.serve2("server.test", "10.0.0.1", config, end, end, end)
		for i := range 3 {
			w.want(fmt.Sprint("200 ", i, ".0"))(w.do("POST", url, Text("x")))
			over <- struct{}{}
			synctest.Wait()
		}
	})
}

// Over real sockets each call sees it, without waiting. The server says goodbye before the client can know that its call is over.
func TestHTTP2GoAwayInASocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	said := make(chan struct{})
	go func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				c := http2.NewServer(raw, http2.Config{})
				defer c.Close()
				s, _, _, err := c.Accept(time.Time{})
				if err != nil {
					return
				}
				_ = s.SendHead(204, nil, true)
				c.GoAway(http2.NoError)
				said <- struct{}{}
				_, _, _, _ = c.Accept(time.Time{})
			}()
		}
	}()
	var latest atomic.Pointer[Connection]
	pool := NewConnectionPool(PoolConfig{Listener: &ConnectionListener{Acquired: func(e PoolEvent) { latest.Store(e.Connection) }}})
	defer pool.Close()
	client := New(WithProtocols(HTTP2PriorKnowledge), WithRetryOnConnectionFailure(false), WithPool(pool))
	defer client.Close()
	for i := range 20 {
		resp, err := client.Get(t.Context(), "http://"+l.Addr().String())
		if err != nil {
			var away *GoAwayError
			t.Fatalf("call %d: %v, a goodbye: %v", i, err, errors.As(err, &away))
		}
		resp.Body.Close()
		<-said
		conn := latest.Load()
		for look := newProber(conn.raw); look.peek() == peekSilent && conn.http2.Usable(); { // what was said is on its way, or read already
			runtime.Gosched()
		}
	}
}
