package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	okws "github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// A handler of net/http answers over HTTP/2.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "user %s over %s", r.PathValue("id"), r.Proto)
	})
	server, err := mockserver.Start(mockserver.WithLocalhostTLS(), mockserver.WithDispatcher(mockserver.Handler(mux)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := server.Client()
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL("/users/7"))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Protocol, resp.Status, text, err)
	// Output: h2 200 user 7 over HTTP/2.0 <nil>
}

// A queue of responses answers within a server of net/http.
func ExampleHTTPHandler() {
	queue := new(mockserver.Queue)
	queue.Enqueue(mockserver.Reply(503).Header("Retry-After", "1"), mockserver.Reply(200).Text("back"))
	server := httptest.NewServer(mockserver.HTTPHandler(queue))
	defer server.Close()
	for range 2 {
		resp, err := http.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Printf("%d %q\n", resp.StatusCode, text)
	}
	// Output:
	// 503 ""
	// 200 "back"
}

// A handler speaks after the head: the content of request and response overlap.
func ExampleResponse_Socket() {
	server, err := mockserver.Start(mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Socket(mockserver.SocketHandlerFunc(func(_ context.Context, _ *mockserver.Request, s okio.Socket) {
		in, out := okio.NewBufferedSource(s.Source()), okio.NewBufferedSink(s.Sink())
		for line, err := in.ReadLine(); err == nil; line, err = in.ReadLine() {
			out.WriteString(strings.ToUpper(line) + "!")
			out.Flush()
		}
	})))
	client := server.Client()
	defer client.Close()
	resp, err := client.Post(context.Background(), server.URL("/"), okhttp.Text("hear\nhear\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Body.Text())
	// Output: HEAR!HEAR! <nil>
}

func ExampleWebSocket() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.WebSocket(nil, func(ctx context.Context, c *okws.Conn) {
		if _, p, err := c.Read(ctx); err == nil {
			_ = c.WriteText(ctx, "you said "+string(p))
		}
	}))
	client := server.Client()
	defer client.Close()
	ctx := context.Background()
	c, err := okws.Dial(ctx, client, server.URL("/chat"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.CloseNow()
	if err := c.WriteText(ctx, "hello"); err != nil {
		fmt.Println(err)
		return
	}
	_, p, err := c.Read(ctx)
	fmt.Println(string(p), err)
	// Output: you said hello <nil>
}

// Every second connection is cut within the body, after 3 bytes.
func ExampleEveryNth() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	cut := mockserver.Reply(200).Text("whole").OnBytes(mockserver.ResponseBody, 3, mockserver.EveryNth(2, mockserver.CloseSocket{}))
	server.Enqueue(cut, cut, cut)
	client := server.Client()
	defer client.Close()
	for range 3 {
		resp, err := client.Get(context.Background(), server.URL("/"))
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := io.ReadAll(resp.Body)
		fmt.Println(string(p), errors.Is(err, io.ErrUnexpectedEOF))
	}
	// Output:
	// whole false
	// who true
	// whole false
}

// The server allows fewer streams, lets time pass, and refuses the stream: the client sends it again.
func ExampleSequence() {
	server, err := mockserver.Start(mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).On(mockserver.RequestHead, mockserver.Sequence(
		mockserver.SendSettings{Settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Value: 1}}},
		mockserver.Wait{For: time.Millisecond},
		mockserver.CloseStream{Code: http2.RefusedStream},
	)), mockserver.Reply(200).Text("in the end"))
	client := server.Client()
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Protocol, resp.Status, text, err)
	fmt.Println(server.RequestCount(), "requests")
	// Output:
	// h2 200 in the end <nil>
	// 2 requests
}

// The server is down, and comes back. Ignore in place of Refuse has the client wait.
func ExampleServer_Refuse() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := server.Client()
	defer client.Close()
	if err := server.Refuse(); err != nil {
		fmt.Println(err)
	}
	_, err = client.Get(context.Background(), server.URL("/"))
	fmt.Println(errors.Is(err, syscall.ECONNREFUSED), okhttp.SafeToRetry(err))
	if err := server.Resume(); err != nil {
		fmt.Println(err)
	}
	server.Enqueue(mockserver.Reply(200).Text("up"))
	resp, err := client.Get(context.Background(), server.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Protocol, resp.Status, text, err)
	// Output:
	// true true
	// http/1.1 200 up <nil>
}

// The server is a proxy, and what is behind it.
func ExampleWithHTTPProxy() {
	server, err := mockserver.Start(mockserver.WithLocalhostTLS("api.test"), mockserver.WithHTTPProxy("", ""))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("from behind"))
	proxy, err := okhttp.ParseProxy(server.ProxyURL())
	if err != nil {
		fmt.Println(err)
		return
	}
	client := okhttp.New(okhttp.WithProxy(proxy), okhttp.WithTLSConfig(server.ClientTLSConfig()))
	defer client.Close()
	resp, err := client.Get(context.Background(), "https://api.test/x")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Protocol, resp.Status, text, err)
	for _, r := range server.Requests() {
		fmt.Printf("%s in tunnel %q\n", r.RequestLine(), r.Tunnel)
	}
	// Output:
	// h2 200 from behind <nil>
	// CONNECT api.test:443 HTTP/1.1 in tunnel ""
	// GET /x HTTP/2 in tunnel "api.test:443"
}

// One network in memory for a server and its clients: no socket is opened.
func ExampleWithNetwork() {
	server, err := mockserver.Start(mockserver.WithNetwork(new(okio.Network)), mockserver.WithHost("api.test"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("from memory"))
	client := server.Client()
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Protocol, resp.Status, text, err)
	// Output: http/1.1 200 from memory <nil>
}

// later describes requests by a header that has to be a date after another one.
type later struct{ than time.Time }

func (m later) String() string { return "If-Modified-Since after " + okhttp.FormatDate(m.than) }

func (m later) Match(r *mockserver.Request) []mockserver.Mismatch {
	got := r.Headers.Get("If-Modified-Since")
	if at, err := okhttp.ParseDate(got); err == nil && at.After(m.than) {
		return nil
	}
	return []mockserver.Mismatch{{What: "header If-Modified-Since", Want: "a date after " + okhttp.FormatDate(m.than), Got: got, Distance: 1}}
}

// A matcher of one's own stands wherever those of package match do.
func ExampleMatcher() {
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	server.Enqueue(mockserver.Reply(304))
	req, err := okhttp.NewRequest("GET", server.URL("/"), okhttp.Header("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	fmt.Println(server.Check(later{time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC)}, mockserver.Once()))
	fmt.Println(server.Check(later{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}, mockserver.Once()) != nil)
	// Output:
	// <nil>
	// true
}
