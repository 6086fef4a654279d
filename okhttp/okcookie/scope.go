package okcookie

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/okhttp-go/ok/okhttp"
)

// canonicalHost returns a host as URLs have it: in lower case, international names encoded, an IPv6 address without brackets.
func canonicalHost(s string) (string, bool) {
	if s == "" || hasControl(s) || strings.ContainsAny(s, "%\t ") {
		return "", false // the builder would decode, or drop, some of them
	}
	u, err := new(okhttp.URLBuilder).Scheme("http").Host(s).Build()
	return u.Host(), err == nil
}

// canonicalDomain is canonicalHost for a Domain attribute, which has to be a name as DNS has them: hosts of URLs may be stranger, and may end in a
// dot.
func canonicalDomain(s string) (string, bool) {
	s, ok := canonicalHost(s)
	if !ok || len(s) > 253 {
		return "", false
	}
	for label := range strings.SplitSeq(s, ".") {
		if len(label) == 0 || len(label) > 63 {
			return "", false
		}
	}
	return s, true
}

// domainMatch reports whether a host is a domain or lies below it (RFC 6265bis section 5.1.3). An address has nothing below it.
func domainMatch(host, domain string) bool {
	if len(host) <= len(domain) {
		return host == domain
	}
	return strings.HasSuffix(host, domain) && host[len(host)-len(domain)-1] == '.' && !isIP(host)
}

func isIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// isPublicSuffix reports whether strangers have names right below the domain. A name without a dot counts as one, whatever it is.
func isPublicSuffix(domain string) bool {
	if isIP(domain) {
		return false
	}
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return suffix == domain
}

// defaultPath is the path of a cookie that names none: that of the request up to its last slash (RFC 6265bis section 5.1.4).
func defaultPath(request string) string {
	if i := strings.LastIndexByte(request, '/'); i > 0 {
		return request[:i]
	}
	return "/"
}

// pathMatch reports whether the path of a request is that of a cookie or lies below it (RFC 6265bis section 5.1.4).
func pathMatch(request, cookie string) bool {
	if !strings.HasPrefix(request, cookie) {
		return false
	}
	return len(request) == len(cookie) || strings.HasSuffix(cookie, "/") || request[len(cookie)] == '/'
}
