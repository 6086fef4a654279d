package okauth_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

// proxy is an HTTP proxy that wants credentials: it leads every tunnel to one server, and answers requests itself.
type proxy struct {
	*httptest.Server
	challenges []string
	check      func(r *http.Request, value string) bool
	target     string

	mu   sync.Mutex
	seen []string // method and target of each request, and the scheme of its credentials
}

func newProxy(t *testing.T, target string, challenges []string, check func(*http.Request, string) bool) *proxy {
	p := &proxy{challenges: challenges, check: check, target: target}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	value := r.Header.Get("Proxy-Authorization")
	scheme, _, _ := strings.Cut(value, " ")
	p.mu.Lock()
	p.seen = append(p.seen, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+scheme))
	p.mu.Unlock()
	switch {
	case !p.check(r, value):
		for _, c := range p.challenges {
			w.Header().Add("Proxy-Authenticate", c)
		}
		w.WriteHeader(http.StatusProxyAuthRequired)
		io.WriteString(w, "who are you?")
	case r.Method != http.MethodConnect:
		io.WriteString(w, "forwarded")
	default:
		p.tunnel(w)
	}
}

func (p *proxy) tunnel(w http.ResponseWriter) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()
	client, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		io.Copy(server, rw)
		server.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(client, server)
}

func (p *proxy) wantSeen(t *testing.T, want ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.seen, want) {
		t.Errorf("the proxy saw %q, want %q", p.seen, want)
	}
	p.seen = nil
}

// What each scheme does before a tunnel is granted, and before a request is forwarded.
func TestProxyAuthentication(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the server got credentials of the proxy")
		}
		io.WriteString(w, "through")
	}))
	defer server.Close()
	addr := server.Listener.Addr().String()
	basic := func(_ *http.Request, value string) bool { return value == "Basic dXNlcjpzZWNyZXQ=" }
	digest := func(r *http.Request, value string) bool { // RFC 7616 section 3.4: the URI is the target of the request
		return strings.HasPrefix(value, `Digest username="user"`) && strings.Contains(value, `uri="`+r.RequestURI+`"`)
	}
	for name, tt := range map[string]struct {
		auth       okhttp.Authenticator
		challenges []string
		check      func(*http.Request, string) bool
		tunnel     []string // what the proxy sees
		forward    []string
		refused    bool
	}{
		"Basic": {okauth.Basic("user", "secret"), []string{`Basic realm="p"`}, basic,
			[]string{"CONNECT " + addr + " Basic"}, []string{"GET http://server.test/a?b", "GET http://server.test/a?b Basic"}, false},
		"Basic, refused": {okauth.Basic("user", "wrong"), []string{`Basic realm="p"`}, basic,
			[]string{"CONNECT " + addr + " Basic"}, []string{"GET http://server.test/a?b", "GET http://server.test/a?b Basic"}, true},
		"Digest": {okauth.Digest("user", "secret"), []string{`Digest realm="p", nonce="n", qop="auth", algorithm=SHA-256`}, digest,
			[]string{"CONNECT " + addr, "CONNECT " + addr + " Digest"}, []string{"GET http://server.test:81/a?b", "GET http://server.test:81/a?b Digest"}, false},
		"Digest, refused": {okauth.Digest("user", "secret"), []string{`Digest realm="p", nonce="n", qop="auth"`}, func(*http.Request, string) bool { return false },
			[]string{"CONNECT " + addr, "CONNECT " + addr + " Digest"}, nil, true},
		"the one that is asked for": {okauth.FirstOf(okauth.Digest("user", "secret"), okauth.Basic("user", "secret")), []string{`Basic realm="p"`}, basic,
			[]string{"CONNECT " + addr + " Basic"}, []string{"GET http://server.test/a?b", "GET http://server.test/a?b Basic"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProxy(t, addr, tt.challenges, tt.check)
			via, err := okhttp.ParseProxy(p.URL)
			if err != nil {
				t.Fatal(err)
			}
			client := newClient(t, okhttp.WithProxy(via), okhttp.WithProxyAuthenticator(tt.auth), okhttp.WithTLSConfig(&tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}))
			resp, err := client.Get(context.Background(), "https://"+addr+"/")
			if tt.refused {
				var pe *okhttp.ProxyError
				if !errors.As(err, &pe) || pe.Status != 407 {
					t.Errorf("error %v", err)
				}
				if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "wrong")) {
					t.Errorf("the error shows the password: %v", err)
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != "through" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
			}
			p.wantSeen(t, tt.tunnel...)
			if tt.forward == nil {
				return
			}
			_, url, _ := strings.Cut(tt.forward[0], " ")
			status, text := get(t, client, url)
			if want := map[bool]int{false: 200, true: 407}[tt.refused]; status != want {
				t.Errorf("forwarded: %d %s", status, text)
			}
			p.wantSeen(t, tt.forward...)
		})
	}
}
