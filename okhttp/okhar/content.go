package okhar

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// content describes the body of a response.
func (r *Recorder) content(a *attempt) content {
	resp := a.response
	c := content{MimeType: resp.Headers().Get("Content-Type"), Size: -1}
	if r.maxBody == 0 || a.wire.Method() == "HEAD" || a.sendBegan.IsZero() || a.complete && a.downloaded == 0 {
		if a.complete {
			c.Size = a.downloaded
		}
		return c
	}
	body := a.body
	if !body.more && a.complete && int64(len(body.data)) == a.downloaded {
		body.whole = true // even if nobody asked for its end
	}
	packed, size, comment := unpack(&body, resp.Headers(), r.maxBody)
	if a.complete && size < 0 && packed == nil {
		size = a.downloaded
	}
	c.Size, c.Comment = size, comment
	if packed != nil && size >= 0 && a.complete {
		saved := size - a.downloaded
		c.Compression = &saved
	}
	c.Text, c.Encoding = r.redact.text(body.data, c.MimeType, body.whole)
	return c
}

// postData describes the body of a request.
func (r *Recorder) postData(c *capture, contentType string, h okhttp.Headers) *postData {
	p := &postData{MimeType: contentType, Params: []pair{}, Comment: c.comment}
	if len(c.data) == 0 {
		return p
	}
	body := *c
	_, _, comment := unpack(&body, h, r.maxBody)
	if p.Comment == "" {
		p.Comment = comment
	}
	media, err := okhttp.ParseMediaType(contentType)
	if err == nil && media.Type() == "application" && media.Subtype() == "x-www-form-urlencoded" && utf8.Valid(body.data) {
		p.Params = r.params(string(body.data))
		return p
	}
	p.Text, p.Encoding = r.redact.text(body.data, contentType, body.whole)
	return p
}

// params splits a form.
func (r *Recorder) params(form string) []pair {
	list := []pair{}
	for field := range strings.SplitSeq(form, "&") {
		if field == "" {
			continue
		}
		name, value, _ := strings.Cut(field, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		list = append(list, pair{name, r.redact.parameter(name, value)})
	}
	return list
}

// decoders are those of the codings that bodies are recorded without.
var decoders = map[string]okcompress.Algorithm{
	"gzip": okcompress.Gzip(), "x-gzip": okcompress.Gzip(), "deflate": okcompress.Deflate(), "zstd": okcompress.Zstd(),
}

const maxCodings = 4 // of a body

// codings returns those of a body in their order, except for identity.
func codings(h okhttp.Headers) (list []string) {
	for line := range h.Values("Content-Encoding") {
		for token := range strings.SplitSeq(line, ",") {
			if token = strings.ToLower(strings.TrimSpace(token)); token != "" && token != "identity" {
				list = append(list, token)
			}
		}
	}
	return list
}

// unpack replaces what was captured by what it decodes to, up to a limit. It returns the codings, the size of all of it if that is known, -1
// otherwise, and a remark if it is not all of it.
func unpack(c *capture, h okhttp.Headers, limit int64) (packed []string, size int64, comment string) {
	packed = codings(h)
	if len(packed) == 0 {
		if c.whole {
			return nil, int64(len(c.data)), ""
		}
		return nil, -1, c.remark()
	}
	var src okio.Source = okio.NewBufferString(string(c.data))
	for _, name := range slices.Backward(packed) {
		a, ok := decoders[name]
		if !ok || len(packed) > maxCodings {
			return packed, -1, "still in the content coding " + strings.Join(packed, ", ")
		}
		next, err := a.Decoder(src)
		if err != nil {
			return packed, -1, "not decoded: " + err.Error()
		}
		src = next
	}
	defer func() { _ = src.Close() }()
	plain, more, err := take(src, limit)
	switch {
	case err != nil && c.whole && len(c.data) > 0:
		if len(plain) == 0 {
			return packed, -1, "not decoded: " + err.Error()
		}
		comment = "damaged after this: " + err.Error()
	case more:
		comment = fmt.Sprintf("the first %d bytes", len(plain))
	case !c.whole:
		comment = c.remark()
	}
	c.data, c.whole = plain, comment == ""
	if c.whole {
		return packed, int64(len(plain)), ""
	}
	return packed, -1, comment
}

// remark says what is missing.
func (c *capture) remark() string {
	switch {
	case c.more:
		return fmt.Sprintf("the first %d bytes", len(c.data))
	case len(c.data) == 0:
		return "not read"
	}
	return "not read to its end"
}

// take reads up to limit bytes, and tells whether there are more.
func take(src okio.Source, limit int64) (p []byte, more bool, err error) {
	var b okio.Buffer
	defer b.Clear()
	for b.Len() <= limit {
		if _, err = src.ReadBuffer(&b, limit+1-b.Len()); err != nil {
			break
		}
	}
	more = b.Len() > limit
	p, _ = b.ReadN(min(b.Len(), limit)) // there is that much
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return p, more, err
}

// text returns a body without secrets as text, or in base64 if it is none.
func (r *redactor) text(p []byte, contentType string, whole bool) (s, encoding string) {
	if len(p) == 0 {
		return "", ""
	}
	charset := ""
	if m, err := okhttp.ParseMediaType(contentType); err == nil {
		charset = m.Charset() // "" for one that cannot be decoded, whose text may be UTF-8 all the same
	}
	other := charset != "" && charset != "utf-8" && charset != "us-ascii"
	if other {
		body := okhttp.NewResponse(nil, 200, okhttp.ResponseBodyFrom(contentType, -1, okio.NewBufferString(string(p)))).Body
		if s, err := body.Text(); err == nil && isText(s) {
			return r.body(s, contentType), ""
		}
	}
	s = r.body(string(p), contentType)
	all := s
	if !whole {
		s = trim(s)
	}
	if other || !isText(s) {
		return base64.StdEncoding.EncodeToString([]byte(all)), "base64"
	}
	return s, ""
}

// trim leaves out a character that was cut.
func trim(s string) string {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}

// isText reports whether s is text that JSON can hold as it is.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\uFFFD")
}
