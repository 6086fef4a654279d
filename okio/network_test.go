package okio

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var networkIdentity = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{"example.test"},
		NotBefore:    time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), // a synctest bubble lives in the year 2000
		NotAfter:     time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA:         true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
})

// tlsConfigs returns a server's and a client's configuration that trust each other.
func tlsConfigs() (server, client *tls.Config) {
	cert, pool := networkIdentity()
	return &tls.Config{Certificates: []tls.Certificate{cert}}, &tls.Config{RootCAs: pool, ServerName: "example.test"}
}

func mustListen(t *testing.T, n *Network, addr string) net.Listener {
	t.Helper()
	l, err := n.Listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestNetworkListen(t *testing.T) {
	tests := []struct {
		name  string
		first string
		addr  string
		want  error // nil: succeeds
	}{
		{"taken", "127.0.0.1:80", "127.0.0.1:80", syscall.EADDRINUSE},
		{"taken, otherwise spelled", "Example.TEST:80", "example.test:80", syscall.EADDRINUSE},
		{"taken, IPv6", "[::1]:80", "[0:0::1]:80", syscall.EADDRINUSE},
		{"every host after one", "127.0.0.1:80", ":80", syscall.EADDRINUSE},
		{"one after every host", "0.0.0.0:80", "127.0.0.1:80", syscall.EADDRINUSE},
		{"other port", "127.0.0.1:80", "127.0.0.1:81", nil},
		{"other host", "127.0.0.1:80", "127.0.0.2:80", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n Network
			first := mustListen(t, &n, tt.first)
			l, err := n.Listen(tt.addr)
			if !errors.Is(err, tt.want) || (l == nil) != (tt.want != nil) {
				t.Errorf("Listen = %v, %v; want error %v", l, err, tt.want)
			}
			if tt.want != nil { // closing makes room
				_ = first.Close()
				mustListen(t, &n, tt.addr)
			}
		})
	}
	for _, addr := range []string{"", "nothing", "host:", "host:http", "host:-1", "host:65536", "::1:80"} {
		_, err := new(Network).Listen(addr)
		if bad := (*net.AddrError)(nil); !errors.As(err, &bad) {
			t.Errorf("Listen(%q): %v, want a *net.AddrError", addr, err)
		}
		_, err = new(Network).DialContext(t.Context(), "tcp", addr)
		if bad := (*net.AddrError)(nil); !errors.As(err, &bad) {
			t.Errorf("DialContext(%q): %v, want a *net.AddrError", addr, err)
		}
	}
}

func TestNetworkPicksPorts(t *testing.T) {
	var n Network
	seen := map[string]bool{}
	for range 100 {
		l := mustListen(t, &n, "127.0.0.1:0")
		if addr := l.Addr().(*net.TCPAddr); addr.Port < firstFreePort || seen[addr.String()] {
			t.Fatalf("port %d", addr.Port)
		}
		seen[l.Addr().String()] = true
	}
	n.nextPort = 65535 // and round it goes
	if port := mustListen(t, &n, ":0").Addr().(*net.TCPAddr).Port; port != 65535 {
		t.Errorf("port %d", port)
	}
	if port := mustListen(t, &n, ":0").Addr().(*net.TCPAddr).Port; port != firstFreePort+100 {
		t.Errorf("port %d", port)
	}
}

func TestNetworkDial(t *testing.T) {
	tests := []struct{ listen, dial, server, client string }{
		{"127.0.0.1:80", "127.0.0.1:80", "127.0.0.1:80", "127.0.0.1:49152"},
		{":80", "[::1]:80", "[::1]:80", "[::1]:49152"},
		{"example.test:443", "EXAMPLE.test:443", "example.test:443", "example.test:49152"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			var n Network
			l := mustListen(t, &n, tt.listen)
			client, err := n.DialContext(t.Context(), "tcp", tt.dial)
			if err != nil {
				t.Fatal(err)
			}
			server, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			for what, addr := range map[string]net.Addr{"client": client.RemoteAddr(), "server": server.LocalAddr()} {
				if addr.String() != tt.server || addr.Network() != "tcp" {
					t.Errorf("%s: server at %v", what, addr)
				}
			}
			for what, addr := range map[string]net.Addr{"client": client.LocalAddr(), "server": server.RemoteAddr()} {
				if addr.String() != tt.client {
					t.Errorf("%s: client at %v", what, addr)
				}
			}
			mustWrite(t, client, "hello")
			wantRead(t, server, "hello")
		})
	}
}

func TestNetworkDialFails(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		network string
		addr    string
		want    error
	}{
		{"nobody listens", t.Context(), "tcp", "127.0.0.1:81", syscall.ECONNREFUSED},
		{"names are not resolved", t.Context(), "tcp", "localhost:80", syscall.ECONNREFUSED},
		{"other network", t.Context(), "udp", "127.0.0.1:80", net.UnknownNetworkError("udp")},
		{"canceled before", canceled, "tcp", "127.0.0.1:80", context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n Network
			mustListen(t, &n, "127.0.0.1:80")
			c, err := n.DialContext(tt.ctx, tt.network, tt.addr)
			if op := (*net.OpError)(nil); c != nil || !errors.Is(err, tt.want) || !errors.As(err, &op) || op.Op != "dial" {
				t.Errorf("DialContext = %v, %v; want %v", c, err, tt.want)
			}
		})
	}
}

func TestNetworkBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		l := mustListen(t, &n, ":80")
		dial := func(ctx context.Context) (net.Conn, error) { return n.DialContext(ctx, "tcp", "10.0.0.1:80") }
		var waiting []net.Conn
		for range networkBacklog {
			c, err := dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			waiting = append(waiting, c)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := dial(ctx)
		if op := (*net.OpError)(nil); !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &op) || !op.Timeout() {
			t.Errorf("dial with a full backlog: %v", err)
		}
		if d := time.Since(start); d != time.Second {
			t.Errorf("after %v", d)
		}

		// Accept makes room for one that waits.
		dialed := make(chan error)
		go func() { _, err := dial(t.Context()); dialed <- err }()
		synctest.Wait()
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
		if err := <-dialed; err != nil {
			t.Error(err)
		}

		// Close refuses those that wait, resets those that were not accepted, and frees Accept.
		go func() { _, err := dial(t.Context()); dialed <- err }()
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		wantErr(t, "waiting dial", <-dialed, syscall.ECONNREFUSED)
		wantReadErr(t, waiting[1], syscall.ECONNRESET)
		_, err = l.Accept()
		wantErr(t, "Accept", err, net.ErrClosed)
		wantErr(t, "second Close", l.Close(), net.ErrClosed)
		_, err = dial(t.Context())
		wantErr(t, "dial", err, syscall.ECONNREFUSED)
	})
}

func TestNetworkCloseFreesAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Network
		l := mustListen(t, &n, ":80")
		time.AfterFunc(time.Second, func() { _ = l.Close() })
		_, err := l.Accept()
		wantErr(t, "Accept", err, net.ErrClosed)
	})
}

// Dialing against closing: each dial ends with a connection that works or is reset, or with a refusal.
func TestNetworkDialAgainstClose(t *testing.T) {
	for range 50 {
		var n Network
		l := mustListen(t, &n, ":80")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					c, err := n.DialContext(context.Background(), "tcp", "h:80")
					if err != nil {
						wantErr(t, "dial", err, syscall.ECONNREFUSED)
						return
					}
					if _, err := c.Read(make([]byte, 1)); err != io.EOF && !errors.Is(err, syscall.ECONNRESET) {
						t.Errorf("read: %v", err)
					}
				}
			})
		}
		wg.Go(func() {
			for range 20 {
				if c, err := l.Accept(); err == nil {
					_ = c.Close()
				}
			}
			_ = l.Close()
		})
		wg.Wait()
	}
}

// A connection that was accepted is not refused, however soon the listener is closed after that.
func TestNetworkAcceptedIsNotRefused(t *testing.T) {
	for range 2000 {
		var n Network
		l := mustListen(t, &n, ":80")
		accepted := make(chan bool)
		go func() {
			c, err := l.Accept()
			l.Close()
			if err == nil {
				_, err = c.Write([]byte("x"))
			}
			accepted <- err == nil
		}()
		c, err := n.DialContext(t.Context(), "tcp", "h:80")
		if err != nil {
			t.Fatalf("a connection that waits for Accept: %v", err)
		}
		if !<-accepted {
			t.Fatal("the connection was reset")
		}
		c.Close()
	}
}

// The standard HTTP server and client, with TLS, keep-alive, an idle time-out and a shutdown, on the bubble's time.
func TestNetworkCarriesHTTP(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("secure=%v", secure), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				serverTLS, clientTLS := tlsConfigs()
				var n Network
				l := mustListen(t, &n, "example.test:8443")
				url := "http://example.test:8443/"
				if secure {
					l = tls.NewListener(l, serverTLS)
					url = "https://example.test:8443/"
				}
				remotes := map[string]int{}
				server := &http.Server{
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						remotes[r.RemoteAddr]++
						time.Sleep(time.Second)
						body, err := io.ReadAll(r.Body) // whole, or the server gives up keep-alive
						if err != nil {
							t.Error(err)
						}
						_, _ = w.Write(body)
					}),
					IdleTimeout: time.Minute,
				}
				served := make(chan error, 1)
				go func() { served <- server.Serve(l) }()

				transport := &http.Transport{DialContext: n.DialContext, TLSClientConfig: clientTLS}
				client := &http.Client{Transport: transport}
				body := bytes.Repeat([]byte("0123456789"), 100_000) // larger than both directions together
				post := func() {
					t.Helper()
					start := time.Now()
					resp, err := client.Post(url, "text/plain", bytes.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					got, err := io.ReadAll(resp.Body)
					_ = resp.Body.Close()
					if err != nil || !bytes.Equal(got, body) {
						t.Fatalf("%d bytes came back of %d: %v", len(got), len(body), err)
					}
					if d := time.Since(start); d != time.Second {
						t.Errorf("took %v, want 1s", d)
					}
				}
				post()
				post()
				if len(remotes) != 1 {
					t.Errorf("connections of two calls: %v", remotes)
				}
				time.Sleep(2 * time.Minute) // the server closes the idle connection
				post()
				if len(remotes) != 2 {
					t.Errorf("connections after the idle time-out: %v", remotes)
				}
				if err := server.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				wantErr(t, "Serve", <-served, http.ErrServerClosed)
				_, err := client.Get(url)
				wantErr(t, "a call afterwards", err, syscall.ECONNREFUSED)
				transport.CloseIdleConnections()
			})
		})
	}
}
