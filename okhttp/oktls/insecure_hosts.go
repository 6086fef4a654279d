package oktls

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// insecureHost brings a host into the form in which connections name theirs.
func insecureHost(text string) (string, error) {
	host := canonical(text)
	if _, err := netip.ParseAddr(host); err == nil {
		return host, nil
	}
	if !isDNSName(host) || strings.Contains(host, "*") || host[0] == '.' {
		return "", fmt.Errorf("oktls: insecure host %s: want one name in ASCII or an IP address, without port", fault.Quote(text))
	}
	return host, nil
}

func canonical(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

var errNoServerName = errors.New("oktls: the connection names no server, as package tls has it for IP addresses, and only some hosts may be insecure")

// verifyConnection is what package tls would do, but for the insecure hosts.
func (h *HandshakeCertificates) verifyConnection(state tls.ConnectionState) error {
	if err := h.verify(state.ServerName, state.PeerCertificates); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
	}
	return nil
}

func (h *HandshakeCertificates) verify(host string, chain []*x509.Certificate) error {
	switch {
	case len(chain) == 0:
		return errors.New("oktls: the server showed no certificate")
	case host == "":
		return errNoServerName
	case h.insecure[canonical(host)]:
		return chain[0].VerifyHostname(host)
	}
	intermediates := x509.NewCertPool()
	for _, c := range chain[1:] {
		intermediates.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: h.roots, Intermediates: intermediates, DNSName: host})
	return err
}
