package okhttp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// curlMostBody bounds the bodies that Curl writes out: Linux takes arguments of up to 128 KiB.
const curlMostBody = 64 << 10

// Curl returns a command line for a POSIX shell that sends the request with curl, one part a line:
//
//	curl 'https://example.com/items' \
//	  -H 'Accept: application/json' \
//	  -H 'Content-Type: text/plain; charset=utf-8' \
//	  --data 'it'\''s'
//
// It contains the secrets of the request, those in its headers, URL and body: that is its use, but think of where it is printed. Headers are
// those of the request; what the client adds on the way, cookies and credentials for example, is not there, unless this is the
// [Response.Request] or [Chain.Request] seen by a network interceptor.
//
// A body that is in memory, of up to 64 KiB, is part of the command: as text, or if it is not that, as the output of printf. Any other, a
// file, a stream, one that can be sent only once, is not touched, because reading it may block or use it up; the command sends
// what comes from its standard input in its place.
func (r *Request) Curl() string {
	var c curlCommand
	body, inMemory := r.body.content()
	text := isCurlText(body)
	if inMemory && !text {
		c.b.WriteString("printf '")
		c.octal(body)
		c.b.WriteString("' | ")
	}
	c.b.WriteString("curl ")
	c.quote(r.url.String())
	if strings.ContainsAny(r.url.String(), "[]{}") {
		c.part("--globoff") // they are no patterns
	}
	switch {
	case r.method == "HEAD":
		c.part("--head") // with -X, curl would wait for a body
	case r.method != "GET" && r.body == nil, r.method != "POST" && r.body != nil:
		c.part("-X ", r.method)
	}
	c.headers(r)
	switch {
	case r.body == nil:
	case !inMemory || !text:
		c.part("--data-binary ", "@-")
	case strings.HasPrefix(body, "@"):
		c.part("--data-raw ", body) // the @ does not name a file
	default:
		c.part("--data ", body)
	}
	return c.b.String()
}

type curlCommand struct{ b strings.Builder }

// part begins a line with an option, and its value in quotes.
func (c *curlCommand) part(option string, value ...string) {
	c.b.WriteString(" \\\n  ")
	c.b.WriteString(option)
	for _, v := range value {
		c.quote(v)
	}
}

// quote writes text between single quotes, where nothing but the quote itself means something to a shell.
func (c *curlCommand) quote(s string) {
	c.b.WriteByte('\'')
	for {
		before, after, found := strings.Cut(s, "'")
		c.b.WriteString(before)
		if !found {
			break
		}
		c.b.WriteString(`'\''`)
		s = after
	}
	c.b.WriteByte('\'')
}

// headers writes those of the request, and last that of the body, which replaces the request's.
func (c *curlCommand) headers(r *Request) {
	contentType := ""
	if r.body != nil {
		contentType = r.body.cfg.ContentType
	}
	for name, value := range r.headers.All() {
		if contentType != "" && ascii.EqualFold(name, "Content-Type") {
			continue
		}
		c.header(name, value)
	}
	switch {
	case contentType != "":
		c.header("Content-Type", contentType)
	case r.body != nil && !r.headers.has("Content-Type"):
		c.part("-H ", "Content-Type:") // or curl would say that it is a form
	}
}

func (c *curlCommand) header(name, value string) {
	if value == "" {
		c.part("-H ", name+";") // with a colon, curl would leave it out
		return
	}
	c.part("-H ", name+": "+value)
}

// octal writes bytes as a format of printf, between single quotes. Only octal escapes are known to every printf; they take up to three
// digits and so are always written with three.
func (c *curlCommand) octal(s string) {
	for i := range len(s) {
		switch b := s[i]; {
		case b == '\\' || b == '%' || b == '\'' || b < ' ' || b > '~' || b == '-' && i == 0: // that would be an option
			c.b.WriteByte('\\')
			c.b.WriteByte('0' + b>>6)
			c.b.WriteByte('0' + b>>3&7)
			c.b.WriteByte('0' + b&7)
		default:
			c.b.WriteByte(b)
		}
	}
}

// content returns what the body consists of, if it is in memory and small enough for a command line.
func (b *Body) content() (string, bool) {
	if b == nil || b.cfg.Len == 0 {
		return "", b != nil
	}
	if b.data == nil || len(b.data) > curlMostBody {
		return "", false
	}
	return string(b.data), true
}

// isCurlText reports whether a command line can contain the text, and a terminal show it.
func isCurlText(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") || unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return true
}
