package mockserver_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// closingBody closes the server from its methods.
type closingBody struct {
	io.Reader
	read, close func()
}

func (b closingBody) Read(p []byte) (int, error) { b.read(); return b.Reader.Read(p) }
func (b closingBody) Close() error               { b.close(); return nil }

// http2Get is a preface, empty settings, and the head of GET / without content: ":method: GET", ":path: /" and ":scheme: http" of the static table.
const http2Get = http2.ClientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" + "\x00\x00\x03\x01\x05\x00\x00\x00\x01" + "\x82\x84\x86"

// TestCloseWithinAScript: what runs on a goroutine of the server cannot wait for its end.
func TestCloseWithinAScript(t *testing.T) {
	var deep func(n int, f func()) int
	deep = func(n int, f func()) int {
		if n == 0 {
			f()
			return 0
		}
		return 1 + deep(n-1, f)
	}
	nothing := func() {}
	stream := func(open func() (io.ReadCloser, error)) func(s *mockserver.Server) {
		return func(s *mockserver.Server) { s.Enqueue(mockserver.Reply(200).Stream(-1, open)) }
	}
	closes := map[string]func(s *mockserver.Server){
		"dispatcher": func(s *mockserver.Server) {
			s.SetDispatcher(mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
				s.Close()
				return mockserver.Reply(200)
			}))
		},
		"peeker": func(s *mockserver.Server) {
			answers := func(context.Context, *mockserver.Request) mockserver.Response { return mockserver.Reply(200) }
			s.SetDispatcher(peeker{answers, func(*mockserver.Request) mockserver.Response { s.Close(); return mockserver.Reply(200) }})
		},
		"socket handler": func(s *mockserver.Server) {
			s.Enqueue(mockserver.Reply(200).Socket(mockserver.SocketHandlerFunc(func(context.Context, *mockserver.Request, okio.Socket) { s.Close() })))
		},
		"http.Handler": func(s *mockserver.Server) {
			s.SetDispatcher(mockserver.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.Close() })))
		},
		"adapter": func(s *mockserver.Server) {
			s.Enqueue(mockserver.Reply(200).Adapt(func(_ *mockserver.Request, r mockserver.Response) mockserver.Response { s.Close(); return r }))
		},
		"opener": func(s *mockserver.Server) {
			stream(func() (io.ReadCloser, error) { s.Close(); return http.NoBody, nil })(s)
		},
		"opener, many calls deep": func(s *mockserver.Server) {
			stream(func() (io.ReadCloser, error) { deep(2000, func() { s.Close() }); return http.NoBody, nil })(s)
		},
		"reading of a body": func(s *mockserver.Server) {
			stream(func() (io.ReadCloser, error) {
				return closingBody{strings.NewReader("x"), func() { s.Close() }, nothing}, nil
			})(s)
		},
		"closing of a body": func(s *mockserver.Server) {
			stream(func() (io.ReadCloser, error) {
				return closingBody{strings.NewReader("x"), nothing, func() { s.Close() }}, nil
			})(s)
		},
	}
	for name, script := range closes {
		for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
			t.Run(name+" "+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := cleartext(t)
					script(s)
					begun := time.Now()
					w := dial(t, s)
					request := lines(get)
					if version == "HTTP/2" {
						request = http2Get
					}
					_, _ = io.WriteString(w.conn, request) // a Peeker is asked, and closes the server, before that
					_, _ = io.Copy(io.Discard, w.conn)
					if err := s.Close(); err != nil || time.Since(begun) > 0 {
						t.Errorf("closed after %v with %v", time.Since(begun), err)
					}
				})
			})
		}
	}
}
