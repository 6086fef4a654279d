package match

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// Method matches requests of one of the methods, which are case-sensitive (RFC 9110 section 9.1).
func Method(methods ...string) mockserver.Matcher {
	want := strings.Join(methods, " or ")
	m := &matcher{text: "method " + want}
	if len(methods) == 0 || slices.Contains(methods, "") {
		m.err = fmt.Errorf("match: Method(%q): expected names of methods", methods)
	}
	methods = slices.Clone(methods)
	m.match = func(r *mockserver.Request) []mockserver.Mismatch {
		if slices.Contains(methods, r.Method) {
			return nil
		}
		return one("method", want, got(r.Method, r.Method != ""), 0.6)
	}
	return m
}

// split returns the path and the query of a request as they were sent, whatever the form of its target (RFC 9112 section 3.2).
func split(r *mockserver.Request) (path, query string, hasQuery bool) {
	target := r.Target
	if !strings.HasPrefix(target, "/") {
		if _, rest, ok := strings.Cut(target, "://"); ok {
			i := strings.IndexAny(rest, "/?")
			if i < 0 {
				return "/", "", false
			}
			if target = rest[i:]; target[0] == '?' {
				target = "/" + target
			}
		}
	}
	return strings.Cut(target, "?")
}

// Path matches requests whose path, without the query, fits the template. {name} stands for one segment or a part of one, and is not empty;
// {name...} at the end stands for all that follows, and may be empty. What was percent-encoded is compared decoded, but %2F separates no segments.
func Path(text string) mockserver.Matcher {
	t, err := parseTemplate(text)
	m := &matcher{text: "path " + text, err: err}
	m.match = func(r *mockserver.Request) []mockserver.Mismatch {
		path, _, _ := split(r)
		if _, ok := t.fit(path); ok {
			return nil
		}
		return one("path", text, got(path, path != ""), 0.4+0.6*distance(text, path))
	}
	m.params = func(r *mockserver.Request) map[string]string {
		path, _, _ := split(r)
		values, _ := t.fit(path)
		return values
	}
	if err != nil {
		m.params = nil
	}
	return m
}

// RawPath matches requests whose path, as it was sent and without the query, is what p describes.
func RawPath(p Pattern) mockserver.Matcher {
	return textMatcher("path", p, func(r *mockserver.Request) (string, bool) {
		path, _, _ := split(r)
		return path, r.Method != ""
	})
}

// Target matches requests whose target, as it was sent, is what p describes: path and query, or an absolute URL at a proxy.
func Target(p Pattern) mockserver.Matcher {
	return textMatcher("target", p, func(r *mockserver.Request) (string, bool) { return r.Target, r.Method != "" })
}

// Host matches requests for a host, the Host header or :authority with the port if it has one.
func Host(p Pattern) mockserver.Matcher {
	return textMatcher("host", p, func(r *mockserver.Request) (string, bool) { return r.Authority, r.Authority != "" })
}

// Proto matches requests of one of the versions: "HTTP/2", "HTTP/1.1", "HTTP/1.0".
func Proto(versions ...string) mockserver.Matcher {
	var patterns []Pattern
	for _, v := range versions {
		patterns = append(patterns, Is(v))
	}
	m := textMatcher("protocol", Either(patterns...), func(r *mockserver.Request) (string, bool) { return r.Proto, r.Proto != "" })
	for _, v := range versions {
		if v != "HTTP/2" && v != "HTTP/1.1" && v != "HTTP/1.0" {
			m.err = fmt.Errorf("match: Proto(%q): expected HTTP/2, HTTP/1.1 or HTTP/1.0", v)
		}
	}
	return m
}

// Connection matches requests on a connection, which are counted from 0 in the order in which they were accepted. It matches the connection itself too,
// for effects at mockserver.RequestStart.
func Connection(index int) mockserver.Matcher {
	return &matcher{text: fmt.Sprintf("connection %d", index), open: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		if r.ConnIndex == index {
			return nil
		}
		return one("connection", strconv.Itoa(index), strconv.Itoa(r.ConnIndex), 0.5)
	}}
}

// Query matches requests with a query parameter that p describes. Reports do not show the values of one that is called like a secret, such as token or password. Names and values are decoded as those of forms are: + is a space.
func Query(name string, p Pattern) mockserver.Matcher {
	return valuesMatcher("query "+name, p, target.Secret(name), func(r *mockserver.Request) []string {
		_, query, _ := split(r)
		return parameters(query, name)
	})
}

// parameters returns the values of a name in text of the form a=b&c=d. What cannot be decoded is taken as it is.
func parameters(text, name string) (values []string) {
	for pair := range strings.SplitSeq(text, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if formDecoded(key) == name && pair != "" {
			values = append(values, formDecoded(value))
		}
	}
	return values
}

// allParameters returns the values of all parameters by their names.
func allParameters(text string) map[string][]string {
	all := map[string][]string{}
	for pair := range strings.SplitSeq(text, "&") {
		if key, value, _ := strings.Cut(pair, "="); pair != "" {
			key = formDecoded(key)
			all[key] = append(all[key], formDecoded(value))
		}
	}
	return all
}

func formDecoded(text string) string {
	if decoded, err := url.QueryUnescape(text); err == nil {
		return decoded
	}
	return text
}

// Header matches requests with a header field that p describes. Names are compared in any case. Reports do not show the values of one that carries secrets, such as
// Authorization or Cookie.
func Header(name string, p Pattern) mockserver.Matcher {
	m := valuesMatcher("header "+name, p, target.SecretHeader(name), func(r *mockserver.Request) []string {
		return slices.Collect(r.Headers.Values(name))
	})
	if name == "" {
		m.err = fmt.Errorf("match: Header: expected a name")
	}
	return m
}

// Cookie matches requests with a cookie that p describes. Reports do not show what came.
func Cookie(name string, p Pattern) mockserver.Matcher {
	return valuesMatcher("cookie "+name, p, true, func(r *mockserver.Request) (values []string) {
		for line := range r.Headers.Values("Cookie") {
			for pair := range strings.SplitSeq(line, ";") {
				if key, value, _ := strings.Cut(strings.Trim(pair, " \t"), "="); key == name {
					values = append(values, value)
				}
			}
		}
		return values
	})
}

// Request is shorthand for a method, a path and query parameters: "POST /users/{id}", "/static/{path...}" for any method, "GET /search?q=tea". Query
// parameters are compared with [Is]; there may be more.
func Request(text string) mockserver.Matcher {
	method, rest, both := strings.Cut(strings.TrimSpace(text), " ")
	if !both {
		method, rest = "", method
	}
	path, query, hasQuery := strings.Cut(strings.TrimSpace(rest), "?")
	var parts []mockserver.Matcher
	if method != "" && method != "*" {
		parts = append(parts, Method(method))
	}
	parts = append(parts, Path(path))
	if hasQuery {
		for pair := range strings.SplitSeq(query, "&") {
			key, value, _ := strings.Cut(pair, "=")
			parts = append(parts, Query(formDecoded(key), Is(formDecoded(value))))
		}
	}
	m := All(parts...).(*matcher)
	m.text = target.Text(strings.TrimSpace(text))
	return m
}

// textMatcher compares one text.
func textMatcher(what string, p Pattern, of func(*mockserver.Request) (string, bool)) *matcher {
	return &matcher{text: what + " " + p.String(), err: p.err, match: func(r *mockserver.Request) []mockserver.Mismatch {
		text, there := of(r)
		if p.Fits(text, there) {
			return nil
		}
		return one(what, p.String(), got(text, there), p.distance(text, there))
	}}
}

// valuesMatcher compares the values of a name, of which one has to fit. What came is not shown if it is hidden, and what was expected not either.
func valuesMatcher(what string, p Pattern, hidden bool, of func(*mockserver.Request) []string) *matcher {
	want := p.shown(hidden)
	return &matcher{text: what + " " + want, err: p.err, match: func(r *mockserver.Request) []mockserver.Mismatch {
		values := of(r)
		closest, least := "", 2.0
		for _, value := range values {
			if p.Fits(value, true) {
				return nil
			}
			if d := p.distance(value, true); d < least {
				closest, least = value, d
			}
		}
		if len(values) == 0 {
			if p.Fits("", false) {
				return nil
			}
			return one(what, want, "missing", 1)
		}
		shown := short(closest)
		if hidden {
			shown = anotherOf(closest)
		}
		if len(values) > 1 {
			shown += fmt.Sprintf(" and %d more", len(values)-1)
		}
		return one(what, want, shown, least)
	}}
}

// anotherOf stands for a value that is not shown.
func anotherOf(value string) string {
	return fmt.Sprintf("another one of %d bytes, hidden", len(value))
}
