package okhttp

import (
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// A URLBuilder assembles a [URL] or changes one (see [URL.Edit]). Its methods return the builder, so calls chain; the
// first error sticks and is what [URLBuilder.Build] returns. The zero value is an empty builder; scheme and host must
// be set. A builder is not safe for concurrent use.
//
// Methods take plain text and encode all that would be read as structure, "%" included. Those whose name begins with
// Encoded take text that may already be percent-encoded: they leave "%" alone and drop tabs and newlines.
type URLBuilder struct {
	scheme, host   string
	name, password string // encoded
	port           int
	hasPort        bool
	segments       []string // encoded; none is the same as one that is empty
	query          []byte   // encoded
	hasQuery       bool
	fragment       string // encoded
	hasFragment    bool
	err            error
}

// Edit returns a builder that holds the parts of u. A default port stays the default when the scheme changes; an
// explicit one is kept.
func (u URL) Edit() *URLBuilder {
	b := &URLBuilder{}
	if u.s == "" {
		return b
	}
	b.scheme, b.host = u.Scheme(), u.s[u.hostStart:u.hostEnd]
	b.name, b.password = u.encodedUserinfo()
	b.port, b.hasPort = u.Port(), u.hostEnd != u.pathStart
	b.segments = strings.Split(u.EncodedPath()[1:], "/")
	query, hasQuery := u.EncodedQuery()
	b.query, b.hasQuery = []byte(query), hasQuery
	if int(u.queryEnd) < len(u.s) {
		b.fragment, b.hasFragment = u.s[u.queryEnd+1:], true
	}
	return b
}

// Build returns the URL, or a [*URLError] for the first thing that went wrong. The builder can be used further.
func (b *URLBuilder) Build() (URL, error) {
	switch {
	case b.err != nil:
		return URL{}, b.err
	case b.scheme == "":
		return URL{}, &URLError{Part: "scheme", Detail: "expected a URL scheme but none was set"}
	case b.host == "":
		return URL{}, &URLError{Part: "host", Detail: "expected a URL host but none was set"}
	}
	return newURL(b.appendText(nil))
}

// String returns the text of what has been set so far, with user name and password: "https:///path" without a host,
// "//host.com:8080/path" without a scheme.
func (b *URLBuilder) String() string { return string(b.appendText(nil)) }

// Scheme sets the scheme, "http" or "https" in any case.
func (b *URLBuilder) Scheme(scheme string) *URLBuilder {
	switch {
	case ascii.EqualFold(scheme, "http"):
		b.scheme = "http"
	case ascii.EqualFold(scheme, "https"):
		b.scheme = "https"
	default:
		b.fail("scheme", "expected URL scheme 'http' or 'https' but was '"+abridge(scheme, 40)+"'")
	}
	return b
}

// Host sets the host: a name, international or percent-encoded if need be, an IPv4 address, or an IPv6 address with or
// without brackets.
func (b *URLBuilder) Host(host string) *URLBuilder {
	text := host
	if strings.Contains(text, ":") && !strings.HasPrefix(text, "[") {
		text = "[" + text + "]"
	}
	canonical, ok := canonicalHost(text)
	if !ok {
		return b.fail("host", "unexpected host: "+strconv.Quote(abridge(host, 80)))
	}
	b.host = canonical
	return b
}

// Port sets the port, 0 to 65535. The default of the scheme does not show in the text.
func (b *URLBuilder) Port(port int) *URLBuilder {
	if port < 0 || port > 65535 {
		return b.fail("port", "unexpected port: "+strconv.Itoa(port))
	}
	b.port, b.hasPort = port, true
	return b
}

// Username sets the user name; "" removes it.
func (b *URLBuilder) Username(name string) *URLBuilder {
	b.name = encode(name, encodeUserinfo|rawUserinfo)
	return b
}

// EncodedUsername sets a user name that may be percent-encoded.
func (b *URLBuilder) EncodedUsername(name string) *URLBuilder {
	b.name = encode(name, encodeUserinfo)
	return b
}

// Password sets the password; "" removes it.
func (b *URLBuilder) Password(password string) *URLBuilder {
	b.password = encode(password, encodeUserinfo|rawUserinfo)
	return b
}

// EncodedPassword sets a password that may be percent-encoded.
func (b *URLBuilder) EncodedPassword(password string) *URLBuilder {
	b.password = encode(password, encodeUserinfo)
	return b
}

// Fragment sets the fragment, without "#".
func (b *URLBuilder) Fragment(fragment string) *URLBuilder {
	b.fragment, b.hasFragment = encode(fragment, rawFragment), true
	return b
}

// EncodedFragment sets a fragment that may be percent-encoded.
func (b *URLBuilder) EncodedFragment(fragment string) *URLBuilder {
	b.fragment, b.hasFragment = encode(removeNewlines(fragment), encodeFragment), true
	return b
}

// ClearFragment removes the fragment.
func (b *URLBuilder) ClearFragment() *URLBuilder {
	b.fragment, b.hasFragment = "", false
	return b
}

// appendText appends what has been set so far.
func (b *URLBuilder) appendText(buf []byte) []byte {
	if b.scheme != "" {
		buf = append(append(buf, b.scheme...), ':')
	}
	buf = append(buf, "//"...)
	if b.name != "" || b.password != "" {
		buf = append(buf, b.name...)
		if b.password != "" {
			buf = append(append(buf, ':'), b.password...)
		}
		buf = append(buf, '@')
	}
	buf = append(buf, b.host...)
	if b.hasPort && (b.scheme == "" || b.port != defaultPort(b.scheme)) {
		buf = strconv.AppendInt(append(buf, ':'), int64(b.port), 10)
	}
	if len(b.segments) == 0 {
		buf = append(buf, '/')
	}
	for _, segment := range b.segments {
		buf = append(append(buf, '/'), segment...)
	}
	if b.hasQuery {
		buf = append(append(buf, '?'), b.query...)
	}
	if b.hasFragment {
		buf = append(append(buf, '#'), b.fragment...)
	}
	return buf
}

// fail keeps the first error.
func (b *URLBuilder) fail(part, detail string) *URLBuilder {
	if b.err == nil {
		b.err = &URLError{Part: part, Detail: detail}
	}
	return b
}

// encode is appendEncoded for a string that mostly needs nothing.
func encode(s string, set uint16) string {
	for i := range len(s) {
		if urlClass[s[i]]&set != 0 {
			return string(appendEncoded(make([]byte, 0, len(s)+16), s, set))
		}
	}
	return s
}
