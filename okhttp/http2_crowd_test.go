package okhttp

import (
	"crypto/tls"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// Many calls begin before the server could say that it allows a few streams a connection. Those that it refuses for that are made again, over as
// many connections as it takes, requests that must not be repeated too; and the connections are none the worse for it.
func TestHTTP2Crowd(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		t.Run(method, func(t *testing.T) {
			inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
				w.resolve("server.test", v4a)
				var asked int
				w.serve2At(v4a+":80", nil, http2.Config{MaxConcurrentStreams: 7}, repeat2(50, streams(func(s *stream2) {
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
						var body *Body
						if method == "POST" {
							body = Text("y")
						}
						_, err := w.do(method, "http://server.test/", body)
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
