// Package hostname decides whether a certificate is for a host (RFC 9525).
package hostname

import (
	"crypto/x509"
	"net/netip"
	"strings"
	"unicode/utf8"
)

// Verify returns nil if a certificate is for a host: a name in ASCII, or an IP address without brackets. An address is compared with the
// IP addresses of the certificate alone, whatever way they are spelled, and a name with its DNS names alone. The common name of the subject
// is never looked at (RFC 9525 section 1.3). Public suffixes are not considered: "*.com" is for "google.com". Otherwise the error is
// an [*Error].
//
// Names are compared as absolute ones, so a dot at the end of either makes no difference, and without regard to the case of ASCII letters.
// "*." as the complete first label stands for one label (RFC 9525 section 6.3).
func Verify(host string, leaf *x509.Certificate) error {
	if leaf == nil || !isASCII(host) {
		return &Error{host, leaf}
	}
	matches := matchesName
	if looksLikeIP(host) {
		matches = matchesIP
	}
	if !matches(host, leaf) {
		return &Error{host, leaf}
	}
	return nil
}

// looksLikeIP reports whether a host can only be meant as an IP address, or as nothing: the last label of a name is not a number.
func looksLikeIP(host string) bool {
	return strings.Contains(host, ":") || strings.Trim(host, "0123456789.") == ""
}

func matchesIP(host string, leaf *x509.Certificate) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" { // a zone means something on one machine only
		return false
	}
	for _, ip := range leaf.IPAddresses {
		if a, ok := netip.AddrFromSlice(ip); ok && a.Unmap() == addr.Unmap() {
			return true
		}
	}
	return false
}

func matchesName(host string, leaf *x509.Certificate) bool {
	name, ok := absolute(host)
	if !ok {
		return false
	}
	for _, san := range leaf.DNSNames {
		if pattern, ok := absolute(san); ok && matchesPattern(name, pattern) {
			return true
		}
	}
	return false
}

// absolute returns a name with the dot at its end and in lower case, if it is ASCII: the Kelvin sign is not a k.
func absolute(name string) (string, bool) {
	if name == "" || name[0] == '.' || strings.HasSuffix(name, "..") {
		return "", false
	}
	if isASCII(name) {
		name = strings.ToLower(name)
	}
	if !strings.HasSuffix(name, ".") {
		name += "."
	}
	return name, true
}

func matchesPattern(name, pattern string) bool {
	if !strings.Contains(pattern, "*") {
		return name == pattern
	}
	suffix, ok := strings.CutPrefix(pattern, "*")
	if !ok || len(suffix) < len(".a.") || suffix[0] != '.' || strings.Contains(suffix, "*") {
		return false
	}
	label, ok := strings.CutSuffix(name, suffix)
	return ok && label != "" && !strings.Contains(label, ".")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
