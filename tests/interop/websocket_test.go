package interop

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	coder "github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"
	"github.com/lxzan/gws"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// webSocketMessages are of every form of length, and more than one read takes.
func webSocketMessages() (list [][]byte) {
	for _, n := range []int{0, 1, 125, 126, 1024, 65535, 65536, 1 << 20} {
		list = append(list, bytes.Repeat([]byte("message "), n/8+1)[:n])
	}
	return list
}

// wantEchoes sends the messages to a peer that sends each of them back, while it comes.
func wantEchoes(t *testing.T, c *okws.Conn) {
	t.Helper()
	for _, want := range webSocketMessages() {
		written := make(chan error, 1)
		go func() { written <- c.Write(t.Context(), okws.Binary, want) }()
		if kind, got, err := c.Read(t.Context()); err != nil || kind != okws.Binary || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes came back as %d, %v", len(want), len(got), err)
		}
		if err := <-written; err != nil {
			t.Fatal(err)
		}
	}
}

type gwsEcho struct{ gws.BuiltinEventHandler }

func (gwsEcho) OnMessage(c *gws.Conn, m *gws.Message) {
	defer m.Close()
	_ = c.WriteMessage(m.Opcode, m.Bytes())
}

// Clients of okws talk to the servers of others, with and without compression.
func TestWebSocketServers(t *testing.T) {
	servers := map[string]http.HandlerFunc{
		"gorilla": func(w http.ResponseWriter, r *http.Request) {
			u := gorilla.Upgrader{EnableCompression: true}
			c, err := u.Upgrade(w, r, nil)
			if err != nil {
				return
			}
			defer c.Close()
			for {
				kind, p, err := c.ReadMessage()
				if err != nil || c.WriteMessage(kind, p) != nil {
					return
				}
			}
		},
		"coder": func(w http.ResponseWriter, r *http.Request) {
			c, err := coder.Accept(w, r, &coder.AcceptOptions{CompressionMode: coder.CompressionContextTakeover})
			if err != nil {
				return
			}
			defer c.CloseNow()
			c.SetReadLimit(-1)
			for {
				kind, p, err := c.Read(context.Background())
				if err != nil || c.Write(context.Background(), kind, p) != nil {
					return
				}
			}
		},
		"gws": func(w http.ResponseWriter, r *http.Request) {
			u := gws.NewUpgrader(gwsEcho{}, &gws.ServerOption{PermessageDeflate: gws.PermessageDeflate{
				Enabled: true, ServerContextTakeover: true, ClientContextTakeover: true, ServerMaxWindowBits: 12, ClientMaxWindowBits: 12}})
			c, err := u.Upgrade(w, r)
			if err == nil {
				c.ReadLoop()
			}
		},
	}
	for name, h := range servers {
		for mode, compression := range map[string]okws.Compression{"plain": {Off: true}, "deflate": {Threshold: -1, OfferClientWindow: true}} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				s := httptest.NewServer(h)
				defer s.Close()
				client := okhttp.New()
				defer client.Close()
				c, err := okws.Dial(t.Context(), client, s.URL, &okws.Config{Compression: compression})
				if err != nil {
					t.Fatal(err)
				}
				defer c.CloseNow()
				if c.Compressed() != (mode == "deflate") {
					t.Errorf("agreed on %q", c.Extensions())
				}
				for range 2 {
					wantEchoes(t, c)
				}
				if err := c.Close(okws.CodeNormal, "bye"); err != nil {
					t.Errorf("close: %v", err)
				}
			})
		}
	}
}

// gwsClient collects what comes.
type gwsClient struct {
	gws.BuiltinEventHandler
	got chan []byte
}

func (h gwsClient) OnMessage(_ *gws.Conn, m *gws.Message) {
	h.got <- append([]byte(nil), m.Bytes()...)
	_ = m.Close()
}

// The clients of others talk to the server of okws.
func TestWebSocketClients(t *testing.T) {
	s := echoServer(t, &okws.AcceptConfig{Config: okws.Config{Compression: okws.Compression{Threshold: -1}}})
	url := "ws" + strings.TrimPrefix(s.URL, "http")
	for name, dial := range map[string]func(t *testing.T, deflate bool) (echo func([]byte) ([]byte, error), end func()){
		"gorilla": func(t *testing.T, deflate bool) (func([]byte) ([]byte, error), func()) {
			d := gorilla.Dialer{EnableCompression: deflate}
			c, _, err := d.Dial(url, nil)
			if err != nil {
				t.Fatal(err)
			}
			return func(p []byte) ([]byte, error) {
				if err := c.WriteMessage(gorilla.BinaryMessage, p); err != nil {
					return nil, err
				}
				_, got, err := c.ReadMessage()
				return got, err
			}, func() { c.Close() }
		},
		"coder": func(t *testing.T, deflate bool) (func([]byte) ([]byte, error), func()) {
			o := &coder.DialOptions{}
			if deflate {
				o.CompressionMode, o.CompressionThreshold = coder.CompressionContextTakeover, 1
			}
			c, _, err := coder.Dial(t.Context(), url, o)
			if err != nil {
				t.Fatal(err)
			}
			c.SetReadLimit(-1)
			return func(p []byte) ([]byte, error) {
					if err := c.Write(t.Context(), coder.MessageBinary, p); err != nil {
						return nil, err
					}
					_, got, err := c.Read(t.Context())
					return got, err
				}, func() {
					if err := c.Close(coder.StatusNormalClosure, ""); err != nil {
						t.Errorf("close: %v", err)
					}
				}
		},
		"gws": func(t *testing.T, deflate bool) (func([]byte) ([]byte, error), func()) {
			h := gwsClient{got: make(chan []byte, 1)}
			c, _, err := gws.NewClient(h, &gws.ClientOption{Addr: url, PermessageDeflate: gws.PermessageDeflate{
				Enabled: deflate, Threshold: 1, ServerContextTakeover: true, ClientContextTakeover: true}})
			if err != nil {
				t.Fatal(err)
			}
			go c.ReadLoop()
			return func(p []byte) ([]byte, error) {
				if err := c.WriteMessage(gws.OpcodeBinary, p); err != nil {
					return nil, err
				}
				return <-h.got, nil
			}, func() { _ = c.NetConn().Close() }
		},
	} {
		for _, deflate := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				echo, end := dial(t, deflate)
				defer end()
				for range 2 {
					for _, want := range webSocketMessages() {
						if got, err := echo(want); err != nil || !bytes.Equal(got, want) {
							t.Fatalf("%d bytes came back as %d, %v", len(want), len(got), err)
						}
					}
				}
			})
		}
	}
}
