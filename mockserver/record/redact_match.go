package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
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

// mostSteps is how much work it may be to count what is in a JSON document.
const mostSteps = 100_000

// jsonSame describes a JSON value by what it means: all that is not sensitive, that what is is there, and that there is no more. It reports false for what
// is too large.
func (r redactor) jsonSame(body []byte) (b *stub.Body, ok bool) {
	value, err := jsonvalue.Parse(body)
	if err != nil {
		return nil, false
	}
	paths := map[string]stub.JSONValue{}
	nodes := r.sensitive(value, "$", paths)
	if nodes*children(value) > mostSteps {
		return nil, false
	}
	paths[fmt.Sprintf("$[?count($..*) == %d]", nodes)] = stub.JSONValue{Text: there()}
	without, _ := r.json(value, false)
	return &stub.Body{JSONSubset: json.RawMessage(jsonvalue.Text(without)), JSONPath: paths}, true
}

// sensitive notes the paths of members that [redactor.json] takes out, and counts what is in a value.
func (r redactor) sensitive(value any, path string, paths map[string]stub.JSONValue) (nodes int) {
	step := func(member any, path string, hide bool) {
		if nodes++; hide {
			paths[path] = stub.JSONValue{Text: there()}
			nodes += r.sensitive(member, path, map[string]stub.JSONValue{}) // what is in it counts, and need not be the same
		} else {
			nodes += r.sensitive(member, path, paths)
		}
	}
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			step(element, fmt.Sprintf("%s[%d]", path, i), false)
		}
	case map[string]any:
		for name, member := range value {
			text, _ := member.(string)
			quoted, _ := json.Marshal(name)
			step(member, fmt.Sprintf("%s[%s]", path, quoted), r.field(name) || r.loose(text) != text)
		}
	}
	return nodes
}

// children is how many values are in a value, not counting those within.
func children(value any) int {
	switch value := value.(type) {
	case []any:
		return len(value)
	case map[string]any:
		return len(value)
	}
	return 0
}

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
