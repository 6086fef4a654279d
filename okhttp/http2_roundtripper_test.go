package okhttp

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
)

// Users of net/http see HTTP/2 as that package shows it.
func TestRoundTripperOverHTTP2(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serve2("server.test", "10.0.0.1", config, inTurn(func(s *stream2) {
			s.head(200, false, "trailer", "X-Sum")
			s.write(s.text())
			s.SendTrailers([]string{"x-sum", "5", "x-unannounced", "1"})
		}, reply(404, ""), func(s *stream2) {
			s.head(200, false, "content-length", "1")
			s.write("x")
			s.Sink().Close()
		}))
		std := &http.Client{Transport: w.client.RoundTripper()}
		resp, err := std.Post(url, "text/plain", strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Proto != "HTTP/2.0" || resp.ProtoMajor != 2 || resp.ProtoMinor != 0 || resp.Status != "200 OK" || resp.ContentLength != -1 || resp.TransferEncoding != nil || (resp.TLS != nil) != (config != nil) {
			t.Errorf("%s %s, length %d, coding %v", resp.Proto, resp.Status, resp.ContentLength, resp.TransferEncoding)
		}
		if _, ok := resp.Trailer["X-Sum"]; !ok || resp.Header.Get("Trailer") != "" {
			t.Errorf("trailers %v announced, headers %v", resp.Trailer, resp.Header)
		}
		text, err := io.ReadAll(resp.Body)
		if string(text) != "hello" || err != nil || resp.Trailer.Get("X-Sum") != "5" || resp.Trailer.Get("X-Unannounced") != "1" {
			t.Errorf("%q, %v, trailers %v", text, err, resp.Trailer)
		}
		resp.Body.Close()
		if resp, err = std.Get(url); err != nil {
			t.Fatal(err)
		}
		if resp.Status != "404 Not Found" || resp.ContentLength != 0 {
			t.Errorf("%s, length %d", resp.Status, resp.ContentLength)
		}
		resp.Body.Close()
		var got httptrace.GotConnInfo
		var wrote, first bool
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn:              func(i httptrace.GotConnInfo) { got = i },
			WroteRequest:         func(httptrace.WroteRequestInfo) { wrote = true },
			GotFirstResponseByte: func() { first = true },
		})
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err = std.Do(req); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(resp.Body); string(text) != "x" || err != nil || resp.ContentLength != 1 {
			t.Errorf("%q, %v, length %d", text, err, resp.ContentLength)
		}
		resp.Body.Close()
		if !got.Reused || got.Conn == nil || !wrote || !first {
			t.Errorf("connection %+v, wrote %v, first byte %v", got, wrote, first)
		}
		w.wantPool(1, 1, 0)
	})
}
