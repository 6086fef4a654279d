package okhttp

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// tunnelingProxy is an HTTP proxy that opens tunnels and notes what it is asked for. With a first frame of the server, it delivers that together
// with its answer, in the place of the one that the server sends later.
type tunnelingProxy struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newTunnelingProxy(t *testing.T, first string) *tunnelingProxy {
	p := new(tunnelingProxy)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		p.mu.Unlock()
		server, err := net.Dial("tcp", r.RequestURI)
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
		io.WriteString(client, established+first)
		go func() {
			io.Copy(server, rw)
			server.Close()
		}()
		if first != "" {
			head := make([]byte, 9)
			io.ReadFull(server, head)
			io.CopyN(io.Discard, server, int64(head[0])<<16|int64(head[1])<<8|int64(head[2]))
		}
		io.Copy(client, server)
	}))
	t.Cleanup(p.Close)
	return p
}

// Fact 48: HTTP/2 in a tunnel is HTTP/2, and the proxy's credentials are not in it.
func TestTunnelToHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" || r.Header.Get("Proxy-Connection") != "" {
			t.Errorf("the server got %v", r.Header)
		}
		io.WriteString(w, r.Proto+" "+r.RequestURI)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	p := newTunnelingProxy(t, "")
	via := mustProxy(t, strings.Replace(p.URL, "http://", "http://u:p@", 1))
	c := New(WithProxy(via), WithTLSConfig(&tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}))
	defer c.Close()
	for range 3 {
		resp, err := c.Do(t.Context(), mustRequest(t, "GET", s.URL+"/a?b", Header("Proxy-Authorization", "own")))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "HTTP/2.0 /a?b" || err != nil || resp.Protocol != HTTP2 {
			t.Errorf("%q, %v, %s", text, err, resp.Protocol)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := "CONNECT " + s.Listener.Addr().String() + " Basic dTpw"; len(p.asked) != 1 || p.asked[0] != want {
		t.Errorf("the proxy was asked %q, want %q once", p.asked, want)
	}
}

// HTTP/2 without TLS needs a tunnel too. There the server may speak first (RFC 9113 section 3.4), so what comes right behind the answer of the
// proxy is its.
func TestTunnelToPriorKnowledge(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto+" "+r.RequestURI) }))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for name, first := range map[string]string{"silent": "", "speaks first": settings} {
		t.Run(name, func(t *testing.T) {
			p := newTunnelingProxy(t, first)
			c := New(WithProxy(mustProxy(t, p.URL)), WithProtocols(HTTP2PriorKnowledge))
			defer c.Close()
			for range 2 {
				resp, err := c.Get(t.Context(), s.URL+"/a")
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != "HTTP/2.0 /a" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.asked) != 1 || p.asked[0] != "CONNECT "+s.Listener.Addr().String()+" " {
				t.Errorf("the proxy was asked %q", p.asked)
			}
		})
	}
}
