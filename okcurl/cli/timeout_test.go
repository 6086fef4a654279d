package cli

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// dialFunc is an okhttp.Dialer.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func (f dialFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}

// TestTimeLimits runs transfers on the time of a bubble, against a network in memory where "silent" servers hang.
func TestTimeLimits(t *testing.T) {
	never := dialFunc(func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	deaf := dialFunc(func(context.Context, string, string) (net.Conn, error) { // whoever is there takes nothing
		near, _ := okio.ConnPair(0)
		return near, nil
	})
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	const server, half = "http://10.0.0.1/", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"
	for _, c := range []struct {
		name     string
		args     string
		dialer   okhttp.Dialer // nil for that of the network
		response string
		took     time.Duration
		err      string
	}{
		{"max time, name", "-m 3 http://name/", nil, "", 3 * time.Second, "time limit (--max-time) reached while resolving the host"},
		{"max time, connecting", "-m 3 " + server, never, "", 3 * time.Second, "time limit (--max-time) reached while connecting"},
		{"max time, TLS", "-m 3 https://10.0.0.1:80/", nil, "", 3 * time.Second, "time limit (--max-time) reached while agreeing on tls"},
		{"max time, head", "-m 0.5 " + server, nil, "", time.Second / 2, "time limit (--max-time) reached while waiting for the response"},
		{"max time, body", "-m 3 " + server, nil, half, 3 * time.Second, "time limit (--max-time) reached while receiving the body"},
		{"connect timeout", "--connect-timeout 7 " + server, never, "", 7 * time.Second, "timed out while connecting: connect timeout after 7s"},
		{"connect timeout by default", server, never, "", 10 * time.Second, "timed out while connecting: connect timeout after 10s"},
		{"no connect timeout", "--connect-timeout 0 -m 3600 " + server, never, "", time.Hour, "time limit (--max-time) reached while connecting"},
		{"read timeout, TLS", "--read-timeout 7 https://10.0.0.1:80/", nil, "", 7 * time.Second, "timed out while agreeing on tls: tls handshake timeout after 7s"},
		{"read timeout, head", "--read-timeout 7 " + server, nil, "", 7 * time.Second, "timed out while waiting for the response: read timeout after 7s"},
		{"read timeout, body", "--read-timeout 7 " + server, nil, half, 7 * time.Second, "timed out while receiving the body: read timeout after 7s"},
		{"read timeout by default", server, nil, "", 10 * time.Second, "timed out while waiting for the response: read timeout after 10s"},
		{"no read timeout", "--read-timeout 0 -m 3600 " + server, nil, "", time.Hour, "time limit (--max-time) reached while waiting for the response"},
		{"read timeout, sending", "--read-timeout 7 -T " + large + " " + server, deaf, "", 7 * time.Second, "timed out while sending the request: write timeout after 7s"},
		{"sending, by default", "-T " + large + " " + server, deaf, "", time.Minute, "timed out while sending the request: write timeout after 1m0s"},
		{"no read timeout, sending", "--read-timeout 0 -m 3600 -T " + large + " " + server, deaf, "", time.Hour, "time limit (--max-time) reached while sending the request"},
		{"after sending, by default", "-d x " + server, nil, "", time.Minute, "timed out while waiting for the response: read timeout after 1m0s"},
		{"a query is not sent", "-G -d x " + server, nil, "", 10 * time.Second, "timed out while waiting for the response: read timeout after 10s"},
		{"a limit for each URL", "-m 3 " + server + " " + server, nil, "", 6 * time.Second, "time limit (--max-time) reached while waiting for the response"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var network okio.Network
				l, err := network.Listen("10.0.0.1:80")
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				go silent(l, c.response)

				o, err := parse(strings.Fields(c.args))
				if err != nil {
					t.Fatal(err)
				}
				var errs bytes.Buffer
				s, err := newSession(o, strings.NewReader(""), io.Discard, &errs)
				if err != nil {
					t.Fatal(err)
				}
				defer s.client.Close()
				dialer := c.dialer
				if dialer == nil {
					dialer = &network
				}
				s.client = s.client.With(okhttp.WithDialer(dialer), okhttp.WithDNS(okhttp.DNSFunc(unanswered)))
				began := time.Now()
				code := s.run(t.Context())
				if took := time.Since(began); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				want := "okcurl: (28) " + c.err + "\n"
				if n := len(o.urls); n > 1 { // then they are named
					want = strings.Repeat("okcurl: (28) "+c.err+" (http://10.0.0.1/)\n", n)
				}
				if code != 28 || errs.String() != want {
					t.Errorf("exit %d, %q, want %q", code, errs.String(), want)
				}
			})
		})
	}
}

// silent answers each connection with the same bytes, however unfit, and then waits for its end.
func silent(l net.Listener, response string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			io.WriteString(c, response)
			io.Copy(io.Discard, c)
		}()
	}
}

// unanswered is a resolver that waits for its context.
func unanswered(ctx context.Context, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
