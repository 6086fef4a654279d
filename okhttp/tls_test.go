package okhttp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"sync"
	"time"
)

// authority signs the certificates of the tests' servers.
var authority = sync.OnceValue(func() *signer {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	return issue(template, nil)
})

type signer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue makes a certificate, signed by its own key if there is no parent.
func issue(template *x509.Certificate, parent *signer) *signer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template.NotBefore = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) // synctest bubbles live in the year 2000
	template.NotAfter = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	made := &signer{template, key}
	if parent == nil {
		parent = made
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, &key.PublicKey, parent.key)
	if err != nil {
		panic(err)
	}
	if made.cert, err = x509.ParseCertificate(der); err != nil {
		panic(err)
	}
	return made
}

func (s *signer) chain(rest ...*signer) tls.Certificate {
	c := tls.Certificate{Certificate: [][]byte{s.cert.Raw}, PrivateKey: s.key}
	for _, r := range rest {
		c.Certificate = append(c.Certificate, r.cert.Raw)
	}
	return c
}

// tlsFor returns the configurations of a server for some host names and of a client that trusts it.
func tlsFor(names ...string) (server, client *tls.Config) {
	leaf := issue(&x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: names}, authority())
	roots := x509.NewCertPool()
	roots.AddCert(authority().cert)
	return &tls.Config{Certificates: []tls.Certificate{leaf.chain()}}, &tls.Config{RootCAs: roots}
}

// serveAt handles the connections to an address and port as serve does, under TLS if there is a configuration.
func (w *world) serveAt(addrPort string, config *tls.Config, scripts ...func(*peer)) {
	w.t.Helper()
	l, err := w.network.Listen(addrPort)
	if err != nil {
		w.t.Fatal(err)
	}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	w.serveOn(l, scripts...)
}

// serveTLS is serve for https.
func (w *world) serveTLS(name, addr string, config *tls.Config, scripts ...func(*peer)) {
	w.t.Helper()
	w.resolve(name, addr)
	w.serveAt(net.JoinHostPort(addr, "443"), config, scripts...)
}

func (p *peer) secure() bool {
	_, ok := p.Conn.(*tls.Conn)
	return ok
}
