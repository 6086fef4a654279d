package pin

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// Pattern says which host names pins are for. Patterns are == if they are for the same names.
type Pattern struct {
	stars string // "", "*." or "**."
	host  string // without a dot at its end
}

// ParsePattern reads a host name or IP address, "*." and a name for all names that are exactly one label longer, or "**." and a name for
// that name and all longer ones. The name is brought into the form that URLs have by canonical, which reports whether it could.
func ParsePattern(text string, canonical func(name string) (string, bool)) (Pattern, error) {
	var p Pattern
	rest := text
	for _, stars := range []string{"**.", "*."} {
		if after, ok := strings.CutPrefix(text, stars); ok {
			p.stars, rest = stars, after
			break
		}
	}
	if strings.Contains(rest, "*") {
		return Pattern{}, fmt.Errorf("unexpected pattern: %s: an asterisk is part of \"*.\" or \"**.\" at the beginning", fault.Quote(text))
	}
	var ok bool
	if p.host, ok = canonicalHost(rest, canonical); !ok || p.stars != "" && isIP(p.host) {
		return Pattern{}, fmt.Errorf("invalid pattern: %s: want a host name", fault.Quote(text))
	}
	return p, nil
}

func canonicalHost(text string, canonical func(string) (string, bool)) (string, bool) {
	if strings.Contains(text, ":") {
		if inner, ok := strings.CutPrefix(text, "["); ok {
			if text, ok = strings.CutSuffix(inner, "]"); !ok {
				return "", false
			}
		}
		addr, err := netip.ParseAddr(text)
		return addr.Unmap().String(), err == nil && addr.Zone() == ""
	}
	host, ok := canonical(text)
	host = withoutRoot(host)
	return host, ok && host != "" && host[0] != '.' && !strings.HasSuffix(host, ".")
}

func isIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// withoutRoot drops the dot of an absolute name: it is the same name, so a URL with the dot must not escape the pins.
func withoutRoot(host string) string { return strings.TrimSuffix(host, ".") }

// Matches reports whether the pattern is for a host, which is in the form that URLs have: lower-case ASCII, an IPv6 address
// without brackets.
func (p Pattern) Matches(host string) bool {
	host = withoutRoot(host)
	if p.host == "" {
		return false // the zero Pattern
	}
	if p.stars == "" || p.stars == "**." && host == p.host {
		return host == p.host
	}
	label, ok := strings.CutSuffix(host, "."+p.host)
	return ok && label != "" && (p.stars == "**." || !strings.Contains(label, "."))
}

// String returns the pattern as [ParsePattern] reads it.
func (p Pattern) String() string { return p.stars + p.host }
