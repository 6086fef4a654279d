package okhttp

import (
	"crypto/tls"
	"crypto/x509"
)

// Handshake is what a TLS connection agreed on. It is immutable.
type Handshake struct {
	// Version is "TLSv1.3", "TLSv1.2" and so on.
	Version string
	// CipherSuite is the IANA name, such as "TLS_AES_128_GCM_SHA256".
	CipherSuite string
	// PeerCertificates is the chain that the server sent, its own certificate first.
	PeerCertificates []*x509.Certificate
	// LocalCertificates is the chain that this side sent; nil if the server did not ask for one.
	LocalCertificates []*x509.Certificate
}

func newHandshake(cs *tls.ConnectionState, local []*x509.Certificate) *Handshake {
	return &Handshake{
		Version:           tlsVersionName(cs.Version),
		CipherSuite:       tls.CipherSuiteName(cs.CipherSuite),
		PeerCertificates:  cs.PeerCertificates,
		LocalCertificates: local,
	}
}

func tlsVersionName(v uint16) string {
	switch v {
	case tls.VersionTLS13:
		return "TLSv1.3"
	case tls.VersionTLS12:
		return "TLSv1.2"
	case tls.VersionTLS11:
		return "TLSv1.1"
	case tls.VersionTLS10:
		return "TLSv1"
	}
	return tls.VersionName(v)
}
