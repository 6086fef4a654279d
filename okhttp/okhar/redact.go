package okhar

import (
	"net/url"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

const (
	blocks        = "██"
	encodedBlocks = "%E2%96%88%E2%96%88"
)

var sensitive = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Api-Key", "X-Api-Key", "X-Auth-Token", "X-Csrf-Token", "X-Xsrf-Token",
}

// redactor hides what must not be recorded. It is not modified once it is made.
type redactor struct {
	keep    bool            // hide nothing
	headers map[string]bool // in lower case
	query   map[string]bool
}

func newRedactor(c *Config) redactor {
	r := redactor{keep: c.KeepSecrets, headers: make(map[string]bool), query: make(map[string]bool)}
	for _, list := range [][]string{sensitive, c.RedactHeaders} {
		for _, name := range list {
			r.headers[strings.ToLower(name)] = true
		}
	}
	for _, name := range c.RedactQuery {
		r.query[strings.ToLower(name)] = true
	}
	return r
}

func (r *redactor) header(name, value string) string {
	if r.keep {
		return value
	}
	name = strings.ToLower(name)
	switch {
	case r.headers[name]:
		return blocks
	case name == "location", name == "content-location", name == "referer":
		return r.reference(value)
	case name == ":path":
		if path, query, ok := strings.Cut(value, "?"); ok {
			return path + "?" + r.pairs(query)
		}
	}
	return value
}

func (r *redactor) cookie(value string) string {
	if r.keep {
		return value
	}
	return blocks
}

func (r *redactor) parameter(name, value string) string {
	if r.keep || !r.query[strings.ToLower(name)] {
		return value
	}
	return blocks
}

// url returns a URL without its fragment, which is not sent.
func (r *redactor) url(u okhttp.URL) string {
	s, _, _ := strings.Cut(u.String(), "#")
	if r.keep {
		return s
	}
	return r.reference(s)
}

// reference hides the secrets of a URL or a relative reference, and leaves the rest as it was written.
func (r *redactor) reference(s string) string {
	s, fragment, hasFragment := strings.Cut(s, "#")
	s, query, hasQuery := strings.Cut(s, "?")
	if scheme, rest, ok := strings.Cut(s, "//"); ok && (scheme == "" || strings.HasSuffix(scheme, ":")) {
		end := strings.IndexAny(rest, `/\`)
		if end < 0 {
			end = len(rest)
		}
		s = scheme + "//" + rest[strings.LastIndexByte(rest[:end], '@')+1:]
	}
	if hasQuery {
		s += "?" + r.pairs(query)
	}
	if hasFragment {
		s += "#" + r.pairs(fragment) // some authorization servers put tokens there
	}
	return s
}

// pairs hides values in the format of forms.
func (r *redactor) pairs(text string) string {
	if r.keep || len(r.query) == 0 {
		return text
	}
	list := strings.Split(text, "&")
	for i, p := range list {
		name, _, ok := strings.Cut(p, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if ok && r.query[strings.ToLower(plain)] {
			list[i] = name + "=" + encodedBlocks
		}
	}
	return strings.Join(list, "&")
}
