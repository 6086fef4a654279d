package faults

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// patience is how long Shutdown is given, and far is beyond everything.
const (
	patience = time.Minute
	far      = 24 * time.Hour
)

// stage is a server, and the clients that are at something when it ends.
type stage struct {
	t      *testing.T
	server *mockserver.Server
	ended  chan struct{} // closed when the server has ended
	saw    []chan string
}

// sees runs a client, which returns what it saw.
func (w *stage) sees(client func() string) {
	saw := make(chan string, 1)
	w.saw = append(w.saw, saw)
	go func() { saw <- client() }()
}

// dial connects.
func (w *stage) dial() net.Conn {
	w.t.Helper()
	conn, err := w.server.DialContext(w.t.Context(), "tcp", "")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	return conn
}

// rest says how a connection ended, and the responses that came before that.
func rest(conn io.Reader) string {
	got, err := io.ReadAll(conn)
	seen := ""
	for line := range strings.Lines(string(got)) {
		if strings.HasPrefix(line, "HTTP/1.1 ") {
			seen += strings.TrimSpace(line) + ", "
		}
	}
	if err == nil {
		return seen + "end"
	}
	return seen + kind(err)
}

// raw sends bytes, the dots in which stand for CRLF, and waits for the end.
func raw(text string) func(*stage) {
	return func(w *stage) {
		conn := w.dial()
		io.WriteString(conn, strings.ReplaceAll(text, "·", "\r\n"))
		w.sees(func() string { return rest(conn) })
	}
}

// rawUnread sends bytes and reads nothing before the server has ended.
func rawUnread(text string) func(*stage) {
	return func(w *stage) {
		conn := w.dial()
		io.WriteString(conn, strings.ReplaceAll(text, "·", "\r\n"))
		w.sees(func() string {
			<-w.ended
			return rest(conn)
		})
	}
}

// secure shakes hands over a connection.
func (w *stage) secure(conn net.Conn, protocol string) *tls.Conn {
	w.t.Helper()
	config := w.server.ClientTLSConfig()
	config.ServerName, config.NextProtos = "127.0.0.1", []string{protocol}
	t := tls.Client(conn, config)
	if err := t.Handshake(); err != nil {
		w.t.Fatal(err)
	}
	return t
}

// hello is the first flight of a client of TLS.
func (w *stage) hello() []byte {
	var sent sentBytes
	_ = tls.Client(&sent, w.server.ClientTLSConfig()).Handshake()
	return sent.bytes
}

// sentBytes is a connection on which nothing comes.
type sentBytes struct {
	net.Conn
	bytes []byte
}

func (s *sentBytes) Read([]byte) (int, error)    { return 0, io.EOF }
func (s *sentBytes) Write(p []byte) (int, error) { s.bytes = append(s.bytes, p...); return len(p), nil }
func (s *sentBytes) Close() error                { return nil }

// client is one that waits for as long as it takes, and tries nothing twice.
func (w *stage) client(opts ...okhttp.Option) *okhttp.Client {
	return w.server.Client(append([]okhttp.Option{
		okhttp.WithReadTimeout(far), okhttp.WithWriteTimeout(far), okhttp.WithConnectTimeout(far), okhttp.WithRetryOnConnectionFailure(false),
	}, opts...)...)
}

// call makes a call, and reads its response.
func call(opts ...okhttp.RequestOption) func(*stage) {
	return func(w *stage) {
		client := w.client()
		w.sees(func() string {
			method := "GET"
			if len(opts) > 0 {
				method = "POST"
			}
			request, err := okhttp.NewRequest(method, w.server.URL("/"), opts...)
			if err != nil {
				return err.Error()
			}
			resp, err := client.Do(context.Background(), request)
			if err != nil {
				return seen(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil {
				return fmt.Sprintf("%d, %s, then %s", resp.Status, amount(len(body)), seen(err))
			}
			return fmt.Sprintf("%d, %s", resp.Status, amount(len(body)))
		})
	}
}

// amount is how much came, where that is not a matter of chance.
func amount(bytes int) string {
	if bytes > 100 {
		return "some bytes"
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// callUnread makes a call whose response is read when the server has ended.
func callUnread(w *stage) {
	client := w.client()
	w.sees(func() string {
		resp, err := client.Get(context.Background(), w.server.URL("/"))
		if err != nil {
			return seen(err)
		}
		<-w.ended
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		return fmt.Sprintf("%d, some bytes, then %s", resp.Status, seen(err))
	})
}

// seen says how a call failed, which is always in the same type.
func seen(err error) string {
	var failed *okhttp.Error
	if err == nil {
		return "the end"
	}
	if !errors.As(err, &failed) {
		return fmt.Sprintf("UNTYPED %T %v", err, err)
	}
	return fmt.Sprintf("%s in %s", kind(err), failed.Phase)
}

// open begins a request of HTTP/2 whose content may follow.
func open(w *stage, c *http2.Conn, method string, last bool) *http2.Stream {
	w.t.Helper()
	s, err := c.Open(http2.RequestHead{Method: method, Path: "/", Authority: "a", Scheme: "http"}, nil, last)
	if err != nil {
		w.t.Fatal(err)
	}
	c.Flush()
	return s
}

// ends ends a server amidst a scene in one way, and says what became of it, in one line.
func ends(t *testing.T, sc scene, how string) (line string) {
	opts := append([]mockserver.Option{mockserver.WithNetwork(new(okio.Network))}, sc.opts...)
	w := &stage{t: t, server: mockserver.NewUnstarted(t, opts...), ended: make(chan struct{})}
	if err := w.server.Start(""); err != nil {
		t.Fatal(err)
	}
	w.server.Queue().Enqueue(sc.script...)
	sc.begin(w)
	synctest.Wait() // until it is there
	begun := time.Now()
	var err error
	gaveUp := false
	if how == "Close" {
		err = w.server.Close()
	} else {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err = w.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			gaveUp, line, err = true, "gave up, ", nil
		}
	}
	took := time.Since(begun)
	synctest.Wait()
	close(w.ended)
	if err != nil {
		t.Errorf("%s: %v", how, err)
	}
	if how == "Close" && took > 0 && sc.slow < took {
		t.Errorf("Close took %v", took)
	}
	synctest.Wait()
	if left := serverGoroutines(); left != "" {
		t.Errorf("%s left\n%s", how, left)
	}
	if sc.slow > 0 || gaveUp {
		took = took.Truncate(time.Second)
	}
	line = fmt.Sprintf("%s%v; ", line, took)
	for _, saw := range w.saw {
		s := <-saw
		if strings.Contains(s, "UNTYPED") || strings.Contains(s, "other: ") {
			t.Errorf("%s: a client saw %s", how, s)
		}
		if how == "Close" || gaveUp { // which of both comes first is a matter of chance
			s = lost.ReplaceAllString(s, "lost")
		}
		line += s + "; "
	}
	kept := w.server.Requests()
	if len(kept) > 3 {
		return fmt.Sprintf("%s%d requests", line, len(kept))
	}
	for i, r := range kept {
		what := r.RequestLine()
		if what == "" {
			what = "a request"
		}
		if r.Failure != nil {
			what += ": " + r.Failure.Error()
		}
		line += []string{"", ", "}[min(i, 1)] + what
	}
	return strings.TrimSuffix(line, "; ")
}

// lost are the ways to see that a connection was broken off.
var lost = regexp.MustCompile(`\b(broken|early end|end|stream reset CANCEL)\b`)

// serverGoroutines returns the stacks of goroutines of servers that have ended.
func serverGoroutines() (left string) {
	stacks := make([]byte, 1<<20)
	for _, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "ok/mockserver.(") && !strings.Contains(stack, "testing.tRunner") {
			left += stack + "\n\n"
		}
	}
	return left
}
