package okcookie

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Options are the choices for a [Jar]. The zero value has the defaults.
type Options struct {
	// Now is the clock, by default [time.Now]. It is called by any goroutine that uses the jar.
	Now func() time.Time
	// MaxBytes is the largest sum of the lengths of a name and its value, by default 4096. Larger cookies are refused.
	MaxBytes int
	// MaxPerDomain is how many cookies may share a domain, by default 180. The least recently used go first, those that are not Secure before
	// those that are (RFC 6265bis section 5.7).
	MaxPerDomain int
	// MaxCookies is how many cookies there may be, by default 3000. The least recently used go first.
	MaxCookies int
	// MaxAge limits the life of a cookie from its last Set-Cookie on. By default there is no limit; RFC 6265bis recommends 400 days.
	MaxAge time.Duration
	// SaveSession lets [Jar.Save] write session cookies too, which otherwise end with the jar.
	SaveSession bool
}

// maxPath bounds the default path, which is as long as its URL makes it.
const maxPath = 4096

// Jar keeps cookies. It implements [http.CookieJar] and [okhttp.CookieLineJar] and is safe for concurrent use. Make one with [New].
type Jar struct {
	opt Options

	mu      sync.Mutex
	domains map[string]map[identity]*record
	count   int
	secure  int    // how many of them are Secure
	serial  uint64 // of the newest record
}

// identity is what makes two cookies of a domain one.
type identity struct {
	name, path string
	hostOnly   bool
}

// record is a cookie in a jar.
type record struct {
	Entry
	serial uint64 // in the order of creation, where the clock does not tell
}

func (c Cookie) identity() identity { return identity{c.Name, c.Path, c.HostOnly} }

var _ okhttp.CookieLineJar = (*Jar)(nil)

// New makes an empty jar. The options may be nil; counts that are not positive are the defaults.
func New(opt *Options) *Jar {
	j := &Jar{domains: make(map[string]map[identity]*record)}
	if opt != nil {
		j.opt = *opt
	}
	if j.opt.Now == nil {
		j.opt.Now = time.Now
	}
	setDefault(&j.opt.MaxBytes, 4096)
	setDefault(&j.opt.MaxPerDomain, 180)
	setDefault(&j.opt.MaxCookies, 3000)
	return j
}

func setDefault(limit *int, value int) {
	if *limit <= 0 {
		*limit = value
	}
}

// now is the time by the jar's clock, as it is kept.
func (j *Jar) now() time.Time { return j.opt.Now().Round(0).UTC() }

// SetCookies takes the cookies of a response to a request to u, as [http.CookieJar] has it. A cookie that was parsed from a line and not changed
// since is read from that line. Cookies that are refused are left out; [Jar.SetCookie] tells why.
func (j *Jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	from, err := okhttp.URLFrom(u)
	if err != nil {
		return
	}
	now := j.now()
	for _, c := range cookies {
		if c == nil {
			continue
		}
		if cookie, hasPath, err := fromHTTP(from, c, now); err == nil {
			_ = j.receive(from, cookie, hasPath, now)
		}
	}
}

// SetCookieLines takes the Set-Cookie lines of a response to a request to u, as [okhttp.CookieLineJar] has it. Those that are refused are left out;
// [Jar.SetCookie] tells why.
func (j *Jar) SetCookieLines(u okhttp.URL, lines []string) {
	now := j.now()
	for _, line := range lines {
		if c, hasPath, err := parse(u, line, now); err == nil {
			_ = j.receive(u, c, hasPath, now)
		}
	}
}

// SetCookie takes a Set-Cookie line that came with the response to a request to u and returns the cookie. It fails with a [*RejectError] where
// [ParseSetCookie] does, and under the rules for the store of a browser (RFC 6265bis section 5.7): for a Secure cookie from http, for one from
// http that would hide a Secure one, and for the names __Secure- and __Host- on other cookies than those; and for what is larger than the
// jar allows. A cookie that has expired deletes the one in the jar.
func (j *Jar) SetCookie(u okhttp.URL, line string) (Cookie, error) {
	now := j.now()
	c, hasPath, err := parse(u, line, now)
	if err != nil {
		return Cookie{}, err
	}
	if err := j.receive(u, c, hasPath, now); err != nil {
		return Cookie{}, err
	}
	return c, nil
}

// receive takes a cookie from the network.
func (j *Jar) receive(u okhttp.URL, c Cookie, hasPath bool, now time.Time) error {
	https := u.Scheme() == "https"
	if c.Secure && !https {
		return reject(ReasonInsecure, c.Name, "a Secure cookie needs https, got http")
	}
	if err := j.check(c); err != nil {
		return err
	}
	if hasHostPrefix(c.Name) && !hasPath {
		return reject(ReasonPrefix, c.Name, "a __Host- cookie needs the attribute Path=/, got none")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !https && j.shadows(c, now) {
		return reject(ReasonShadow, c.Name, "there is a Secure cookie of that name, which http must leave alone")
	}
	j.store(c, now)
	return nil
}

// check applies the rules that hold wherever a cookie comes from.
func (j *Jar) check(c Cookie) error {
	switch {
	case len(c.Name)+len(c.Value) > j.opt.MaxBytes:
		return reject(ReasonSize, c.Name, "name and value are larger than the limit")
	case len(c.Path) > maxPath:
		return reject(ReasonSize, c.Name, "path is larger than the limit")
	case len(c.SameSite) > maxAttribute:
		return reject(ReasonSize, c.Name, "SameSite is larger than the limit")
	case !c.HostOnly && isPublicSuffix(c.Domain):
		return reject(ReasonPublicSuffix, c.Name, "domain "+quote(c.Domain)+" is a public suffix")
	case hasPrefix(c.Name, "__Secure-") && !c.Secure:
		return reject(ReasonPrefix, c.Name, "a __Secure- cookie needs the attribute Secure")
	case hasHostPrefix(c.Name) && (!c.Secure || !c.HostOnly || c.Path != "/"):
		return reject(ReasonPrefix, c.Name, "a __Host- cookie needs the attributes Secure and Path=/, and no Domain")
	}
	return nil
}

func hasHostPrefix(name string) bool { return hasPrefix(name, "__Host-") }

// hasPrefix compares without regard to case, as some servers do.
func hasPrefix(name, prefix string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// Cookies returns the cookies for a request to u: those with the longest paths first, and of equally long ones the oldest. Only name and value are
// set, and Quoted if the value has quotes around it.
func (j *Jar) Cookies(u *url.URL) []*http.Cookie {
	to, err := okhttp.URLFrom(u)
	if err != nil {
		return nil
	}
	found := j.matching(to, j.now())
	if len(found) == 0 {
		return nil
	}
	cookies := make([]*http.Cookie, len(found))
	for i, c := range found {
		cookies[i] = toHTTP(c)
	}
	return cookies
}

// matching returns the cookies for a request in their order and notes that they were used.
func (j *Jar) matching(u okhttp.URL, now time.Time) []Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []*record
	for domain := u.Host(); domain != ""; {
		for id, r := range j.domains[domain] {
			switch {
			case r.IsExpired(now):
				j.drop(domain, id)
			case r.Matches(u):
				r.Accessed = now
				found = append(found, r)
			}
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	slices.SortFunc(found, func(a, b *record) int {
		if len(a.Path) != len(b.Path) {
			return len(b.Path) - len(a.Path)
		}
		return a.compareAge(b)
	})
	cookies := make([]Cookie, len(found))
	for i, r := range found {
		cookies[i] = r.Cookie
	}
	return cookies
}
