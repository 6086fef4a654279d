package mockserver_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// throughProxy is net/http's client through a server as its proxy.
func throughProxy(t *testing.T, s *mockserver.Server, user *url.Userinfo) *http.Client {
	proxy, err := url.Parse(s.ProxyURL())
	if err != nil {
		t.Fatal(err)
	}
	proxy.User = user
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: s.ClientTLSConfig(), ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func fetch(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body)
}

func TestScriptedTunnel(t *testing.T) {
	s := mockserver.New(t, mockserver.WithLocalhostTLS("android.test"))
	s.Enqueue(
		mockserver.Reply(407).Header("Proxy-Authenticate", `Basic realm="x"`).InTunnel(),
		mockserver.Reply(200).InTunnel(),
		mockserver.Reply(200).Text("secret"))
	w := dial(t, s)
	w.send("CONNECT android.test:443 HTTP/1.1·Host: android.test:443··")
	w.want("HTTP/1.1 407 Client Error·Content-Length: 0·Proxy-Authenticate: Basic realm=\"x\"··")
	w.send("CONNECT android.test:443 HTTP/1.1·Host: android.test:443·Proxy-Authorization: Basic eDp5··")
	w.want("HTTP/1.1 200 OK··")
	config := s.ClientTLSConfig()
	config.ServerName = "android.test"
	inner := wired(t, tls.Client(w.conn, config))
	inner.send("GET /in HTTP/1.1·Host: android.test··")
	inner.want("HTTP/1.1 200 OK·Content-Length: 6··secret")
	for i := range 3 {
		r := take(t, s)
		if i < 2 && (r.RequestLine() != "CONNECT android.test:443 HTTP/1.1" || r.TLS != nil || r.Tunnel != "") {
			t.Errorf("request %d was %+v", i, r)
		}
		if i == 2 && (r.Target != "/in" || r.TLS == nil || r.TLS.ServerName != "android.test" || r.Tunnel != "android.test:443") {
			t.Errorf("request %d was %+v", i, r)
		}
		if r.ConnIndex != 0 || r.Index != i {
			t.Errorf("request %d was number %d on connection %d", i, r.Index, r.ConnIndex)
		}
	}
}

func TestTunnelInCleartext(t *testing.T) {
	s := memory(t)
	s.Enqueue(mockserver.Reply(200).InTunnel(), mockserver.Reply(200).Text("clear"))
	w := dial(t, s)
	w.send("CONNECT a:80 HTTP/1.1··GET /early HTTP/1.1·Host: a··") // the second is sent without waiting
	w.want("HTTP/1.1 200 OK··HTTP/1.1 200 OK·Content-Length: 5··clear")
	take(t, s)
	if r := take(t, s); r.Target != "/early" || r.Tunnel != "a:80" || r.Index != 1 {
		t.Errorf("request was %+v", r)
	}
}

func TestHTTPProxy(t *testing.T) {
	for _, tt := range []struct {
		name string
		tls  bool
		auth bool
	}{{"cleartext", false, false}, {"TLS", true, false}, {"cleartext with credentials", false, true}, {"TLS with credentials", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			var opts []mockserver.Option
			var user *url.Userinfo
			scheme := "http"
			if tt.tls {
				opts, scheme = append(opts, mockserver.WithLocalhostTLS("origin.test")), "https"
			}
			opts = append(opts, mockserver.WithHTTPProxy("", ""))
			if tt.auth {
				user = url.UserPassword("u", "p:q")
				opts = append(opts, mockserver.WithHTTPProxy("u", "p:q"))
			}
			s := mockserver.New(t, opts...)
			s.Enqueue(mockserver.Reply(200).Text("a"), mockserver.Reply(200).Text("b"))
			client := throughProxy(t, s, user)
			if got := fetch(t, client, scheme+"://origin.test/x") + fetch(t, client, scheme+"://origin.test/y"); got != "ab" {
				t.Errorf("got %q", got)
			}
			if tt.tls {
				if r := take(t, s); r.RequestLine() != "CONNECT origin.test:443 HTTP/1.1" {
					t.Errorf("request was %v", r)
				}
			}
			r := take(t, s)
			if got, err := r.URL(); err != nil || got.String() != scheme+"://origin.test/x" {
				t.Errorf("the URL was %v, %v", got, err)
			}
			if tt.tls && (r.Proto != "HTTP/2" || r.Tunnel != "origin.test:443") {
				t.Errorf("request was %+v", r)
			}
			if tt.auth {
				if _, err := throughProxy(t, s, nil).Get("https://origin.test/"); err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") {
					t.Errorf("without credentials: %v", err)
				}
				resp, err := throughProxy(t, s, url.UserPassword("u", "wrong")).Get("http://origin.test/")
				if err != nil {
					t.Fatal(err)
				}
				if resp.Body.Close(); resp.StatusCode != 407 {
					t.Errorf("with wrong credentials: %v", resp.Status)
				}
			}
		})
	}
}

// TestProxyOverTLS has TLS to the proxy and TLS in its tunnel.
func TestProxyOverTLS(t *testing.T) {
	s := mockserver.New(t, mockserver.WithLocalhostTLS("origin.test"), mockserver.WithHTTPProxy("", ""))
	s.Enqueue(mockserver.Reply(200).Text("deep"))
	proxy, err := url.Parse(strings.Replace(s.ProxyURL(), "http:", "https:", 1))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: s.ClientTLSConfig()}
	defer transport.CloseIdleConnections()
	if got := fetch(t, &http.Client{Transport: transport}, "https://origin.test/"); got != "deep" {
		t.Errorf("got %q", got)
	}
}

func TestSOCKS5(t *testing.T) {
	for _, tt := range []struct {
		name string
		role mockserver.SOCKS5
		tls  bool
		user *url.Userinfo
		fail string
	}{
		{name: "cleartext"},
		{name: "TLS", tls: true},
		{name: "credentials", role: mockserver.SOCKS5{User: "u", Password: "p"}, user: url.UserPassword("u", "p")},
		{name: "credentials that nobody wants", user: url.UserPassword("u", "p")},
		{name: "no credentials", role: mockserver.SOCKS5{User: "u", Password: "p"}, fail: "expected method 2 to be offered but got 00"},
		{name: "wrong credentials", role: mockserver.SOCKS5{User: "u", Password: "p"}, user: url.UserPassword("u", "q"), fail: "the credentials are not those"},
		{name: "refused", role: mockserver.SOCKS5{Reply: func(string) byte { return 5 }}, fail: `to "origin.test:`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts, scheme, port := []mockserver.Option{mockserver.WithSOCKS5(tt.role)}, "http", "80"
			if tt.tls {
				opts, scheme, port = append(opts, mockserver.WithLocalhostTLS("origin.test")), "https", "443"
			}
			s := mockserver.New(t, opts...)
			s.Enqueue(mockserver.Reply(200).Text("a"))
			if !strings.HasPrefix(s.ProxyURL(), "socks5://127.0.0.1:") {
				t.Errorf("the proxy is %s", s.ProxyURL())
			}
			client := throughProxy(t, s, tt.user)
			resp, err := client.Get(scheme + "://origin.test/x")
			if err == nil {
				resp.Body.Close()
			}
			if (err != nil) != (tt.fail != "") {
				t.Fatalf("got %v", err)
			}
			r := take(t, s)
			if tt.fail == "" {
				if r.Target != "/x" || r.Tunnel != "origin.test:"+port || r.Failure != nil {
					t.Errorf("request was %+v", r)
				}
				return
			}
			if failure := (*mockserver.SOCKSError)(nil); !errors.As(r.Failure, &failure) || !strings.Contains(failure.Error(), tt.fail) || r.Method != "" {
				t.Errorf("request was %v, failure %v", r, r.Failure)
			}
			if strings.Contains(r.Failure.Error(), "wrong") {
				t.Errorf("the failure shows a secret: %v", r.Failure)
			}
		})
	}
}

// TestSOCKS5Bytes has what clients seldom do.
func TestProxyWantsHostAndPort(t *testing.T) {
	for _, to := range []string{"/", "a", "a:", ":443", "a:0", "a:99999", "a:b", "[::1]", "[a]:443", "::1:443"} {
		s := memory(t, mockserver.WithHTTPProxy("", ""))
		w := dial(t, s)
		w.send("CONNECT " + to + " HTTP/1.1·Host: a··")
		w.want("HTTP/1.1 400 Bad Request·")
		if r := take(t, s); r.Failure == nil || r.Method != "CONNECT" {
			t.Errorf("%s: recorded %v, failure %v", to, r, r.Failure)
		}
	}
	for _, to := range []string{"a:443", "127.0.0.1:1", "[::1]:65535"} {
		s := memory(t, mockserver.WithHTTPProxy("", ""))
		w := dial(t, s)
		w.send("CONNECT " + to + " HTTP/1.1·Host: a··")
		w.want("HTTP/1.1 200 Connection established·")
		if r := take(t, s); r.Failure != nil {
			t.Errorf("%s: %v", to, r.Failure)
		}
	}
}

func TestSOCKS5Panic(t *testing.T) {
	fake := newCleaned(t)
	s := mockserver.New(fake, mockserver.WithSOCKS5(mockserver.SOCKS5{Reply: func(string) byte { panic("oops") }}))
	w := dial(t, s)
	w.send("\x05\x01\x00" + "\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50")
	w.want("\x05\x00\x05\x01\x00\x01\x00\x00\x00\x00\x00\x00")
	if r := take(t, s); r.Failure == nil || !strings.Contains(r.Failure.Error(), "oops") {
		t.Errorf("failure %v", r.Failure)
	}
	fake.end()
	if report := fake.take(); strings.Count(report, "SOCKS5.Reply") == 0 || !strings.Contains(report, "oops") {
		t.Errorf("reported %q", report)
	}
}

func TestSOCKS5Bytes(t *testing.T) {
	for _, tt := range []struct{ name, sent, want, failure string }{
		{"IPv4", "\x05\x01\x00" + "\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50", "\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", ""},
		{"IPv6", "\x05\x01\x00" + "\x05\x01\x00\x04" + strings.Repeat("\x00", 15) + "\x01\x00\x50", "\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", ""},
		{"BIND", "\x05\x01\x00" + "\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", "\x05\x00\x05\x07\x00\x01\x00\x00\x00\x00\x00\x00", "expected the command CONNECT, 1, but got 2"},
		{"unknown address", "\x05\x01\x00" + "\x05\x01\x00\x09", "\x05\x00\x05\x08\x00\x01\x00\x00\x00\x00\x00\x00", "expected an address of type 1, 3 or 4 but got 9"},
		{"another version", "\x05\x01\x00" + "\x04\x01\x00\x01\x7f\x00\x00\x01\x00\x50", "\x05\x00", "expected version 5 of a request but got 4"},
		{"no methods", "\x05\x00", "\x05\xff", "expected method 0 to be offered but got "},
		{"cut", "\x05\x01\x00\x05\x01", "\x05\x00", "reading the request: unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := memory(t, mockserver.WithSOCKS5(mockserver.SOCKS5{}))
			s.Enqueue(mockserver.Reply(200))
			w := dial(t, s)
			w.send(tt.sent)
			if half, ok := w.conn.(interface{ CloseWrite() error }); ok && tt.failure != "" {
				half.CloseWrite()
			}
			w.want(tt.want)
			if tt.failure == "" {
				w.send(get)
				w.want("HTTP/1.1 200 OK·Content-Length: 0··")
			} else {
				w.wantEnd()
			}
			if r := take(t, s); tt.failure == "" && r.Failure != nil || tt.failure != "" && (r.Failure == nil || !strings.Contains(r.Failure.Error(), tt.failure)) {
				t.Errorf("failure %v, want %s", r.Failure, tt.failure)
			}
		})
	}
}

// TestNoSOCKS: clients that speak HTTP to a SOCKS proxy are served.
func TestNoSOCKS(t *testing.T) {
	s := memory(t, mockserver.WithSOCKS5(mockserver.SOCKS5{}), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	s.Enqueue(mockserver.Reply(200), mockserver.Reply(200))
	w := dial(t, s)
	w.send(get)
	w.want("HTTP/1.1 200 OK·Content-Length: 0··")
	c := dial2(t, s)
	c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
}

func FuzzSOCKS5(f *testing.F) {
	f.Add([]byte("\x05\x01\x00\x05\x01\x00\x03\x01a\x00\x50"))
	f.Add([]byte("\x05\x01\x02\x01\x01u\x01p\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50"))
	s, err := mockserver.Start(mockserver.WithSOCKS5(mockserver.SOCKS5{User: "u", Password: "p"}), mockserver.WithJournalLimit(0), mockserver.WithDispatcher(answer(mockserver.Reply(200))))
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	f.Fuzz(func(t *testing.T, sent []byte) {
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.Write(sent)
		conn.(*net.TCPConn).CloseWrite()
		got, _ := io.ReadAll(conn)
		opened := bytes.HasPrefix(got, []byte("\x05\x02\x01\x00\x05\x00\x00\x01"))
		if opened && (len(sent) < 3 || sent[0] != 5 || !bytes.Contains(sent, []byte("\x01\x01u\x01p"))) {
			t.Errorf("a tunnel was opened to %q", sent)
		}
	})
}
