package mockserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// onHTTPTest asks a dispatcher that answers in a server of net/http.
func onHTTPTest(t *testing.T, d mockserver.Dispatcher, method, path, body string, headers ...string) (*http.Response, string, error) {
	t.Helper()
	s := httptest.NewServer(mockserver.HTTPHandler(d))
	s.Config.ErrorLog = nil
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

func TestHTTPHandler(t *testing.T) {
	queue := new(mockserver.Queue)
	queue.Enqueue(mockserver.Reply(201).Header("X", "1").AddHeader("x", "2").Text("queued"))
	resp, text, err := onHTTPTest(t, queue, "GET", "/a", "")
	if err != nil || resp.StatusCode != 201 || text != "queued" || fmt.Sprint(resp.Header["X"]) != "[1 2]" || resp.ContentLength != 6 {
		t.Errorf("%v, %q, %v", resp, text, err)
	}
	echo := mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Text(fmt.Sprintf("%s %q %d %v %s", r.RequestLine(), r.Body, r.BodySize, r.Headers.Get("A"), r.RemoteAddr.Network()))
	})
	if _, text, err = onHTTPTest(t, echo, "POST", "/b?c=d", "hi", "A", "b"); text != `POST /b?c=d HTTP/1.1 "hi" 2 b tcp` || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, text, err = onHTTPTest(t, answer(mockserver.Reply(200).Text("abcdef").Throttle(2, time.Millisecond).BodyDelay(time.Millisecond).HeadDelay(time.Millisecond)), "GET", "/", ""); text != "abcdef" || err != nil {
		t.Errorf("throttled: %q, %v", text, err)
	}
	if resp, text, err = onHTTPTest(t, answer(mockserver.Reply(200).Text("x").Chunked().Trailer("T", "t").Informational(103, "Link", "</a>")), "GET", "/", ""); text != "x" || err != nil || resp.Trailer.Get("T") != "t" || resp.Header.Get("Link") != "" {
		t.Errorf("trailers: %q, %v, %v", text, err, resp)
	}
	if resp, _, err = onHTTPTest(t, answer(mockserver.Reply(204)), "GET", "/", ""); err != nil || resp.StatusCode != 204 {
		t.Errorf("204: %v, %v", resp, err)
	}
	if resp, text, err = onHTTPTest(t, answer(mockserver.Reply(200).Raw([]byte("HTTP/1.1 299 Raw\r\nContent-Length: 1\r\n\r\nr"))), "GET", "/", ""); err != nil || resp.StatusCode != 299 || text != "r" {
		t.Errorf("raw: %v, %q, %v", resp, text, err)
	}
	if resp, text, err = onHTTPTest(t, answer(mockserver.Reply(99)), "GET", "/", ""); err != nil || resp.StatusCode != 500 || !strings.Contains(text, "status 99") {
		t.Errorf("fault: %v, %q, %v", resp, text, err)
	}
	if resp, text, err = onHTTPTest(t, mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response { panic("oops") }), "GET", "/", ""); err != nil || resp.StatusCode != 500 {
		t.Errorf("panic: %v, %q, %v", resp, text, err)
	}
}

func TestHTTPHandlerFaults(t *testing.T) {
	ok := mockserver.Reply(200).Text("abcd")
	for _, m := range []mockserver.Moment{mockserver.RequestStart, mockserver.RequestHead, mockserver.RequestBody, mockserver.ResponseStart} {
		if resp, text, err := onHTTPTest(t, answer(ok.On(m, mockserver.CloseSocket{})), "POST", "/", "hi"); err == nil {
			t.Errorf("%v: %v, %q", m, resp, text)
		}
	}
	if _, text, err := onHTTPTest(t, answer(ok.On(mockserver.ResponseBody, mockserver.Reset{})), "GET", "/", ""); err == nil || text != "ab" {
		t.Errorf("half: %q, %v", text, err)
	}
	if _, text, err := onHTTPTest(t, answer(ok.On(mockserver.ResponseStart, mockserver.Wait{For: time.Millisecond})), "GET", "/", ""); err != nil || text != "abcd" {
		t.Errorf("wait: %q, %v", text, err)
	}
	queue := new(mockserver.Queue)
	queue.Enqueue(ok.On(mockserver.RequestStart, mockserver.CloseStream{}), ok)
	if _, _, err := onHTTPTest(t, queue, "POST", "/", "hi"); err == nil || queue.Len() != 1 {
		t.Errorf("start: %v, %d left", err, queue.Len())
	}
	for _, e := range []mockserver.Effect{mockserver.CloseSocket{}, mockserver.First(1, mockserver.CloseStream{}), mockserver.Sequence(mockserver.Wait{}, mockserver.Reset{})} {
		queue.Clear()
		queue.Enqueue(ok.On(mockserver.RequestStart, e), ok)
		if resp, _, err := onHTTPTest(t, queue, "POST", "/", "hi"); err == nil || queue.Len() != 1 {
			t.Errorf("start, %v: %v, %v, %d left", e, resp, err, queue.Len())
		}
	}
	if _, text, err := onHTTPTest(t, answer(ok.Chunked(1).OnChunk(3, mockserver.Reset{})), "GET", "/", ""); err == nil || text != "abc" {
		t.Errorf("chunks: %q, %v", text, err)
	}
}

// Faults of routes that look at the body are known when that was read, and happen then.
func TestHTTPHandlerFaultsOfRoutesByBody(t *testing.T) {
	for m, e := range map[mockserver.Moment]mockserver.Effect{
		mockserver.RequestStart: mockserver.CloseStream{}, mockserver.RequestHead: mockserver.Reset{}, mockserver.RequestBody: mockserver.Reset{}, mockserver.ResponseStart: mockserver.Reset{},
	} {
		routes := new(route.Routes)
		if err := routes.Add(route.Route{Match: match.JSON(`{"a":1}`), Responses: []mockserver.Response{mockserver.Reply(200).On(m, e)}}); err != nil {
			t.Fatal(err)
		}
		if resp, text, err := onHTTPTest(t, routes, "POST", "/", `{"a":1}`); err == nil {
			t.Errorf("%v: %v, %q", m, resp, text)
		}
	}
}

// A stall ends when the client gives up, also one before the body of the request was read.
func TestHTTPHandlerStalls(t *testing.T) {
	for _, m := range []mockserver.Moment{mockserver.RequestHead, mockserver.ResponseStart} {
		queue := new(mockserver.Queue)
		queue.Enqueue(mockserver.Reply(200).On(m, mockserver.Stall{}))
		began, done := make(chan struct{}), make(chan struct{})
		h := mockserver.HTTPHandler(queue)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(done)
			close(began)
			h.ServeHTTP(w, r)
		}))
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "POST", s.URL, strings.NewReader("hi"))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			<-began
			cancel()
		}()
		if resp, err := s.Client().Do(req); err == nil {
			t.Errorf("%v: %v", m, resp)
		}
		<-done
	}
}

// TestHTTPHandlerWithinTheRequest is of effects that wait for so much of the body of a request.
func TestHTTPHandlerWithinTheRequest(t *testing.T) {
	ok := mockserver.Reply(200).Text("abcd")
	for _, tt := range []struct {
		method, body string
		script       mockserver.Response
		strikes      bool
	}{
		{"POST", "hi", ok.On(mockserver.RequestBody, mockserver.Reset{}), true},
		{"POST", "", ok.On(mockserver.RequestBody, mockserver.Reset{}), true}, // of length 0, whose half is at its beginning
		{"GET", "", ok.On(mockserver.RequestBody, mockserver.Reset{}), false},
		{"POST", "hi", ok.OnBytes(mockserver.RequestBody, 2, mockserver.Reset{}), true},
		{"POST", "hi", ok.OnBytes(mockserver.RequestBody, 3, mockserver.Reset{}), false},
	} {
		queue := new(mockserver.Queue)
		queue.Enqueue(tt.script)
		for _, d := range []mockserver.Dispatcher{queue, answer(tt.script)} {
			if resp, text, err := onHTTPTest(t, d, tt.method, "/", tt.body); (err != nil) != tt.strikes || err == nil && text != "abcd" {
				t.Errorf("%s %q, %T: %v, %q, %v", tt.method, tt.body, d, resp, text, err)
			}
		}
	}
}

// TestHTTPHandlerCannot has scripts of faults that are not in the hands of a handler.
func TestHTTPHandlerCannot(t *testing.T) {
	ok := mockserver.Reply(200)
	for _, tt := range []struct {
		script mockserver.Response
		want   string
	}{
		{ok.On(mockserver.RequestStart, mockserver.FailHandshake{}), "FailHandshake at RequestStart"},
		{ok.On(mockserver.RequestStart, mockserver.Sometimes{Effect: mockserver.BadCertificate{}}), "BadCertificate at RequestStart"},
		{ok.On(mockserver.ResponseStart, mockserver.Sequence(mockserver.Write{}, mockserver.GoAway{})), "Write at ResponseStart, GoAway at ResponseStart"},
		{ok.On(mockserver.ResponseEnd, mockserver.EveryNth(2, mockserver.SendSettings{})), "SendSettings at ResponseEnd"},
		{ok.On(mockserver.RequestHead, mockserver.RefuseConnections{}), "RefuseConnections at RequestHead"},
		{ok.On(mockserver.RequestHead, mockserver.IgnoreConnections{}), "IgnoreConnections at RequestHead"},
		{ok.MalformedChunk().ShutdownServer().InTunnel(), "MalformedChunk, ShutdownServer, InTunnel"},
		{ok.Socket(echo), "Socket"},
		{ok.AddHeaderRaw("a b", "c"), "AddHeaderRaw"},
		{ok.AddHeaderRaw("a", "c"), ""},
	} {
		queue := new(mockserver.Queue)
		queue.Enqueue(tt.script)
		for _, d := range []mockserver.Dispatcher{queue, answer(tt.script)} {
			resp, text, err := onHTTPTest(t, d, "POST", "/", "hi")
			if tt.want == "" {
				if err != nil || resp.StatusCode != 200 {
					t.Errorf("%v, %v", resp, err)
				}
			} else if err != nil || resp.StatusCode != 500 || text != "mockserver: HTTPHandler: a handler of net/http cannot do "+tt.want+": expected a server of this package\n" {
				t.Errorf("%s, %T: %v, %q, %v", tt.want, d, resp, text, err)
			}
		}
	}
}
