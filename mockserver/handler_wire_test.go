package mockserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// TestHandlerIsLikeNetHTTPOnTheWire has the same handlers answer on a connection of HTTP/1 in a server of net/http and in one of this package, and compares all
// responses that come, the 1xx ones too, and whether the connection stays open for a second request.
func TestHandlerIsLikeNetHTTPOnTheWire(t *testing.T) {
	big := strings.Repeat("x", 40_000)
	for name, tt := range map[string]struct {
		request string
		handle  func(w http.ResponseWriter, r *http.Request)
		differs string // what is of this package alone, "" for nothing
	}{
		"a second request": {request: "GET / HTTP/1.1", handle: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "abc") }},
		"a second request behind trailers": {request: "GET / HTTP/1.1", handle: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, big)
			w.Header().Set(http.TrailerPrefix+"B", "2")
		}},
		"a second request behind HEAD": {request: "HEAD / HTTP/1.1", handle: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, big)
			w.Header().Set(http.TrailerPrefix+"B", "2")
		}},
		"Connection: close": {request: "GET / HTTP/1.1", handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			fmt.Fprint(w, "abc")
		}},
		"Connection: close, large": {request: "GET / HTTP/1.1", handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			fmt.Fprint(w, big)
			w.Header().Set(http.TrailerPrefix+"B", "2")
		}},
		"HTTP/1.0": {request: "GET / HTTP/1.0", handle: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "abc") }},
		"HTTP/1.0, large, with trailers": {request: "GET / HTTP/1.0", handle: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, big)
			w.Header().Set(http.TrailerPrefix+"B", "2")
		}},
		"HTTP/1.0, with trailers": {request: "GET / HTTP/1.0", handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "A")
			fmt.Fprint(w, "abc")
			w.Header().Set("A", "1")
		}},
		"100-continue, read": {request: "POST / HTTP/1.1·Expect: 100-continue·Content-Length: 2··hi", handle: func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(w, r.Body)
		}},
		"100-continue, not read": { // the body was read before the handler is asked, and the connection stays open
			request: "POST / HTTP/1.1·Expect: 100-continue·Content-Length: 2··hi",
			handle:  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(417) },
			differs: "100 map[] \"\" map[]\n417 map[] \"\" map[]\n417 map[] \"\" map[]\n",
		},
		"another expectation": { // net/http refuses it without asking
			request: "POST / HTTP/1.1·Expect: tea·Content-Length: 2··hi",
			handle:  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) },
			differs: "202 map[] \"\" map[]\n202 map[] \"\" map[]\n",
		},
		"101": {request: "GET / HTTP/1.1·Connection: Upgrade·Upgrade: tea", handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "tea")
			w.WriteHeader(101)
			_, err := w.Write([]byte("abc"))
			if !errors.Is(err, http.ErrBodyNotAllowed) {
				t.Errorf("a body of 101: %v", err)
			}
		}, differs: "101 map[Upgrade:[tea]] \"\" map[]\n"}, // net/http goes on with HTTP/1.1, which nobody was promised
	} {
		t.Run(name, func(t *testing.T) {
			h := http.HandlerFunc(tt.handle)
			std := httptest.NewUnstartedServer(h)
			std.Config.ErrorLog = log.New(io.Discard, "", 0)
			std.Start()
			defer std.Close()
			own, err := mockserver.Start(mockserver.WithDispatcher(mockserver.Handler(h)))
			if err != nil {
				t.Fatal(err)
			}
			defer own.Close()
			want, got := onTheWire(t, std.Listener.Addr().String(), tt.request), onTheWire(t, own.Addr().String(), tt.request)
			if tt.differs != "" {
				if want == tt.differs {
					t.Error("net/http does the same: the row says that it does not")
				}
				want = tt.differs
			}
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// onTheWire sends a request, in which · is a line end, and behind its response one that ends the connection, and describes the responses.
func onTheWire(t *testing.T, addr, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(60 * time.Second))
	head, body, _ := strings.Cut(request, "··")
	lines := strings.Replace(head, "·", "\r\nHost: a\r\n", 1)
	if lines == head {
		lines += "\r\nHost: a"
	}
	if _, err := io.WriteString(conn, strings.ReplaceAll(lines, "·", "\r\n")+"\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	var seen strings.Builder
	second := false
	for in := bufio.NewReader(conn); ; {
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil && second { // closed, or reset by what was sent to it then
			return seen.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Date", "Content-Length", "Connection"} {
			resp.Header.Del(name) // what the connection does is seen
		}
		fmt.Fprintf(&seen, "%d %v %.10q %v\n", resp.StatusCode, resp.Header, content, resp.Trailer)
		if (resp.StatusCode >= 200 || resp.StatusCode == 101) && !second {
			second, method = true, "GET"
			_, _ = io.WriteString(conn, "GET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") // nobody may take it
		}
	}
}

// TestHandlerHasNoConnection is about a handler that asks for what net/http has and this package has not.
func TestHandlerHasNoConnection(t *testing.T) {
	s := memory(t, mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := w.(http.Hijacker); ok {
			t.Error("there is a Hijacker")
		}
		control := http.NewResponseController(w)
		_, _, err := control.Hijack()
		for _, err := range []error{err, control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{}), control.EnableFullDuplex()} {
			if !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("got %v, expected http.ErrNotSupported", err)
			}
		}
		if err := control.Flush(); err != nil {
			t.Error(err)
		}
	}))))
	w := dial(t, s)
	w.send("GET / HTTP/1.1·Host: a··")
	w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked··0··")
}

// TestHandlerThatSwitchesOverHTTP2 has it told of what HTTP/2 does not have.
func TestHandlerThatSwitchesOverHTTP2(t *testing.T) {
	tb := &failing{TB: t}
	s := mockserver.New(tb, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(101) }))))
	defer s.Close()
	client := okhttp.New(okhttp.WithDialer(s), okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
	defer client.Close()
	resp, err := client.Get(t.Context(), s.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if failed := tb.take(); resp.Status != 500 || !strings.Contains(failed, "status 101 on HTTP/2") {
		t.Errorf("status %d, failed with %q", resp.Status, failed)
	}
}
