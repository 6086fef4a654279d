package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
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
