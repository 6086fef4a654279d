//go:build unix

package interop

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// A site is a server of net/http and a way to it, for a test of code that takes an [http.Client] and that nobody here wrote.
type site struct {
	name      string // "net/http" or "okhttp"
	url       string // without a slash at the end
	transport http.RoundTripper
	log       requestLog
}

// client is a new client over the transport.
func (s *site) client() *http.Client { return &http.Client{Transport: s.transport} }

// dropIn runs a test over the transport of net/http and over this client's, each time against a new server on loopback. A difference shows in what
// the test asserts, and in what the server is sent, which must be the same.
func dropIn(t *testing.T, handler func(*testing.T) http.Handler, test func(*testing.T, *site)) {
	compare(t, func(t *testing.T, s *site) {
		server := httptest.NewServer(s.log.wrap(handler(t)))
		defer server.Close()
		s.url = server.URL
		over(t, s, new(net.Dialer).DialContext, nil, test)
	})
}

// dropInTLS is dropIn with a server under TLS, which is found under every address.
func dropInTLS(t *testing.T, handler func(*testing.T) http.Handler, test func(*testing.T, *site)) {
	compare(t, func(t *testing.T, s *site) {
		server := httptest.NewUnstartedServer(s.log.wrap(handler(t)))
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // which names the handshakes that fail
		server.StartTLS()
		defer server.Close()
		s.url = server.URL
		roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		}
		over(t, s, dial, &tls.Config{RootCAs: roots}, test)
	})
}

// dropInTimed is dropIn in a bubble of testing/synctest, over a network in memory, for what has to do with time.
func dropInTimed(t *testing.T, handler func(*testing.T) http.Handler, test func(*testing.T, *site)) {
	const addr = "10.0.0.1:80"
	compare(t, func(t *testing.T, s *site) {
		synctest.Test(t, func(t *testing.T) {
			var network okio.Network
			l, err := network.Listen(addr)
			if err != nil {
				t.Fatal(err)
			}
			server := &http.Server{Handler: s.log.wrap(handler(t))}
			go server.Serve(l)
			defer func() {
				server.Close()
				time.Sleep(time.Second) // in the bubble: the server gives the end of a connection half of that
			}()
			s.url = "http://10.0.0.1"
			over(t, s, network.DialContext, nil, func(t *testing.T, s *site) {
				test(t, s)
				synctest.Wait() // for what goes on elsewhere, such as the end of a read that was interrupted
			})
		})
	})
}

// dialing is a function as a dialer.
type dialing func(ctx context.Context, network, addr string) (net.Conn, error)

func (d dialing) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return d(ctx, network, addr)
}

// over makes the transport, runs the test and sees that it gave back every connection: nobody's response was left open.
func over(t *testing.T, s *site, dial dialing, trust *tls.Config, test func(*testing.T, *site)) {
	if s.name == "net/http" {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.Proxy, transport.DialContext, transport.TLSClientConfig = nil, dial, trust
		defer transport.CloseIdleConnections()
		s.transport = transport
		test(t, s)
		return
	}
	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{})
	opts := []okhttp.Option{okhttp.WithPool(pool), okhttp.WithDialer(dial)}
	if trust != nil {
		opts = append(opts, okhttp.WithTLSConfig(trust))
	}
	client := okhttp.New(opts...)
	defer client.Close()
	s.transport = client.RoundTripper()
	test(t, s)
	if stats := pool.Stats(); stats.Connections != stats.Idle {
		t.Errorf("%d of %d connections are still in use", stats.Connections-stats.Idle, stats.Connections)
	}
}

// compare runs a test for each transport and compares what was sent.
func compare(t *testing.T, run func(t *testing.T, s *site)) {
	t.Helper()
	var sent [2][]string
	ok := true
	for i, name := range []string{"net/http", "okhttp"} {
		s := &site{name: name}
		ok = t.Run(name, func(t *testing.T) { run(t, s) }) && ok
		sent[i] = s.log.all()
	}
	if !ok {
		return
	}
	theirs, ours := without(sent[0], sent[1]), without(sent[1], sent[0])
	if len(theirs)+len(ours) > 0 {
		t.Errorf("over net/http only:\n%s\nover okhttp only:\n%s", strings.Join(theirs, "\n"), strings.Join(ours, "\n"))
	}
}

// without returns the texts of a that b does not have, or has less often. Both are sorted.
func without(a, b []string) (rest []string) {
	for _, text := range a {
		for len(b) > 0 && b[0] < text {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == text {
			b = b[1:]
		} else {
			rest = append(rest, text)
		}
	}
	return rest
}
