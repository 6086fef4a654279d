//go:build unix

package interop

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp-ws"
)

// nodeSocket is a program of Node on web sockets. Debian's packages for Node are where Node does not look by itself.
func nodeSocket(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.Command(program(t, "node"), args...)
	cmd.Env = append(os.Environ(), "NODE_PATH=/usr/share/nodejs:"+os.Getenv("NODE_PATH"))
	return cmd
}

// nodeScript is its file.
var nodeScript = filepath.Join("testdata", "websocket.cjs")

// A client of okws talks to a server on Node's ws, which fragments messages and pings.
func TestNodeWebSocketServer(t *testing.T) {
	url := serveUntilDone(t, "node", nodeSocket(t, nodeScript, "server"))
	for _, off := range []bool{true, false} {
		pings := 0
		c, err := okws.Dial(t.Context(), newClient(t), url, &okws.Config{
			Subprotocols: []string{"echo"}, OnPing: func([]byte) { pings++ },
			Compression: okws.Compression{Off: off, Threshold: -1, OfferClientWindow: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if c.Compressed() == off || c.Subprotocol() != "echo" {
			t.Errorf("agreed on %q, %q", c.Extensions(), c.Subprotocol())
		}
		wantEchoes(t, c)
		for ask, want := range map[string]string{"ping": "pong are you there", "fragments": "fragments"} {
			if err := c.WriteText(t.Context(), ask); err != nil {
				t.Fatal(err)
			}
			if _, got, err := c.Read(t.Context()); err != nil || string(got) != want {
				t.Errorf("%q was answered %q, %v", ask, got, err)
			}
		}
		if pings != 2 {
			t.Errorf("%d pings came", pings)
		}
		if err := c.WriteText(t.Context(), "bye"); err != nil {
			t.Fatal(err)
		}
		_, _, err = c.Read(t.Context())
		if closed, ok := errors.AsType[*okws.CloseError](err); !ok || closed.Code != 4001 || closed.Reason != "as you wish" {
			t.Errorf("ended with %v", err)
		}
	}
}

// Clients on Node talk to a server of okws: the package ws, and the WebSocket that Node itself has (undici's).
func TestNodeWebSocketClients(t *testing.T) {
	s := echoServer(t, &okws.AcceptConfig{Config: okws.Config{Subprotocols: []string{"echo"}, Compression: okws.Compression{Threshold: -1}}})
	url := "ws" + strings.TrimPrefix(s.URL, "http")
	for name, args := range map[string][]string{
		"ws":  {nodeScript, "client", url},
		"own": {"--experimental-websocket", nodeScript, "own", url}, // which newer ones have without being asked
	} {
		t.Run(name, func(t *testing.T) {
			cmd := nodeSocket(t, args...)
			var out, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &stderr
			err := cmd.Run()
			if strings.Contains(stderr.String(), "bad option") {
				t.Skip("Node has no WebSocket of its own")
			}
			if err != nil {
				t.Fatalf("node: %v\n%s", err, &stderr)
			}
			got := strings.TrimSpace(out.String())
			if why, ok := strings.CutPrefix(got, "skip: "); ok {
				t.Skip(why)
			}
			want := "open echo\nsame 0\nsame 4\nsame 126\nsame 70000\nsame 0\nsame 125\nsame 65536\nsame 1048576\nclose 4001 as you wish true"
			if got != want {
				t.Errorf("node saw\n%s\nwant\n%s", got, want)
			}
		})
	}
}
