package oktls

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"net/netip"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// The tags of a GeneralName (RFC 5280 section 4.2.1.6).
const (
	tagDNSName   = 2
	tagIPAddress = 7
)

// subjectAltNames makes the extension of that name. It is critical, which package x509 makes it only without a subject: a reader that does
// not know it must not fall back on the common name.
func subjectAltNames(names []string) (pkix.Extension, error) {
	list := make([]asn1.RawValue, len(names))
	for i, name := range names {
		general := asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tagDNSName, Bytes: []byte(name)}
		if addr, err := netip.ParseAddr(name); err == nil {
			if addr.Zone() != "" {
				return pkix.Extension{}, fmt.Errorf("oktls: subject alternative name %s: want an IP address without zone", fault.Quote(name))
			}
			general.Tag, general.Bytes = tagIPAddress, addr.Unmap().AsSlice()
		} else if !isDNSName(name) {
			return pkix.Extension{}, fmt.Errorf("oktls: subject alternative name %s: want an IP address or a DNS name in ASCII", fault.Quote(name))
		}
		list[i] = general
	}
	der, err := asn1.Marshal(list)
	if err != nil {
		return pkix.Extension{}, fmt.Errorf("oktls: subject alternative names: %w", err)
	}
	return pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Critical: true, Value: der}, nil
}

// isDNSName is lenient, because tests need odd names too: it refuses what cannot be part of any.
func isDNSName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || c == ':' || c == '/' || c == '@' {
			return false
		}
	}
	return name != ""
}
