//go:build unix

package interop

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// socketPage opens web sockets in a browser, one after the other, and posts what they heard.
const socketPage = `<!doctype html><title>web sockets</title><script>
const lines = []
const base = location.origin.replace(/^http/, 'ws')
function talk(name, path, protocols, messages, end) {
  return new Promise((resolve) => {
    const socket = new WebSocket(base + path, protocols)
    socket.binaryType = 'arraybuffer'
    let open = 0, opened = false
    socket.onopen = () => {
      opened = true
      lines.push(name + ' open ' + socket.protocol + ' ' + socket.extensions)
      messages.forEach((m) => { socket.send(m); open++ })
      if (open === 0) end(socket)
    }
    socket.onmessage = (e) => {
      const sent = messages[messages.length - open]
      const same = typeof sent === typeof e.data && (typeof sent === 'string' ? sent === e.data : equal(new Uint8Array(sent), new Uint8Array(e.data)))
      lines.push(name + ' ' + (typeof e.data) + ' ' + (e.data.length ?? e.data.byteLength) + (same ? '' : ' differs'))
      if (--open === 0) end(socket)
    }
    socket.onerror = () => { if (!opened) lines.push(name + ' error') } // of a connection that is cut there may be one
    socket.onclose = (e) => { lines.push(name + ' close ' + e.code + ' ' + e.reason + ' ' + e.wasClean); resolve() }
  })
}
const equal = (a, b) => a.length === b.length && a.every((x, i) => x === b[i])
const bytes = (n) => Uint8Array.from({ length: n }, (_, i) => i * 7 & 0xff).buffer
async function run() {
  await talk('echo', '/echo', ['other', 'echo'], ['', 'é 🎈', 'x'.repeat(126), 'y'.repeat(70000), bytes(0), bytes(125), bytes(65536), bytes(1 << 20)], (s) => s.close(3456, 'enough'))
  await talk('told', '/echo', ['echo'], [], (s) => s.send('bye'))
  await talk('plain', '/plain', [], ['z'.repeat(3000)], (s) => s.close())
  await talk('broken', '/broken', [], [], () => {})
  await talk('refused', '/refused', [], [], () => {})
  await fetch('/heard', { method: 'POST', body: lines.join('\n') })
}
run()
</script>`

// socketsHeard is what a browser hears on the page.
var socketsHeard = strings.Join([]string{
	"echo open echo permessage-deflate",
	"echo string 0", "echo string 4", "echo string 126", "echo string 70000", "echo object 0", "echo object 125", "echo object 65536", "echo object 1048576",
	"echo close 3456  true", // the code comes back, as RFC 6455 section 5.5.1 has it, and the reason was the browser's own
	"told open echo permessage-deflate",
	"told close 4001 as you wish true",
	"plain open  ",
	"plain string 3000",
	"plain close 1005  true",
	"broken open  permessage-deflate",
	"broken close 1006  false",
	"refused error",
	"refused close 1006  false",
}, "\n")

// socketConfig is how the page's sockets are accepted, by path.
var socketConfig = map[string]okws.Config{
	"/echo":   {Subprotocols: []string{"echo"}},
	"/plain":  {Compression: okws.Compression{Off: true}},
	"/broken": {},
}

// serveSocket is the server's side of the page.
func serveSocket(ctx context.Context, path string, c *okws.Conn) {
	if path == "/broken" {
		_ = c.CloseNow()
		return
	}
	echoMessages(ctx, c)
}

func wantSocketsHeard(t *testing.T, heard <-chan string) {
	t.Helper()
	select {
	case got := <-heard:
		if got != socketsHeard {
			t.Errorf("heard\n%s\nwant\n%s", got, socketsHeard)
		}
	case <-browsing(t).Done():
		t.Fatal("the browser did not say what it heard")
	}
}

// Chromium's WebSocket talks to okws.Accept behind net/http.
func TestChromiumWebSocket(t *testing.T) {
	heard := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, socketPage)
	})
	for path, cfg := range socketConfig {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			c, err := okws.Accept(w, r, &okws.AcceptConfig{Config: cfg})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			defer c.CloseNow()
			serveSocket(context.Background(), path, c)
		})
	}
	mux.HandleFunc("GET /refused", func(w http.ResponseWriter, r *http.Request) {
		if _, err := okws.Accept(w, r, &okws.AcceptConfig{CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" }}); err == nil {
			t.Error("an origin was let in that may not")
		}
	})
	mux.HandleFunc("POST /heard", hears(heard))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close) // after the browser has gone
	browse(t, server.URL)
	wantSocketsHeard(t, heard)
}

// Chromium's WebSocket talks to web sockets of the mock server.
func TestChromiumMockWebSocket(t *testing.T) {
	heard := make(chan string, 1)
	s := mockserver.New(t, mockserver.WithDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		switch r.Target {
		case "/":
			return mockserver.Reply(200).Header("Content-Type", "text/html; charset=utf-8").Text(socketPage)
		case "/heard":
			select {
			case heard <- string(r.Body):
			default:
			}
			return mockserver.Reply(200)
		}
		if cfg, ok := socketConfig[r.Target]; ok {
			return mockserver.WebSocket(&cfg, func(ctx context.Context, c *okws.Conn) { serveSocket(ctx, r.Target, c) })
		}
		return mockserver.Reply(403)
	})))
	browse(t, s.URL("/"))
	wantSocketsHeard(t, heard)
}
