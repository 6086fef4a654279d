package okhttp

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// unixServer listens on a socket in the file system and handles its connections by scripts.
func unixServer(t *testing.T, scripts ...func(*peer)) (path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "ok") // short: a path of a socket has 104 bytes at the most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path = filepath.Join(dir, "a b%.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip("no Unix domain sockets:", err)
	}
	var peers sync.WaitGroup
	peers.Go(func() {
		for _, script := range scripts {
			c, err := l.Accept()
			if err != nil {
				return
			}
			peers.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(10 * time.Second)) // of a test that fails
				script(&peer{t: t, Conn: c, in: bufio.NewReader(c)})
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		peers.Wait()
	})
	return path
}

// neverDNS fails the test if anything is resolved.
func neverDNS(t *testing.T) Option {
	return WithDNS(DNSFunc(func(_ context.Context, host string) ([]netip.Addr, error) {
		t.Errorf("%s is resolved", host)
		return nil, errors.New("not now")
	}))
}

// Requests over a Unix domain socket are the same as over TCP, and the host is that of the URL.
func TestUnixSocket(t *testing.T) {
	for url, host := range map[string]string{
		"http://localhost/containers/json?all=1": "localhost",
		"http://unknown.test:8080/":              "unknown.test:8080",
		"http://[2001:db8::1]/":                  "[2001:db8::1]",
		"https://server.test/":                   "server.test",
		"https://server.test:8443/":              "server.test:8443",
	} {
		t.Run(host, func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			u, err := ParseURL(url)
			if err != nil {
				t.Fatal(err)
			}
			var heads []string
			names := ""
			serve := func(p *peer) {
				heads = append(heads, p.head())
				if c, ok := p.Conn.(*tls.Conn); ok {
					names = c.ConnectionState().ServerName
				}
				p.send(okText("x"))
				p.say(&heads, okText("y"))
				p.untilClosed()
			}
			path := unixServer(t, func(p *peer) {
				if u.isHTTPS() {
					p.under(serverTLS, serve)
				} else {
					serve(p)
				}
			})
			client := New(WithProxy(UnixSocket(path)), neverDNS(t), WithTLSConfig(clientTLS))
			defer client.Close()
			for _, want := range []string{"x", "y"} {
				resp, err := client.Get(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != want || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				conn, _ := resp.Connection()
				r := conn.Route()
				if want := fmt.Sprintf("%s:%d at unix://%s", bracketed(u.Host()), u.Port(), strings.Replace(path, "a b%", "a%20b%25", 1)); r.String() != want {
					t.Errorf("route %s, want %s", r, want)
				}
				if r.Addr().IsValid() || r.RequiresTunnel() || r.Proxy() != UnixSocket(path) {
					t.Errorf("route %+v", r)
				}
			}
			for _, head := range heads {
				if !strings.HasPrefix(head, "GET "+u.requestTarget()+" HTTP/1.1\r\nHost: "+host+"\r\n") {
					t.Errorf("sent %q", head)
				}
			}
			if len(heads) != 2 || u.isHTTPS() && names != "server.test" {
				t.Errorf("%d requests, for %q", len(heads), names)
			}
		})
	}
}

// A socket that is not there, or of nobody, fails like a port that nobody listens on.
func TestUnixSocketFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the errors are others")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "missing"), file, dir, "", strings.Repeat("x", 200)} {
		client := New(WithProxy(UnixSocket(path)), neverDNS(t))
		_, err := client.Get(t.Context(), "http://server.test/")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseConnect || e.Sent {
			t.Errorf("%q: error %v", path, err)
		}
		if missing := strings.HasSuffix(path, "missing"); missing != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: error %v", path, err)
		}
		client.Close()
	}
}

// A server that is gone is noticed, and a new connection made.
func TestUnixSocketStale(t *testing.T) {
	closed := make(chan struct{})
	path := unixServer(t, func(p *peer) {
		p.request()
		p.send(okText("x"))
		p.Close()
		close(closed)
	}, answer(okText("y")))
	client := New(WithProxy(UnixSocket(path)), neverDNS(t))
	defer client.Close()
	for i, want := range []string{"x", "y"} {
		if i == 1 {
			<-closed
		}
		resp, err := client.Post(t.Context(), "http://server.test/", Text("not repeated"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != want || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// A socket may stand among proxies, and an upgrade works over it.
func TestUnixSocketAmongProxies(t *testing.T) {
	path := unixServer(t, switchAnd("hi", echoLines))
	s := selectorOf(t)
	s.proxies = []Proxy{UnixSocket(path + ".missing"), UnixSocket(path)}
	client := New(WithProxySelector(s), neverDNS(t))
	defer client.Close()
	resp, err := client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Upgrade("echo")))
	if err != nil {
		t.Fatal(err)
	}
	greet(t, resp)
	if len(s.told) != 1 || !strings.Contains(s.told[0], "missing") {
		t.Errorf("the selector was told %q", s.told)
	}
}

// The dialer is asked for the path.
func TestUnixSocketDialer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		var asked []string
		dialer := dialerFunc(func(ctx context.Context, network, addr string) (net.Conn, error) {
			asked = append(asked, network+" "+addr)
			return w.network.DialContext(ctx, "tcp", "10.0.0.1:80")
		})
		w.want("200 x")(w.get("http://elsewhere.test/", WithDialer(dialer), WithProxy(UnixSocket("/run/x.sock"))))
		if want := []string{"unix /run/x.sock"}; !slices.Equal(asked, want) {
			t.Errorf("asked for %q, want %q", asked, want)
		}
		w.wantEvents("callStart connectStart connectEnd connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd")
	})
}
