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
	for _, m := range []mockserver.Moment{mockserver.RequestBody, mockserver.ResponseStart} {
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
}
