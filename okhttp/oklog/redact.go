package oklog

import (
	"net/url"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

const (
	blocks        = "██"
	encodedBlocks = "%E2%96%88%E2%96%88"
)

// redactor hides what must not be printed. It is not modified once it is made.
type redactor struct {
	headers map[string]bool // in lower case
	query   map[string]bool
}

func newRedactor(headers, query []string) redactor {
	r := redactor{headers: map[string]bool{"authorization": true, "cookie": true, "proxy-authorization": true, "set-cookie": true}, query: make(map[string]bool)}
	for _, name := range headers {
		r.headers[strings.ToLower(name)] = true
	}
	for _, name := range query {
		r.query[strings.ToLower(name)] = true
	}
	return r
}

func (r *redactor) header(name, value string) string {
	name = strings.ToLower(name)
	switch {
	case r.headers[name]:
		return blocks
	case name == "location", name == "content-location", name == "referer":
		return r.reference(value)
	}
	return value
}

func (r *redactor) url(u okhttp.URL) string { return r.reference(u.String()) }

// reference hides the secrets of a URL or a relative reference. What is not secret stays as it was sent.
func (r *redactor) reference(s string) string {
	s, fragment, hasFragment := strings.Cut(s, "#")
	s, query, hasQuery := strings.Cut(s, "?")
	if before, rest, ok := strings.Cut(s, "//"); ok && (before == "" || strings.HasSuffix(before, ":")) {
		authority, path := rest, ""
		if i := strings.IndexAny(rest, `/\`); i >= 0 {
			authority, path = rest[:i], rest[i:]
		}
		s = before + "//" + authority[strings.LastIndexByte(authority, '@')+1:] + path
	}
	if hasQuery {
		s += "?" + r.pairs(query)
	}
	if hasFragment {
		s += "#" + r.pairs(fragment) // OAuth sends tokens there
	}
	return s
}

func (r *redactor) pairs(query string) string {
	if len(r.query) == 0 {
		return query
	}
	var b strings.Builder
	for i, pair := range strings.Split(query, "&") {
		if i > 0 {
			b.WriteByte('&')
		}
		name, _, hasValue := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if hasValue && r.query[strings.ToLower(plain)] {
			pair = name + "=" + encodedBlocks
		}
		b.WriteString(pair)
	}
	return b.String()
}
