package okhttp

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"
)

// maxURLInput bounds the text that is parsed, in bytes, so that positions in the canonical text (at most three times
// as long, plus what is inherited from a base) fit 32 bits.
const maxURLInput = 1 << 29

// parseCanonical accepts text that is its own canonical form, in one pass and without allocating. It recognises the
// common shapes only (no user info, no IPv6); what it turns down may still be valid.
func parseCanonical(s string) (URL, bool) {
	u := URL{s: s, port: 80}
	i := len("http://")
	switch {
	case len(s) > maxURLInput:
		return URL{}, false
	case strings.HasPrefix(s, "http://"):
	case strings.HasPrefix(s, "https://"):
		i, u.port = len("https://"), 443
	default:
		return URL{}, false
	}

	start := i
	for i < len(s) && urlClass[s[i]]&plainHost != 0 {
		i++
	}
	host := s[start:i]
	if host == "" {
		return URL{}, false
	}
	if endsInNumber(host) {
		if addr, err := netip.ParseAddr(host); err != nil || !addr.Is4() {
			return URL{}, false
		}
	}
	u.hostStart, u.hostEnd = uint32(start), uint32(i)

	if i < len(s) && s[i] == ':' {
		i++
		first, port := i, 0
		for i < len(s) && '0' <= s[i] && s[i] <= '9' && port <= 65535 {
			port = port*10 + int(s[i]-'0')
			i++
		}
		if i == first || port > 65535 || port == int(u.port) || s[first] == '0' && i > first+1 {
			return URL{}, false
		}
		u.port = uint16(port)
	}

	if i == len(s) || s[i] != '/' {
		return URL{}, false
	}
	u.pathStart = uint32(i)
	i++
	segment := i
	for ; i < len(s); i++ {
		c := s[i]
		if c == '/' {
			if dotSegment(s[segment:i]) != 0 {
				return URL{}, false
			}
			segment = i + 1
		} else if urlClass[c]&encodePath != 0 {
			break
		}
	}
	if dotSegment(s[segment:i]) != 0 {
		return URL{}, false
	}
	u.pathEnd = uint32(i)
	if i < len(s) && s[i] == '?' {
		i++
		for i < len(s) && urlClass[s[i]]&encodeQuery == 0 {
			i++
		}
	}
	u.queryEnd = uint32(i)
	if i < len(s) && s[i] == '#' {
		i++
		for i < len(s) && urlClass[s[i]]&encodeFragment == 0 {
			i++
		}
	}
	if i < len(s) {
		return URL{}, false
	}
	return u, true
}

// parseURL is the whole parser: the basic URL parser of the WHATWG URL Standard (section 4.4) for the schemes http and
// https, written as one step a component instead of one state a character. The zero URL stands for no base.
func parseURL(input string, base URL) (URL, error) {
	if len(input) > maxURLInput {
		return URL{}, &URLError{Part: "length", Detail: "text of " + strconv.Itoa(len(input)) + " bytes is too long"}
	}
	fail := func(part, detail string) (URL, error) {
		return URL{}, &URLError{Input: redactInput(input), Part: part, Detail: detail}
	}
	s := removeNewlines(strings.TrimFunc(input, func(r rune) bool { return r <= ' ' }))

	scheme, rest, ok := cutScheme(s)
	switch {
	case ok && scheme != "http" && scheme != "https":
		return fail("scheme", "expected URL scheme 'http' or 'https' but was '"+abridge(scheme, 40)+"'")
	case !ok && base.s == "":
		return fail("scheme", "expected URL scheme 'http' or 'https' but no scheme was found for "+abridge(redactInput(s), 6))
	case !ok:
		scheme = base.Scheme()
	}

	fragment, hasFragment := "", false
	rest, fragment, hasFragment = strings.Cut(rest, "#")
	query, hasQuery := "", false
	rest, query, hasQuery = strings.Cut(rest, "?")
	slashes := 0
	for slashes < len(rest) && isSlash(rest[slashes]) {
		slashes++
	}

	buf := make([]byte, 0, len(s)+len(s)/4+len(base.s)+16)
	var pathStart int
	if slashes >= 2 || scheme != base.Scheme() {
		rest = rest[slashes:]
		end := indexSlash(rest)
		buf = append(append(buf, scheme...), "://"...)
		var problem *URLError
		if buf, problem = appendAuthority(buf, rest[:end], scheme); problem != nil {
			if strings.Count(s, "@") > strings.Count(rest[:end], "@") {
				// As in "http://user:pa/ss@host": what looks like a host and a port is user info.
				problem.Detail = "invalid URL " + problem.Part + ": \"██\""
			}
			problem.Input = redactInput(input)
			return URL{}, problem
		}
		pathStart = len(buf)
		rest = rest[end:]
		if rest != "" {
			rest = rest[1:]
		}
		buf = appendPath(buf, pathStart, rest)
	} else {
		pathStart = int(base.pathStart)
		switch {
		case slashes == 1:
			buf = append(buf, base.s[:pathStart]...)
			buf = appendPath(buf, pathStart, rest[1:])
		case rest != "":
			// The last segment of the base gives way to the reference.
			buf = append(buf, base.s[:pathStart+strings.LastIndexByte(base.EncodedPath(), '/')]...)
			buf = appendPath(buf, pathStart, rest)
		case hasQuery:
			buf = append(buf, base.s[:base.pathEnd]...)
		default:
			buf = append(buf, base.s[:base.queryEnd]...)
		}
	}
	if hasQuery {
		buf = appendEncoded(append(buf, '?'), query, encodeQuery)
	}
	if hasFragment {
		buf = appendEncoded(append(buf, '#'), fragment, encodeFragment)
	}
	return newURL(buf)
}

// newURL indexes a canonical text.
func newURL(canonical []byte) (URL, error) {
	if uint64(len(canonical)) > 1<<32-1 {
		return URL{}, &URLError{Part: "length", Detail: "canonical text of " + strconv.Itoa(len(canonical)) + " bytes is too long"}
	}
	return indexURL(string(canonical)), nil
}

// appendAuthority appends user info, host and port in canonical form.
func appendAuthority(buf []byte, authority, scheme string) ([]byte, *URLError) {
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		name, password, _ := strings.Cut(authority[:at], ":")
		buf = appendEncoded(buf, name, encodeUserinfo)
		if password != "" {
			buf = appendEncoded(append(buf, ':'), password, encodeUserinfo)
		}
		if name != "" || password != "" {
			buf = append(buf, '@')
		}
		authority = authority[at+1:]
	}
	host, port := cutPort(authority)
	canonical, ok := canonicalHost(host)
	if !ok {
		return nil, &URLError{Part: "host", Detail: "invalid URL host: " + strconv.Quote(abridge(host, 80))}
	}
	buf = append(buf, canonical...)
	if port == "" {
		return buf, nil
	}
	n, ok := parsePort(port)
	if !ok {
		return nil, &URLError{Part: "port", Detail: "invalid URL port: " + strconv.Quote(abridge(port, 40))}
	}
	if n != defaultPort(scheme) {
		buf = strconv.AppendInt(append(buf, ':'), int64(n), 10)
	}
	return buf, nil
}

// cutPort splits at the first colon outside brackets.
func cutPort(authority string) (host, port string) {
	inside := false
	for i := range len(authority) {
		switch authority[i] {
		case '[':
			inside = true
		case ']':
			inside = false
		case ':':
			if !inside {
				return authority[:i], authority[i+1:]
			}
		}
	}
	return authority, ""
}

// parsePort accepts digits only; leading zeros do not count.
func parsePort(text string) (int, bool) {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		if n = n*10 + int(text[i]-'0'); n > 65535 {
			return 0, false
		}
	}
	return n, text != ""
}

// defaultPort returns the port that a scheme implies.
func defaultPort(scheme string) int {
	if scheme == "https" {
		return 443
	}
	return 80
}

// appendPath appends the segments of path, the text after a slash, resolving dot segments against what is already in
// buf from pathStart on. It leaves at least "/".
func appendPath(buf []byte, pathStart int, path string) []byte {
	for {
		end := indexSlash(path)
		segment, last := path[:end], end == len(path)
		switch dotSegment(segment) {
		case 2:
			if i := bytes.LastIndexByte(buf[pathStart:], '/'); i >= 0 {
				buf = buf[:pathStart+i]
			}
			if last {
				buf = append(buf, '/')
			}
		case 1:
			if last {
				buf = append(buf, '/')
			}
		default:
			buf = appendEncoded(append(buf, '/'), segment, encodePath)
		}
		if last {
			return buf
		}
		path = path[end+1:]
	}
}

// dotSegment returns 1 for ".", 2 for ".." and 0 for any other segment; a dot may be spelled "%2e".
func dotSegment(segment string) int {
	if len(segment) > len("%2e%2e") {
		return 0
	}
	dots := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[:2] == "%2" && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
		dots++
	}
	if dots > 2 {
		return 0
	}
	return dots
}

// cutScheme splits off a scheme, in lower case, if the text begins with one.
func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(s[:i]), s[i+1:], true
		default:
			return "", s, false
		}
	}
	return "", s, false
}

// removeNewlines drops every TAB, LF and CR.
func removeNewlines(s string) string {
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	buf := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c != '\t' && c != '\n' && c != '\r' {
			buf = append(buf, c)
		}
	}
	return string(buf)
}

// isSlash reports whether c separates segments: http and https take "\" for "/".
func isSlash(c byte) bool { return c == '/' || c == '\\' }

// indexSlash returns the index of the first separator, or len(s).
func indexSlash(s string) int {
	for i := range len(s) {
		if isSlash(s[i]) {
			return i
		}
	}
	return len(s)
}
