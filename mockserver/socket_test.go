package mockserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// echo answers each line with itself in angle brackets, until the end.
var echo = mockserver.SocketHandlerFunc(func(_ context.Context, _ *mockserver.Request, s okio.Socket) {
	source, sink := okio.NewBufferedSource(s.Source()), okio.NewBufferedSink(s.Sink())
	for {
		line, err := source.ReadLine()
		if err != nil {
			return
		}
		sink.WriteString("<" + line + ">\n")
		if sink.Flush() != nil {
			return
		}
	}
})

func TestSocketsOverHTTP1(t *testing.T) {
	const upgrade = "GET /chat HTTP/1.1·Host: a·Connection: keep-alive, Upgrade·Upgrade: echo··"
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		talk   []string // sent and wanted in turns
		closed bool
	}{
		{"upgrade", mockserver.Upgrade("echo", echo), []string{
			upgrade + "early\n", "HTTP/1.1 101 Switching Protocols·Connection: Upgrade·Upgrade: echo··<early>\n", "late\n", "<late>\n",
		}, true},
		{"CONNECT", mockserver.Reply(200).Socket(echo), []string{"CONNECT a:80 HTTP/1.1··", "HTTP/1.1 200 OK··", "x\n", "<x>\n"}, true},
		{"CONNECT that is refused", mockserver.Reply(407).Socket(echo), []string{
			"CONNECT a:80 HTTP/1.1··", "HTTP/1.1 407 Client Error·Transfer-encoding: chunked··0··",
		}, false},
		{"content both ways", mockserver.Reply(200).Socket(echo).Trailer("Sum", "1"), []string{
			"POST / HTTP/1.1·Content-Length: 4··a\n", "HTTP/1.1 200 OK·Transfer-encoding: chunked··4·<a>\n·", "b\n", "4·<b>\n·0·Sum: 1··",
		}, false},
		{"chunked content both ways", mockserver.Reply(200).Socket(echo), []string{
			"POST / HTTP/1.1·Transfer-Encoding: chunked··2·a\n·", "HTTP/1.1 200 OK·Transfer-encoding: chunked··4·<a>\n·", "0··", "0··",
		}, false},
		{"a length", mockserver.Reply(200).Header("Content-Length", "4").Socket(echo), []string{
			"POST / HTTP/1.1·Content-Length: 2··a\n", "HTTP/1.1 200 OK·Content-Length: 4··<a>\n",
		}, false},
		{"until the end", mockserver.Reply(200).UntilClose().Socket(echo), []string{
			"POST / HTTP/1.1·Content-Length: 2··a\n", "HTTP/1.1 200 OK··<a>\n",
		}, true},
		{"HEAD", mockserver.Reply(200).Socket(echo), []string{"HEAD / HTTP/1.1··", "HTTP/1.1 200 OK·Transfer-encoding: chunked··"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(mockserver.Reply(200), tt.script, mockserver.Reply(200).Text("next"))
				w := dial(t, s)
				w.send(get) // a request before
				w.want("HTTP/1.1 200 OK·Content-Length: 0··")
				for i := 0; i < len(tt.talk); i += 2 {
					w.send(tt.talk[i])
					w.want(tt.talk[i+1])
				}
				if !tt.closed {
					w.send(get)
					w.want("HTTP/1.1 200 OK·Content-Length: 4··next")
					return
				}
				if half, ok := w.conn.(interface{ CloseWrite() error }); ok {
					half.CloseWrite()
				}
				w.wantEnd()
				w = dial(t, s)
				w.send(get)
				w.want("HTTP/1.1 200 OK·Content-Length: 4··next")
				take(t, s)
				take(t, s)
				if r := take(t, s); r.ConnIndex != 1 || r.Index != 0 {
					t.Errorf("the next request was %v", r)
				}
			})
		})
	}
}

func TestUpgradeIsRecorded(t *testing.T) {
	s := memory(t)
	s.Enqueue(mockserver.Reply(200), mockserver.Reply(200))
	w := dial(t, s)
	w.send("GET / HTTP/1.1·Connection: Upgrade·Upgrade: a/2·Host: a··GET / HTTP/1.1·Upgrade: b·Host: a··")
	if got := take(t, s).Upgrade; got != "a/2" {
		t.Errorf("upgrade to %q", got)
	}
	if got := take(t, s).Upgrade; got != "" {
		t.Errorf("upgrade to %q, which Connection does not name", got)
	}
}

// TestDuplexOverHTTP2 lets lines of the request and of the response take turns.
func TestDuplexOverHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Reply(200).Socket(echo).Trailer("Sum", "2"), mockserver.Reply(200).Text("next"))
		c := dial2(t, s)
		head := http2.RequestHead{Method: "POST", Path: "/", Authority: "a", Scheme: "http"}
		st, err := c.conn.Open(head, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		c.conn.Flush()
		if fields, last, err := st.ReadHead(); last || err != nil || strings.Join(fields, " ") != ":status 200" {
			t.Fatalf("head %q, %v, %v", fields, last, err)
		}
		source, sink := okio.NewBufferedSource(st.Source()), okio.NewBufferedSink(st.Sink())
		for i := range 3 {
			fmt.Fprintf(sink, "line %d\n", i)
			if err := sink.Flush(); err != nil {
				t.Fatal(err)
			}
			if line, err := source.ReadLine(); line != fmt.Sprintf("<line %d>", i) || err != nil {
				t.Fatalf("got %q, %v", line, err)
			}
		}
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		if line, err := source.ReadLine(); err != io.EOF {
			t.Errorf("got %q, %v, want the end", line, err)
		}
		if trailers, err := st.Trailers(); !slices.Equal(trailers, []string{"sum", "2"}) || err != nil {
			t.Errorf("trailers %q, %v", trailers, err)
		}
		if r := take(t, s); r.Body != nil || r.Failure != nil {
			t.Errorf("recorded %v with body %q", r, r.Body)
		}
		c.want(c.open("GET", "/", ""), []string{":status 200 content-length 4"}, "next")
	})
}

func TestExtendedConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Upgrade("echo", echo).Header("X", "y"), mockserver.Reply(403).Text("no"))
		c := dial2(t, s)
		head := http2.RequestHead{Method: "CONNECT", Path: "/chat", Authority: "a", Scheme: "http", Protocol: "echo"}
		for i, want := range []string{":status 200 x y", ":status 403 content-length 2"} {
			st, err := c.conn.Open(head, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			c.conn.Flush()
			if fields, _, err := st.ReadHead(); err != nil || strings.Join(fields, " ") != want {
				t.Fatalf("head %q, %v, want %q", fields, err, want)
			}
			if i == 1 {
				break
			}
			k := st.Socket()
			sink, source := okio.NewBufferedSink(k.Sink()), okio.NewBufferedSource(k.Source())
			sink.WriteString("hello\n")
			sink.Flush()
			if line, err := source.ReadLine(); line != "<hello>" || err != nil {
				t.Errorf("got %q, %v", line, err)
			}
			sink.Close()
			if _, err := source.ReadBuffer(new(okio.Buffer), 1); err != io.EOF {
				t.Errorf("ended with %v", err)
			}
		}
		if r := take(t, s); r.Method != "CONNECT" || r.Target != "/chat" || r.Upgrade != "echo" || r.Body != nil {
			t.Errorf("recorded %+v", r)
		}
		if allowed, known := c.conn.TakesConnect(); !allowed || !known {
			t.Error("extended CONNECT was not offered")
		}
		none := cleartext(t, mockserver.WithHTTP2(http2.Config{MaxConcurrentStreams: 7}))
		none.Enqueue(mockserver.Reply(200))
		c = dial2(t, none)
		c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
		if allowed, _ := c.conn.TakesConnect(); allowed || c.conn.MaxStreams() != 7 {
			t.Errorf("extended CONNECT offered: %v, streams: %d", allowed, c.conn.MaxStreams())
		}
	})
}

// TestSocketWithoutAPeek gets the content after it was recorded.
func TestSocketWithoutAPeek(t *testing.T) {
	s := memory(t, mockserver.WithDispatcher(answer(mockserver.Reply(200).Socket(echo))))
	w := dial(t, s)
	w.send("POST / HTTP/1.1·Content-Length: 2··a\n")
	w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked··0··")
	if r := take(t, s); string(r.Body) != "a\n" {
		t.Errorf("body %q", r.Body)
	}
}

func TestHandlersThatFail(t *testing.T) {
	panics := mockserver.SocketHandlerFunc(func(context.Context, *mockserver.Request, okio.Socket) { panic("oh") })
	cancels := mockserver.SocketHandlerFunc(func(_ context.Context, _ *mockserver.Request, s okio.Socket) { s.Cancel(errors.New("enough")) })
	for name, h := range map[string]mockserver.SocketHandler{"panic": panics, "cancel": cancels} {
		for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
			t.Run(name+" over "+version, func(t *testing.T) {
				fake := &failing{TB: t}
				s, err := mockserver.Start(mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
				if name == "panic" {
					s = mockserver.New(fake, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
				}
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				s.Enqueue(mockserver.Reply(200).Socket(h), mockserver.Reply(200).Text("next"))
				if version == "HTTP/2" {
					c := dial2(t, s)
					reset, want := (*http2.StreamResetError)(nil), http2.Cancel
					if name == "panic" {
						want = http2.InternalError
					}
					if _, _, _, err := reply(c.open("GET", "/", "")); !errors.As(err, &reset) || reset.Code != want {
						t.Errorf("ended with %v, want a reset with %v", err, want)
					}
					c.want(c.open("GET", "/", ""), []string{":status 200 content-length 4"}, "next")
				} else {
					w := dial(t, s)
					w.send(get)
					w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked··")
					if rest, err := io.ReadAll(w.conn); strings.Contains(string(rest), "0\r\n") {
						t.Errorf("got %q, %v, want no end of the content", rest, err)
					}
				}
				if report := fake.take(); strings.Contains(report, "panic in the socket handler: oh") != (name == "panic") {
					t.Errorf("reported %q", report)
				}
			})
		}
	}
}

// TestCloseEndsHandlers breaks off one that reads and one that only looks at its context.
func TestCloseEndsHandlers(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		s := cleartext(t)
		waits := mockserver.SocketHandlerFunc(func(ctx context.Context, _ *mockserver.Request, s okio.Socket) {
			s.Sink().Flush()
			_, err := s.Source().ReadBuffer(new(okio.Buffer), 1)
			<-ctx.Done()
			if err == nil {
				t.Errorf("%s: read something", version)
			}
		})
		s.Enqueue(mockserver.Reply(200).Socket(waits))
		if version == "HTTP/2" {
			c := dial2(t, s)
			st, err := c.conn.Open(http2.RequestHead{Method: "POST", Path: "/", Authority: "a", Scheme: "http"}, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			c.conn.Flush()
			st.ReadHead()
		} else {
			w := dial(t, s)
			w.send("POST / HTTP/1.1·Content-Length: 9··")
			w.want("HTTP/1.1 200 OK·")
		}
		begun := time.Now()
		if err := s.Close(); err != nil || time.Since(begun) > 3*time.Second {
			t.Errorf("%s: closed with %v after %v", version, err, time.Since(begun))
		}
	}
}

func TestAdapt(t *testing.T) {
	s := memory(t)
	echo := mockserver.Reply(200).Adapt(func(r *mockserver.Request, resp mockserver.Response) mockserver.Response {
		return resp.Text(r.Target + " " + string(r.Body))
	})
	s.Enqueue(echo, mockserver.Reply(200).Text("plain"), echo)
	w := dial(t, s)
	w.send("POST /a HTTP/1.1·Content-Length: 1··x" + get + "GET /b HTTP/1.1··")
	w.want("HTTP/1.1 200 OK·Content-Length: 4··/a xHTTP/1.1 200 OK·Content-Length: 5··plainHTTP/1.1 200 OK·Content-Length: 3··/b ")
}

// TestExpectationRefused answers a client that waits for leave to send its body, and does not get it.
func TestExpectationRefused(t *testing.T) {
	const request = "POST / HTTP/1.1·Content-Length: 4·Expect: 100-continue··"
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Reply(417), mockserver.Reply(413), mockserver.Reply(401).Continue(), mockserver.Reply(200))
		w := dial(t, s)
		w.send(request)
		w.want("HTTP/1.1 417 Client Error·Content-Length: 0··")
		w.wantEnd()
		if r := take(t, s); r.Body != nil || r.Failure != nil {
			t.Errorf("recorded %v with body %q", r, r.Body)
		}
		c := dial2(t, s)
		st, err := c.conn.Open(http2.RequestHead{Method: "POST", Path: "/", Authority: "a", Scheme: "http"}, []string{"expect", "100-continue"}, false)
		if err != nil {
			t.Fatal(err)
		}
		c.conn.Flush()
		if fields, _, err := st.ReadHead(); err != nil || http2.Status(fields) != 413 {
			t.Errorf("head %q, %v", fields, err)
		}
		take(t, s)
		w = dial(t, s) // one that gets leave, and is refused later
		w.send(request)
		w.want("HTTP/1.1 100 Informational··")
		w.send("abcd")
		w.want("HTTP/1.1 401 Client Error·Content-Length: 0··")
		if r := take(t, s); string(r.Body) != "abcd" {
			t.Errorf("body %q", r.Body)
		}
		w.send(request) // a response that is no refusal waits for the body
		w.wantSilence(time.Minute)
		w.send("abcd")
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
	})
}

// TestStallReadsNothing: a client that sends a body comes to a stop too.
func TestStallReadsNothing(t *testing.T) {
	for _, m := range []mockserver.Moment{mockserver.RequestStart, mockserver.RequestBody} {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t)
			s.Enqueue(mockserver.Reply(200).On(m, mockserver.Stall{}))
			w := dial(t, s)
			w.send("POST / HTTP/1.1·Content-Length: 1048576··")
			w.conn.SetWriteDeadline(time.Now().Add(time.Minute))
			n, err := w.conn.Write(make([]byte, 1<<20))
			if err == nil || m == mockserver.RequestBody && n < 1<<19 || n > 1<<19+256<<10 {
				t.Errorf("at %v: %d bytes were taken, %v", m, n, err)
			}
		})
	}
}

// TestCookieCrumbs are put together again.
func TestCookieCrumbs(t *testing.T) {
	s := cleartext(t)
	s.Enqueue(mockserver.Reply(200))
	c := dial2(t, s)
	c.want(c.open("GET", "/", "", "cookie", "a=1", "x", "y", "cookie", "b=2", "cookie", "c=3"), []string{":status 200 content-length 0"}, "")
	if h := take(t, s).Headers; strings.Join(slices.Collect(h.Values("Cookie")), "|") != "a=1; b=2; c=3" || h.Get("X") != "y" {
		t.Errorf("headers %v", h)
	}
}

// TestEffectsOnHandlers strike where what a handler writes has come to, over both versions. The handler reads at the same time.
func TestEffectsOnHandlers(t *testing.T) {
	const slow = 10 * time.Second
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		want   string        // that arrives of "hello, world"
		takes  time.Duration // until all of it has
		ends   bool          // early
		fails  bool          // the handler's writing
	}{
		{"close", mockserver.Reply(200).OnBytes(mockserver.ResponseBody, 5, mockserver.CloseSocket{}), "hello", 0, true, true},
		{"close at once", mockserver.Reply(200).On(mockserver.ResponseBody, mockserver.CloseSocket{}), "", 0, true, true},
		{"close at the end", mockserver.Reply(200).OnBytes(mockserver.ResponseBody, 99, mockserver.CloseSocket{}), "hello, world", 0, true, false},
		{"stream", mockserver.Reply(200).OnBytes(mockserver.ResponseBody, 7, mockserver.CloseStream{Code: http2.InternalError}), "hello, ", 0, true, true},
		{"stall", mockserver.Reply(200).OnBytes(mockserver.ResponseBody, 5, mockserver.Stall{}), "hello", 0, true, true},
		{"garbage", mockserver.Reply(200).OnBytes(mockserver.ResponseBody, 5, mockserver.Garbage{Bytes: 20}), "hello", 0, true, true},
		{"wait", mockserver.Reply(200).OnBytes(mockserver.ResponseBody, 5, mockserver.Wait{For: slow}), "hello, world", slow, false, false},
		{"throttle", mockserver.Reply(200).Throttle(5, slow), "hello, world", 2 * slow, false, false},
	} {
		for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
			t.Run(tt.name+" over "+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := cleartext(t)
					wrote := make(chan error, 1)
					s.Enqueue(tt.script.Socket(mockserver.SocketHandlerFunc(func(_ context.Context, _ *mockserver.Request, k okio.Socket) {
						var reading sync.WaitGroup
						reading.Go(func() {
							for b := new(okio.Buffer); ; b.Clear() {
								if _, err := k.Source().ReadBuffer(b, 100); err != nil {
									return
								}
							}
						})
						time.Sleep(time.Millisecond) // until the client has sent what it has to
						sink := okio.NewBufferedSink(k.Sink())
						sink.WriteString("hello, world")
						err := sink.Flush()
						if err == nil && !tt.ends {
							err = sink.Close()
						}
						wrote <- err
						if err != nil && tt.name != "garbage" { // which would be lost
							k.Cancel(err)
						}
						reading.Wait()
					})))
					var got string
					var err error
					begun := time.Now()
					if version == "HTTP/2" {
						c := dial2(t, s)
						st := c.open("POST", "/", "x")
						st.SetLimits(time.Minute, 0, time.Time{})
						_, got, _, err = reply(st)
						st.Cancel(http2.Cancel, errors.New("enough"))
					} else {
						w := dial(t, s)
						w.send("POST / HTTP/1.1·Transfer-Encoding: chunked··1·x·0··")
						w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked··")
						w.conn.SetReadDeadline(time.Now().Add(time.Minute))
						body := bufio.NewReader(w.conn)
						chunks := httputil.NewChunkedReader(body)
						if tt.ends {
							chunks = io.LimitReader(chunks, 12)
						}
						var text []byte
						text, err = io.ReadAll(chunks)
						got = string(text)
						if err == nil && tt.ends { // at its end
							_, err = body.ReadByte()
						}
						w.conn.Close()
					}
					if tt.name == "garbage" { // which a client of HTTP/2 may see before what came before it
						got = tt.want
					}
					if got != tt.want || (err != nil) != tt.ends {
						t.Errorf("got %q, %v, want %q", got, err, tt.want)
					}
					if d := time.Since(begun) - time.Millisecond; d != tt.takes && tt.name != "stall" {
						t.Errorf("took %v", d)
					}
					if err := <-wrote; (err != nil) != tt.fails {
						t.Errorf("the handler wrote with %v", err)
					}
				})
			})
		}
	}
}
