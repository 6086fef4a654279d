package oktls

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"time"
)

// HeldCertificate is a certificate and its private key. It is immutable, and safe for concurrent use.
type HeldCertificate struct {
	cert *x509.Certificate
	key  *heldKey
}

// heldKey is behind a pointer because package fmt prints the address of one where it stands in a struct, and never what it points to.
type heldKey struct{ signer crypto.Signer }

// Certificate returns the certificate, which must not be modified.
func (h *HeldCertificate) Certificate() *x509.Certificate { return h.cert }

// PrivateKey returns the private key.
func (h *HeldCertificate) PrivateKey() crypto.Signer { return h.key.signer }

// TLSCertificate returns the certificate and its key as package tls takes them, followed by the certificates that lead from it to one
// that the peer trusts: first the one that signed this, then the one that signed that. The last, which the peer has itself, can be left
// out.
func (h *HeldCertificate) TLSCertificate(intermediates ...*x509.Certificate) tls.Certificate {
	c := tls.Certificate{Certificate: [][]byte{h.cert.Raw}, PrivateKey: h.key.signer, Leaf: h.cert}
	for _, i := range intermediates {
		c.Certificate = append(c.Certificate, i.Raw)
	}
	return c
}

// String returns the subject and the end of the validity. The key is not in it.
func (h HeldCertificate) String() string {
	if h.cert == nil {
		return "HeldCertificate()"
	}
	return "HeldCertificate(" + h.cert.Subject.String() + ", until " + h.cert.NotAfter.UTC().Format(time.RFC3339) + ")"
}

// GoString is String, so that no verb shows more.
func (h HeldCertificate) GoString() string { return h.String() }
