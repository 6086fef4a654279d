package okhttp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"testing"
)

// verifierFunc is comparable by its pointer.
type verifierFunc struct {
	f func(host string, cs *tls.ConnectionState) error
}

func (v *verifierFunc) Verify(host string, cs *tls.ConnectionState) error { return v.f(host, cs) }

func TestHostnameVerifier(t *testing.T) {
	otherServer, clientTLS := tlsFor("other.test")
	nope := errors.New("not this one")
	var asked, chain int
	verifier := func(err error) Option {
		return WithHostnameVerifier(&verifierFunc{func(host string, cs *tls.ConnectionState) error {
			asked++
			chain = len(cs.VerifiedChains)
			if host != "server.test" || len(cs.PeerCertificates) != 1 {
				t.Errorf("asked about %s, %d certificates", host, len(cs.PeerCertificates))
			}
			return err
		}})
	}
	for name, c := range map[string]struct {
		client *tls.Config
		opt    Option
		check  func(error) bool
		chains int
	}{
		"accepts":           {clientTLS, verifier(nil), func(err error) bool { return err == nil }, 1},
		"refuses":           {clientTLS, verifier(nope), func(err error) bool { return isA[*HostnameError](err) && errors.Is(err, nope) }, 1},
		"trusts everything": {&tls.Config{InsecureSkipVerify: true}, verifier(nil), func(err error) bool { return err == nil }, 0},
		"built in":          {clientTLS, WithHostnameVerifier(nil), isA[*HostnameError], 0},
		// Names are the verifier's, trust is not.
		"untrusted": {&tls.Config{RootCAs: x509.NewCertPool()}, verifier(nil), isA[x509.UnknownAuthorityError], 0},
	} {
		t.Run(name, func(t *testing.T) {
			asked, chain = 0, 0
			inWorld(t, func(t *testing.T, w *world) {
				w.serveTLS("server.test", "10.0.0.1", otherServer, answer(okText("x")))
				_, err := w.get("https://server.test/")
				if !c.check(err) || chain != c.chains {
					t.Errorf("error %v, %d verified chains", err, chain)
				}
			}, WithTLSConfig(c.client), c.opt)
		})
	}
}

func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// Fact 54: another verifier is another address; a derived client with the same one shares.
func TestHostnameVerifierAndSharing(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	accept := func(string, *tls.ConnectionState) error { return nil }
	one, two := WithHostnameVerifier(&verifierFunc{accept}), WithHostnameVerifier(&verifierFunc{accept})
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", serverTLS, answer(okText("a"), okText("b")), answer(okText("c")))
		w.want("200 a")(w.get("https://server.test/", one))
		derived := w.client.With(one)
		defer derived.Close()
		resp, err := derived.Get(t.Context(), "https://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := resp.Body.Text(); text != "b" {
			t.Errorf("%q, want the same connection", text)
		}
		w.want("200 c")(w.get("https://server.test/", two))
	}, WithTLSConfig(clientTLS))
}

// Sessions are resumed by default, and never under other conditions of trust.
func TestSessionResumption(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			serverTLS, clientTLS := tlsFor("server.test")
			serverTLS.MaxVersion = version
			inWorld(t, func(t *testing.T, w *world) {
				var resumed []bool
				once := func(p *peer) {
					if r, _ := p.request(); r != nil {
						resumed = append(resumed, p.Conn.(*tls.Conn).ConnectionState().DidResume)
						p.send(okText("x"))
					}
				}
				w.serveTLS("server.test", "10.0.0.1", serverTLS, once, once, once)
				for range 2 {
					w.want("200 x")(w.get("https://server.test/"))
				}
				_, err := w.get("https://server.test/", WithTLSConfig(&tls.Config{RootCAs: x509.NewCertPool()}))
				if !isA[x509.UnknownAuthorityError](err) {
					t.Errorf("error %v, want that of another trust store", err)
				}
				w.client.Close()
				if len(resumed) != 2 || resumed[0] || !resumed[1] {
					t.Errorf("resumed %v, want the second alone", resumed)
				}
			}, WithTLSConfig(clientTLS))
		})
	}
}
