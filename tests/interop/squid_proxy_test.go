//go:build unix

package interop

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

// behind are servers that the proxies of a test lead to. They answer with what reached them, at /echo over a web socket.
type behind struct {
	clear, secure *httptest.Server
	trust         *tls.Config

	mu    sync.Mutex
	heads []http.Header
}

func newBehind(t *testing.T) *behind {
	t.Helper()
	b := new(behind)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.heads = append(b.heads, r.Header.Clone())
		b.mu.Unlock()
		if r.URL.Path == "/echo" {
			echoHandler(nil)(w, r)
			return
		}
		sum := sha256.New()
		io.Copy(sum, r.Body)
		if n, ok := strings.CutPrefix(r.URL.Path, "/bytes/"); ok {
			size := 0
			fmt.Sscan(n, &size)
			w.Write(make([]byte, size))
			return
		}
		w.Header().Set("X-Via", r.Header.Get("Via"))
		fmt.Fprintf(w, "%s %s %s %x", r.Method, r.RequestURI, r.Host, sum.Sum(nil)[:4])
	})
	b.clear, b.secure = httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(b.clear.Close)
	t.Cleanup(b.secure.Close)
	pool := x509.NewCertPool()
	pool.AddCert(b.secure.Certificate())
	b.trust = &tls.Config{RootCAs: pool}
	return b
}

// wantNoCredentials checks that no server was told what is for the proxy.
func (b *behind) wantNoCredentials(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.heads {
		if h.Get("Proxy-Authorization") != "" {
			t.Errorf("a server got %v", h)
		}
	}
}

// said is the answer to a request.
func said(method, target, server string, body []byte) string {
	sum := sha256.Sum256(body)
	return fmt.Sprintf("%s %s %s %s", method, target, strings.TrimPrefix(strings.TrimPrefix(server, "http://"), "https://"), hex.EncodeToString(sum[:4]))
}

// TestSquid goes through one squid, whose end takes a while.
func TestSquid(t *testing.T) {
	s, b := startSquid(t), newBehind(t)
	for name, test := range map[string]func(*testing.T, *squid, *behind){
		"requests": squidRequests, "authentication": squidAuthentication, "refusals": squidRefusals, "web sockets": squidWebSockets, "command": squidCommand,
	} {
		t.Run(name, func(t *testing.T) { test(t, s, b) })
	}
}

// squidRequests sends requests of all kinds, read by squid and in tunnels, over TLS with it and without.
func squidRequests(t *testing.T, s *squid, b *behind) {
	trust := b.trust.Clone()
	trust.RootCAs.AddCert(s.ca.cert)
	for name, proxy := range map[string]string{"http": "http://" + s.open, "https": "https://" + s.secure} {
		t.Run(name, func(t *testing.T) {
			if name == "https" && s.secure == "" {
				t.Skip("this squid was built without OpenSSL and does not speak TLS with clients")
			}
			for _, server := range []*httptest.Server{b.clear, b.secure} {
				t.Run(server.URL[:5], func(t *testing.T) {
					dialer := new(counting)
					eachClient(t, func(t *testing.T, do fetch) {
						dialer.n.Store(0)
						do(t, "GET", server.URL+"/a/b?c=d%20e", nil).want(t, 200, said("GET", "/a/b?c=d%20e", server.URL, nil))
						do(t, "HEAD", server.URL+"/", nil).want(t, 200, "")
						body := bytes.Repeat([]byte("0123456789"), 100_000)
						do(t, "POST", server.URL+"/", body).want(t, 200, said("POST", "/", server.URL, body))
						do(t, "PUT", server.URL+"/", []byte{}).want(t, 200, said("PUT", "/", server.URL, nil))
						if a := do(t, "GET", server.URL+"/bytes/5000000", nil); a.status != 200 || len(a.body) != 5_000_000 {
							t.Errorf("%d, %d bytes", a.status, len(a.body))
						}
						if n := dialer.n.Load(); n != 1 {
							t.Errorf("%d connections, want one", n)
						}
						if a := do(t, "GET", server.URL+"/", nil); (a.headers.Get("X-Via") != "") != (server == b.clear) {
							t.Errorf("Via: %q", a.headers.Get("X-Via")) // only what squid reads goes through its hands
						}
					}, via(t, proxy), okhttp.WithTLSConfig(trust), okhttp.WithDialer(dialer))
				})
			}
		})
	}
}

// squidAuthentication gives squid credentials in each way, the wrong ones too.
func squidAuthentication(t *testing.T, s *squid, b *behind) {
	const aladdin, sesame = "aladdin", "open sesame"
	for name, tt := range map[string]struct {
		proxy string
		auth  okhttp.Authenticator
		ok    bool
	}{
		"none":              {"http://" + s.guarded, nil, false},
		"in the URL":        {"http://aladdin:open%20sesame@" + s.guarded, nil, true},
		"wrong in the URL":  {"http://aladdin:hunter2@" + s.guarded, nil, false},
		"then in the right": {"http://aladdin:hunter2@" + s.guarded, okauth.Digest(aladdin, sesame), true},
		"Basic":             {"http://" + s.guarded, okauth.Basic(aladdin, sesame), true},
		"wrong Basic":       {"http://" + s.guarded, okauth.Basic(aladdin, "hunter2"), false},
		"Digest":            {"http://" + s.guarded, okauth.Digest(aladdin, sesame), true},
		"wrong Digest":      {"http://" + s.guarded, okauth.Digest(aladdin, "hunter2"), false},
		"the stronger":      {"http://" + s.guarded, okauth.FirstOf(okauth.Digest(aladdin, sesame), okauth.Basic(aladdin, "hunter2")), true},
	} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t, via(t, tt.proxy), okhttp.WithProxyAuthenticator(tt.auth), okhttp.WithTLSConfig(b.trust))
			for range 2 {
				resp, err := client.Get(t.Context(), b.clear.URL+"/a")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if want := map[bool]int{true: 200, false: 407}[tt.ok]; resp.Status != want {
					t.Errorf("status %d, want %d", resp.Status, want)
				}
				resp, err = client.Get(t.Context(), b.secure.URL+"/a")
				switch pe, refused := errors.AsType[*okhttp.ProxyError](err); {
				case tt.ok && err != nil, !tt.ok && !refused:
					t.Errorf("error %v", err)
				case refused && (pe.Status != 407 || strings.Contains(err.Error(), "hunter2")):
					t.Errorf("error %v", err)
				case err == nil:
					resp.Body.Close()
				}
			}
		})
	}
	b.wantNoCredentials(t)
}

// squidRefusals asks for what squid does not allow, and for what is not there.
func squidRefusals(t *testing.T, s *squid, _ *behind) {
	client := newClient(t, via(t, "http://"+s.open))
	unused := freeAddr(t)
	for host, want := range map[string]int{"127.0.0.2:443": 403, unused: 503} {
		_, err := client.Get(t.Context(), "https://"+host)
		if pe, ok := errors.AsType[*okhttp.ProxyError](err); !ok || pe.Status != want {
			t.Errorf("https://%s: %v, want %d", host, err, want)
		}
		resp, err := client.Get(t.Context(), "http://"+host)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Status != want {
			t.Errorf("http://%s: status %d, want %d", host, resp.Status, want)
		}
	}
}

// squidWebSockets opens web sockets. Squid does not forward an Upgrade, so that it is asked for a connection without TLS too (RFC 6455 section 4.1).
func squidWebSockets(t *testing.T, s *squid, b *behind) {
	trust := b.trust.Clone()
	trust.RootCAs.AddCert(s.ca.cert)
	proxies := map[string]string{"open": "http://" + s.open, "guarded": "http://aladdin:open%20sesame@" + s.guarded}
	if s.secure != "" {
		proxies["secure"] = "https://" + s.secure
	}
	servers := []string{"ws" + strings.TrimPrefix(b.clear.URL, "http"), "wss" + strings.TrimPrefix(b.secure.URL, "https")}
	for name, proxy := range proxies {
		for _, server := range servers {
			scheme, _, _ := strings.Cut(server, ":")
			t.Run(name+"/"+scheme, func(t *testing.T) {
				c, err := okws.Dial(t.Context(), newClient(t, via(t, proxy), okhttp.WithTLSConfig(trust)), server+"/echo", nil)
				if err != nil {
					t.Fatal(err)
				}
				defer c.CloseNow()
				wantEchoes(t, c)
			})
		}
	}
	_, err := okws.Dial(t.Context(), newClient(t, via(t, "http://"+s.guarded)), servers[0]+"/echo", nil)
	if pe, ok := errors.AsType[*okhttp.ProxyError](err); !ok || pe.Status != 407 {
		t.Errorf("without credentials: %v", err)
	}
	b.wantNoCredentials(t)
}

// squidCommand does the same by the command.
func squidCommand(t *testing.T, s *squid, b *behind) {
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: b.secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	answer := said("GET", "/a", b.clear.URL, nil)
	curl("-x", s.open, b.clear.URL+"/a").want(t, 0, answer)
	curl("-x", s.guarded, "-U", "aladdin:open sesame", b.clear.URL+"/a").want(t, 0, answer)
	curl("--cacert", ca, "-x", "http://aladdin:open%20sesame@"+s.guarded, b.secure.URL+"/a").want(t, 0, said("GET", "/a", b.secure.URL, nil))
	curl("--cacert", ca, "-x", s.guarded, b.secure.URL+"/a").want(t, 56, "")
	curl("-x", s.open, "--noproxy", "127.0.0.0/8", "-w", "%{http_code}", "-o", os.DevNull, b.clear.URL).want(t, 0, "200")
}
