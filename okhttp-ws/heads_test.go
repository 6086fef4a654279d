package okws

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// Heads of 101 that are wrong in one thing each (RFC 6455 section 4.1): Dial fails, and the listener is told once.
func TestWrongUpgrades(t *testing.T) {
	for _, replace := range [][]string{
		{"Connection", ""}, {"Connection", "close"}, {"Upgrade", ""}, {"Upgrade", "h2c"}, {"Upgrade", "websocket, h2c"},
		{"Sec-WebSocket-Accept", ""}, {"Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
		{"Sec-WebSocket-Protocol", "soap"}, {"Sec-WebSocket-Protocol", "CHAT"}, {"Sec-WebSocket-Protocol", "chat, chat"},
		{"Sec-WebSocket-Protocol", "chat\r\nSec-WebSocket-Protocol: soap"}, {"Sec-WebSocket-Protocol", "soap\r\nSec-WebSocket-Protocol: chat"},
	} {
		t.Run(strings.Join(replace, " "), func(t *testing.T) {
			inSite(t, func(t *testing.T, w *site) {
				answer := func(p *rawPeer) { p.upgrade(replace...) }
				w.serveRaw(answer, answer)
				cfg := &Config{Subprotocols: []string{"chat"}}
				if c, err := Dial(t.Context(), w.client, "ws://server.test/", cfg); err == nil {
					t.Errorf("connected, with subprotocol %q", c.Subprotocol())
					_ = c.CloseNow()
				}
				r := newRecorder(t)
				<-w.open(r.listener(), cfg).Done()
				r.want("failure …")
				r.wantNone()
			})
		})
	}
}

// The same over HTTP/2 (RFC 8441 section 5), where what was chosen still has to be what was offered.
func TestWrongTunnels(t *testing.T) {
	for _, c := range []struct {
		status int
		fields []string
	}{
		{403, nil}, {503, nil},
		{200, []string{"sec-websocket-protocol", "soap"}},
		{200, []string{"sec-websocket-protocol", "chat", "sec-websocket-protocol", "soap"}},
		{200, []string{"sec-websocket-extensions", "x-snappy"}},
		{200, []string{"sec-websocket-extensions", "permessage-deflate; server_max_window_bits=7"}},
		{200, []string{"sec-websocket-extensions", "permessage-deflate; client_max_window_bits=10"}},
		{200, []string{"sec-websocket-extensions", "permessage-deflate, permessage-deflate"}},
	} {
		t.Run(strings.Join(c.fields, " "), func(t *testing.T) {
			inSite(t, func(t *testing.T, w *site) {
				l := w.listen()
				w.work.Go(func() {
					raw, err := l.Accept()
					if err != nil {
						return
					}
					server := http2.NewServer(raw, http2.Config{ExtendedConnect: true})
					defer server.Close()
					for {
						s, _, _, err := server.Accept(time.Time{})
						if err != nil {
							return
						}
						_ = s.SendHead(c.status, c.fields, c.status != 200)
					}
				})
				conn, err := Dial(t.Context(), w.client, "ws://server.test/", &Config{Subprotocols: []string{"chat"}})
				if err == nil {
					t.Errorf("connected, with subprotocol %q", conn.Subprotocol())
					_ = conn.CloseNow()
				} else if refused := (*HandshakeError)(nil); !errors.As(err, &refused) || refused.Response == nil || refused.Response.Protocol != okhttp.HTTP2 {
					t.Errorf("failed with %v", err)
				}
			}, priorKnowledge...)
		})
	}
}
