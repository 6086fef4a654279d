// Package websocket has the web sockets of okws meet the mockserver.
package websocket

import (
	"context"
	"errors"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

func echo(_ context.Context, c *okws.Conn) {
	for m, err := range c.Messages(context.Background()) {
		if err != nil || c.Write(context.Background(), m.Type, m.Data) != nil {
			return
		}
	}
}

// A web socket of the mockserver echoes over HTTP/1.1 and over HTTP/2, and closes when the script is over.
func TestMockserver(t *testing.T) {
	for name, opts := range map[string][]okhttp.Option{
		"http/1.1": nil,
		"h2":       {okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge), okhttp.WithHTTP2(okhttp.HTTP2Config{ExtendedConnect: true})},
	} {
		t.Run(name, func(t *testing.T) {
			s := mockserver.New(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
			cfg := &okws.Config{Subprotocols: []string{"chat"}}
			s.Enqueue(mockserver.WebSocket(cfg, echo))
			s.Enqueue(mockserver.WebSocket(nil, func(ctx context.Context, c *okws.Conn) { _ = c.WriteText(ctx, "bye") }))
			client := okhttp.New(opts...)
			defer client.Close()
			c, err := okws.Dial(t.Context(), client, s.URL("/chat"), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if c.Subprotocol() != "chat" || !c.Compressed() || string(c.Response().Protocol) != name {
				t.Errorf("subprotocol %q, response %v", c.Subprotocol(), c.Response())
			}
			if err := c.WriteText(t.Context(), "hello"); err != nil {
				t.Fatal(err)
			}
			if _, p, err := c.Read(t.Context()); string(p) != "hello" || err != nil {
				t.Errorf("%q, %v", p, err)
			}
			if err := c.Close(okws.CodeNormal, ""); err != nil {
				t.Error(err)
			}
			if c, err = okws.Dial(t.Context(), client, s.URL("/bye"), nil); err != nil {
				t.Fatal(err)
			}
			if _, p, err := c.Read(t.Context()); string(p) != "bye" || err != nil {
				t.Errorf("%q, %v", p, err)
			}
			_, _, err = c.Read(t.Context())
			if closed := (*okws.CloseError)(nil); !errors.As(err, &closed) || closed.Code != okws.CodeNormal {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// What the handshake gets wrong on purpose is noticed, and so is a request that asks for no web socket.
func TestMockserverFaults(t *testing.T) {
	s := mockserver.New(t)
	client := okhttp.New()
	defer client.Close()
	s.Enqueue(mockserver.WebSocket(nil, echo).Header("Sec-WebSocket-Accept", "magic"))
	_, err := okws.Dial(t.Context(), client, s.URL("/"), nil)
	if refused := (*okws.HandshakeError)(nil); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	s.Enqueue(mockserver.WebSocket(nil, echo))
	resp, err := client.Get(t.Context(), s.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Status != 426 || resp.Headers().Get("Sec-WebSocket-Version") != "13" {
		t.Errorf("answered %v", resp)
	}
}
