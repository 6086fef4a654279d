//go:build unix

package interop

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// here resolves every name to the loopback address.
var here = okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
})

// TestNginxTLS chooses among two servers on one port by SNI. One has an underscore in its name, the other wants a certificate of the client.
func TestNginxTLS(t *testing.T) {
	n := startNginx(t, `location / { return 200 clear; }`)
	_, port, err := net.SplitHostPort(n.secure)
	if err != nil {
		t.Fatal(err)
	}
	trust := okhttp.WithTLSConfig(n.authority.trust())
	ab, c := "https://a_b.test:"+port+"/", "https://c.test:"+port+"/"
	eachClient(t, func(t *testing.T, do fetch) {
		first := do(t, "GET", ab, nil)
		first.want(t, 200, "a_b a_b.test a_b.test TLSv1.3\n")
		second := do(t, "GET", ab, nil)
		if first.headers.Get("X-Connection") != second.headers.Get("X-Connection") || second.headers.Get("X-Requests") != "2" {
			t.Errorf("connections %s, then %s: want the same", first.on(), second.on())
		}
		do(t, "GET", c, nil).want(t, 400, "*")                      // nginx: no certificate was sent
		do(t, "GET", "http://"+n.secure+"/", nil).want(t, 400, "*") // nginx: a plain request was sent to a port for TLS
	}, okhttp.WithDNS(here), trust)

	t.Run("client certificate", func(t *testing.T) {
		config := n.authority.trust()
		config.Certificates = []tls.Certificate{n.authority.certificate(t, "friend.test")}
		eachClient(t, func(t *testing.T, do fetch) {
			do(t, "GET", c, nil).want(t, 200, "c c.test c.test CN=friend.test\n")
		}, okhttp.WithDNS(here), okhttp.WithTLSConfig(config))
	})

	t.Run("TLS 1.2", func(t *testing.T) {
		config := n.authority.trust()
		config.MaxVersion = tls.VersionTLS12
		eachClient(t, func(t *testing.T, do fetch) {
			do(t, "GET", ab, nil).want(t, 200, "a_b a_b.test a_b.test TLSv1.2\n")
		}, okhttp.WithDNS(here), okhttp.WithTLSConfig(config))
	})

	t.Run("refused", func(t *testing.T) {
		other := newAuthority(t)
		for _, test := range []struct {
			name, url string
			opt       okhttp.Option
			text      string
		}{
			{"another authority", ab, okhttp.WithTLSConfig(other.trust()), "certificate signed by unknown authority"},
			{"another name", "https://d.test:" + port + "/", trust, "hostname d.test not verified"},
			{"no TLS there", "https://" + n.addr + "/", trust, "first record does not look like a TLS handshake"},
		} {
			client := newClient(t, okhttp.WithDNS(here), test.opt)
			resp, err := client.Get(t.Context(), test.url)
			if err == nil {
				resp.Body.Close()
			}
			e, ok := errors.AsType[*okhttp.Error](err)
			if !ok || e.Phase != okhttp.PhaseTLS || e.Sent || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%s: %v, want a failure of TLS, before anything was sent, with %q", test.name, err, test.text)
			}
		}
	})

	t.Run("okcurl", func(t *testing.T) {
		ca, url := filepath.Join(n.dir, "ca.pem"), "https://"+n.secure+"/"
		curl("--cacert", ca, url).want(t, 0, "a_b 127.0.0.1  TLSv1.3\n") // the first server answers where there is no SNI, as for an address
		curl("-k", url).want(t, 0, "a_b 127.0.0.1  TLSv1.3\n")
		curl(url).want(t, 60, "")
		curl("-k", "https://"+n.addr+"/").want(t, 35, "")
		curl("--cacert", ca, "-H", "Host: a_b.test", url).want(t, 0, "a_b a_b.test  TLSv1.3\n")
	})
}
