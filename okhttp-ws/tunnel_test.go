package okws

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// serveTunnels speaks HTTP/2 by prior knowledge, and accepts web sockets over extended CONNECT.
func (w *site) serveTunnels(allowed bool, use func(*Conn)) {
	l := w.listen()
	w.work.Go(func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			c := http2.NewServer(raw, http2.Config{ExtendedConnect: allowed})
			w.work.Go(func() {
				defer c.Close()
				for {
					s, fields, _, err := c.Accept(time.Time{})
					if err != nil {
						return
					}
					w.work.Go(func() { w.tunnel(s, fields, use) })
				}
			})
		}
	})
}

func (w *site) tunnel(s *http2.Stream, fields []string, use func(*Conn)) {
	pseudo, rest := http2.SplitPseudo(fields)
	h, err := okhttp.NewHeaders(rest...)
	if err != nil {
		w.t.Error(err)
		return
	}
	for _, name := range []string{"Sec-WebSocket-Key", "Upgrade", "Connection"} {
		if value, ok := h.Last(name); ok {
			w.t.Errorf("%s is %q", name, value)
		}
	}
	if text := strings.Join(pseudo, " "); !strings.Contains(text, ":method CONNECT") || !strings.Contains(text, ":protocol websocket") || h.Get("Sec-WebSocket-Version") != "13" {
		w.t.Errorf("asked with %s, %v", text, h)
	}
	n, err := Negotiate(h, &Config{Subprotocols: []string{"chat"}})
	if err != nil {
		w.t.Error(err)
		return
	}
	answer, err := n.TunnelHeaders()
	if err != nil {
		w.t.Error(err)
		return
	}
	var list []string
	for name, value := range answer.All() {
		list = append(list, name, value)
	}
	if err := s.SendHead(200, list, false); err != nil {
		w.t.Error(err)
		return
	}
	c := n.Serve(s.Socket())
	defer c.CloseNow()
	use(c)
}

var priorKnowledge = []okhttp.Option{okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge), okhttp.WithHTTP2(okhttp.HTTP2Config{ExtendedConnect: true})}

// RFC 8441: several web sockets are streams of one connection, each with its own compression and end.
func TestTunnel(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serveTunnels(true, echo)
		var conns []*Conn
		for range 3 {
			c, err := Dial(t.Context(), w.client, "ws://server.test/", &Config{Subprotocols: []string{"chat"}})
			if err != nil {
				t.Fatal(err)
			}
			if c.Subprotocol() != "chat" || !c.Compressed() || c.Response().Protocol != okhttp.HTTP2 {
				t.Errorf("subprotocol %q, %v", c.Subprotocol(), c.Response())
			}
			conns = append(conns, c)
		}
		for i, c := range conns {
			text := strings.Repeat("over HTTP/2 ", 1000*(i+1))
			must(t, c.WriteText(t.Context(), text))
			wantMessage(t, c, Text, text)
		}
		must(t, conns[0].Close(1000, "bye"))
		wantClose(t, conns[0].Err(), 1000, "")
		_ = conns[1].CloseNow()
		must(t, conns[2].WriteText(t.Context(), "still open"))
		wantMessage(t, conns[2], Text, "still open")
		must(t, conns[2].Close(1000, ""))
		r := newRecorder(t)
		ws := w.open(r.listener(), nil)
		ws.SendText("with a listener")
		r.want("open", "text with a listener")
		must(t, ws.Close(1000, ""))
		r.want("closing 1000", "closed 1000")
	}, priorKnowledge...)
}

// A Read whose context ends leaves the stream as it is.
func TestTunnelReadCanceled(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serveTunnels(true, func(c *Conn) {
			time.Sleep(time.Minute)
			must(t, c.WriteText(background(), "late"))
			_, _, _ = c.Read(background())
		})
		c, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := timeout(t, time.Second)
		defer cancel()
		if _, _, err := c.Read(ctx); err == nil || c.Err() != nil {
			t.Errorf("read: %v; the connection: %v", err, c.Err())
		}
		wantMessage(t, c, Text, "late")
		must(t, c.Close(1000, ""))
	}, priorKnowledge...)
}

// A server that does not allow it, of which nothing else is known than that it speaks HTTP/2.
func TestTunnelNotAllowed(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serveTunnels(false, echo)
		_, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
		if broken := (*okhttp.ProtocolError)(nil); !errors.As(err, &broken) {
			t.Errorf("%v", err)
		}
	}, priorKnowledge...)
}
