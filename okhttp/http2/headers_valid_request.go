package http2

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// ValidRequest checks the fields of a request, as a server or in a push promise: the pseudo-header fields of its kind, each once and before the other
// fields, and nothing that a message of HTTP/2 must not have (RFC 9113 sections 8.1.1, 8.2, 8.3 and 8.5, RFC 8441 section 4). The error is that of
// [ValidResponse]. Whether an extended CONNECT was offered is not known here.
func ValidRequest(nv []string) error {
	var (
		v    validator
		r    RequestHead
		host string
	)
	for i := 0; i+1 < len(nv); i += 2 {
		name, value := nv[i], nv[i+1]
		if isPseudo(name) {
			part, bit := r.part(name)
			if part == nil {
				return malformed("pseudo-header %s in a request", fault.Quote(name))
			}
			if err := v.pseudo(name, value, bit); err != nil {
				return err
			}
			*part = value
			continue
		}
		if err := v.field(name, value); err != nil {
			return err
		}
		if name == "host" {
			if host != "" && host != value {
				return malformed("more than one host")
			}
			host = value
		}
	}
	if err := r.validParts(&v); err != nil {
		return err
	}
	if v.has(pseudoAuthority) && host != "" && !sameAuthority(r.Scheme, host, r.Authority) {
		return malformed("host differs from ':authority'")
	}
	return nil
}

// part returns where the value of a pseudo-header field of requests goes, nil for others.
func (r *RequestHead) part(name string) (*string, uint8) {
	switch name {
	case ":method":
		return &r.Method, pseudoMethod
	case ":scheme":
		return &r.Scheme, pseudoScheme
	case ":authority":
		return &r.Authority, pseudoAuthority
	case ":path":
		return &r.Path, pseudoPath
	case ":protocol":
		return &r.Protocol, pseudoProtocol
	}
	return nil, 0
}

// validParts checks that the pseudo-header fields are those of a request, and what each may be.
func (r *RequestHead) validParts(v *validator) error {
	for _, need := range [...]struct {
		name string
		bit  uint8
	}{{":method", pseudoMethod}, {":scheme", pseudoScheme}, {":path", pseudoPath}} {
		tunnel := r.Method == "CONNECT" && !v.has(pseudoProtocol) && need.bit != pseudoMethod
		switch {
		case tunnel && v.has(need.bit):
			return malformed("CONNECT with '%s'", need.name)
		case !tunnel && !v.has(need.bit):
			return malformed("expected '%s' header not present", need.name)
		}
	}
	if !ascii.IsToken(r.Method) {
		return malformed("method %s: expected a token", fault.Quote(r.Method))
	}
	if i := blankOrControl(r.Authority); i >= 0 {
		return malformed("blank or control character at byte %d of ':authority'", i)
	}
	if r.Method == "CONNECT" && !v.has(pseudoProtocol) {
		if !hasPort(r.Authority) {
			return malformed("CONNECT to %s: expected host and port", fault.Quote(r.Authority))
		}
		return nil
	}
	if v.has(pseudoProtocol) {
		switch {
		case r.Method != "CONNECT":
			return malformed("':protocol' with the method %s", fault.Quote(r.Method))
		case r.Authority == "":
			return malformed("extended CONNECT without an authority")
		case !ascii.IsToken(r.Protocol):
			return malformed("':protocol' %s: expected a token", fault.Quote(r.Protocol))
		}
	}
	if !isScheme(r.Scheme) {
		return malformed("':scheme' %s: expected a scheme", fault.Quote(r.Scheme))
	}
	if i := blankOrControl(r.Path); i >= 0 {
		return malformed("blank or control character at byte %d of ':path'", i)
	}
	if !ascii.EqualFold(r.Scheme, "https") && !ascii.EqualFold(r.Scheme, "http") {
		return nil
	}
	switch {
	case strings.Contains(r.Authority, "@"):
		return malformed("':authority' with user information")
	case r.Path == "*" && r.Method == "OPTIONS", strings.HasPrefix(r.Path, "/"):
		return nil
	case r.Path == "":
		return malformed("empty ':path'")
	}
	return malformed("':path' does not begin with '/'")
}

// isScheme reports whether s is a scheme of RFC 3986 section 3.1.
func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !('0' <= s[i] && s[i] <= '9' || strings.IndexByte("+-.", s[i]) >= 0)) {
			return false
		}
	}
	return s != ""
}

// hasPort reports whether an authority ends in a port, with a host before it.
func hasPort(authority string) bool {
	host, port := splitPort(authority)
	return host != "" && port != ""
}

// splitPort divides an authority before the last colon that digits follow, or nothing.
func splitPort(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.IndexFunc(authority[i+1:], func(r rune) bool { return r < '0' || r > '9' }) >= 0 {
		return authority, ""
	}
	if strings.HasPrefix(authority, "[") && !strings.HasSuffix(authority[:i], "]") { // within an address
		return authority, ""
	}
	return authority[:i], authority[i+1:]
}

// sameAuthority compares without case, and without the port of the scheme (RFC 9113 section 8.3.1, RFC 3986 section 6.2.3).
func sameAuthority(scheme, a, b string) bool {
	hostA, portA := splitPort(a)
	hostB, portB := splitPort(b)
	return strings.EqualFold(hostA, hostB) && schemePort(scheme, portA) == schemePort(scheme, portB)
}

// schemePort drops the port that a scheme has by itself.
func schemePort(scheme, port string) string {
	if ascii.EqualFold(scheme, "https") && port == "443" || ascii.EqualFold(scheme, "http") && port == "80" {
		return ""
	}
	return port
}
