package okhttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// echo answers with what it got, on a server of net/http.
func echo(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("X-Host", r.Host)
		w.Header().Add("X-Twice", "1")
		w.Header().Add("X-Twice", "2")
		fmt.Fprintf(w, "%s|%s|%d|%v|%v", body, r.Header.Get("X-In"), r.ContentLength, r.TransferEncoding, err)
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "unpacked")
		z.Close()
	})
	mux.HandleFunc("/sized", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "12345") })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/arrived", http.StatusTemporaryRedirect)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func closing(t *testing.T) *Client {
	c := New()
	t.Cleanup(func() { c.Close() })
	return c
}

func TestHTTPClient(t *testing.T) {
	s := echo(t)
	c := closing(t).HTTPClient()
	text := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	t.Run("GET", func(t *testing.T) {
		resp, err := c.Get(s.URL)
		if got := text(resp, err); got != "||0|[]|<nil>" {
			t.Errorf("body %q", got)
		}
		if resp.StatusCode != 200 || resp.Status != "200 OK" || resp.Proto != "HTTP/1.1" || resp.ContentLength <= 0 {
			t.Errorf("response %+v", resp)
		}
		if got := resp.Header["X-Twice"]; len(got) != 2 || got[1] != "2" {
			t.Errorf("repeated header %q", got)
		}
	})
	t.Run("POST with a body", func(t *testing.T) {
		if got := text(c.Post(s.URL, "text/plain", strings.NewReader("hi"))); got != "hi||2|[]|<nil>" {
			t.Errorf("body %q", got)
		}
	})
	t.Run("POST of unknown length", func(t *testing.T) {
		if got := text(c.Post(s.URL, "text/plain", struct{ io.Reader }{strings.NewReader("hi")})); got != "hi||-1|[chunked]|<nil>" {
			t.Errorf("body %q", got)
		}
	})
	t.Run("POST without a body", func(t *testing.T) {
		if got := text(c.Post(s.URL, "", nil)); got != "||0|[]|<nil>" {
			t.Errorf("body %q", got)
		}
	})
	t.Run("HEAD has the length of what it does not send", func(t *testing.T) {
		resp, err := c.Head(s.URL + "/sized")
		if text(resp, err) != "" || resp.ContentLength != 12345 {
			t.Errorf("length %d", resp.ContentLength)
		}
	})
	t.Run("redirect keeps the body", func(t *testing.T) {
		resp, err := c.Post(s.URL+"/moved", "text/plain", strings.NewReader("hi"))
		if got := text(resp, err); got != "hi||2|[]|<nil>" {
			t.Errorf("body %q", got)
		}
		if got := resp.Request.URL.Path; got != "/arrived" {
			t.Errorf("ended at %s", got)
		}
	})
	t.Run("gzip", func(t *testing.T) {
		resp, err := c.Get(s.URL + "/gzip")
		if got := text(resp, err); got != "unpacked" || !resp.Uncompressed || resp.ContentLength != -1 || resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("body %q of %+v", got, resp)
		}
	})
	t.Run("own Host and headers, request untouched", func(t *testing.T) {
		r, _ := http.NewRequest("GET", s.URL, nil)
		r.Host = "other.test"
		r.Header.Set("X-In", "v")
		resp, err := c.Do(r)
		if got := text(resp, err); got != "|v|0|[]|<nil>" || resp.Header.Get("X-Host") != "other.test" {
			t.Errorf("body %q, host %q", got, resp.Header.Get("X-Host"))
		}
		if len(r.Header) != 1 {
			t.Errorf("the request's headers became %v", r.Header)
		}
	})
	t.Run("method in lower case and of one's own", func(t *testing.T) {
		r, _ := http.NewRequest("purge", s.URL, nil)
		resp, err := c.Do(r)
		if text(resp, err); resp.Header.Get("X-Method") != "purge" {
			t.Errorf("method %q", resp.Header.Get("X-Method"))
		}
	})
}

// closeCounter counts how often a body is closed, which net/http promises to happen in every case.
type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error {
	c.closed++
	return nil
}

func TestRoundTripClosesTheBody(t *testing.T) {
	s := echo(t)
	rt := closing(t).RoundTripper()
	for _, tt := range []struct {
		name, url string
		header    http.Header
		ok        bool
	}{
		{"success", s.URL, nil, true},
		{"refused", "http://127.0.0.1:1/", nil, false},
		{"bad header", s.URL, http.Header{"X": {"a\r\nb"}}, false},
		{"scheme", "ftp://127.0.0.1/", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := &closeCounter{Reader: strings.NewReader("x")}
			r, err := http.NewRequest("POST", tt.url, body)
			if err != nil {
				t.Fatal(err)
			}
			for name, values := range tt.header {
				r.Header[name] = values
			}
			resp, err := rt.RoundTrip(r)
			if (err == nil) != tt.ok {
				t.Errorf("error %v", err)
			}
			if err == nil {
				resp.Body.Close()
			}
			if body.closed == 0 {
				t.Error("the body was not closed")
			}
		})
	}
}

func TestRoundTripTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") }))
	defer s.Close()
	c := New(WithTLSConfig(&tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}))
	defer c.Close()
	resp, err := c.HTTPClient().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.TLS == nil || len(resp.TLS.PeerCertificates) == 0 {
		t.Errorf("TLS state %+v", resp.TLS)
	}
}

func TestRoundTripContext(t *testing.T) {
	block := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-block }))
	defer s.Close()
	defer close(block)
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
	trace := &httptrace.ClientTrace{WroteHeaders: cancel} // once the request is on its way
	_, err := closing(t).HTTPClient().Do(r.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The hooks of httptrace fire as they do for net/http's own transport.
func TestTraceLikeNetHTTP(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		io.WriteString(w, "x")
	}))
	defer s.Close()
	roots := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	events := func(c *http.Client) string {
		var log bytes.Buffer
		say := func(format string, args ...any) { fmt.Fprintf(&log, format+" ", args...) }
		trace := &httptrace.ClientTrace{
			GetConn:              func(hostPort string) { say("GetConn") },
			GotConn:              func(i httptrace.GotConnInfo) { say("GotConn(%v)", i.Reused) },
			ConnectStart:         func(network, addr string) { say("ConnectStart") },
			ConnectDone:          func(network, addr string, err error) { say("ConnectDone(%v)", err) },
			TLSHandshakeStart:    func() { say("TLSHandshakeStart") },
			TLSHandshakeDone:     func(cs tls.ConnectionState, err error) { say("TLSHandshakeDone(%v)", err) },
			WroteHeaders:         func() { say("WroteHeaders") },
			WroteRequest:         func(i httptrace.WroteRequestInfo) { say("WroteRequest(%v)", i.Err) },
			GotFirstResponseByte: func() { say("GotFirstResponseByte") },
			PutIdleConn:          func(err error) { say("PutIdleConn(%v)", err) },
		}
		for range 2 {
			r, _ := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "GET", s.URL, nil)
			resp, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			say("\n")
		}
		return log.String()
	}
	const connect = "GetConn ConnectStart ConnectDone(<nil>) TLSHandshakeStart TLSHandshakeDone(<nil>) GotConn(false) "
	const exchange = "WroteHeaders WroteRequest(<nil>) GotFirstResponseByte PutIdleConn(<nil>) \n "
	client := New(WithTLSConfig(&tls.Config{RootCAs: roots}))
	defer client.Close()
	want := connect + exchange + "GetConn GotConn(true) " + exchange
	if got := events(client.HTTPClient()); got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
}

// A body may be closed while another goroutine reads it, which ends the reading at once: a watch is stopped that way.
func TestRoundTripCloseWhileReading(t *testing.T) {
	reads := map[string]func(io.Reader) error{
		"Read": func(r io.Reader) error {
			_, err := io.Copy(io.Discard, struct{ io.Reader }{r})
			return err
		},
		"WriteTo": func(r io.Reader) error {
			_, err := r.(io.WriterTo).WriteTo(io.Discard)
			return err
		},
		"ReadBuffer": func(r io.Reader) error {
			for {
				if _, err := r.(okio.Source).ReadBuffer(new(okio.Buffer), 10); err != nil {
					return err
				}
			}
		},
	}
	for name, read := range reads {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), answer(okText("x")))
			c := &http.Client{Transport: w.client.RoundTripper()}
			resp, err := c.Get("http://server.test/")
			if err != nil {
				t.Fatal(err)
			}
			failed := make(chan error)
			go func() { failed <- read(resp.Body) }()
			time.Sleep(time.Second)
			began := time.Now()
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
			if err := <-failed; err != okio.ErrClosed {
				t.Errorf("%s: %v", name, err)
			}
			if err := read(resp.Body); err != okio.ErrClosed || !time.Now().Equal(began) {
				t.Errorf("%s after it was closed: %v, after %v", name, err, time.Since(began))
			}
			if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
				t.Errorf("%s: pool %+v", name, got)
			}
			if text, err := netText(c.Get("http://server.test/")); text != "x" || err != nil {
				t.Errorf("%s: afterwards %q, %v", name, text, err)
			}
		})
	}
}

// The two meet in every way: whatever the reader got is right, and the connection is whole or gone.
func TestRoundTripCloseAndRead(t *testing.T) {
	text := strings.Repeat("0123456789", 5_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }))
	defer s.Close()
	client := closing(t)
	c := client.HTTPClient()
	for i := range 200 {
		resp, err := c.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan string)
		go func() {
			b, _ := io.ReadAll(resp.Body)
			done <- string(b)
		}()
		go func() {
			p := make([]byte, 10)
			n, _ := resp.Body.Read(p) // ten bytes that the other misses, and does not: the text repeats them
			done <- string(p[:n])
		}()
		for range i * 20 {
			runtime.Gosched()
		}
		resp.Body.Close()
		got, line := <-done, <-done
		if !strings.Contains(text, got) || !strings.Contains(text, line) {
			t.Fatalf("read %q and %d bytes that are not the body's", line, len(got))
		}
	}
	if got := client.cfg.pool.Stats(); got.Connections != got.Idle || got.Idle > 1 {
		t.Errorf("pool %+v", got)
	}
}

func netText(resp *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// Code over net/http knows some errors by their text, and one by its type without unwrapping; it stops trying then. They are this client's
// errors all the same.
func TestRoundTripErrors(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // which names the handshakes that fail
	defer s.Close()
	rt := closing(t).RoundTripper()
	fails := func(url string, header http.Header) error {
		r, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		resp, err := rt.RoundTrip(r)
		if err == nil {
			resp.Body.Close()
			t.Fatalf("%s: no error", url)
		}
		return err
	}
	var url *URLError
	if err := fails("ftp://127.0.0.1/", nil); !errors.As(err, &url) || !strings.Contains(err.Error(), "unsupported protocol scheme") {
		t.Errorf("scheme: %v", err)
	}
	for _, header := range []http.Header{{"a b": {"c"}}, {"": {"c"}}, {"A": {"b\nc"}}} {
		var wrong *HeaderError
		if err := fails(s.URL, header); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "invalid header") {
			t.Errorf("%q: %v", header, err)
		}
	}
	err := fails(s.URL, nil)
	var failed *Error
	var unknown x509.UnknownAuthorityError
	untrusted, ok := err.(*tls.CertificateVerificationError)
	if !ok || len(untrusted.UnverifiedCertificates) != 1 || !errors.As(err, &failed) || failed.Phase != PhaseTLS || !errors.As(err, &unknown) {
		t.Errorf("certificate: %T, %v", err, err)
	}
	if !SafeToRetry(err) {
		t.Error("nothing was sent")
	}
}

// The target of a request is what net/http would send: dots in a path may be part of a name, in a store of objects for one.
func TestRoundTripTarget(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) }))
	defer s.Close()
	rt := closing(t).RoundTripper()
	for _, tt := range []struct {
		url  url.URL
		want string
	}{
		{url.URL{Path: "/bucket/.."}, "/bucket/.."},
		{url.URL{Path: "/a/../b/./c"}, "/a/../b/./c"},
		{url.URL{Path: "/../../etc/passwd"}, "/../../etc/passwd"},
		{url.URL{Path: "/."}, "/."},
		{url.URL{Path: "/a/../../b/", RawQuery: "q=../x"}, "/a/../../b/?q=../x"},
		{url.URL{Path: "/a/%/../ü b{}"}, "/a/%25/../%C3%BC%20b%7B%7D"},
		{url.URL{Path: "/a/../b/c", RawPath: "/a/%2e%2E/b%2Fc"}, "/a/%2e%2E/b%2Fc"},
		{url.URL{Path: "/..", Fragment: "a/../b"}, "/.."},
		{url.URL{Opaque: "/a/../b%2f", RawQuery: "q"}, "/a/../b%2f?q"},
		{url.URL{Path: "/...", RawQuery: "."}, "/...?."},
		{url.URL{RawQuery: "a/../b"}, "/?a/../b"},
		{url.URL{Path: "/a//b/"}, "/a//b/"},
		{url.URL{}, "/"},
	} {
		tt.url.Scheme, tt.url.Host, tt.url.User = "http", s.Listener.Addr().String(), url.UserPassword("u", "p/../q")
		for who, rt := range map[string]http.RoundTripper{"okhttp": rt, "net/http": http.DefaultTransport} {
			resp, err := rt.RoundTrip(&http.Request{Method: "GET", URL: &tt.url, Header: http.Header{}})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(resp.Body); string(got) != tt.want || err != nil {
				t.Errorf("%s: %s sends %s, %v, want %s", &tt.url, who, got, err, tt.want)
			}
			resp.Body.Close()
		}
	}
}

func TestHTTPConversion(t *testing.T) {
	h, _ := NewHeaders("A", "1", "a", "2", "Transfer-Encoding", "chunked")
	req, _ := NewRequest("GET", "http://h/p?q")
	resp := NewResponse(req, 404, ResponseStatus(404, "Not Found"), ResponseHeaders(h)).HTTP()
	if resp.Status != "404 Not Found" || len(resp.Header["A"]) != 2 || resp.Request.URL.String() != "http://h/p?q" || len(resp.TransferEncoding) != 1 {
		t.Errorf("converted %+v", resp)
	}
	if resp.Header["A"] = append(resp.Header["A"][:1], "changed"); h.Get("a") != "1" {
		t.Error("changing the conversion changed the original")
	}
}
