package okhttp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
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

// sign makes a certificate, signed by its own key if there is no parent.
func sign(template *x509.Certificate, parent *signer) (der []byte, key *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template.NotBefore = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) // synctest bubbles live in the year 2000
	template.NotAfter = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	if parent == nil {
		parent = &signer{template, key}
	}
	if der, err = x509.CreateCertificate(rand.Reader, template, parent.cert, &key.PublicKey, parent.key); err != nil {
		panic(err)
	}
	return der, key
}

// issue is sign for a certificate that can be read.
func issue(template *x509.Certificate, parent *signer) *signer {
	der, key := sign(template, parent)
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return &signer{cert, key}
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
	return &tls.Config{Certificates: []tls.Certificate{leaf.chain()}, NextProtos: []string{"http/1.1"}}, &tls.Config{RootCAs: roots}
}

// cross makes another certificate of a key, signed by another parent.
func cross(template *x509.Certificate, of, parent *signer) *signer {
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, &of.key.PublicKey, parent.key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return &signer{cert, of.key}
}
