package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// like is a text with holes: what stands in the place of a secret.
func like(expr string) stub.Text { return stub.Text{Regexp: &expr} }

// mostPairs is how often a regular expression may repeat something.
const mostPairs = 1000

// pairsLike describes text of the form a=b&c=d, of which the values of sensitive names may be any: by its fields and by their number, or, where a name
// comes again, as it stands.
func (r redactor) pairsLike(text string) (fields map[string]stub.Text, expr string, hidden bool) {
	fields = map[string]stub.Text{}
	var list []string
	again := false
	for pair := range strings.SplitSeq(text, "&") {
		key, _, hasValue := strings.Cut(pair, "=")
		hole := false
		r.pairs(pair, func(name, value string, hide bool) {
			_, known := fields[name]
			again = again || known
			if hole = hide && hasValue; hide {
				fields[name] = there()
			} else {
				fields[name] = equal(value)
			}
		})
		hidden = hidden || hole
		if hole {
			list = append(list, regexp.QuoteMeta(key)+"=[^&]*")
		} else {
			list = append(list, regexp.QuoteMeta(pair))
		}
	}
	if again || len(list) > mostPairs {
		return nil, strings.Join(list, "&"), hidden
	}
	return fields, fmt.Sprintf("[^&]*(?:&[^&]*){%d}", len(list)-1), hidden
}

// nameOfPart finds the names of a multipart body.
var nameOfPart = regexp.MustCompile(`(?i)\bname="?([^"\r\n;]*)`)

// partsLike describes a multipart body (RFC 2046 section 5.1) as it is but for its boundary. It reports false for what has secrets, is too long or no text.
func (r redactor) partsLike(contentType, body string) (expr string, ok bool) {
	_, parameters, err := mime.ParseMediaType(contentType)
	boundary := parameters["boundary"]
	if err != nil || boundary == "" || len(body) > mostLike || !utf8.ValidString(body) || r.loose(body) != body {
		return "", false
	}
	for _, name := range nameOfPart.FindAllStringSubmatch(body, -1) {
		if r.field(name[1]) {
			return "", false
		}
	}
	return strings.ReplaceAll(regexp.QuoteMeta(body), regexp.QuoteMeta("--"+boundary), `--[^\r\n]{1,70}`), true
}

// mostLike is how long what becomes a regular expression may be.
const mostLike = 64 << 10

// Values of JSON that stand in a hole. Of nested ones an expression knows the ends alone.
const (
	anyScalar = `(?:"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+)`
	anyNested = `(?s:[\[{].*[\]}])`
)

// jsonLike describes a JSON document as it is but for sensitive values, which may be any. It reports false for what is too long, or has secrets elsewhere.
func (r redactor) jsonLike(body []byte) (expr string, ok bool) {
	if len(body) > mostLike {
		return "", false
	}
	h := jsonHoles{r: r, text: body, tokens: json.NewDecoder(bytes.NewReader(body))}
	h.tokens.UseNumber()
	if h.value(false, false) != nil {
		return "", false
	}
	h.keep(len(body))
	return h.expr.String(), !h.left
}

// jsonHoles walks through a document.
type jsonHoles struct {
	r      redactor
	text   []byte
	tokens *json.Decoder
	from   int // what is before is in expr
	expr   strings.Builder
	left   bool // there is something sensitive in what was kept
}

// value takes the next one, of which hide says that it is sensitive, and within that what it stands in is.
func (h *jsonHoles) value(hide, within bool) error {
	start := int(h.tokens.InputOffset())
	start += len(h.text[start:]) - len(bytes.TrimLeft(h.text[start:], " \t\r\n:,"))
	token, err := h.tokens.Token()
	if err != nil {
		return err
	}
	hole := anyScalar
	switch token := token.(type) {
	case string:
		hide = hide || h.r.loose(token) != token
	case json.Delim:
		hole = anyNested
		for h.tokens.More() {
			sensitive := false
			if token == '{' {
				name, err := h.tokens.Token()
				if err != nil {
					return err
				}
				sensitive = h.r.field(name.(string))
			}
			if err := h.value(sensitive, within || hide); err != nil {
				return err
			}
		}
		if _, err := h.tokens.Token(); err != nil { // its end
			return err
		}
	}
	if hide && !within {
		h.keep(start)
		h.expr.WriteString(hole)
		h.from = int(h.tokens.InputOffset())
	}
	return nil
}

// keep takes text up to a place as it is.
func (h *jsonHoles) keep(to int) {
	text := string(h.text[h.from:to])
	h.left = h.left || h.r.loose(text) != text
	h.expr.WriteString(regexp.QuoteMeta(text))
	h.from = to
}
