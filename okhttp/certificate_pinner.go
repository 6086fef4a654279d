package okhttp

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/okhttp-go/ok/okhttp/internal/pin"
)

// CertificatePinner demands certain public keys in the certificates of some hosts, besides a chain that verifies. It is immutable, and safe for
// concurrent use.
//
// A pin is matched against each certificate of the verified chains, the root's among them, and one match is enough. Where the TLS
// configuration skips verification, the server's own certificate alone counts: anybody can add a pinned one to what is sent. Pinning is
// checked for resumed sessions too.
type CertificatePinner struct {
	set  pin.Set
	text string // the identity of the set
}

// PinMismatchError reports a server none of whose certificates is pinned.
type PinMismatchError = pin.MismatchError

// NewCertificatePinner makes a pinner with pins for the hosts of one pattern; [CertificatePinner.With] adds those of others.
//
// A pattern is a host name, or "*." and a name for all names that are one label longer, or "**." and a name for that name and all below it. A pin
// is "sha256/", or "sha1/", and the hash of a certificate's SubjectPublicKeyInfo in Base64; see [PinOf]. Others fail with a [*PinError].
func NewCertificatePinner(pattern string, pins ...string) (*CertificatePinner, error) {
	return new(CertificatePinner).With(pattern, pins...)
}

// With returns a pinner with further pins. The pins of a host are those of all patterns that match it. It fails as [NewCertificatePinner] does.
func (p *CertificatePinner) With(pattern string, pins ...string) (*CertificatePinner, error) {
	where, err := pin.ParsePattern(pattern, canonicalHost)
	if err != nil {
		return nil, &PinError{err}
	}
	set := pin.Set{}
	if p != nil {
		set = p.set
	}
	for _, text := range pins {
		parsed, err := pin.Parse(text)
		if err != nil {
			return nil, &PinError{err}
		}
		set = set.With(where, parsed)
	}
	return &CertificatePinner{set: set, text: set.String()}, nil
}

// PinError reports a pattern or a pin that cannot be read.
type PinError struct{ err error }

func (e *PinError) Error() string { return "okhttp: " + e.err.Error() }

// PinOf returns the pin of a certificate's key by SHA-256.
func PinOf(c *x509.Certificate) string { return pin.Of(c).String() }

// Pins returns the pins for a host, in the order in which they were given; none means that any certificate will do.
func (p *CertificatePinner) Pins(host string) (pins []string) {
	if p == nil {
		return nil
	}
	for _, one := range p.set.For(host) {
		pins = append(pins, one.String())
	}
	return pins
}

// Check returns nil if the state of a TLS connection satisfies the pins for a host, and a [*PinMismatchError] otherwise. The client does so by
// itself.
func (p *CertificatePinner) Check(host string, cs *tls.ConnectionState) error {
	if p == nil {
		return nil
	}
	var leaf *x509.Certificate
	if len(cs.PeerCertificates) > 0 {
		leaf = cs.PeerCertificates[0]
	}
	return pin.Check(host, p.set.For(host), leaf, cs.VerifiedChains)
}

// key returns what tells a pinner from others: two with the same pins are alike.
func (p *CertificatePinner) key() string {
	if p == nil {
		return ""
	}
	return p.text
}
