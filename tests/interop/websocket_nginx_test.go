//go:build unix

package interop

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// echoHandler is okws on net/http: it echoes what comes, and closes with 4001 when it is told "bye".
func echoHandler(cfg *okws.AcceptConfig) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := okws.Accept(w, r, cfg)
		if err != nil {
			return // the client was answered
		}
		defer c.CloseNow()
		echoMessages(context.Background(), c)
	}
}

func echoServer(t *testing.T, cfg *okws.AcceptConfig) *httptest.Server {
	s := httptest.NewServer(echoHandler(cfg))
	t.Cleanup(s.Close)
	return s
}

func echoMessages(ctx context.Context, c *okws.Conn) {
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return
		}
		if string(m.Data) == "bye" {
			_ = c.Close(4001, "as you wish")
			return
		}
		if c.Write(ctx, m.Type, m.Data) != nil {
			return
		}
	}
}

// TestNginxWebSocket has nginx stand between a client and a server of okws, in cleartext and under TLS.
func TestNginxWebSocket(t *testing.T) {
	s := echoServer(t, &okws.AcceptConfig{Config: okws.Config{Subprotocols: []string{"echo"}, Compression: okws.Compression{Threshold: -1}}})
	n := startNginx(t, strings.ReplaceAll(`
		location /ws { proxy_pass http://UPSTREAM; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }
		location /brief { proxy_pass http://UPSTREAM; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; proxy_read_timeout 300ms; }
		location /plain { proxy_pass http://UPSTREAM; proxy_http_version 1.1; }
	`, "UPSTREAM", strings.TrimPrefix(s.URL, "http://")))
	client := newClient(t, okhttp.WithTLSConfig(n.authority.trust()))
	for _, origin := range []string{"ws://" + n.addr, "wss://" + n.second} {
		for _, off := range []bool{true, false} {
			c, err := okws.Dial(t.Context(), client, origin+"/ws", &okws.Config{Subprotocols: []string{"other", "echo"}, Compression: okws.Compression{Off: off, Threshold: -1}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseNow()
			if c.Subprotocol() != "echo" || c.Compressed() == off {
				t.Errorf("agreed on %q and %q", c.Subprotocol(), c.Extensions())
			}
			wantEchoes(t, c)
			if err := c.WriteText(t.Context(), "bye"); err != nil {
				t.Fatal(err)
			}
			_, _, err = c.Read(t.Context())
			if closed, ok := errors.AsType[*okws.CloseError](err); !ok || closed.Code != 4001 || closed.Reason != "as you wish" {
				t.Errorf("ended with %v", err)
			}
		}
	}

	t.Run("silence", func(t *testing.T) { // nginx cuts a connection that is silent for long, without a close frame
		c, err := okws.Dial(t.Context(), client, "ws://"+n.addr+"/brief", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if _, _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("ended with %v", err)
		}
	})

	t.Run("no upgrade", func(t *testing.T) { // nginx passes no Upgrade on by itself, and the server says what it misses
		_, err := okws.Dial(t.Context(), client, "ws://"+n.addr+"/plain", nil)
		refused, ok := errors.AsType[*okws.HandshakeError](err)
		if !ok || refused.Response.Status != 426 {
			t.Fatalf("failed with %v", err)
		}
		if text, err := refused.Response.Body.Text(); !strings.Contains(text, "'Connection'") {
			t.Errorf("the server said %q, %v", text, err)
		}
	})
}
