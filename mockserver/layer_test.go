package mockserver_test

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// TestOnlyConnectComesBeforeTLS: routes of a server with TLS answer CONNECT in the clear, in however many pieces it comes, and no other method.
func TestOnlyConnectComesBeforeTLS(t *testing.T) {
	s := memory(t, mockserver.WithLocalhostTLS(), mockserver.WithDispatcher(route.New(
		route.Route{Match: match.Method("CONNECT"), Responses: []mockserver.Response{mockserver.Reply(403)}},
		route.Route{Responses: []mockserver.Response{mockserver.Reply(200).Text("secret")}},
	)))
	for _, first := range []string{"", "C", "CONN", "CONNECT"} {
		w := dial(t, s)
		w.send(first)
		w.send("CONNECT a:80 HTTP/1.1·Host: a:80··"[len(first):])
		w.want("HTTP/1.1 403 ")
	}
	for _, method := range []string{"COPY", "CONNECTED", "C", "GET"} {
		w := dial(t, s)
		_, _ = io.WriteString(w.conn, lines(method+" / HTTP/1.1·Host: a··")) // it is no handshake, and may be refused before its end
		w.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if got, err := io.ReadAll(w.conn); len(got) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: got %q, %v, want the end", method, got, err)
		}
	}
}
