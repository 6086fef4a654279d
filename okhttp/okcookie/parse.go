package okcookie

import (
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// maxAttribute is the length above which an attribute is not looked at (RFC 6265bis section 5.6).
const maxAttribute = 1024

// ParseSetCookie reads a Set-Cookie line that came with the response to a request to u (RFC 6265bis section 5.6). Max-Age counts from now.
// What an attribute says is ignored where it makes no sense. The line is refused with a [*RejectError] if it has no name or no "=", if it has
// control characters, or others than ASCII in the name or the value, and if its domain is not one of the host's or a public suffix. A jar has
// further conditions, see [Jar.SetCookie].
func ParseSetCookie(u okhttp.URL, line string) (Cookie, error) {
	c, _, err := parse(u, line, time.Now())
	return c, err
}

// attributes is what a Set-Cookie line said.
type attributes struct {
	name, value string
	domain      string // canonical; "" if there is none that makes sense
	path        string
	hasPath     bool
	expires     time.Time
	maxAge      int64
	hasMaxAge   bool
	secure      bool
	httpOnly    bool
	sameSite    string
	hasSameSite bool
}

// parse reads a line and reports whether a path was named.
func parse(u okhttp.URL, line string, now time.Time) (c Cookie, hasPath bool, err error) {
	pair, rest, _ := strings.Cut(line, ";")
	name, value, ok := strings.Cut(pair, "=")
	a := attributes{name: trim(name), value: trim(value)}
	switch {
	case !ok:
		return Cookie{}, false, reject(ReasonSyntax, "", "expected name=value, got no =")
	case hasControl(line):
		return Cookie{}, false, reject(ReasonCharacter, "", "unexpected control character in the line")
	}
	for more := rest != ""; more; {
		var attribute string
		attribute, rest, more = strings.Cut(rest, ";")
		name, value, _ := strings.Cut(attribute, "=")
		if value = trim(value); len(value) <= maxAttribute {
			a.set(trim(name), value)
		}
	}
	c, err = a.cookie(u, now)
	return c, a.hasPath, err
}

// set takes an attribute; a later one replaces an earlier one if it makes sense.
func (a *attributes) set(name, value string) {
	switch strings.ToLower(name) {
	case "expires":
		if t, ok := parseDate(value); ok {
			a.expires = t
		}
	case "max-age":
		if seconds, ok := parseMaxAge(value); ok {
			a.maxAge, a.hasMaxAge = seconds, true
		}
	case "domain":
		if domain, ok := canonicalDomain(strings.TrimPrefix(value, ".")); ok {
			a.domain = domain
		}
	case "path":
		a.path, a.hasPath = value, strings.HasPrefix(value, "/")
	case "secure":
		a.secure = true
	case "httponly":
		a.httpOnly = true
	case "samesite":
		a.sameSite, a.hasSameSite = value, true
	}
}

// cookie makes a cookie that u set of the attributes.
func (a *attributes) cookie(u okhttp.URL, now time.Time) (Cookie, error) {
	if err := checkPair(a.name, a.value); err != nil {
		return Cookie{}, err
	}
	host := u.Host()
	if host == "" {
		return Cookie{}, reject(ReasonURL, a.name, "expected the URL of a request, got an empty one")
	}
	c := Cookie{Name: a.name, Value: a.value, Domain: host, HostOnly: true, Secure: a.secure, HTTPOnly: a.httpOnly,
		SameSite: a.sameSite, HasSameSite: a.hasSameSite}
	switch {
	case a.domain == "":
	case !domainMatch(host, a.domain):
		return Cookie{}, reject(ReasonDomain, a.name, "expected a domain of "+quote(host)+", got "+quote(a.domain))
	case !isPublicSuffix(a.domain):
		c.Domain, c.HostOnly = a.domain, false
	case a.domain != host: // a host that is a public suffix keeps its cookies to itself
		return Cookie{}, reject(ReasonPublicSuffix, a.name, "domain "+quote(a.domain)+" is a public suffix")
	}
	switch {
	case a.hasMaxAge:
		c.Expires = after(now, a.maxAge)
	case !a.expires.IsZero():
		c.Expires = a.expires
	}
	if c.Path = a.path; !a.hasPath {
		c.Path = defaultPath(u.EncodedPath())
	}
	if err := c.checkAttributes(); err != nil {
		return Cookie{}, err
	}
	return c, nil
}
