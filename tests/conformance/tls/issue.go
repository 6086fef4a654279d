package tls

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"net"
	"sync/atomic"
	"time"
)

// node is a certificate with its key. Package oktls could not make most of these: each has something that it must not have.
type node struct {
	cert *x509.Certificate
	der  []byte
	key  crypto.Signer
}

// edit changes a template.
type edit func(*x509.Certificate)

var serials atomic.Int64

// must is for what cannot fail: the table is made of constants and randomness.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newKey() crypto.Signer { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) }

func newRSA(bits int) crypto.Signer { return must(rsa.GenerateKey(rand.Reader, bits)) }

// issue makes a certificate that its parent signed, or itself without one.
func issue(parent *node, key crypto.Signer, change edit) *node {
	n := 1000 + serials.Add(1)
	t := &x509.Certificate{
		SerialNumber: big.NewInt(n),
		Subject:      pkix.Name{CommonName: fmt.Sprint("node ", n)},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
	if change != nil {
		change(t)
	}
	by, signer := t, key
	if parent != nil {
		by, signer = parent.cert, parent.key
	}
	der := must(x509.CreateCertificate(rand.Reader, t, by, key.Public(), signer))
	cert, err := x509.ParseCertificate(der)
	if err != nil { // malformed on purpose; it is served all the same
		cert = t
		cert.Raw = der
	}
	return &node{cert, der, key}
}

// authority makes one, with a change if there is any.
func authority(parent *node, change edit) *node {
	return issue(parent, newKey(), func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid = true, true
		c.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
		if change != nil {
			change(c)
		}
	})
}

// leaf makes a certificate of a server, for the usual host unless that is changed.
func leaf(parent *node, change edit) *node { return leafOf(parent, newKey(), change) }

func leafOf(parent *node, key crypto.Signer, change edit) *node {
	return issue(parent, key, func(c *x509.Certificate) {
		c.KeyUsage = x509.KeyUsageDigitalSignature
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		c.DNSNames = []string{host}
		if change != nil {
			change(c)
		}
	})
}

func pool(nodes ...*node) *x509.CertPool {
	p := x509.NewCertPool()
	for _, n := range nodes {
		p.AddCert(n.cert)
	}
	return p
}

// serve is the configuration of a server that shows a chain.
func serve(chain ...*node) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{chained(chain...)}, NextProtos: []string{"h2", "http/1.1"}}
}

func chained(chain ...*node) tls.Certificate {
	c := tls.Certificate{PrivateKey: chain[0].key}
	for _, n := range chain {
		c.Certificate = append(c.Certificate, n.der)
	}
	return c
}

// names, addresses, usages and validity are edits of a leaf.
func names(n ...string) edit { return func(c *x509.Certificate) { c.DNSNames = n } }

func addresses(ips ...string) edit {
	return func(c *x509.Certificate) {
		c.DNSNames = nil
		for _, ip := range ips {
			c.IPAddresses = append(c.IPAddresses, net.ParseIP(ip))
		}
	}
}

func commonName(name string) edit {
	return func(c *x509.Certificate) { c.DNSNames, c.Subject.CommonName = nil, name }
}

func usages(u ...x509.ExtKeyUsage) edit { return func(c *x509.Certificate) { c.ExtKeyUsage = u } }

func validity(from, to time.Duration) edit {
	return func(c *x509.Certificate) { c.NotBefore, c.NotAfter = time.Now().Add(from), time.Now().Add(to) }
}

// rawNames makes the subject alternative names of bytes that a proper certificate could not have.
func rawNames(n ...string) edit {
	return func(c *x509.Certificate) {
		var list []asn1.RawValue
		for _, name := range n {
			list = append(list, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte(name)})
		}
		c.DNSNames = nil
		c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: must(asn1.Marshal(list))})
	}
}

// unknownExtension adds one that nobody knows.
func unknownExtension(critical bool) edit {
	return func(c *x509.Certificate) {
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 2, 3, 4, 5}, Critical: critical, Value: []byte{5, 0}}}
	}
}
