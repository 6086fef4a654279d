package okhttp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/okhttp-go/ok/okhttp/internal/hostname"
)

// HostnameVerifier decides whether a certificate is one for a host. Implementations are safe for concurrent use.
//
// Calls share connections only if they have the same verifier: the same value where it is comparable, otherwise the same option. A client with
// one of its own does not use a connection to one host for another.
type HostnameVerifier interface {
	// Verify returns an error unless the first of the peer's certificates stands for the host. Trust has been verified before, and the
	// verified chains are set, unless the TLS configuration skips that.
	Verify(host string, cs *tls.ConnectionState) error
}

// HostnameError reports a certificate that is not for the host.
type HostnameError struct {
	Host string
	Leaf *x509.Certificate // that the server sent
	Err  error             // of a verifier of the user's, or of crypto/tls; nil if neither found it
}

func (e *HostnameError) Error() string {
	text := (&hostname.Error{Host: e.Host, Leaf: e.Leaf}).Error()
	var builtin *tls.CertificateVerificationError // which says the same
	if e.Err != nil && !errors.As(e.Err, &builtin) {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *HostnameError) Unwrap() error { return e.Err }

// UnusableSpecsError reports that no connection spec of the client fits its TLS configuration.
type UnusableSpecsError struct{ Specs []ConnectionSpec }

func (e *UnusableSpecsError) Error() string {
	return fmt.Sprintf("no connection spec allows a version and a suite that the TLS configuration has: %v", e.Specs)
}

// CleartextError reports an http URL that the client may not send to.
type CleartextError struct{ Host string }

func (e *CleartextError) Error() string {
	return "cleartext communication is not enabled for " + e.Host
}

// cleartext reports whether requests to a host may go without TLS.
func (c *config) cleartext(host string) error {
	allowed := c.cleartextTo == nil || c.cleartextTo(host)
	for _, s := range c.specs {
		if !s.tls && allowed {
			return nil
		}
	}
	return &CleartextError{Host: host}
}
