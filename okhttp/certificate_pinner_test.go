package okhttp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
)

func pinned(t *testing.T, pattern string, pins ...string) *CertificatePinner {
	t.Helper()
	p, err := NewCertificatePinner(pattern, pins...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPinErrors(t *testing.T) {
	for pattern, want := range map[string]string{"": "invalid pattern", "*": "unexpected pattern", "a.*.b": "unexpected pattern", "a b": "invalid pattern"} {
		var e *PinError
		if _, err := NewCertificatePinner(pattern, "sha256/AAAA"); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("pattern %q: %v, want %q", pattern, err, want)
		}
	}
	for text, want := range map[string]string{"md5/AAAA": "pins must start with 'sha256/' or 'sha1/'", "sha256/%%": "invalid pin hash"} {
		if _, err := NewCertificatePinner("a.test", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("pin %q: %v, want %q", text, err, want)
		}
	}
	p, err := pinned(t, "**.test", "sha256/AAAA").With("a.test", "sha256/BBBB", "sha256/AAAA")
	if err != nil || strings.Join(p.Pins("a.test"), " ") != "sha256/AAAA sha256/BBBB" || len(p.Pins("b.test")) != 1 || p.Pins("other") != nil {
		t.Errorf("%v, pins %v and %v", err, p.Pins("a.test"), p.Pins("b.test"))
	}
	var none *CertificatePinner
	if none.Pins("a.test") != nil || none.Check("a.test", new(tls.ConnectionState)) != nil {
		t.Error("a nil pinner pins")
	}
}

// chains is a server whose certificate has two ways to a root: through an intermediate that two roots have signed.
type chains struct {
	rootA, rootB, viaA, viaB, leaf, stranger *signer
	server                                   *tls.Config
	roots                                    *x509.CertPool
}

func newChains() *chains {
	ca := func(n int64, name string) *x509.Certificate {
		c := &x509.Certificate{SerialNumber: big.NewInt(n), IsCA: true, BasicConstraintsValid: true}
		c.Subject.CommonName = name
		return c
	}
	c := &chains{rootA: issue(ca(1, "root A"), nil), rootB: issue(ca(2, "root B"), nil), stranger: issue(ca(9, "stranger"), nil)}
	c.viaA = issue(ca(3, "intermediate"), c.rootA)
	crossed := ca(4, "intermediate")
	crossed.NotBefore, crossed.NotAfter = c.viaA.cert.NotBefore, c.viaA.cert.NotAfter
	c.viaB = cross(crossed, c.viaA, c.rootB)
	c.leaf = issue(&x509.Certificate{SerialNumber: big.NewInt(5), DNSNames: []string{"server.test"}}, c.viaA)
	c.server = &tls.Config{Certificates: []tls.Certificate{c.leaf.chain(c.viaA, c.viaB, c.stranger)}}
	c.roots = x509.NewCertPool()
	c.roots.AddCert(c.rootA.cert)
	c.roots.AddCert(c.rootB.cert)
	return c
}

// Pins are matched against every verified chain, and what the server sends besides counts for nothing.
func TestPinnedChains(t *testing.T) {
	c := newChains()
	trust := &tls.Config{RootCAs: c.roots}
	blind := &tls.Config{InsecureSkipVerify: true}
	for name, row := range map[string]struct {
		client *tls.Config
		pattern,
		pin string
		ok bool
	}{
		"the leaf":                            {trust, "server.test", PinOf(c.leaf.cert), true},
		"the intermediate":                    {trust, "server.test", PinOf(c.viaA.cert), true},
		"one root":                            {trust, "**.test", PinOf(c.rootA.cert), true},
		"the other root":                      {trust, "*.test", PinOf(c.rootB.cert), true},
		"another host's pin":                  {trust, "other.test", PinOf(c.stranger.cert), true},
		"a certificate that was added":        {trust, "server.test", PinOf(c.stranger.cert), false},
		"unverified, the leaf":                {blind, "server.test", PinOf(c.leaf.cert), true},
		"unverified, the intermediate":        {blind, "server.test", PinOf(c.viaA.cert), false},
		"unverified, a certificate of theirs": {blind, "server.test", PinOf(c.stranger.cert), false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serveTLS("server.test", "10.0.0.1", c.server, answer(okText("x")))
				w.serveTLS("server.test", "10.0.0.2", c.server, answer(okText("x")))
				got, err := w.get("https://server.test/")
				if row.ok {
					w.want("200 x")(got, err)
					return
				}
				var e *PinMismatchError
				if !errors.As(err, &e) || e.Host != "server.test" || len(e.Pins) != 1 || e.Chain[0] == nil || !SafeToRetry(err) {
					t.Fatalf("error %v, want a PinMismatchError", err)
				}
				for _, want := range []string{"certificate pinning failure!", "peer certificate chain:", PinOf(c.leaf.cert), "pinned certificates for server.test:", row.pin} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("error %v lacks %s", err, want)
					}
				}
				w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart connectFailed retryDecision false callFailed")
			}, WithTLSConfig(row.client), WithCertificatePinner(pinned(t, row.pattern, row.pin)))
		})
	}
}

// An expired way to a root does not count, the valid one beside it does.
func TestPinnedBesideAnExpiredChain(t *testing.T) {
	c := newChains()
	late := &tls.Config{RootCAs: c.roots, Time: func() time.Time { return c.viaB.cert.NotAfter.Add(-time.Hour) }}
	expired := &x509.Certificate{SerialNumber: big.NewInt(7), IsCA: true, BasicConstraintsValid: true, Subject: c.viaB.cert.Subject,
		NotBefore: c.viaB.cert.NotBefore, NotAfter: c.viaB.cert.NotBefore.Add(time.Hour)}
	old := cross(expired, c.viaA, c.rootB)
	server := &tls.Config{Certificates: []tls.Certificate{c.leaf.chain(old, c.viaA)}}
	for pin, ok := range map[string]bool{PinOf(c.rootA.cert): true, PinOf(c.rootB.cert): false, PinOf(c.viaA.cert): true} {
		inWorld(t, func(t *testing.T, w *world) {
			w.serveTLS("server.test", "10.0.0.1", server, answer(okText("x")))
			if _, err := w.get("https://server.test/"); (err == nil) != ok {
				t.Errorf("error %v, want none: %v", err, ok)
			}
		}, WithTLSConfig(late), WithCertificatePinner(pinned(t, "server.test", pin)))
	}
}

// A pin does not make an untrusted chain good, and pins are checked when a session is resumed.
func TestPinsAndTrust(t *testing.T) {
	c := newChains()
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", c.server, answer(okText("x")))
		_, err := w.get("https://server.test/")
		var untrusted x509.UnknownAuthorityError
		if !errors.As(err, &untrusted) {
			t.Errorf("error %v", err)
		}
	}, WithTLSConfig(&tls.Config{RootCAs: x509.NewCertPool()}), WithCertificatePinner(pinned(t, "server.test", PinOf(c.leaf.cert))))

	shared := &tls.Config{RootCAs: c.roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)} // the user's, so that clients share sessions
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", c.server, answerAndClose(okText("x")), answerAndClose(okText("x")))
		w.want("200 x")(w.get("https://server.test/"))
		_, err := w.get("https://server.test/", WithCertificatePinner(pinned(t, "server.test", PinOf(c.stranger.cert))))
		var e *PinMismatchError
		if !errors.As(err, &e) {
			t.Errorf("error %v of a resumed session, want a PinMismatchError", err)
		}
	}, WithTLSConfig(shared))
}
