package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// tunneling makes requests with Upgrade streams where servers let them.
var tunneling = WithHTTP2(HTTP2Config{ExtendedConnect: true})

// serveTunnels is serve2 for a server that allows extended CONNECT.
func (w *world) serveTunnels(config *tls.Config, scripts ...func(*peer2)) {
	w.t.Helper()
	w.resolve("server.test", "10.0.0.1")
	port := ":80"
	if config != nil {
		port = ":443"
	}
	w.serve2At("10.0.0.1"+port, config, http2.Config{ExtendedConnect: true}, scripts...)
}

// echoStream opens a tunnel and echoes.
func echoStream(s *stream2) {
	s.head(200, false, "x-tunnel", "yes")
	var b okio.Buffer
	for {
		if _, err := s.Source().ReadBuffer(&b, 1<<20); err != nil {
			s.Sink().Close()
			return
		}
		if s.Sink().WriteBuffer(&b, b.Len()) != nil || s.Sink().Flush() != nil {
			return
		}
	}
}

func (w *world) tunnel(url string, opts ...RequestOption) (*Response, okio.Socket) {
	w.t.Helper()
	resp, err := w.client.NewCall(mustRequest(w.t, "GET", url, append(opts, Upgrade("websocket"))...)).Execute(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	socket, ok := resp.Socket()
	if !ok {
		w.t.Fatalf("no socket in %+v", resp)
	}
	return resp, socket
}

// RFC 8441: an upgrade is a stream beside others, where client and server allow it.
func TestUpgradeOverHTTP2(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serveTunnels(config, inTurn(func(s *stream2) {
			for name, want := range map[string]string{
				":method": "CONNECT", ":protocol": "websocket", ":path": "/chat?x=1", ":authority": "server.test", ":scheme": url[:len(url)-len("://server.test")],
				"sec-websocket-version": "13", "sec-websocket-key": "", "upgrade": "", "connection": "",
			} {
				if got := s.field(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			echoStream(s)
		}, echoStream, reply(200, "plain")))
		resp, a := w.tunnel(url+"/chat?x=1", Header("Sec-WebSocket-Version", "13"), Header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="))
		if resp.Status != 200 || resp.Protocol != HTTP2 || resp.Headers().Get("X-Tunnel") != "yes" {
			t.Errorf("the response is %+v", resp)
		}
		_, b := w.tunnel(url)
		tell(t, a, "one")
		tell(t, b, "two")
		hear(t, b, "two")
		hear(t, a, "one")
		w.want("200 plain")(w.get(url))
		w.wantPool(1, 0, 2)
		for _, s := range []okio.Socket{a, b} {
			s.Sink().Close()
			if n, err := s.Source().ReadBuffer(new(okio.Buffer), 1); n != 0 || err != io.EOF {
				t.Errorf("read %d, %v", n, err)
			}
			s.Source().Close()
		}
		w.wantPool(1, 1, 0)
	}, tunneling)
}

// A server that does not allow it is asked again over a connection of its own with HTTP/1.1, and so is one for a list of protocols.
func TestUpgradeFallsBackToHTTP1(t *testing.T) {
	raw2 := func(allowed bool) func(*peer) {
		return func(p *peer) {
			if p.Conn.(*tls.Conn).Handshake() != nil {
				return
			}
			c := http2.NewServer(p.Conn, http2.Config{ExtendedConnect: allowed})
			defer c.Close()
			answer2("plain")(&peer2{t: p.t, Conn: c, raw: p.Conn})
		}
	}
	for name, c := range map[string]struct {
		allowed  bool
		protocol string
		opts     []Option
		http2    bool // a connection over HTTP/2 is tried
	}{
		"the server does not allow it": {false, "echo", []Option{tunneling}, true},
		"the client does not allow it": {true, "echo", nil, false},
		"a list of protocols":          {true, "echo, other", []Option{tunneling}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld2(t, "server.test", func(t *testing.T, w *world, config *tls.Config) {
				upgrading := func(p *peer) {
					p.request()
					p.send(switching)
					echoLines(p)
				}
				scripts := []func(*peer){upgrading}
				if c.http2 {
					scripts = []func(*peer){raw2(c.allowed), upgrading}
				}
				w.resolve("server.test", "10.0.0.1")
				w.serveAt("10.0.0.1:443", config, scripts...)
				resp, err := w.client.NewCall(mustRequest(t, "GET", "https://server.test/", Upgrade(c.protocol))).Execute(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				s, ok := resp.Socket()
				if resp.Status != 101 || !ok {
					t.Fatalf("the response is %+v", resp)
				}
				tell(t, s, "hello")
				hear(t, s, "hello")
				resp.Body.Close()
				if c.http2 {
					w.want("200 plain")(w.get("https://server.test/")) // its connection is still good
				}
			}, c.opts...)
		})
	}
}

// With prior knowledge there is nothing to fall back to.
func TestUpgradeNotAllowedByPriorKnowledge(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, answer2("plain"))
		_, err := w.client.NewCall(mustRequest(t, "GET", "http://server.test/", Upgrade("echo"))).Execute(t.Context())
		var pe *ProtocolError
		if !errors.As(err, &pe) || pe != errNoUpgrade {
			t.Errorf("failed with %v", err)
		}
		w.want("200 plain")(w.get("http://server.test/"))
		w.wantPool(1, 1, 0)
	}, tunneling)
}

// A response that refuses is a response like any other, and nothing is left of its stream.
func TestUpgradeRefusedOverHTTP2(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		refuse := func(s *stream2) {
			s.head(403, false)
			s.write("no")
			s.Sink().Close()
			s.wantReset(http2.Cancel)
		}
		bare := func(s *stream2) {
			s.head(404, true)
			s.wantReset(http2.Cancel)
		}
		w.serveTunnels(config, inTurn(refuse, bare, func(s *stream2) {
			s.head(302, true, "location", "/there")
			s.wantReset(http2.Cancel)
		}, echoStream))
		for _, want := range []string{"403 no", "404 "} {
			resp, err := w.client.NewCall(mustRequest(t, "GET", url, Upgrade("echo"))).Execute(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			text, err := resp.Body.Text()
			w.want(want)(fmt.Sprint(resp.Status, " ", text), err)
		}
		resp, _ := w.tunnel(url)
		if got := resp.Request().URL().EncodedPath(); got != "/there" {
			t.Errorf("ended at %s", got)
		}
		resp.Body.Close()
		w.wantPool(1, 1, 0)
	}, tunneling)
}

// Neither the call's timeout nor its context concern a tunnel, the operations' limits do, and canceling resets the stream alone.
func TestTunnelLimits(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		ended := make(chan error, 1)
		w.serveTunnels(config, inTurn(func(s *stream2) {
			s.head(200, false)
			ended <- s.gone()
		}, reply(200, "plain")))
		ctx, cancel := context.WithCancel(t.Context())
		call := w.client.NewCall(mustRequest(t, "GET", url, Upgrade("echo")), WithCallTimeout(5*time.Second), WithReadTimeout(3*time.Second))
		resp, err := call.Execute(ctx)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		s, _ := resp.Socket()
		began := time.Now()
		if _, err := s.Source().ReadBuffer(new(okio.Buffer), 1); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		okio.TimeoutOf(s.Source()).SetLimit(0)
		okio.TimeoutOf(s.Source()).SetDeadline(time.Now().Add(time.Minute))
		began = time.Now()
		if _, err := s.Source().ReadBuffer(new(okio.Buffer), 1); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		cause := errors.New("enough")
		s.Cancel(cause)
		if _, err := s.Source().ReadBuffer(new(okio.Buffer), 1); !errors.Is(err, cause) {
			t.Errorf("after Cancel: %v", err)
		}
		var reset *http2.StreamResetError
		if err := <-ended; !errors.As(err, &reset) || reset.Code != http2.Cancel {
			t.Errorf("the server saw %v", err)
		}
		resp.Body.Close()
		w.want("200 plain")(w.get(url))
	}, tunneling)
}

// Closing from another goroutine frees one that waits to send or to receive.
func TestTunnelClosedWhileBusy(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serveTunnels(config, inTurn(func(s *stream2) {
			s.head(200, false)
			s.gone() // reads nothing, so that the window is used up
		}))
		resp, s := w.tunnel(url)
		okio.TimeoutOf(s.Source()).SetLimit(0)
		okio.TimeoutOf(s.Sink()).SetLimit(0)
		done := make(chan error, 2)
		go func() {
			_, err := s.Source().ReadBuffer(new(okio.Buffer), 1)
			done <- err
		}()
		go func() {
			var b okio.Buffer
			b.WriteString(string(make([]byte, 4<<20)))
			done <- s.Sink().WriteBuffer(&b, b.Len())
		}()
		time.Sleep(time.Second)
		resp.Body.Close()
		for range 2 {
			if err := <-done; !errors.Is(err, okio.ErrClosed) {
				t.Errorf("ended with %v", err)
			}
		}
	}, tunneling)
}

// Who is canceled while the settings of the server are awaited fails at once.
func TestUpgradeCanceledBeforeSettings(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.resolve("server.test", "10.0.0.1")
		w.serveAt("10.0.0.1:80", nil, func(p *peer) { io.Copy(io.Discard, p.Conn) })
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/", Upgrade("echo")))
		time.AfterFunc(time.Second, call.Cancel)
		began := time.Now()
		if _, err := call.Execute(t.Context()); !errors.Is(err, ErrCanceled) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	}, tunneling)
}

// A read of a tunnel, or of an upgraded connection, can be interrupted and made again, into memory of its user too.
func TestUpgradeInterruptedRead(t *testing.T) {
	read := func(t *testing.T, s okio.Socket) {
		to := okio.TimeoutOf(s.Source())
		for range 3 {
			time.AfterFunc(time.Second, to.Interrupt)
			began := time.Now()
			if _, err := s.Source().ReadBuffer(new(okio.Buffer), 1); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Second {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			to.Resume()
			tell(t, s, "hello")
			p := make([]byte, 5)
			if _, err := io.ReadFull(s.Source().(io.Reader), p); err != nil || string(p) != "hello" {
				t.Errorf("read %q, %v", p, err)
			}
		}
	}
	t.Run("stream", func(t *testing.T) {
		bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
			w.serveTunnels(config, inTurn(echoStream))
			resp, s := w.tunnel(url)
			read(t, s)
			resp.Body.Close()
		}, tunneling)
	})
	t.Run("connection", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", switchAnd("early", echoLines))
			_, resp, s := w.upgraded(t.Context())
			p := make([]byte, 5)
			if _, err := io.ReadFull(s.Source().(io.Reader), p); err != nil || string(p) != "early" {
				t.Errorf("read %q, %v", p, err)
			}
			read(t, s)
			resp.Body.Close()
		})
	})
}
