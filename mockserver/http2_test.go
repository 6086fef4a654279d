package mockserver_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// session2 is a client of HTTP/2, stream by stream.
type session2 struct {
	t    *testing.T
	conn *http2.Conn
}

func dial2(t *testing.T, s *mockserver.Server) *session2 {
	t.Helper()
	conn, err := s.DialContext(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	return over(t, conn)
}

func over(t *testing.T, conn net.Conn) *session2 {
	c := http2.NewClient(conn, http2.Config{})
	t.Cleanup(func() { c.Close() })
	return &session2{t, c}
}

// open sends a request. Its body ends it unless more is to come.
func (c *session2) open(method, path, body string, fields ...string) *http2.Stream {
	c.t.Helper()
	head := http2.RequestHead{Method: method, Path: path, Authority: "server.test", Scheme: "http"}
	s, err := c.conn.Open(head, fields, body == "")
	if err != nil {
		c.t.Fatal(err)
	}
	c.conn.Flush()
	s.SetLimits(time.Minute, time.Minute, time.Time{})
	if body != "" {
		var b okio.Buffer
		b.WriteString(body)
		err := s.Sink().WriteBuffer(&b, b.Len())
		if err == nil {
			err = s.Sink().Close()
		}
		if err != nil {
			c.t.Errorf("sending the body: %v", err)
		}
	}
	return s
}

// reply reads a response: its head and trailers, and its content, all in one line each.
func reply(s *http2.Stream) (heads []string, body string, trailers []string, err error) {
	for last := false; ; {
		var fields []string
		if fields, last, err = s.ReadHead(); err != nil {
			return heads, "", nil, err
		}
		heads = append(heads, strings.Join(fields, " "))
		if http2.Status(fields) >= 200 || last {
			break
		}
	}
	var b okio.Buffer
	for err == nil {
		_, err = s.Source().ReadBuffer(&b, 1<<20)
	}
	body, _ = b.ReadText(b.Len())
	if err != io.EOF {
		return heads, body, nil, err
	}
	trailers, err = s.Trailers()
	return heads, body, trailers, err
}

func (c *session2) want(s *http2.Stream, heads []string, body string, trailers ...string) {
	c.t.Helper()
	h, b, tr, err := reply(s)
	if !slices.Equal(h, heads) || b != body || !slices.Equal(tr, trailers) || err != nil {
		c.t.Errorf("got %q, %q, %q, %v\nwant %q, %q, %q", h, b, tr, err, heads, body, trailers)
	}
}

// cleartext is a server that speaks both versions in memory.
func cleartext(t *testing.T, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	return memory(t, append(opts, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))...)
}

func TestHTTP2Responses(t *testing.T) {
	ok := mockserver.Reply(200)
	for _, tt := range []struct {
		name     string
		script   mockserver.Response
		method   string
		heads    []string
		body     string
		trailers []string
	}{
		{"nothing", ok, "GET", []string{":status 200 content-length 0"}, "", nil},
		{"text", ok.Header("X", "y").Text("hello"), "GET", []string{":status 200 content-length 5 x y"}, "hello", nil},
		{"HEAD", ok.Text("hello"), "HEAD", []string{":status 200 content-length 5"}, "", nil},
		{"204", mockserver.Reply(204), "GET", []string{":status 204"}, "", nil},
		{"304", mockserver.Reply(304).Header("ETag", "a"), "GET", []string{":status 304 etag a"}, "", nil},
		{"a reason", ok.Reason("Fine").Header("Connection", "close"), "GET", []string{":status 200 content-length 0"}, "", nil},
		{"chunked", ok.Chunked(2).Text("hello"), "GET", []string{":status 200"}, "hello", nil},
		{"trailers", ok.Chunked().Text("hello").Trailer("Sum", "1"), "GET", []string{":status 200"}, "hello", []string{"sum", "1"}},
		{"trailers alone", ok.Chunked().Trailer("Sum", "1"), "GET", []string{":status 200"}, "", []string{"sum", "1"}},
		{"trailers of HEAD", ok.Chunked().Text("hello").Trailer("Sum", "1"), "HEAD", []string{":status 200"}, "", nil},
		{"until the end", ok.UntilClose().Text("hello"), "GET", []string{":status 200"}, "hello", nil},
		{"informational", ok.Informational(103, "Link", "x").Text("a"), "GET", []string{":status 103 link x", ":status 200 content-length 1"}, "a", nil},
		{"stream", ok.Stream(-1, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("live")), nil }), "GET", []string{":status 200"}, "live", nil},
		{"large", ok.Text(strings.Repeat("x", 3<<20)), "GET", []string{":status 200 content-length 3145728"}, strings.Repeat("x", 3<<20), nil},
		{"delays", ok.HeadDelay(time.Second).BodyDelay(time.Second).Throttle(2, time.Second).Text("hello"), "GET", []string{":status 200 content-length 5"}, "hello", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := cleartext(t)
				s.Enqueue(tt.script)
				c := dial2(t, s)
				begun := time.Now()
				c.want(c.open(tt.method, "/", ""), tt.heads, tt.body, tt.trailers...)
				if d := time.Since(begun); d > time.Second/2 != (tt.name == "delays") || tt.name == "delays" && d != 4*time.Second {
					t.Errorf("took %v", d)
				}
			})
		})
	}
}

func TestHTTP2Request(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Reply(200), mockserver.Reply(200), mockserver.Reply(200).SkipRequestBody())
		c := dial2(t, s)
		c.want(c.open("GET", "/a?b", "", "Accept", "*/*"), []string{":status 200 content-length 0"}, "")
		r := take(t, s)
		url, err := r.URL()
		if r.RequestLine() != "GET /a?b HTTP/2" || r.Authority != "server.test" || r.Headers.Get("accept") != "*/*" || r.Headers.Len() != 1 ||
			r.Body != nil || r.Index != 0 || err != nil || url.String() != "http://server.test/a?b" {
			t.Errorf("%v %q %v, %v %v", r, r.Authority, r.Headers, url, err)
		}
		st, err := c.conn.Open(http2.RequestHead{Method: "POST", Path: "/", Authority: "server.test", Scheme: "http"}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		var b okio.Buffer
		b.WriteString("content")
		if err := errors.Join(st.Sink().WriteBuffer(&b, 7), st.SendTrailers([]string{"sum", "1"})); err != nil {
			t.Fatal(err)
		}
		c.want(st, []string{":status 200 content-length 0"}, "")
		if r = take(t, s); string(r.Body) != "content" || r.BodySize != 7 || r.Trailers.Get("sum") != "1" || r.Index != 1 || r.Failure != nil {
			t.Errorf("%v %q %v", r, r.Body, r.Trailers)
		}
		st, err = c.conn.Open(http2.RequestHead{Method: "POST", Path: "/", Authority: "server.test", Scheme: "http"}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		c.conn.Flush()
		c.want(st, []string{":status 200 content-length 0"}, "") // before the content
		if r = take(t, s); r.Body != nil {
			t.Errorf("%v %q", r, r.Body)
		}
		if s.RequestCount() != 3 {
			t.Errorf("%d requests", s.RequestCount())
		}
	})
}

// The streams of a connection are answered at the same time, each at its own pace.
func TestHTTP2Concurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t, mockserver.WithDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
			d, _ := time.ParseDuration(strings.TrimPrefix(r.Target, "/"))
			return mockserver.Reply(200).HeadDelay(d).Text(r.Target)
		})))
		c := dial2(t, s)
		begun := time.Now()
		slow, fast := c.open("GET", "/2s", ""), c.open("GET", "/1s", "")
		c.want(fast, []string{":status 200 content-length 3"}, "/1s")
		c.want(slow, []string{":status 200 content-length 3"}, "/2s")
		if d := time.Since(begun); d != 2*time.Second {
			t.Errorf("took %v, want 2s", d)
		}
	})
}

func TestHTTP2Effects(t *testing.T) {
	ok := mockserver.Reply(200).Text("abcdef")
	reset := mockserver.CloseStream{Code: http2.RefusedStream}
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		body   string // what comes of the response
		code   string // what the failure says, "" for none
		open   bool   // the connection takes another request
	}{
		{"stream, start", ok.On(mockserver.RequestStart, reset), "", "REFUSED_STREAM", true},
		{"stream, start, of all", ok.On(mockserver.RequestStart, mockserver.EveryNth(1, reset)), "", "REFUSED_STREAM", true},
		{"stream, start, by chance", ok.On(mockserver.RequestStart, mockserver.Sometimes{Probability: 1, Effect: reset}), "", "REFUSED_STREAM", true},
		{"stream, start, after a wait", ok.On(mockserver.RequestStart, mockserver.Sequence(mockserver.Wait{For: time.Second}, reset)), "", "REFUSED_STREAM", true},
		{"stream, never at the start", ok.On(mockserver.RequestStart, mockserver.EveryNth(2, reset)), "abcdef", "", true},
		{"stream, start or later", ok.On(mockserver.RequestStart, mockserver.EveryNth(2, reset)).On(mockserver.RequestHead, mockserver.CloseStream{Code: http2.Cancel}), "", "CANCEL", true},
		{"stream, request body", ok.On(mockserver.RequestBody, reset), "", "REFUSED_STREAM", true},
		{"stream, response start", ok.On(mockserver.ResponseStart, mockserver.CloseStream{Code: 0x2a}), "", "0x2a", true},
		{"stream, response body", ok.On(mockserver.ResponseBody, reset), "abc", "REFUSED_STREAM", true},
		{"stream, response body at a byte", ok.OnBytes(mockserver.ResponseBody, 5, reset), "abcde", "REFUSED_STREAM", true},
		{"stream, end", ok.On(mockserver.ResponseEnd, reset), "abcdef", "", true},
		{"goodbye, response start", ok.On(mockserver.ResponseStart, mockserver.ShutdownConnection{}), "", "CANCEL", false},
		{"goodbye, end", ok.On(mockserver.ResponseEnd, mockserver.ShutdownConnection{}), "abcdef", "", false},
		{"socket, response start", ok.On(mockserver.ResponseStart, mockserver.CloseSocket{}), "", "EOF", false},
		{"socket, response body", ok.On(mockserver.ResponseBody, mockserver.CloseSocket{}), "abc", "EOF", false},
		{"socket, end", ok.On(mockserver.ResponseEnd, mockserver.CloseSocket{}), "abcdef", "", false},
		{"TCP reset", ok.On(mockserver.ResponseStart, mockserver.Reset{}), "", "reset", false},
		{"stall", ok.On(mockserver.ResponseBody, mockserver.Stall{}), "abc", "timeout", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := cleartext(t)
				s.Enqueue(mockserver.Reply(204), tt.script)
				c := dial2(t, s)
				c.want(c.open("GET", "/", ""), []string{":status 204"}, "")
				take(t, s)
				synctest.Wait() // the settings are agreed on
				st := c.open("POST", "/", "1234", "content-length", "4")
				_, body, _, err := reply(st)
				if body != tt.body || (err == nil) != (tt.code == "") || err != nil && !strings.Contains(err.Error(), tt.code) {
					t.Errorf("%q, %v, want %q, %q", body, err, tt.body, tt.code)
				}
				if strings.HasPrefix(tt.name, "stall") {
					st.Cancel(http2.Cancel, errors.New("enough"))
				}
				if r := take(t, s); (r.Failure != nil) != strings.Contains(tt.name, ", start") && (r.Failure != nil) != strings.Contains(tt.name, "request") {
					t.Errorf("%v", r)
				}
				time.Sleep(50 * time.Millisecond)
				if err := c.conn.Closing(); (err == nil) != tt.open {
					t.Errorf("the connection: %v, want it open: %v", err, tt.open)
				}
				if !tt.open {
					return
				}
				s.Enqueue(mockserver.Reply(204))
				c.want(c.open("GET", "/", ""), []string{":status 204"}, "")
			})
		})
	}
}

// A goodbye lets the other streams finish, and then the connection ends.
func TestHTTP2Goodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Reply(200).HeadDelay(time.Minute/2).Text("late"), mockserver.Reply(200).On(mockserver.ResponseEnd, mockserver.ShutdownConnection{}))
		c := dial2(t, s)
		late := c.open("GET", "/", "")
		synctest.Wait()
		c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
		c.want(late, []string{":status 200 content-length 4"}, "late")
		time.Sleep(2 * time.Second)
		var bye *http2.GoAwayError
		if !errors.As(c.conn.Closing(), &bye) && c.conn.Err() == nil || c.conn.Err() == nil {
			t.Errorf("%v, %v", c.conn.Closing(), c.conn.Err())
		}
	})
}

// Close releases requests that wait, and says goodbye.
func TestHTTP2Close(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		c := dial2(t, s)
		waits, uploads := c.open("GET", "/", ""), c.open("POST", "/", "x")
		synctest.Wait()
		begun := time.Now()
		if err := s.Close(); err != nil || time.Since(begun) > time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		for _, st := range []*http2.Stream{waits, uploads} {
			if heads, _, _, err := reply(st); err == nil || len(heads) > 0 {
				t.Errorf("%q, %v", heads, err)
			}
		}
		if c.conn.Closing() == nil {
			t.Error("the connection is still good")
		}
	})
}

// A cleartext port of both versions speaks what the client begins with.
func TestCleartextVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t, mockserver.WithDispatcher(answer(mockserver.Reply(200))))
		w := dial(t, s)
		w.send(get)
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		w = dial(t, s)
		for _, piece := range []string{"P", "RI /", " HTT", "P/1.1·", "Host: a··"} { // another method
			w.send(piece)
			time.Sleep(time.Second)
		}
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		if r := take(t, s); r.Proto != "HTTP/1.1" {
			t.Errorf("%v", r)
		}
		conn, err := s.DialContext(t.Context(), "tcp", "")
		if err != nil {
			t.Fatal(err)
		}
		w = wired(t, conn)
		for _, c := range http2.ClientPreface {
			w.send(string(c))
			time.Sleep(time.Second)
		}
		w.want("\x00\x00\x18\x04\x00\x00\x00\x00\x00") // SETTINGS
		w = dial(t, s)
		w.send("NONSENSE OF SOME LENGTH··")
		rest, _ := io.ReadAll(w.conn)
		if !strings.Contains(string(rest), "\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01") { // GOAWAY 0 PROTOCOL_ERROR
			t.Errorf("%q", rest)
		}
		s2 := memory(t, mockserver.WithDispatcher(answer(mockserver.Reply(200))))
		w = dial(t, s2)
		w.send(http2.ClientPreface)
		w.want("HTTP/1.1 400 Bad Request·")
	})
}

func TestALPN(t *testing.T) {
	for _, tt := range []struct {
		name    string
		opts    []mockserver.Option
		offered []string
		want    string
	}{
		{"both", nil, []string{"h2", "http/1.1"}, "h2"},
		{"the client speaks HTTP/1.1", nil, []string{"http/1.1"}, "http/1.1"},
		{"the client says nothing", nil, nil, ""},
		{"the server speaks HTTP/1.1", []mockserver.Option{mockserver.WithProtocols(okhttp.HTTP1Only)}, []string{"h2", "http/1.1"}, "http/1.1"},
		{"its own list", []mockserver.Option{mockserver.WithTLS(&tls.Config{NextProtos: []string{"h2"}})}, []string{"http/1.1", "h2"}, "h2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts := append([]mockserver.Option{mockserver.WithLocalhostTLS()}, tt.opts...)
				if tt.name == "its own list" {
					opts = []mockserver.Option{mockserver.WithTLS(&tls.Config{Certificates: []tls.Certificate{selfSigned(t)}, NextProtos: []string{"h2"}})}
				}
				s := memory(t, opts...)
				s.Enqueue(mockserver.Reply(200))
				raw, err := s.DialContext(t.Context(), "tcp", "")
				if err != nil {
					t.Fatal(err)
				}
				config := s.ClientTLSConfig()
				config.ServerName, config.NextProtos = "localhost", tt.offered
				conn := tls.Client(raw, config)
				if err := conn.Handshake(); err != nil {
					t.Fatal(err)
				}
				if got := conn.ConnectionState().NegotiatedProtocol; got != tt.want {
					t.Fatalf("%q, want %q", got, tt.want)
				}
				if tt.want == "h2" {
					c := over(t, conn)
					c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
				} else {
					w := wired(t, conn)
					w.send(get)
					w.want("HTTP/1.1 200 OK·")
				}
				if r := take(t, s); r.TLS == nil || (r.Proto == "HTTP/2") != (tt.want == "h2") {
					t.Errorf("%v", r)
				}
			})
		})
	}
}

// What HTTP/2 cannot say is a fault of the script, and so is a panic; the connection goes on.
func TestHTTP2Faults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := mockserver.Start(mockserver.WithNetwork(new(okio.Network)), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		c := dial2(t, s)
		defer c.conn.Close()
		broken := func() (io.ReadCloser, error) { panic("body") }
		s.Enqueue(mockserver.Reply(200).Raw([]byte("x")), mockserver.Reply(101), mockserver.Reply(200).Stream(3, broken))
		for range 2 {
			heads, body, _, err := reply(c.open("GET", "/", ""))
			if err != nil || len(heads) != 1 || !strings.HasPrefix(heads[0], ":status 500") || !strings.Contains(body, "HTTP/2") {
				t.Errorf("%q, %q, %v", heads, body, err)
			}
		}
		if _, _, _, err := reply(c.open("GET", "/", "")); err == nil || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
			t.Errorf("%v", err)
		}
		s.SetDispatcher(mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response { panic("oh") }))
		heads, body, _, err := reply(c.open("GET", "/", ""))
		if err != nil || !strings.HasPrefix(heads[0], ":status 500") || !strings.Contains(body, "panic") {
			t.Errorf("%q, %q, %v", heads, body, err)
		}
	})
}
