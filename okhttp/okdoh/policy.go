package okdoh

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// specialUse are domains whose names mean something to the local network, or to another system than DNS, and nothing to a resolver on the
// internet: RFC 6761, 6762, 7686 and 8375, and "internal", which ICANN keeps free for networks.
var specialUse = []string{"local", "localhost", "internal", "home.arpa", "onion"}

// allowed reports by an error that the configuration keeps a host from being asked for.
func (r *Resolver) allowed(host string) error {
	if r.private && r.public {
		return nil
	}
	switch private := isPrivate(host); {
	case private && !r.private:
		return ErrPrivateHost
	case !private && !r.public:
		return ErrPublicHost
	}
	return nil
}

// isPrivate reports whether a name is none that somebody can have registered.
func isPrivate(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	for _, domain := range specialUse {
		if rest, ok := strings.CutSuffix(host, domain); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	_, err := publicsuffix.EffectiveTLDPlusOne(host)
	return err != nil
}
