package stub

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/content"
	"github.com/okhttp-go/ok/mockserver/internal/jsonpath"
	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
)

// TemplateData is what templates work on: the request that is answered.
//
// Besides the functions of text/template they have json (a value as JSON, quotes included), base64, upper, lower, trim, replace (old, new, text), split (separator, text),
// default (what if empty, value), now (a time in RFC 3339, or in a layout of package time), uuid (a random one), and random (an integer from a to b). What is random follows [mockserver.WithSeed]: two servers that are to make different ones need
// different seeds.
type TemplateData struct {
	request *mockserver.Request
	params  map[string]string
	count   int64
	budget  *budget

	body string
}

func newData(r *mockserver.Request, params map[string]string, count int64) *TemplateData {
	return &TemplateData{request: r, params: params, count: count, budget: new(budget)}
}

// Method returns the method.
func (d *TemplateData) Method() string { return d.request.Method }

// Target returns path and query as they were sent.
func (d *TemplateData) Target() string { return d.request.Target }

// Proto returns "HTTP/1.1", "HTTP/2" or "HTTP/1.0".
func (d *TemplateData) Proto() string { return d.request.Proto }

// Host returns the host of the request, with the port if it has one.
func (d *TemplateData) Host() string { return d.request.Authority }

// Scheme returns "https" over TLS and else "http".
func (d *TemplateData) Scheme() string {
	if d.request.TLS != nil {
		return "https"
	}
	return "http"
}

// Count returns how many responses of this stub were made before.
func (d *TemplateData) Count() int64 { return d.count }

// url is the target taken apart, empty if it cannot be.
func (d *TemplateData) url() *url.URL {
	u, err := url.Parse(d.request.Target)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// Path returns the path without the query, decoded.
func (d *TemplateData) Path() string { return d.url().Path }

// Segment returns a segment of the path, decoded and counted from 0; "" if there are fewer.
func (d *TemplateData) Segment(i int) string {
	segments := strings.Split(strings.TrimPrefix(d.url().EscapedPath(), "/"), "/")
	if i < 0 || i >= len(segments) {
		return ""
	}
	text, err := url.PathUnescape(segments[i])
	if err != nil {
		return segments[i]
	}
	return text
}

// Param returns the value of a variable of the stub's path; "" if there is none.
func (d *TemplateData) Param(name string) string { return d.params[name] }

// Query returns the first value of a query parameter; "" if there is none.
func (d *TemplateData) Query(name string) string { return d.url().Query().Get(name) }

// QueryAll returns all values of a query parameter.
func (d *TemplateData) QueryAll(name string) []string { return d.url().Query()[name] }

// Header returns the first value of a header; "" if there is none.
func (d *TemplateData) Header(name string) string {
	for value := range d.request.Headers.Values(name) {
		return value
	}
	return ""
}

// HeaderAll returns all values of a header.
func (d *TemplateData) HeaderAll(name string) []string {
	return slices.Collect(d.request.Headers.Values(name))
}

// Cookie returns the value of a cookie; "" if there is none.
func (d *TemplateData) Cookie(name string) string {
	for line := range d.request.Headers.Values("Cookie") {
		for pair := range strings.SplitSeq(line, ";") {
			if key, value, _ := strings.Cut(strings.TrimSpace(pair), "="); key == name {
				return value
			}
		}
	}
	return ""
}

// Body returns the body as text.
func (d *TemplateData) Body() (string, error) {
	if d.body == "" {
		d.body = string(d.request.Body)
	}
	return d.body, d.budget.step(1)
}

// Form returns the first value of a field of the body, which is a form; "" if there is none.
func (d *TemplateData) Form(name string) (string, error) {
	values, err := url.ParseQuery(string(d.request.Body))
	if err != nil {
		return "", nil
	}
	return values.Get(name), d.budget.step(100)
}

// JSON returns the first value that a JSON path (RFC 9535) selects in the body, decoded if it is compressed; nothing if it selects none, or the body is not JSON of at most
// 262,144 values. Numbers are as they were written.
func (d *TemplateData) JSON(path string) (any, error) {
	list, err := d.JSONAll(path)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// JSONAll returns all values that a JSON path selects in the body.
func (d *TemplateData) JSONAll(path string) ([]any, error) {
	if err := d.budget.step(1000); err != nil {
		return nil, err
	}
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, err
	}
	value, wrong := content.JSON(d.request)
	if wrong != nil {
		return nil, nil
	}
	return p.Select(value)
}

// widths finds the verbs of a format with their numbers and stars.
var widths = regexp.MustCompile(`(?s)%[-+# 0]*(?:\[\d+\])?(\*|\d*)(?:\.(?:\[\d+\])?(\*|\d*))?(?:\[\d+\])?(.?)`)

// How many bytes one may become.
const (
	escapedAs = 6  // \u003c, &#34;
	quotedAs  = 10 // \U0001f600, and all that %#v, %q and %x write
)

// functions are those of templates, which draw on a budget.
func functions(b *budget, chance rand.Source) template.FuncMap {
	printed := func(each int, f func(...any) string) func(...any) (string, error) {
		return func(args ...any) (string, error) {
			if err := b.affordTimes(each, args...); err != nil {
				return "", err
			}
			return b.make(f(args...))
		}
	}
	text := func(each int, f func(string) string) func(string) (string, error) {
		return func(s string) (string, error) {
			if err := b.affordTimes(each, s); err != nil {
				return "", err
			}
			return b.make(f(s))
		}
	}
	return template.FuncMap{
		stepName:  func() (string, error) { return "", b.step(1) },
		enterName: b.enter,
		leaveName: b.leave,
		"print":   printed(1, fmt.Sprint),
		"println": printed(1, fmt.Sprintln),
		"printf": func(format string, args ...any) (string, error) {
			found := widths.FindAllStringSubmatch(format, -1)
			for _, width := range found {
				if width[1] == "*" || width[2] == "*" || len(width[1]) > 3 || len(width[2]) > 3 {
					return "", errors.New("printf: expected widths of at most 999")
				}
			}
			if len(found) > 1000 {
				return "", errors.New("printf: expected at most 1000 verbs")
			}
			if err := b.affordFormat(format, found, args); err != nil {
				return "", err
			}
			return b.make(fmt.Sprintf(format, args...))
		},
		"html":     printed(escapedAs, template.HTMLEscaper),
		"js":       printed(escapedAs, template.JSEscaper),
		"urlquery": printed(3, template.URLQueryEscaper),
		"call":     func() (string, error) { return "", errors.New("call: there are no functions to call") },
		"json": func(v any) (string, error) {
			if err := b.affordTimes(escapedAs, v); err != nil {
				return "", err
			}
			return b.make(jsonvalue.Text(v))
		},
		"base64": text(2, func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
		"upper":  text(1, strings.ToUpper),
		"lower":  text(1, strings.ToLower),
		"trim":   text(1, strings.TrimSpace),
		"replace": func(old, with, s string) (string, error) {
			if n := strings.Count(s, old); n*max(len(with)-len(old), 0) > maxMade {
				return "", fmt.Errorf("%w: more than %d bytes on the way", ErrTemplate, maxMade)
			}
			return b.make(strings.ReplaceAll(s, old, with))
		},
		"split": func(separator, s string) ([]string, error) {
			list := strings.SplitN(s, separator, maxSteps)
			b.made += 16 * len(list)
			return list, b.afford()
		},
		"default": func(otherwise, v any) any {
			if v == nil || v == "" {
				return otherwise
			}
			return v
		},
		"now": func(layout ...string) (string, error) {
			if len(layout) == 0 {
				layout = []string{time.RFC3339}
			}
			return b.make(time.Now().UTC().Format(layout[0]))
		},
		"uuid": func() (string, error) { return b.make(uuid(chance)) },
		"random": func(least, most int) (string, error) {
			if most < least || most-least < 0 {
				return "", fmt.Errorf("random %d %d: expected two numbers in their order", least, most)
			}
			return b.make(strconv.Itoa(least + int(rand.New(chance).Uint64N(uint64(most-least)+1))))
		},
	}
}

// uuid returns a random one (RFC 9562 section 5.4).
func uuid(chance rand.Source) string {
	var p [16]byte
	binary.BigEndian.PutUint64(p[:8], chance.Uint64())
	binary.BigEndian.PutUint64(p[8:], chance.Uint64())
	p[6], p[8] = p[6]&0x0f|0x40, p[8]&0x3f|0x80
	x := hex.EncodeToString(p[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}
