package faults

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
	okws "github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
	"github.com/okhttp-go/ok/tests/golden"
)

// scene is a moment in the life of a connection at which its server ends.
type scene struct {
	name   string
	opts   []mockserver.Option
	script []mockserver.Response
	begin  func(w *stage)
	slow   time.Duration // how long Close may take, if that is not nothing at all
}

// What servers of the scenes speak.
var (
	anyCleartext = []mockserver.Option{mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithHTTP2(http2.Config{ExtendedConnect: true})}
	tlsHTTP1     = []mockserver.Option{mockserver.WithLocalhostTLS(), mockserver.WithProtocols(okhttp.HTTP1Only)}
	tlsHTTP2     = []mockserver.Option{mockserver.WithLocalhostTLS()}
	httpProxy    = []mockserver.Option{mockserver.WithLocalhostTLS(), mockserver.WithHTTPProxy("", "")}
	socksProxy   = []mockserver.Option{mockserver.WithLocalhostTLS(), mockserver.WithSOCKS5(mockserver.SOCKS5{User: "u", Password: "p"})}
)

const (
	getHead     = "GET / HTTP/1.1·Host: a··"
	connectHead = "CONNECT a.test:443 HTTP/1.1·Host: a.test:443··"
	socksLogin  = "\x05\x01\x02\x01\x01u\x01p"
	socksTo     = "\x05\x01\x00\x03\x06a.test\x01\xbb"
	// preface begins HTTP/2: with settings, and a window for the connection, beyond everything.
	preface = http2.ClientPreface + "\x00\x00\x06\x04\x00\x00\x00\x00\x00" + "\x00\x04\x7f\xff\xff\xff" + "\x00\x00\x04\x08\x00\x00\x00\x00\x00" + "\x7f\x00\x00\x00"
	// http2Get is the head of GET / without content, as the first stream.
	http2Get = "\x00\x00\x03\x01\x05\x00\x00\x00\x01" + "\x82\x84\x86"
)

var (
	ok    = mockserver.Reply(200).Text("ok")
	large = mockserver.Reply(200).Body(make([]byte, 4<<20))
	dozen = strings.Repeat("x", 12)
)

func responses(r ...mockserver.Response) []mockserver.Response { return r }

// overTLS sends bytes when hands were shaken.
func overTLS(protocol, text string) func(*stage) {
	return func(w *stage) {
		conn := w.secure(w.dial(), protocol)
		io.WriteString(conn, strings.ReplaceAll(text, "·", "\r\n"))
		w.sees(func() string { return rest(conn) })
	}
}

// inTunnel sends bytes in a tunnel, over TLS or before it.
func inTunnel(secured bool, bytes func(w *stage) []byte) func(*stage) {
	return func(w *stage) {
		want := "HTTP/1.1 200 Connection established\r\n\r\n"
		if w.server.Queue().Len() > 0 { // a script's, and there until the server has the request
			want = "HTTP/1.1 200 OK\r\n\r\n"
		}
		conn := w.dial()
		io.WriteString(conn, strings.ReplaceAll(connectHead, "·", "\r\n"))
		if _, err := io.ReadFull(conn, make([]byte, len(want))); err != nil {
			w.t.Fatal(err)
		}
		if secured {
			conn = w.secure(conn, "http/1.1")
		}
		conn.Write(bytes(w))
		w.sees(func() string { return rest(conn) })
	}
}

// framed begins a stream whose request goes on, over HTTP/2, and has text sent as content.
func framed(text string) func(*stage) {
	return func(w *stage) {
		c := http2.NewClient(w.dial(), http2.Config{})
		w.t.Cleanup(func() { c.Close() })
		s := open(w, c, "POST", false)
		var b okio.Buffer
		b.WriteString(text)
		if err := s.Sink().WriteBuffer(&b, b.Len()); err != nil {
			w.t.Error(err)
		}
		s.Sink().Flush()
		w.sees(func() string {
			fields, _, err := s.ReadHead()
			if err != nil {
				return kind(err)
			}
			return fmt.Sprint(fields)
		})
	}
}

// handler speaks as its kind says.
func handler(serve func(ctx context.Context, s okio.Socket)) mockserver.Response {
	return mockserver.Reply(200).Socket(mockserver.SocketHandlerFunc(func(ctx context.Context, _ *mockserver.Request, s okio.Socket) { serve(ctx, s) }))
}

var (
	readsSocket = handler(func(_ context.Context, s okio.Socket) {
		for b := new(okio.Buffer); ; {
			if _, err := s.Source().ReadBuffer(b, 1000); err != nil {
				return
			}
		}
	})
	writesSocket = handler(func(_ context.Context, s okio.Socket) {
		for b := new(okio.Buffer); ; {
			b.Write(make([]byte, 10_000))
			if s.Sink().WriteBuffer(b, b.Len()) != nil || s.Sink().Flush() != nil {
				return
			}
		}
	})
	waitsSocket = handler(func(ctx context.Context, s okio.Socket) {
		s.Sink().Flush()
		<-ctx.Done()
	})
)

// webSocket opens one and reads from it.
func webSocket(opts ...okhttp.Option) func(*stage) {
	return func(w *stage) {
		client := w.client(append(opts, okhttp.WithHTTP2(okhttp.HTTP2Config{ExtendedConnect: true}))...)
		c, err := okws.Dial(w.t.Context(), client, w.server.URL("/"), nil)
		if err != nil {
			w.t.Fatal(err)
		}
		w.sees(func() string {
			_, _, err := c.Read(context.Background())
			c.CloseNow()
			return kind(err)
		})
	}
}

var scenes = []scene{
	{"a connection that says nothing", nil, nil, raw(""), 0},
	{"a connection that says nothing, of any version", anyCleartext, nil, raw(""), 0},
	{"half a preface", anyCleartext, nil, raw("PRI * HT"), 0},
	{"half a request line", nil, nil, raw("GET / HT"), 0},
	{"half a head", nil, nil, raw("GET / HTTP/1.1·Host: a·X"), 0},
	{"half a head, on a connection that was used", nil, responses(ok), raw(getHead + "GET / HT"), 0},
	{"a connection that was used", nil, responses(ok), raw(getHead), 0},

	{"TLS: nothing said", tlsHTTP2, nil, raw(""), 0},
	{"TLS: half a hello", tlsHTTP2, nil, func(w *stage) { h := w.hello(); raw(string(h[:len(h)/2]))(w) }, 0},
	{"TLS: a hello", tlsHTTP2, nil, func(w *stage) { raw(string(w.hello()))(w) }, 0},
	{"TLS: hands shaken", tlsHTTP1, nil, overTLS("http/1.1", ""), 0},
	{"TLS: half a head", tlsHTTP1, nil, overTLS("http/1.1", "GET / HT"), 0},
	{"TLS: a request that waits", tlsHTTP1, nil, call(), 0},
	{"TLS: hands shaken for HTTP/2", tlsHTTP2, nil, overTLS("h2", ""), 0},
	{"TLS: a request that waits, over HTTP/2", tlsHTTP2, nil, call(), 0},

	{"half of a request body", nil, nil, raw("POST / HTTP/1.1·Host: a·Content-Length: 12··123456"), 0},
	{"half of a chunk", nil, nil, raw("POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··c·123456"), 0},
	{"half of a request body, over HTTP/2", anyCleartext, nil, framed("123456"), 0},
	{"a request body that is read slowly", nil, responses(ok.Throttle(1, time.Hour)), call(okhttp.WithBody(okhttp.Text(dozen))), 0},
	{"a request body that is read slowly, over HTTP/2", anyCleartext, responses(ok.Throttle(1, time.Hour)), call(okhttp.WithBody(okhttp.Text(dozen))), 0},
	{"a wait at the head", nil, responses(ok.On(mockserver.RequestHead, mockserver.Wait{For: time.Hour})), call(), 0},
	{"a wait at the head, over HTTP/2", anyCleartext, responses(ok.On(mockserver.RequestHead, mockserver.Wait{For: time.Hour})), call(), 0},
	{"a wait within the request body", nil, responses(ok.On(mockserver.RequestBody, mockserver.Wait{For: time.Hour})), call(okhttp.WithBody(okhttp.Text(dozen))), 0},
	{"a wait within the request body, over HTTP/2", anyCleartext, responses(ok.On(mockserver.RequestBody, mockserver.Wait{For: time.Hour})), call(okhttp.WithBody(okhttp.Text(dozen))), 0},
	{"a request that is told to continue", nil, responses(ok.Continue()), raw("POST / HTTP/1.1·Host: a·Expect: 100-continue·Content-Length: 12··"), 0},
	{"a 1xx that takes its time", nil, responses(ok.InformationalAfter(time.Hour, 103)), call(), 0},
	{"a 1xx that takes its time, over HTTP/2", anyCleartext, responses(ok.InformationalAfter(time.Hour, 103)), call(), 0},
	{"after a 1xx", nil, responses(ok.Informational(103).HeadDelay(time.Hour)), call(), 0},
	{"after a 1xx, over HTTP/2", anyCleartext, responses(ok.Informational(103).HeadDelay(time.Hour)), call(), 0},

	{"a request that waits", nil, nil, call(), 0},
	{"a request that waits, over HTTP/2", anyCleartext, nil, call(), 0},
	{"a head that is sent slowly", nil, responses(ok.SlowHead(1, time.Hour)), call(), 0},
	{"a body that takes its time", nil, responses(ok.BodyDelay(time.Hour)), call(), 0},
	{"a body that takes its time, over HTTP/2", anyCleartext, responses(ok.BodyDelay(time.Hour)), call(), 0},
	{"a response body that is sent slowly", nil, responses(ok.Throttle(1, time.Hour)), call(), 0},
	{"a response body that is sent slowly, over HTTP/2", anyCleartext, responses(ok.Throttle(1, time.Hour)), call(), 0},
	{"a response that ends in half a minute", nil, responses(ok.Throttle(1, patience/2)), call(), 0},
	{"a response that ends in half a minute, over HTTP/2", anyCleartext, responses(ok.Throttle(1, patience/2)), call(), 0},
	{"bodies that share a throttle", nil, nil, sharing, time.Second},
	{"trailers that take their time", nil, responses(ok.Chunked().Trailer("a", "b").TrailersDelay(time.Hour)), call(), 0},
	{"trailers that take their time, over HTTP/2", anyCleartext, responses(ok.Chunked().Trailer("a", "b").TrailersDelay(time.Hour)), call(), 0},
	{"a response that nobody reads", nil, responses(large), rawUnread(getHead), 0},
	{"a response of TLS that nobody reads", tlsHTTP1, responses(large), callUnread, 0},
	{"a response that nobody reads, over HTTP/2, with the window of its stream exhausted", anyCleartext, responses(large), callUnread, time.Second},
	{"a response that nobody reads, over HTTP/2, with that of the connection exhausted", anyCleartext, responses(large), raw(preface[:len(preface)-13] + http2Get), 0},
	{"a response that nobody reads, over HTTP/2, with the transport full", anyCleartext, responses(large), rawUnread(preface + http2Get), time.Second},
	{"a promise that takes its time", anyCleartext, responses(ok.Push("GET", "/p", ok.BodyDelay(time.Hour)).BodyDelay(time.Hour)), raw(preface + http2Get), 0},
	{"HTTP/2 that is idle", anyCleartext, responses(ok), raw(preface + http2Get), 0},
	{"a hundred streams", anyCleartext, nil, hundredStreams, 0},
	{"a 400 whose client goes on", nil, nil, raw("GET·"), 0},

	{"a wait at accept", nil, responses(ok.On(mockserver.RequestStart, mockserver.Wait{For: time.Hour})), call(), 0},
	{"a stall at accept", nil, responses(ok.On(mockserver.RequestStart, mockserver.Stall{})), call(), 0},
	{"a stall at the head", nil, responses(ok.On(mockserver.RequestHead, mockserver.Stall{})), call(), 0},
	{"a stall before the response", nil, responses(ok.On(mockserver.ResponseStart, mockserver.Stall{})), call(), 0},
	{"a stall before the response, over HTTP/2", anyCleartext, responses(ok.On(mockserver.ResponseStart, mockserver.Stall{})), call(), 0},
	{"a stall after the response", nil, responses(ok.On(mockserver.ResponseEnd, mockserver.Stall{})), raw(getHead), 0},
	{"an end that is half sent", nil, responses(ok.On(mockserver.ResponseEnd, mockserver.CloseSocket{NoClose: true, Out: true})), raw(getHead), 0},
	{"a goodbye was said", anyCleartext, responses(ok.On(mockserver.ResponseStart, mockserver.GoAway{}).HeadDelay(time.Hour)), call(), 0},

	{"CONNECT: half a request", httpProxy, nil, raw("CONNECT a.test:443 HT"), 0},
	{"CONNECT: a tunnel without a word", httpProxy, nil, inTunnel(false, func(*stage) []byte { return nil }), 0},
	{"CONNECT: half a hello", httpProxy, nil, inTunnel(false, func(w *stage) []byte { h := w.hello(); return h[:len(h)/2] }), 0},
	{"CONNECT: hands shaken", httpProxy, nil, inTunnel(true, func(*stage) []byte { return nil }), 0},
	{"CONNECT: a request within that waits", httpProxy, nil, inTunnel(true, func(*stage) []byte { return []byte("GET / HTTP/1.1\r\n\r\n") }), 0},
	{"CONNECT: a scripted tunnel", tlsHTTP1, responses(mockserver.Reply(200).InTunnel()), inTunnel(false, func(*stage) []byte { return nil }), 0},
	{"CONNECT: the script has not answered", tlsHTTP1, responses(mockserver.Reply(200).HeadDelay(time.Hour).InTunnel()), raw(connectHead), 0},

	{"CONNECT: the script answers in half a minute", tlsHTTP1, responses(mockserver.Reply(200).HeadDelay(patience / 2).InTunnel()), raw(connectHead), 0},

	{"SOCKS: a version", socksProxy, nil, raw("\x05"), 0},
	{"SOCKS: half of the methods", socksProxy, nil, raw("\x05\x02\x00"), 0},
	{"SOCKS: a method", socksProxy, nil, raw("\x05\x01\x02"), 0},
	{"SOCKS: half of the credentials", socksProxy, nil, raw("\x05\x01\x02\x01\x01u"), 0},
	{"SOCKS: the credentials", socksProxy, nil, raw(socksLogin), 0},
	{"SOCKS: half of a request", socksProxy, nil, raw(socksLogin + socksTo[:4]), 0},
	{"SOCKS: half of a name", socksProxy, nil, raw(socksLogin + socksTo[:7]), 0},
	{"SOCKS: half of a port", socksProxy, nil, raw(socksLogin + socksTo[:12]), 0},
	{"SOCKS: a tunnel without a word", socksProxy, nil, raw(socksLogin + socksTo), 0},
	{"SOCKS: half a hello", socksProxy, nil, func(w *stage) { h := w.hello(); raw(socksLogin + socksTo + string(h[:len(h)/2]))(w) }, 0},

	{"a handler that reads", nil, responses(readsSocket), raw("POST / HTTP/1.1·Host: a·Content-Length: 12··123456"), 0},
	{"a handler that reads, over HTTP/2", anyCleartext, responses(readsSocket), framed("123456"), 0},
	{"a handler that writes, to nobody", nil, responses(writesSocket), rawUnread(getHead), 0},
	{"a handler that writes, to nobody, over HTTP/2", anyCleartext, responses(writesSocket), callUnread, time.Second},
	{"a handler that waits for its context", nil, responses(waitsSocket), raw(getHead), 0},
	{"a handler that waits for its context, over HTTP/2", anyCleartext, responses(waitsSocket), call(), 0},
	{"another protocol", nil, responses(mockserver.Upgrade("echo", mockserver.SocketHandlerFunc(func(_ context.Context, _ *mockserver.Request, s okio.Socket) {
		s.Source().ReadBuffer(new(okio.Buffer), 1)
	}))), raw("GET / HTTP/1.1·Host: a·Connection: upgrade·Upgrade: echo··"), 0},
	{"a web socket", anyCleartext, responses(mockserver.WebSocket(nil, func(ctx context.Context, c *okws.Conn) { c.Read(ctx) })), webSocket(okhttp.WithProtocols(okhttp.HTTP1Only)), 0},
	{"a web socket, over HTTP/2", anyCleartext, responses(mockserver.WebSocket(nil, func(ctx context.Context, c *okws.Conn) { c.Read(ctx) })), webSocket(), 0},
	{"events", nil, responses(mockserver.SSESteps(mockserver.SSEStep{Event: oksse.Event{Data: "a"}}, mockserver.SSEStep{Hold: true})), call(), 0},
	{"events, over HTTP/2", anyCleartext, responses(mockserver.SSESteps(mockserver.SSEStep{Event: oksse.Event{Data: "a"}}, mockserver.SSEStep{Hold: true})), call(), 0},
	{"an http.Handler that waits", []mockserver.Option{mockserver.WithDispatcher(waiting)}, nil, call(), 0},
	{"an http.Handler that waits, amidst its response", []mockserver.Option{mockserver.WithDispatcher(flushing)}, nil, call(), 0},
	{"an http.Handler that waits, over HTTP/2", append(anyCleartext[:2:2], mockserver.WithDispatcher(waiting)), nil, call(), 0},

	{"connections are ignored", nil, nil, ignored, 0},
	{"connections are refused for an hour", nil, responses(ok.On(mockserver.ResponseEnd, mockserver.RefuseConnections{For: time.Hour})), call(), 0},
	{"connections are ignored for an hour", nil, responses(ok.On(mockserver.ResponseEnd, mockserver.IgnoreConnections{For: time.Hour})), call(), 0},
	{"the end by a response", nil, responses(ok.ShutdownServer()), call(), 0},
}

var (
	waiting  = mockserver.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	flushing = mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
)

// sharing has two responses that are slow together.
func sharing(w *stage) {
	var slow okio.Throttler
	slow.Set(10_000, 0, 0)
	w.server.Enqueue(large.ThrottleBy(&slow), large.ThrottleBy(&slow))
	call()(w)
	call()(w)
	time.Sleep(patience) // until both have some
}

func hundredStreams(w *stage) {
	text := preface
	for i := range uint32(100) {
		text += http2Get[:5] + string(binary.BigEndian.AppendUint32(nil, 2*i+1)) + http2Get[9:]
	}
	raw(text)(w)
}

// ignored has a client wait for its connection.
func ignored(w *stage) {
	if err := w.server.Ignore(); err != nil {
		w.t.Fatal(err)
	}
	call()(w)
	saw := w.saw[0]
	w.saw = nil
	w.sees(func() string { // there may be room for it at the very end
		s := <-saw
		if s == "refused in connect" || strings.HasSuffix(s, " in request-headers") || strings.HasSuffix(s, " in response-headers") {
			return "not served"
		}
		return s
	})
}

// TestEnds ends a server, each way, at each moment in the life of a connection. What must hold for all is checked there, what became of clients and of the journal
// is in testdata/ends.txt.
func TestEnds(t *testing.T) {
	var table strings.Builder
	table.WriteString("What becomes of clients when the server ends, and what the journal says, written by: go test ./faults -run TestEnds -update\n")
	for _, sc := range scenes {
		fmt.Fprintf(&table, "\n%s\n", sc.name)
		for _, how := range []string{"Close", "Shutdown"} {
			t.Run(sc.name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { fmt.Fprintf(&table, "%s: %s\n", how, ends(t, sc, how)) })
			})
		}
	}
	golden.Compare(t, "testdata/ends.txt", table.String())
}
