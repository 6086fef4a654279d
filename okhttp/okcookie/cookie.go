package okcookie

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp"
)

// Cookie is a cookie with all that its Set-Cookie line said. It is a comparable value.
type Cookie struct {
	Name  string
	Value string // as it came: quotes are a part of it
	// Domain is the host that the cookie is for, in canonical form. Without HostOnly the cookie is for all hosts below it too.
	Domain   string
	HostOnly bool
	// Path begins with "/". The cookie is for the paths below it.
	Path string
	// Expires is when the cookie ends, in UTC. It is zero for a session cookie, and at or before 1970 for one that only deletes.
	Expires  time.Time
	Secure   bool
	HTTPOnly bool
	// SameSite is the text of that attribute, "" if HasSameSite is false, and perhaps if it is true.
	SameSite    string
	HasSameSite bool
}

// The ends of time. What expires at the one is deleted; nothing lasts longer than the other.
var (
	longExpired = time.Unix(0, 0).UTC()
	latest      = time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
)

// NewCookie checks a cookie that did not come from a server and brings it into its canonical form: the domain as URLs have it, an empty path
// as "/", and the end of its life between 1970 and the year 9999. It fails with a [*RejectError] if a part is missing or cannot be
// written in a header as it is. Whether a jar takes the cookie is another question, see [Jar.Put].
func NewCookie(c Cookie) (Cookie, error) {
	if err := checkPair(c.Name, c.Value); err != nil {
		return Cookie{}, err
	}
	domain, ok := canonicalHost(c.Domain)
	if !c.HostOnly {
		domain, ok = canonicalDomain(strings.TrimPrefix(c.Domain, "."))
	}
	if !ok {
		return Cookie{}, reject(ReasonDomain, c.Name, "unexpected domain: "+quote(c.Domain))
	}
	c.Domain = domain
	if c.Path == "" {
		c.Path = "/"
	}
	if c.Path[0] != '/' {
		return Cookie{}, reject(ReasonSyntax, c.Name, "expected a path that begins with /, got "+quote(c.Path))
	}
	if err := c.checkAttributes(); err != nil {
		return Cookie{}, err
	}
	if c.SameSite != "" {
		c.HasSameSite = true
	}
	c.Expires = clampExpiry(c.Expires)
	return c, nil
}

// clampExpiry brings the end of a life into its bounds and drops the monotonic clock and the location, so that cookies compare. Zero, which
// stands for no end, stays zero.
func clampExpiry(t time.Time) time.Time {
	switch {
	case t.IsZero():
		return time.Time{}
	case t.Before(longExpired):
		return longExpired
	case t.After(latest):
		return latest
	}
	return t.Round(0).UTC()
}

// checkPair checks a name and a value that are to stand in a header as they are.
func checkPair(name, value string) error {
	switch {
	case name == "":
		return reject(ReasonSyntax, "", "expected a name, got none")
	case !printableASCII(name):
		return reject(ReasonCharacter, "", "unexpected character in the name "+quote(name))
	case strings.ContainsAny(name, "=;"):
		return reject(ReasonSyntax, name, "unexpected = or ; in the name")
	case trim(name) != name:
		return reject(ReasonSyntax, name, "name is not trimmed")
	case !printableASCII(value):
		return reject(ReasonCharacter, name, "unexpected character in the value")
	case strings.Contains(value, ";"):
		return reject(ReasonSyntax, name, "unexpected ; in the value")
	case trim(value) != value:
		return reject(ReasonSyntax, name, "value is not trimmed")
	}
	return nil
}

// checkAttributes checks the attributes that are kept as text. A path may have a semicolon: the default path of a URL that has one does.
func (c Cookie) checkAttributes() error {
	switch {
	case hasControl(c.Path) || !utf8.ValidString(c.Path):
		return reject(ReasonCharacter, c.Name, "unexpected character in the path "+quote(c.Path))
	case hasControl(c.SameSite) || !utf8.ValidString(c.SameSite):
		return reject(ReasonCharacter, c.Name, "unexpected character in the SameSite "+quote(c.SameSite))
	case strings.Contains(c.SameSite, ";"):
		return reject(ReasonSyntax, c.Name, "unexpected ; in the SameSite "+quote(c.SameSite))
	case trim(c.SameSite) != c.SameSite:
		return reject(ReasonSyntax, c.Name, "SameSite is not trimmed: "+quote(c.SameSite))
	}
	return nil
}

// IsSession reports whether the cookie has no end of its own and lasts as long as the session.
func (c Cookie) IsSession() bool { return c.Expires.IsZero() }

// IsExpired reports whether the cookie has ended by now.
func (c Cookie) IsExpired(now time.Time) bool { return !c.Expires.IsZero() && !c.Expires.After(now) }

// Matches reports whether the cookie is for requests to u: whether the host, the path and, for a Secure cookie, https agree. It does not look at
// the clock.
func (c Cookie) Matches(u okhttp.URL) bool {
	host := u.Host()
	if host != c.Domain && (c.HostOnly || !domainMatch(host, c.Domain)) {
		return false
	}
	return host != "" && pathMatch(u.EncodedPath(), c.Path) && (!c.Secure || u.Scheme() == "https")
}

// String returns the cookie as a Set-Cookie line, value included. The date has seconds, and a cookie that only deletes has Max-Age 0. A path with a
// semicolon cannot be told in a line and reads back as a shorter one.
func (c Cookie) String() string {
	var b strings.Builder
	b.WriteString(c.Name + "=" + c.Value)
	switch {
	case c.IsSession():
	case !c.Expires.After(longExpired):
		b.WriteString("; max-age=0")
	default:
		b.WriteString("; expires=" + c.Expires.UTC().Format(http.TimeFormat))
	}
	if !c.HostOnly {
		b.WriteString("; domain=" + c.Domain)
	}
	b.WriteString("; path=" + c.Path)
	if c.Secure {
		b.WriteString("; secure")
	}
	if c.HTTPOnly {
		b.WriteString("; httponly")
	}
	if c.HasSameSite {
		b.WriteString("; samesite=" + c.SameSite)
	}
	return b.String()
}

// trim removes spaces and tabs around a part of a line.
func trim(s string) string { return strings.Trim(s, " \t") }

// printableASCII reports whether s has no control characters, tabs among them, and nothing beyond ASCII.
func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// hasControl reports whether s has a control character other than the tab.
func hasControl(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// quote makes any text fit for a message.
func quote(s string) string {
	const most = 64
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
