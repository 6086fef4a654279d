package pin

import (
	"crypto/x509"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// MismatchError reports a server none of whose certificates is pinned.
type MismatchError struct {
	Host  string
	Chain []*x509.Certificate // the verified chain, the server's own certificate first; that one alone if no chain was verified
	Pins  []string            // of the host
}

// maxText bounds what a certificate can put into a message, in bytes.
const maxText = 256

func (e *MismatchError) Error() string {
	var b strings.Builder
	b.WriteString("certificate pinning failure!\n  peer certificate chain:")
	for _, c := range e.Chain {
		b.WriteString("\n    " + Of(c).String() + ": " + fault.Printable(c.Subject.String(), maxText))
	}
	b.WriteString("\n  pinned certificates for " + fault.Printable(e.Host, maxText) + ":")
	for _, p := range e.Pins {
		b.WriteString("\n    " + p)
	}
	return b.String()
}

// Check returns nil if there are no pins, or if one of them is that of a certificate in any of the verified chains. Without verified
// chains the leaf alone counts: the rest of what a peer sent is proof of nothing, and anybody can add a pinned certificate to it
// (CVE-2016-2402). Otherwise the error is a [*MismatchError].
func Check(host string, pins []Pin, leaf *x509.Certificate, verified [][]*x509.Certificate) error {
	if len(pins) == 0 {
		return nil
	}
	var chain []*x509.Certificate
	if leaf != nil {
		chain = []*x509.Certificate{leaf}
	}
	if len(verified) == 0 {
		verified = [][]*x509.Certificate{chain}
	}
	for _, c := range verified {
		if anyPinned(pins, c) {
			return nil
		}
	}
	e := &MismatchError{Host: host, Chain: verified[0]}
	for _, p := range pins {
		e.Pins = append(e.Pins, p.String())
	}
	return e
}

func anyPinned(pins []Pin, chain []*x509.Certificate) bool {
	for _, c := range chain {
		for _, p := range pins {
			if p.Matches(c) {
				return true
			}
		}
	}
	return false
}
