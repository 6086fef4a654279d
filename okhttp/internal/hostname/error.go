package hostname

import (
	"crypto/x509"
	"fmt"
	"net/netip"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okhttp/internal/pin"
)

// Error reports a certificate that is not for the host.
type Error struct {
	Host string
	Leaf *x509.Certificate // of the server; nil if it showed none
}

// What a certificate can put into a message is bounded.
const (
	maxNames = 32
	maxText  = 256 // bytes
)

func (e *Error) Error() string {
	text := "hostname " + fault.Printable(e.Host, maxText) + " not verified: "
	if e.Leaf == nil {
		return text + "no certificates"
	}
	return text + "certificate " + pin.Of(e.Leaf).String() +
		", subject " + fault.Printable(e.Leaf.Subject.String(), maxText) +
		", alternative names [" + alternativeNames(e.Leaf) + "]"
}

// alternativeNames lists IP addresses, then DNS names.
func alternativeNames(c *x509.Certificate) string {
	var names []string
	for _, ip := range c.IPAddresses {
		if a, ok := netip.AddrFromSlice(ip); ok {
			names = append(names, a.Unmap().String())
		}
	}
	names = append(names, c.DNSNames...)
	more := ""
	if n := len(names) - maxNames; n > 0 {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", n)
	}
	for i := range names {
		names[i] = fault.Printable(names[i], maxText)
	}
	return strings.Join(names, ", ") + more
}
