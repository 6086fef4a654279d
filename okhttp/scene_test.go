package okhttp

import (
	"context"
	"errors"
	"io"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// scene is a call for which a server is ready, and what its user does with the response.
type scene struct {
	name    string
	opts    func() []Option
	serve   func(w *world)
	request func(w *world) *Request
	use     func(*Response) error // reads the text if it is nil
}

func readText(resp *Response) error {
	_, err := resp.Body.Text()
	return err
}

func plainGET(w *world) *Request { return mustRequest(w.t, "GET", "http://server.test/") }

func serving(script func(*peer)) func(*world) {
	return func(w *world) { w.serve("server.test", "10.0.0.1", script) }
}

// scenes tell every event there is, among them.
func scenes() []scene {
	serverTLS, clientTLS := tlsFor("server.test")
	return []scene{
		{
			name: "all there is to connecting, a redirect, a body each way",
			opts: func() []Option { return []Option{WithTLSConfig(clientTLS)} },
			serve: func(w *world) {
				w.resolve("server.test", "10.0.0.9") // nobody is there
				w.serveTLS("server.test", "10.0.0.1", serverTLS,
					answer("HTTP/1.1 307 X\r\nLocation: /b\r\nContent-Length: 4\r\n\r\nbody", "HTTP/1.1 103 Hints\r\n\r\n"+okText("hello")))
			},
			request: func(w *world) *Request {
				return mustRequest(w.t, "PUT", "https://server.test/", WithBody(Text("x")))
			},
		},
		{
			name:  "a wait in the queue",
			opts:  func() []Option { return []Option{WithDispatcher(fullDispatcher(true))} },
			serve: serving(answer(okText(""))),
			request: func(w *world) *Request {
				d := w.client.cfg.dispatcher
				time.AfterFunc(time.Second, func() {
					d.mu.Lock()
					d.total--
					d.promote()
					d.mu.Unlock()
				})
				return plainGET(w)
			},
		},
		{
			name: "a full connection",
			opts: func() []Option { return []Option{WithProtocols(HTTP2PriorKnowledge)} },
			serve: func(w *world) {
				w.resolve("server.test", "10.0.0.1")
				w.serve2At("10.0.0.1:80", nil, http2.Config{MaxConcurrentStreams: 1}, streams(func(s *stream2) {
					time.Sleep(time.Second)
					s.answer(200, "slow")
				}), streams(which))
				w.enqueue(w.t.Context(), w.client, "http://server.test/slow")
				synctest.Wait()
			},
			request: plainGET,
		},
		{
			name: "a miss of the cache",
			opts: func() []Option {
				return []Option{cacheFunc(func(ctx context.Context, c Chain, l *EventListener) (*Response, error) {
					l.CacheMiss(CacheEvent{Call: c.Call()})
					return onward(ctx, c)
				})}
			},
			serve: serving(answer(okText("fresh"))), request: plainGET,
		},
		{
			name: "a conditional hit of the cache",
			opts: func() []Option {
				return []Option{cacheFunc(func(ctx context.Context, c Chain, l *EventListener) (*Response, error) {
					l.CacheConditionalHit(CacheEvent{c.Call(), made(c, "stored")})
					network, err := onward(ctx, c)
					if err != nil {
						return nil, err
					}
					network.Body.Close()
					l.CacheHit(CacheEvent{c.Call(), network})
					return made(c, "stored"), nil
				})}
			},
			serve: serving(answer("HTTP/1.1 304 Not Modified\r\n\r\n")), request: plainGET,
		},
		{
			name:  "nothing but the cache",
			serve: func(*world) {},
			request: func(w *world) *Request {
				return mustRequest(w.t, "GET", "http://server.test/", Header("Cache-Control", "only-if-cached"))
			},
		},
		{
			name:  "a request that fails",
			serve: serving(answer()),
			request: func(w *world) *Request {
				return mustRequest(w.t, "PUT", "http://server.test/", WithBody(Streamed("", func(context.Context, io.Writer) error { return errors.New("broken") })))
			},
		},
		{name: "a head that fails", serve: serving(answer("nonsense\r\n\r\n")), request: plainGET},
		{name: "a body that fails", serve: serving(answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nzz\r\n")), request: plainGET},
		{
			name: "a cancellation",
			opts: func() []Option {
				return []Option{intercept(func(ctx context.Context, c Chain) (*Response, error) {
					resp, err := onward(ctx, c)
					c.Call().Cancel()
					return resp, err
				})}
			},
			serve: serving(answer(okText("x"))), request: plainGET,
		},
		{
			name:  "a body closed unread",
			serve: serving(answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")), request: plainGET,
			use: func(resp *Response) error { return resp.Body.Close() },
		},
		{
			name: "an upgrade", serve: serving(switchAnd("", echoLines)),
			request: func(w *world) *Request {
				return mustRequest(w.t, "GET", "http://server.test/", Upgrade("echo"))
			},
			use: func(resp *Response) error {
				s, _ := resp.Socket()
				var b okio.Buffer
				b.WriteString("x")
				if err := s.Sink().WriteBuffer(&b, 1); err != nil {
					return err
				}
				_, err := s.Source().ReadBuffer(&b, 1)
				return err
			},
		},
	}
}
