package oktls

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
)

// HandshakeCertificatesConfig configures [HandshakeCertificates]. Its zero value shows nothing and trusts nobody.
type HandshakeCertificatesConfig struct {
	// Certificate is what this side shows to the other. nil: nothing, as most clients do.
	Certificate *HeldCertificate
	// Intermediates follow it, as [HeldCertificate.TLSCertificate] has them.
	Intermediates []*x509.Certificate

	// Trusted are the certificates that a chain may end in: those of authorities, or of the other side itself.
	Trusted []*x509.Certificate
	// TrustPlatform adds the authorities that the operating system trusts.
	TrustPlatform bool
	// InsecureHosts are hosts that a client talks to whoever signed their certificates, and whether those are still valid: names in ASCII and
	// IP addresses, each for itself alone and not for the names below. That the certificate is for the host is still checked, which stops
	// mistakes and no attacker. See [HandshakeCertificates.ClientConfig] for what it costs.
	InsecureHosts []string

	// ClientAuth is what a server asks of its clients. The zero value asks for no certificate.
	ClientAuth tls.ClientAuthType
}

// HandshakeCertificates are what one side of TLS connections shows, and what it trusts. They are immutable, and safe for concurrent use.
type HandshakeCertificates struct {
	config   HandshakeCertificatesConfig
	roots    *x509.CertPool
	insecure map[string]bool
}

// NewHandshakeCertificates fails if the configuration has a fault, or if the authorities of the operating system cannot be read.
func NewHandshakeCertificates(c HandshakeCertificatesConfig) (*HandshakeCertificates, error) {
	c.Intermediates, c.Trusted, c.InsecureHosts = slices.Clone(c.Intermediates), slices.Clone(c.Trusted), slices.Clone(c.InsecureHosts)
	switch {
	case c.Certificate == nil && len(c.Intermediates) > 0:
		return nil, errors.New("oktls: Intermediates without a Certificate that they could follow")
	case c.Certificate != nil && c.Certificate.cert == nil:
		return nil, errors.New("oktls: Certificate is empty, want one of NewHeldCertificate or ParsePEM")
	}
	h := &HandshakeCertificates{config: c, roots: x509.NewCertPool(), insecure: map[string]bool{}}
	if c.TrustPlatform {
		platform, err := x509.SystemCertPool()
		if err != nil {
			return nil, fmt.Errorf("oktls: certificates of the platform: %w", err)
		}
		h.roots = platform
	}
	for i, cert := range c.Intermediates {
		if !isParsed(cert) {
			return nil, fmt.Errorf("oktls: Intermediates[%d] is not a parsed certificate", i)
		}
	}
	for i, cert := range c.Trusted {
		if !isParsed(cert) {
			return nil, fmt.Errorf("oktls: Trusted[%d] is not a parsed certificate", i)
		}
		h.roots.AddCert(cert)
	}
	for _, text := range c.InsecureHosts {
		host, err := insecureHost(text)
		if err != nil {
			return nil, err
		}
		h.insecure[host] = true
	}
	return h, nil
}

func isParsed(c *x509.Certificate) bool { return c != nil && len(c.Raw) > 0 }

// Certificate returns what this side shows, nil if that is nothing.
func (h *HandshakeCertificates) Certificate() *HeldCertificate { return h.config.Certificate }

// ClientConfig returns a new configuration of clients. okhttp tells configurations apart by their pointers, so make one and keep it: calls
// share connections only if they have the same one.
//
// With insecure hosts the configuration checks certificates itself, in VerifyConnection. Three things follow. A client that calls that
// function, as package tls does, with a ConnectionState that names no server, which happens for IP addresses, has its connection refused,
// because nobody can tell then whether it is to an insecure host. No connection has verified chains, so that pins are compared with
// the server's own certificate only. And an HTTP/2 connection to one host is not used for another.
func (h *HandshakeCertificates) ClientConfig() *tls.Config {
	t := &tls.Config{RootCAs: h.roots.Clone(), Certificates: h.certificates()}
	if len(h.insecure) > 0 {
		t.InsecureSkipVerify = true // by package tls
		t.VerifyConnection = h.verifyConnection
	}
	return t
}

// ServerConfig returns a new configuration of servers. They ask clients for a certificate as ClientAuth says, and trust the same
// authorities as a client would. NextProtos is for the server to fill.
func (h *HandshakeCertificates) ServerConfig() *tls.Config {
	return &tls.Config{ClientCAs: h.roots.Clone(), ClientAuth: h.config.ClientAuth, Certificates: h.certificates()}
}

func (h *HandshakeCertificates) certificates() []tls.Certificate {
	if h.config.Certificate == nil {
		return nil
	}
	return []tls.Certificate{h.config.Certificate.TLSCertificate(h.config.Intermediates...)}
}
