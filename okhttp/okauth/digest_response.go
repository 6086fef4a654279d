package okauth

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp"
)

// check refuses credentials that no header can carry.
func (u *user) check() error {
	for _, part := range [...]struct{ name, text string }{{"user name", u.name}, {"password", u.password}} {
		if !utf8.ValidString(part.text) {
			return &okhttp.CredentialsError{Part: part.name, Detail: "is not valid UTF-8"}
		}
		for _, r := range part.text {
			if r < ' ' || r == 0x7f {
				return &okhttp.CredentialsError{Part: part.name, Detail: "contains a control character"}
			}
		}
	}
	return nil
}

// encoded returns the credentials in the charset of the challenge (RFC 7616 section 4). One that says nothing gets ISO-8859-1 if that can
// be, and UTF-8 otherwise: also for user names beyond ASCII, for which the header knows nothing else.
func (d *digestChallenge) encoded(u *user) user {
	password, ok := latin1(u.password)
	if d.utf8 || !ok || !isASCII(u.name) {
		return *u
	}
	return user{u.name, password}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func latin1(s string) (string, bool) {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return "", false
		}
		b = append(b, byte(r))
	}
	return string(b), true
}

// secret is H(A1) (RFC 7616 section 3.4.2). In a session it is made of the nonces that the session began with.
func (d *digestChallenge) secret(u *user, cnonce string) string {
	e := d.encoded(u)
	ha1 := d.algorithm.sum(e.name, d.realm, e.password)
	if d.algorithm.session {
		ha1 = d.algorithm.sum(ha1, d.nonce, cnonce)
	}
	return ha1
}

// beginning is how every answer of that user to that realm begins.
func (d *digestChallenge) beginning(u *user) string {
	var b strings.Builder
	b.WriteString("Digest ")
	switch {
	case d.userhash:
		b.WriteString(`username="` + d.algorithm.sum(u.name, d.realm) + `"`)
	case isASCII(u.name):
		b.WriteString("username=")
		quote(&b, u.name)
	default:
		b.WriteString("username*=UTF-8''")
		percentEncode(&b, u.name)
	}
	b.WriteString(", realm=")
	quote(&b, d.realm)
	return b.String() + ", "
}

// digestAnswer is what differs from one answer to a challenge to the next.
type digestAnswer struct {
	method, uri   string
	body          string // its hash, for auth-int
	nonce, cnonce string
	count         uint32
}

// authorization is the value of the header that answers the challenge (RFC 7616 section 3.4).
func (d *digestChallenge) authorization(beginning, secret string, a digestAnswer) string {
	nc := fmt.Sprintf("%08x", a.count)
	ha2 := d.algorithm.sum(a.method, a.uri)
	if d.qop == "auth-int" {
		ha2 = d.algorithm.sum(a.method, a.uri, a.body)
	}
	var b strings.Builder
	b.WriteString(beginning)
	b.WriteString("uri=")
	quote(&b, a.uri)
	if d.name != "" {
		b.WriteString(", algorithm=" + d.name)
	}
	b.WriteString(", nonce=")
	quote(&b, a.nonce)
	response := ""
	if d.qop == "" {
		response = d.algorithm.sum(secret, a.nonce, ha2)
	} else {
		response = d.algorithm.sum(secret, a.nonce, nc, a.cnonce, d.qop, ha2)
		b.WriteString(", nc=" + nc)
	}
	if d.qop != "" || d.algorithm.session {
		b.WriteString(", cnonce=")
		quote(&b, a.cnonce)
	}
	if d.qop != "" {
		b.WriteString(", qop=" + d.qop)
	}
	b.WriteString(`, response="` + response + `"`)
	if d.hasOpaque {
		b.WriteString(", opaque=")
		quote(&b, d.opaque)
	}
	if d.userhash {
		b.WriteString(", userhash=true")
	}
	return b.String()
}

// quote writes a quoted-string (RFC 9110 section 5.6.4).
func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
}

// percentEncode writes a value of an extended parameter (RFC 8187 section 3.2.1).
func percentEncode(b *strings.Builder, s string) {
	const also = "!#$&+-.^_`|~"
	for i := range len(s) {
		if c := s[i]; 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte(also, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(b, "%%%02X", c)
		}
	}
}

// target is the request-target, as it stands in the request line of a request straight to its server, or to a proxy that reads it (RFC 9112
// section 3.2).
func target(req *okhttp.Request, proxy bool) string {
	u := req.URL()
	host := u.Host()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if req.Method() == "CONNECT" {
		return fmt.Sprintf("%s:%d", host, u.Port())
	}
	path := u.EncodedPath()
	if query, ok := u.EncodedQuery(); ok {
		path += "?" + query
	}
	switch {
	case !proxy:
		return path
	case u.Port() != 80: // a proxy reads requests for http alone
		host = fmt.Sprintf("%s:%d", host, u.Port())
	}
	return "http://" + host + path
}
