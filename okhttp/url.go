package okhttp

import (
	"iter"
	"strconv"
	"strings"
)

// A URL is an absolute http or https URL in the canonical form of the WHATWG URL Standard: lower-case scheme and
// host, default port dropped, dot segments resolved, everything that must be percent-encoded encoded.
//
// A URL is a comparable value: two URLs are == exactly when their canonical texts are equal, so it works as a map key.
// It is immutable and safe for concurrent use. The zero URL is empty and addresses nothing.
type URL struct {
	s string

	// Positions in s. Each follows from s alone (see indexURL), or == would tell equal URLs apart.
	hostStart, hostEnd uint32 // brackets of an IPv6 host included
	pathStart, pathEnd uint32
	queryEnd           uint32 // the query is s[pathEnd+1:queryEnd], absent when pathEnd == queryEnd; the fragment follows
	port               uint16 // the effective port
}

// ParseURL parses an absolute http or https URL the way browsers do (WHATWG URL Standard, section 4.4): surrounding
// spaces and control characters are ignored, tabs and newlines are removed, backslashes count as slashes, missing or
// extra slashes after the scheme are tolerated. Bytes that are not UTF-8 are percent-encoded as they are.
//
// A failure is a [*URLError]. Text that is already canonical is kept without copying or allocating.
func ParseURL(text string) (URL, error) {
	if u, ok := parseCanonical(text); ok {
		return u, nil
	}
	return parseURL(text, URL{})
}

// Resolve parses ref, a relative or absolute reference as found in a link or a Location header, against u.
// The fragment of u is never inherited. A reference with a scheme other than http and https fails with a [*URLError].
// On the zero URL only absolute references resolve.
func (u URL) Resolve(ref string) (URL, error) {
	if v, ok := parseCanonical(ref); ok {
		return v, nil
	}
	return parseURL(ref, u)
}

// String returns the canonical text, with user name and password where the URL has them. Use [URL.Redacted] for logs.
func (u URL) String() string { return u.s }

// Redacted returns scheme, host and non-default port followed by "/...": nothing that could be a secret.
func (u URL) Redacted() string {
	if u.s == "" {
		return ""
	}
	return u.Scheme() + "://" + u.hostPort() + "/..."
}

// Scheme returns "http" or "https", or "" for the zero URL.
func (u URL) Scheme() string {
	switch {
	case u.s == "":
		return ""
	case u.isHTTPS():
		return u.s[:len("https")]
	default:
		return u.s[:len("http")]
	}
}

// Username returns the decoded user name, "" if there is none.
func (u URL) Username() string {
	name, _ := u.encodedUserinfo()
	return percentDecode(name, false)
}

// Password returns the decoded password, "" if there is none.
func (u URL) Password() string {
	_, password := u.encodedUserinfo()
	return percentDecode(password, false)
}

// Host returns the host in ASCII: a name in lower case with international labels in Punycode, a dotted IPv4 address,
// or an IPv6 address without brackets.
func (u URL) Host() string {
	host := u.s[u.hostStart:u.hostEnd]
	if strings.HasPrefix(host, "[") {
		return host[1 : len(host)-1]
	}
	return host
}

// Port returns the explicit port, or else the default of the scheme: 80 for http, 443 for https. It is 0 for the zero
// URL and for a URL that names port 0.
func (u URL) Port() int { return int(u.port) }

// EncodedPath returns the path as it goes on the wire. It begins with "/".
func (u URL) EncodedPath() string { return u.s[u.pathStart:u.pathEnd] }

// PathSegments returns the decoded segments of the path; a URL has at least one, and a path that ends in "/" ends in an
// empty segment. Decoded bytes that are not UTF-8 are replaced by U+FFFD.
func (u URL) PathSegments() []string {
	if u.s == "" {
		return nil
	}
	segments := strings.Split(u.EncodedPath()[1:], "/")
	for i, segment := range segments {
		segments[i] = percentDecode(segment, false)
	}
	return segments
}

// EncodedQuery returns the query as it goes on the wire, without "?". It reports whether the URL has one, because an
// empty query ("/?") is not the same as none.
func (u URL) EncodedQuery() (string, bool) {
	if u.pathEnd == u.queryEnd {
		return "", false
	}
	return u.s[u.pathEnd+1 : u.queryEnd], true
}

// Query returns the decoded value of the first query parameter of that (decoded) name and whether there is one.
// The value is "" when the parameter has none, as "b" in "?a=1&b".
func (u URL) Query(name string) (string, bool) {
	name = replaceInvalid(name)
	for n, v := range u.QueryAll() {
		if n == name {
			return v, true
		}
	}
	return "", false
}

// QueryAll returns the decoded names and values of the query in order. "+" decodes to a space. A parameter without "="
// has the value "". "?" alone is one parameter with an empty name, and a URL without a query has none.
func (u URL) QueryAll() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		query, ok := u.EncodedQuery()
		for ok {
			var pair string
			pair, query, ok = strings.Cut(query, "&")
			name, value, _ := strings.Cut(pair, "=")
			if !yield(percentDecode(name, true), percentDecode(value, true)) {
				return
			}
		}
	}
}

// Fragment returns the decoded fragment, without "#", and whether the URL has one. It is never sent to a server.
func (u URL) Fragment() (string, bool) {
	if int(u.queryEnd) == len(u.s) {
		return "", false
	}
	return percentDecode(u.s[u.queryEnd+1:], false), true
}

// isHTTPS reports whether the scheme is https.
func (u URL) isHTTPS() bool { return len(u.s) > 4 && u.s[4] == 's' }

// hostPort is the authority for a Host or :authority field: IPv6 in brackets, the port only if it is not the default.
func (u URL) hostPort() string { return u.s[u.hostStart:u.pathStart] }

// requestTarget is the origin form of RFC 9112, section 3.2.1: path and query.
func (u URL) requestTarget() string { return u.s[u.pathStart:u.queryEnd] }

// encodedUserinfo returns user name and password as they stand in the text.
func (u URL) encodedUserinfo() (name, password string) {
	start := uint32(len(u.Scheme()) + len("://"))
	if u.hostStart <= start {
		return "", ""
	}
	name, password, _ = strings.Cut(u.s[start:u.hostStart-1], ":")
	return name, password
}

// indexURL finds the parts of a canonical text.
func indexURL(s string) URL {
	u := URL{s: s, port: 80}
	start := len("http://")
	if s[4] == 's' {
		start, u.port = len("https://"), 443
	}
	path := start + strings.IndexByte(s[start:], '/')
	host := start + strings.LastIndexByte(s[start:path], '@') + 1
	end := path
	if i := strings.LastIndexByte(s[host:path], ':'); i >= 0 && s[path-1] != ']' {
		end = host + i
		port, _ := strconv.ParseUint(s[end+1:path], 10, 16)
		u.port = uint16(port)
	}
	fragment := len(s)
	if i := strings.IndexByte(s[path:], '#'); i >= 0 {
		fragment = path + i
	}
	query := fragment
	if i := strings.IndexByte(s[path:fragment], '?'); i >= 0 {
		query = path + i
	}
	u.hostStart, u.hostEnd = uint32(host), uint32(end)
	u.pathStart, u.pathEnd, u.queryEnd = uint32(path), uint32(query), uint32(fragment)
	return u
}
