package okhttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const newConnection80 = "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired "

const exchanged = "requestHeadersStart requestHeadersEnd responseHeadersStart responseHeadersEnd "

func TestGetOnTheWire(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var head string
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			head = p.head()
			p.send(okText("hello"))
			io.Copy(io.Discard, p.in)
		})
		w.want("200 hello")(w.get("http://server.test/path?q=1#fragment"))
		want := "GET /path?q=1 HTTP/1.1\r\nHost: server.test\r\nConnection: Keep-Alive\r\nAccept-Encoding: gzip\r\nUser-Agent: okhttp-go/" + Version + "\r\n\r\n"
		if head != want {
			t.Errorf("sent %q\nwant %q", head, want)
		}
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd")
	})
}

func TestPooledConnection(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a"), okText("")))
		w.want("200 a")(w.get("http://server.test/"))
		w.events = nil
		w.want("200 ")(w.get("http://server.test/"))
		w.wantEvents("callStart connectionAcquired " + exchanged + "responseBodyStart responseBodyEnd 0 followUpDecision false connectionReleased callEnd")
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
			t.Errorf("pool %+v", got)
		}
	})
}

func TestRequestBodyEvents(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var body string
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			r, b := p.request()
			body = r.Header.Get("Content-Type") + " " + r.Header.Get("Content-Length") + " " + b
			p.send("HTTP/1.1 103 Early Hints\r\n\r\n" + okText("x"))
			io.Copy(io.Discard, p.in)
		})
		w.want("200 x")(w.do("POST", "http://server.test/", Text("hello")))
		if want := "text/plain; charset=utf-8 5 hello"; body != want {
			t.Errorf("server got %q, want %q", body, want)
		}
		w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 5 responseHeadersStart informational 103 " +
			"responseHeadersEnd followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
	})
}

func TestIPLiteralHasNoDNSEvents(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("unused", "10.0.0.1", answer(okText("")))
		w.want("200 ")(w.get("http://10.0.0.1/"))
		w.wantEvents("callStart proxySelectStart proxySelectEnd connectStart connectEnd connectionAcquired " + exchanged + "responseBodyStart responseBodyEnd 0 followUpDecision false connectionReleased callEnd")
	})
}

func TestNoKeepAlive(t *testing.T) {
	for name, text := range map[string]string{
		"Connection: close": "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
		"until close":       "HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.0":          "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
		"bytes left over":   "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answerAndClose(text), answer(okText("second")))
				w.want("200 ")(w.get("http://server.test/"))
				if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
					t.Errorf("pool %+v", got)
				}
				w.want("200 second")(w.get("http://server.test/"))
			})
		})
	}
}

func TestConnectToTheNextAddress(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.resolve("server.test", "10.0.0.9")
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		w.want("200 x")(w.get("http://server.test/"))
		w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectFailed connectStart connectEnd connectionAcquired " + exchanged +
			"followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
	})
}

func TestConnectFailure(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.resolve("server.test", "10.0.0.8", "10.0.0.9")
		_, err := w.get("http://server.test/secret?token=1")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseConnect || e.Sent || e.Route != "server.test at 10.0.0.8:80" || len(e.Attempts) != 1 {
			t.Fatalf("error %+v", err)
		}
		if strings.Contains(err.Error(), "secret") || !SafeToRetry(err) {
			t.Errorf("error %v, safe %v", err, SafeToRetry(err))
		}
		w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectFailed connectStart connectFailed retryDecision false callFailed")
	})
}

func TestUnknownHost(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		_, err := w.get("http://nowhere.test/")
		var e *Error
		var unknown *UnknownHostError
		if !errors.As(err, &e) || e.Phase != PhaseDNS || !errors.As(err, &unknown) || unknown.Host != "nowhere.test" {
			t.Fatalf("error %v", err)
		}
		if want := "okhttp: GET http://nowhere.test/...: dns: unknown host nowhere.test: no such host"; err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart retryDecision false callFailed")
	})
}

// Fact 22 of the specification: a stale pooled connection is retried without the user noticing.
func TestStaleConnection(t *testing.T) {
	closeOnRequest := func(p *peer) {
		p.request()
		p.send(okText("a"))
		p.request() // and closes without an answer
	}
	t.Run("GET is retried", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", closeOnRequest, answer(okText("b")))
			w.want("200 a")(w.get("http://server.test/"))
			w.events = nil
			w.want("200 b")(w.get("http://server.test/"))
			w.wantEvents("callStart connectionAcquired requestHeadersStart requestHeadersEnd responseFailed retryDecision true connectionReleased " +
				"proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		})
	})
	t.Run("fact 21: not without retries", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", closeOnRequest)
			w.want("200 a")(w.get("http://server.test/"))
			_, err := w.get("http://server.test/x")
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "unexpected end of stream on http://server.test/...") {
				t.Errorf("error %v", err)
			}
		}, WithRetryOnConnectionFailure(false))
	})
	t.Run("POST is not, once it was sent", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", closeOnRequest, answer(okText("b")))
			w.want("200 a")(w.get("http://server.test/"))
			_, err := w.do("POST", "http://server.test/", Text("x"))
			var e *Error
			if !errors.As(err, &e) || !e.Sent || SafeToRetry(err) {
				t.Errorf("error %v", err)
			}
		})
	})
	t.Run("POST marked idempotent is", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", closeOnRequest, answer(okText("b")))
			w.want("200 a")(w.get("http://server.test/"))
			req, err := NewRequest("POST", "http://server.test/", WithBody(Text("x")), Idempotent())
			if err != nil {
				t.Fatal(err)
			}
			resp, err := w.client.Do(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		})
	})
	for _, header := range []http.Header{
		{"Idempotency-Key": {"1"}}, {"Idempotency-Key": {}}, {"Idempotency-Key": nil}, {"X-Idempotency-Key": {"1"}}, {"X-Idempotency-Key": nil},
	} {
		t.Run(fmt.Sprintf("POST of net/http with %q is", header), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", closeOnRequest, answer(okText("b")))
				w.want("200 a")(w.get("http://server.test/"))
				r, err := http.NewRequest("POST", "http://server.test/", strings.NewReader("x"))
				if err != nil {
					t.Fatal(err)
				}
				r.Header = header
				resp, err := w.client.RoundTripper().RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			})
		})
	}
	t.Run("the probe saves a POST", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			closed := make(chan struct{})
			w.serve("server.test", "10.0.0.1", func(p *peer) {
				p.request()
				p.send(okText("a"))
				p.Close()
				close(closed)
			}, answer(okText("b")))
			w.want("200 a")(w.get("http://server.test/"))
			<-closed
			w.want("200 b")(w.do("POST", "http://server.test/", OneShot("", 1, strings.NewReader("x"))))
		})
	})
	t.Run("a fresh connection is not retried without another address", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) { p.request() }, answer(okText("b")))
			_, err := w.get("http://server.test/")
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v", err)
			}
			w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd responseFailed retryDecision false connectionReleased callFailed")
		})
	})
	t.Run("but with one", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", func(p *peer) { p.request() })
			w.serve("server.test", "10.0.0.2", answer(okText("b")))
			w.want("200 b")(w.get("http://server.test/"))
		})
	})
}

// RFC 9112 section 9.2: bytes that nobody asked for are the start of a forged response.
func TestUnsolicitedBytesAreNotPooled(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		sent := make(chan struct{})
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			p.request()
			p.send(okText("a"))
			time.Sleep(time.Second)
			p.send(okText("forged"))
			close(sent)
			io.Copy(io.Discard, p.in)
		}, answer(okText("b")))
		w.want("200 a")(w.get("http://server.test/"))
		<-sent
		time.Sleep(time.Second) // idle long enough for a probe
		w.want("200 b")(w.get("http://server.test/"))
	})
}

func TestIdleConnectionThatIsFineIsReused(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a"), okText("b"), okText("c")))
		w.want("200 a")(w.get("http://server.test/"))
		time.Sleep(time.Minute)
		w.want("200 b")(w.get("http://server.test/"))
		w.want("200 c")(w.do("POST", "http://server.test/", Text("x")))
	})
}

func TestIdleEviction(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a")), answer(okText("b")))
		w.want("200 a")(w.get("http://server.test/"))
		pool := w.client.cfg.pool
		time.Sleep(5*time.Minute - time.Nanosecond)
		if got := pool.Stats().Idle; got != 1 {
			t.Errorf("%d idle just before the keep-alive is over", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v once the keep-alive is over", got)
		}
		w.want("200 b")(w.get("http://server.test/"))
	})
}

func TestExecuteTwice(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a"), okText("b")))
		req, _ := NewRequest("GET", "http://server.test/")
		call := w.client.NewCall(req)
		resp, err := call.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		var ce *CallError
		if _, err := call.Execute(t.Context()); !errors.As(err, &ce) {
			t.Errorf("error %v, want a CallError", err)
		}
		if resp, err = call.Clone().Execute(t.Context()); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	})
}

func TestClosedClient(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.client.Close()
		if _, err := w.get("http://server.test/"); !errors.Is(err, ErrClientClosed) {
			t.Errorf("error %v", err)
		}
	})
}

// A derived client's Close leaves alone what it shares.
func TestCloseOfDerivedClient(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a"), okText("b")))
		w.want("200 a")(w.get("http://server.test/"))
		w.client.With(WithReadTimeout(time.Second)).Close()
		w.want("200 b")(w.get("http://server.test/"))
	})
}

func TestBodyReadFailure(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"))
		_, err := w.get("http://server.test/")
		var e *Error
		var pe *ProtocolError
		if !errors.As(err, &e) || e.Phase != PhaseResponseBody || !e.Sent || !errors.As(err, &pe) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v", err)
		}
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseFailed connectionReleased callFailed")
	})
}

func TestCloseUnread(t *testing.T) {
	get := func(w *world) *Response {
		resp, err := w.client.Get(w.t.Context(), "http://server.test/")
		if err != nil {
			w.t.Fatal(err)
		}
		return resp
	}
	t.Run("the rest is there: kept", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("hello"), okText("b")))
			get(w).Body.Close()
			w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd")
			w.want("200 b")(w.get("http://server.test/"))
		})
	})
	t.Run("the rest does not come: closed after 100 ms", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"))
			resp := get(w)
			start := time.Now()
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
			if got := time.Since(start); got != discardTime {
				t.Errorf("closing took %v, want %v", got, discardTime)
			}
			if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
				t.Errorf("pool %+v", got)
			}
			w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 2 connectionReleased callEnd")
			if _, err := resp.Body.Read(make([]byte, 1)); err == nil || err == io.EOF {
				t.Errorf("reading after closing: %v", err)
			}
		})
	})
	t.Run("it ends with the connection: closed at once", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\n\r\nhe"))
			resp := get(w)
			start := time.Now()
			resp.Body.Close()
			if got := time.Since(start); got != 0 {
				t.Errorf("closing took %v", got)
			}
		})
	})
}

// A response that outlives its connection's return to the pool must not touch the next call's bytes.
func TestStaleBodyCannotRead(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("first"), okText("second")))
		resp, err := w.client.Get(t.Context(), "http://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		body := resp.Body
		if p, err := io.ReadAll(body); err != nil || string(p) != "first" {
			t.Fatal(string(p), err)
		}
		second, err := w.client.Get(t.Context(), "http://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := body.Read(make([]byte, 10)); n != 0 || err != io.EOF {
			t.Errorf("the first body read %d bytes, %v", n, err)
		}
		body.Close()
		if text, err := second.Body.Text(); err != nil || text != "second" {
			t.Errorf("second %q, %v", text, err)
		}
	})
}

// A listener that panics while connecting leaves no open connection behind.
func TestPanicWhileConnecting(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ended := make(chan struct{})
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			io.Copy(io.Discard, p.in)
			close(ended)
		})
		req, _ := NewRequest("GET", "http://server.test/")
		call := w.client.NewCall(req)
		call.AddEventListener(&EventListener{ConnectEnd: func(ConnectEvent) { panic("listener") }})
		func() {
			defer func() {
				if v := recover(); v != "listener" {
					t.Errorf("recovered %v", v)
				}
			}()
			call.Execute(t.Context())
		}()
		<-ended
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v", got)
		}
	})
}
