package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// TLS chooses the protocol from what both sides offer; a client of HTTP/1.1 alone does not offer HTTP/2.
func TestALPN(t *testing.T) {
	for name, tt := range map[string]struct {
		server string
		client Protocols
		want   Protocol
	}{
		"both":                       {"h2 http/1.1", HTTP2OrHTTP1, HTTP2},
		"a server of HTTP/2 alone":   {"h2", HTTP2OrHTTP1, HTTP2},
		"a server of HTTP/1.1 alone": {"http/1.1", HTTP2OrHTTP1, HTTP11},
		"a server without ALPN":      {"", HTTP2OrHTTP1, HTTP11},
		"a client of HTTP/1.1 alone": {"h2 http/1.1", HTTP1Only, HTTP11},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld2(t, "server.test", func(t *testing.T, w *world, config *tls.Config) {
				config.NextProtos = strings.Fields(tt.server)
				if tt.want == HTTP2 {
					w.serve2("server.test", "10.0.0.1", config, answer2("x"))
				} else {
					w.serveTLS("server.test", "10.0.0.1", config, answer(okText("x")))
				}
				resp, err := w.client.Get(t.Context(), "https://server.test/", WithProtocols(tt.client))
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != "x" || err != nil || resp.Protocol != tt.want || resp.Handshake() == nil {
					t.Errorf("%q, %v over %s", text, err, resp.Protocol)
				}
				w.wantEvents(tlsConnected + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
			})
		})
	}
}

// A client that offers HTTP/1.1 alone has connections of its own.
func TestProtocolsArePartOfTheAddress(t *testing.T) {
	inWorld2(t, "server.test", func(t *testing.T, w *world, config *tls.Config) {
		w.resolve("server.test", "10.0.0.1")
		n := 0
		w.serveAt("10.0.0.1:443", config, slices.Repeat([]func(*peer){func(p *peer) {
			n++
			p.secure()
			c := p.Conn.(*tls.Conn)
			if c.Handshake() == nil && c.ConnectionState().NegotiatedProtocol == "h2" {
				answer2("2")(&peer2{t: t, Conn: http2.NewServer(c, http2.Config{}), raw: c})
				return
			}
			answer(okText("1"), okText("1"))(p)
		}}, 2)...)
		for range 2 {
			w.want("200 2")(w.get("https://server.test/"))
			w.want("200 1")(w.get("https://server.test/", WithProtocols(HTTP1Only)))
		}
		w.wantPool(2, 2, 0)
	})
}

// In cleartext HTTP/2 is spoken to those of whom it is known.
func TestPriorKnowledgeInCleartext(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, answer2("x"))
		w.want("200 x")(w.get("http://server.test/"))
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		w.want("200 x")(w.get("http://server.test/"))
		w.wantEvents("callStart connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		if _, err := w.get("https://server.test/"); !isA[*ProtocolError](err) || !SafeToRetry(err) { // fact 50
			t.Errorf("error %v", err)
		}
		w.wantPool(1, 1, 0)
	})
}

// Section 10.4 and fact 81: what becomes of a request, and of its response, which has no reason phrase.
func TestHTTP2Mapping(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		var got []string
		w.serve2("server.test", "10.0.0.1", config, inTurn(func(s *stream2) {
			got = s.fields
			s.answer(200, "x", "X-Name", "caf\u00e9", "connection", "close", "Content-Length", "1")
		}, func(s *stream2) {
			got = s.fields
			s.answer(204, "")
		}))
		req := mustRequest(t, "GET", url+"/a?b", Header("Connection", "keep-alive, x"), Header("TE", "gzip"), Header("Proxy-Connection", "x"),
			Header("Upgrade", "x"), Header("Keep-Alive", "5"), Header("X-Upper", "Value"))
		resp, err := w.client.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Status != 200 || resp.Message != "" || resp.Protocol != HTTP2 || resp.Headers().Get("X-Name") != "caf\u00e9" || resp.Body.Len() != 1 {
			t.Errorf("response %d %q over %s, headers %v", resp.Status, resp.Message, resp.Protocol, resp.Headers())
		}
		resp.Body.Close()
		scheme, _, _ := strings.Cut(url, ":")
		want := []string{":method", "GET", ":path", "/a?b", ":authority", "server.test", ":scheme", scheme, "x-upper", "Value",
			"accept-encoding", "gzip", "user-agent", userAgent}
		if !slices.Equal(got, want) {
			t.Errorf("the server got %q\nwant %q", got, want)
		}
		w.client = w.with(WithNetworkInterceptor(InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
			req, err := c.Request().With(Header("Host", "front.test"), Header("TE", "trailers"))
			if err != nil {
				return nil, err
			}
			return c.Proceed(ctx, req)
		})))
		w.want("204 ")(w.get(url))
		if i := slices.Index(got, "front.test"); i < 0 || got[i-1] != ":authority" || !slices.Contains(got, "trailers") {
			t.Errorf("the server got %q", got)
		}
	})
}

// Fact 68 and section 10.4: the head ends a request without a body object; an empty body is a frame of its own.
func TestHTTP2EmptyBodies(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, streams(func(s *stream2) { s.answer(200, fmt.Sprint(s.last)) }))
		w.want("200 true")(w.do("DELETE", "http://server.test/", nil))
		w.want("200 false")(w.do("DELETE", "http://server.test/", Text("")))
		w.want("200 false")(w.do("POST", "http://server.test/", Text("x")))
	})
}

// Facts 2 and 3, over HTTP/2.
func TestHTTP2WithoutContent(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, streams(func(s *stream2) {
			switch s.field(":path") {
			case "/head":
				s.head(200, true, "Content-Length", "100")
			case "/head-and-data":
				s.head(200, false, "Content-Length", "100")
				s.Sink().Close()
			case "/304":
				s.head(304, true, "Content-Length", "100")
			case "/length":
				s.head(204, false, "Content-Length", "39")
				s.write(strings.Repeat("x", 39))
			}
		}))
		for _, tt := range []struct{ method, path string }{{"HEAD", "/head"}, {"HEAD", "/head-and-data"}, {"GET", "/304"}} {
			resp, err := w.client.Do(t.Context(), mustRequest(t, tt.method, "http://server.test"+tt.path))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := resp.Body.Text(); text != "" || err != nil || resp.Body.Len() != 100 {
				t.Errorf("%s: %q, %v, length %d", tt.path, text, err, resp.Body.Len())
			}
		}
		_, err := w.get("http://server.test/length")
		if !isA[*ProtocolError](err) || !strings.Contains(err.Error(), "HTTP 204 had non-zero Content-Length: 39") {
			t.Errorf("error %v", err)
		}
		w.wantPool(1, 1, 0)
	})
}

// Content that does not have the announced length.
func TestHTTP2Lengths(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serve2("server.test", "10.0.0.1", config, streams(func(s *stream2) {
			s.text()
			s.head(200, false, "Content-Length", "4")
			s.write(s.field("x-text"))
			s.Sink().Close()
		}), answer2(""))
		for _, text := range []string{"abcde", "abc"} {
			resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", url, Header("X-Text", text)))
			if err == nil {
				_, err = resp.Body.Text()
			}
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("expected 4 bytes but received %d", len(text))) {
				t.Errorf("%s: error %v", text, err)
			}
		}
		for length, text := range map[int64]string{4: "abcde", 6: "abcde"} {
			body := mustBody(t, BodyConfig{Len: length, Write: func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}})
			if _, err := w.do("PUT", url, body); !isA[*ProtocolError](err) {
				t.Errorf("a body of %d that announces %d: %v", len(text), length, err)
			}
		}
		w.wantPool(1, 1, 0)
	})
}

// Trailers go both ways.
func TestHTTP2Trailers(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serve2("server.test", "10.0.0.1", config, inTurn(func(s *stream2) {
			text := s.text()
			got, _ := s.Trailers()
			s.head(200, false)
			s.write(text)
			s.SendTrailers(append(got, "x-more", "1"))
		}, func(s *stream2) {
			s.head(200, false)
			s.SendTrailers([]string{"x-only", "1"})
		}))
		body := mustBody(t, BodyConfig{Len: -1, Write: func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "hello")
			return err
		}, Trailers: func() Headers {
			h, _ := NewHeaders("X-Sum", "5")
			return h
		}})
		resp, err := w.client.Do(t.Context(), mustRequest(t, "POST", url, WithBody(body)))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "hello" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if h, err := resp.Trailers(); err != nil || h.Len() != 2 || h.Get("X-Sum") != "5" || h.Get("X-More") != "1" {
			t.Errorf("trailers %v, %v", h, err)
		}
		if resp, err = w.client.Get(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if h, err := resp.Trailers(); err != nil || h.Get("X-Only") != "1" { // which reads the body first
			t.Errorf("trailers %v, %v", h, err)
		}
		w.wantPool(1, 1, 0)
	})
}

// Informational responses are told of, and are not the response.
func TestHTTP2Informational(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, inTurn(func(s *stream2) {
			s.head(103, false, "link", "x")
			s.head(102, false)
			s.answer(200, "x")
		}, func(s *stream2) { // fact 28
			s.text()
			s.head(100, false)
			s.wantReset(http2.Cancel)
		}))
		w.want("200 x")(w.get("http://server.test/"))
		w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd responseHeadersStart informational 103 informational 102 responseHeadersEnd " +
			"followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
		if _, err := w.do("PUT", "http://server.test/", Text("x")); !isTimeout(err) {
			t.Errorf("error %v", err)
		}
		w.wantEvents("callStart connectionAcquired requestHeadersStart requestHeadersEnd requestBodyStart requestBodyEnd 1 responseHeadersStart informational 100 " +
			"responseFailed retryDecision false connectionReleased callFailed")
		w.wantPool(1, 1, 0)
	})
}

// Section 2.10 and facts 26 and 27: the body waits for the server; a refusal is the response, and the connection serves others.
func TestHTTP2Expect(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		resets := make(chan error, 3)
		w.serve2("server.test", "10.0.0.1", config, inTurn(func(s *stream2) {
			s.head(100, false)
			s.answer(200, s.text())
		}, func(s *stream2) {
			s.head(417, false)
			s.write("re")
			time.Sleep(time.Second)
			s.write("fused")
			s.Sink().Close()
			resets <- s.gone()
		}, func(s *stream2) {
			s.head(413, true)
			resets <- s.gone()
		}, func(s *stream2) {
			resets <- s.gone()
		}, reply(200, "end")))
		expect := func() (string, error) {
			req, written := expecting(t, WithURL(mustURL(t, url)))
			resp, err := w.client.Do(t.Context(), req)
			if err != nil {
				return fmt.Sprint(*written), err
			}
			text, err := resp.Body.Text()
			return fmt.Sprint(resp.Status, " ", text, " ", *written), err
		}
		w.want("200 hello 1")(expect())
		w.want("417 refused 0")(expect())
		w.want("413  0")(expect())
		if written, err := expect(); !isTimeout(err) || written != "0" {
			t.Errorf("written %s, %v", written, err)
		}
		w.want("200 end")(w.get(url))
		time.Sleep(time.Second)
		w.wantPool(1, 1, 0)
		if len(resets) != 3 {
			t.Errorf("%d of 3 other streams have ended", len(resets))
		}
	})
}

// Fact 80: a response that came whole is read, though the server then wants no more of the request.
func TestHTTP2AnsweredEarly(t *testing.T) {
	for _, code := range []http2.ErrorCode{http2.NoError, http2.Cancel} {
		bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
			w.serve2("server.test", "10.0.0.1", config, inTurn(func(s *stream2) {
				s.head(200, false)
				s.write("enough")
				s.Sink().Close()
				s.peer.put(http2.AppendRSTStream(nil, s.ID(), code))
			}, reply(200, "again")), answer2("other"))
			body := mustBody(t, BodyConfig{Len: -1, Write: func(_ context.Context, w io.Writer) error {
				for {
					if _, err := w.Write(make([]byte, 1<<16)); err != nil {
						return err
					}
				}
			}})
			w.want("200 enough")(w.do("POST", url, body))
			want := "200 again"
			if code != http2.NoError {
				want = "200 other"
			}
			w.want(want)(w.get(url))
			w.holdsNothing()
		})
	}
}

// A server that answers in full without resetting is not in the way: the request goes on, and the response is there when it is sent.
func TestHTTP2AnsweredAndTaken(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, inTurn(func(s *stream2) {
			s.head(200, false)
			s.write("early")
			s.Sink().Close()
			if n := len(s.text()); n != 3<<20 {
				t.Errorf("%d bytes", n)
			}
		}))
		w.want("200 early")(w.do("POST", "http://server.test", Bytes("", make([]byte, 3<<20))))
		w.wantPool(1, 1, 0)
	})
}

// Limits of time concern a stream: the connection goes on.
func TestHTTP2Timeouts(t *testing.T) {
	for name, tt := range map[string]struct {
		script func(*stream2)
		opt    CallOption
		body   *Body
		want   string
		at     time.Duration
		phase  Phase
	}{
		"no head":           {func(s *stream2) { s.gone() }, WithReadTimeout(time.Second), nil, "read timeout after 1s", time.Second, PhaseResponseHeaders},
		"no more content":   {func(s *stream2) { s.head(200, false); s.write("x"); s.gone() }, WithReadTimeout(time.Second), nil, "read timeout after 1s", time.Second, PhaseResponseBody},
		"nobody reads":      {func(s *stream2) { time.Sleep(time.Minute) }, WithWriteTimeout(time.Second), Bytes("", make([]byte, 20<<20)), "write timeout after 1s", time.Second, PhaseRequestBody},
		"the call, head":    {func(s *stream2) { s.gone() }, WithCallTimeout(time.Second), nil, "call timeout", time.Second, PhaseResponseHeaders},
		"the call, content": {func(s *stream2) { s.head(200, false); s.gone() }, WithCallTimeout(time.Second), nil, "call timeout", time.Second, PhaseResponseBody},
		"the call, request": {func(s *stream2) { time.Sleep(time.Minute) }, WithCallTimeout(time.Second), Bytes("", make([]byte, 20<<20)), "call timeout", time.Second, PhaseRequestBody},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
				w.serve2("server.test", "10.0.0.1", config, inTurn(reply(200, "first"), tt.script, reply(200, "after")))
				w.want("200 first")(w.get(url))
				began := time.Now()
				method := "GET"
				if tt.body != nil {
					method = "PUT"
				}
				_, err := w.do(method, url, tt.body, tt.opt)
				w.wantSince(began, tt.at)
				var e *Error
				if !errors.As(err, &e) || e.Phase != tt.phase || !isTimeout(err) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %s", err, tt.want)
				}
				w.want("200 after")(w.get(url)) // within the second that the ping may take
				w.wantPool(1, 1, 0)
			}, WithReadTimeout(time.Hour), WithWriteTimeout(time.Hour))
		})
	}
}

// A failure names the limit that was up: listeners are told of it before the call says that its time is over.
func TestHTTP2NamesTheLimit(t *testing.T) {
	now := time.Now()
	for want, deadline := range map[string]time.Time{
		"read timeout after 1s":          now.Add(time.Hour),
		"read timeout: deadline reached": now,
	} {
		if got := (&http2Wire{deadline: deadline}).named(os.ErrDeadlineExceeded, "read", time.Second); got.Error() != want || !isTimeout(got) {
			t.Errorf("%v, want %s", got, want)
		}
	}
	if got := (&http2Wire{}).named(io.EOF, "read", time.Second); got != io.EOF {
		t.Errorf("the end became %v", got)
	}
}

// A call that is canceled ends its stream alone, at whatever it is.
func TestHTTP2CancelAtEachStage(t *testing.T) {
	for _, stage := range []string{"connectionAcquired", "requestHeadersStart", "requestHeadersEnd", "requestBodyStart", "requestBodyEnd", "responseHeadersStart",
		"responseHeadersEnd", "followUpDecision", "responseBodyStart", "responseBodyEnd", "connectionReleased"} {
		t.Run(stage, func(t *testing.T) {
			bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
				w.serve2("server.test", "10.0.0.1", config, streams(func(s *stream2) {
					if s.text(); s.Err() == nil {
						s.answer(200, "hello")
					}
				}))
				w.want("200 hello")(w.get(url))
				call := w.client.NewCall(mustRequest(t, "PUT", url, WithBody(Text("body"))))
				call.AddEventListener(listenToAll(func(hook string, event any) {
					if name, _, _ := strings.Cut(eventText(hook, event), " "); name == stage {
						call.Cancel()
					}
				}))
				resp, err := call.Execute(t.Context())
				if err == nil {
					_, err = resp.Body.Text()
				}
				if late := stage == "responseBodyStart" || stage == "responseBodyEnd" || stage == "connectionReleased"; !late && !errors.Is(err, ErrCanceled) {
					t.Errorf("error %v", err)
				}
				w.holdsNothing()
				w.want("200 hello")(w.get(url))
				w.wantPool(1, 1, 0)
			})
		})
	}
	for name, script := range map[string]func(*stream2){
		"before the head": func(s *stream2) { s.gone() },
		"in the content":  func(s *stream2) { s.head(200, false); s.write("x"); s.gone() },
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
				w.serve2("server.test", "10.0.0.1", config, inTurn(reply(200, "x"), script, script, reply(200, "x")))
				w.want("200 x")(w.get(url))
				for _, byContext := range []bool{false, true} {
					ctx, cancel := context.WithCancel(t.Context())
					call := w.client.NewCall(mustRequest(t, "GET", url))
					time.AfterFunc(time.Second, func() {
						if byContext {
							cancel()
						} else {
							call.Cancel()
						}
					})
					resp, err := call.Execute(ctx)
					if err == nil {
						_, err = resp.Body.Text()
					}
					if !errors.Is(err, context.Canceled) || !byContext && !errors.Is(err, ErrCanceled) {
						t.Errorf("error %v", err)
					}
					cancel()
				}
				w.want("200 x")(w.get(url))
				w.wantPool(1, 1, 0)
			})
		})
	}
}

// Fact 24 and 81: a body that fails resets its stream.
func TestHTTP2BodyFails(t *testing.T) {
	why := errors.New("boom")
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, inTurn(reply(200, "x"), func(s *stream2) {
			if text := s.text(); !strings.Contains(text, "CANCEL") {
				t.Errorf("the server got %q", text)
			}
		}, reply(200, "x")))
		w.want("200 x")(w.get("http://server.test/"))
		body := Streamed("", func(_ context.Context, w io.Writer) error {
			w.Write(make([]byte, 100<<10))
			return why
		})
		if _, err := w.do("PUT", "http://server.test/", body); !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
		w.want("200 x")(w.get("http://server.test/"))
		w.wantPool(1, 1, 0)
	})
}

// A response that is closed unread is reset, and what came whole is not.
func TestHTTP2ClosedUnread(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		ends := make(chan error, 2)
		w.serve2("server.test", "10.0.0.1", nil, inTurn(func(s *stream2) {
			s.head(200, false)
			s.write("x")
			for s.Err() == nil {
				time.Sleep(time.Second)
			}
			ends <- s.Err()
		}, reply(200, "hello")))
		for range 2 {
			resp, err := w.client.Get(t.Context(), "http://server.test/")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			began := time.Now()
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
			w.wantSince(began, 0)
		}
		time.Sleep(time.Minute)
		if err := <-ends; !strings.Contains(err.Error(), "CANCEL") || len(ends) > 0 {
			t.Errorf("end %v, %d others", err, len(ends))
		}
		w.wantPool(1, 1, 0)
	})
}
