package mockserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okio"
)

// wire is a client that sends and expects bytes.
type wire struct {
	t    *testing.T
	conn net.Conn
}

// dial connects to a server, in memory or not.
func dial(t *testing.T, s *mockserver.Server) *wire {
	t.Helper()
	conn, err := s.DialContext(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	return wired(t, conn)
}

func wired(t *testing.T, conn net.Conn) *wire {
	t.Cleanup(func() { conn.Close() })
	return &wire{t, conn}
}

// lines turns the dots that stand for CRLF into it.
func lines(text string) string { return strings.ReplaceAll(text, "·", "\r\n") }

func (w *wire) send(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, lines(text)); err != nil {
		w.t.Fatalf("sending %q: %v", text, err)
	}
}

// want reads exactly text.
func (w *wire) want(text string) {
	w.t.Helper()
	want := lines(text)
	got := make([]byte, len(want))
	w.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	n, err := io.ReadFull(w.conn, got)
	if string(got[:n]) != want {
		w.t.Fatalf("got %q, %v\nwant %q", got[:n], err, want)
	}
}

// wantEnd reads the end of the connection.
func (w *wire) wantEnd() {
	w.t.Helper()
	w.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if rest, err := io.ReadAll(w.conn); len(rest) > 0 || err != nil {
		w.t.Fatalf("got %q, %v, want the end", rest, err)
	}
}

// wantSilence expects that nothing comes for a time.
func (w *wire) wantSilence(d time.Duration) {
	w.t.Helper()
	w.conn.SetReadDeadline(time.Now().Add(d))
	n, err := w.conn.Read(make([]byte, 1))
	if timeout := net.Error(nil); n != 0 || !errors.As(err, &timeout) || !timeout.Timeout() {
		w.t.Fatalf("got %d bytes, %v, want silence", n, err)
	}
}

// memory starts a server on a network of its own.
func memory(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	return mockserver.New(t, append(opts, mockserver.WithNetwork(new(okio.Network)))...)
}

// take returns the next recorded request, which must have come by now or come soon.
func take(t *testing.T, s *mockserver.Server) *mockserver.Request {
	t.Helper()
	r, err := s.TakeRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answer is a dispatcher that always gives the same.
func answer(r mockserver.Response) mockserver.Dispatcher {
	return mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response { return r })
}
