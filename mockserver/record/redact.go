package record

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// redacted stands for what is not kept.
const redacted = target.Redacted

// redactor takes secrets out of what is kept: those that package target knows, and those that the configuration names besides.
type redactor struct{ headers, fields map[string]bool }

func newRedactor(c Config) redactor {
	r := redactor{map[string]bool{}, map[string]bool{}}
	for _, name := range c.RedactHeaders {
		r.headers[strings.ToLower(name)] = true
	}
	for _, name := range c.RedactFields {
		r.fields[target.Plain(name)] = true
	}
	return r
}

// field reports whether a name is sensitive, by itself or as the last step of one such as user[password].
func (r redactor) field(name string) bool {
	return target.Secret(name) || r.fields[target.Plain(target.Last(name))]
}

// header reports whether a field of a header is sensitive.
func (r redactor) header(name string) bool {
	return target.SecretHeader(name) || r.headers[strings.ToLower(name)]
}

// mediaType is a Content-Type without its parameters.
func mediaType(field string) string {
	kind, _, _ := strings.Cut(field, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// there is a text that may be anything.
func there() stub.Text {
	yes := true
	return stub.Text{Present: &yes}
}

func equal(text string) stub.Text { return stub.Text{Equal: &text} }

// pairs calls f for text of the form a=b&c=d and returns whether a name in it is sensitive.
func (r redactor) pairs(text string, f func(name, value string, hide bool)) (hidden bool) {
	for pair := range strings.SplitSeq(text, "&") {
		if pair == "" {
			continue
		}
		key, val, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		if err != nil {
			name = key
		}
		value, err := url.QueryUnescape(val)
		if err != nil {
			value = val
		}
		hide := r.field(name) || r.loose(value) != value // such as a URL that has a token
		hidden = hidden || hide
		f(name, value, hide)
	}
	return hidden
}

// target is the path with the query, without secrets, for names.
func (r redactor) target(target string) string {
	path, query, ok := strings.Cut(pathOf(target), "?")
	if !ok {
		return path
	}
	if !r.pairs(query, func(string, string, bool) {}) {
		return path + "?" + query
	}
	return path + "?" + r.form(query)
}

// form is the text of a form without secrets.
func (r redactor) form(text string) string {
	var list []string
	r.pairs(text, func(name, value string, hide bool) {
		if hide {
			value = redacted
		}
		list = append(list, url.QueryEscape(name)+"="+url.QueryEscape(value))
	})
	return strings.Join(list, "&")
}

// request describes what a recorded response answers.
func (r redactor) request(req *mockserver.Request, headers []string) stub.Request {
	s := stub.Request{Method: []string{req.Method}}
	target := equal(pathOf(req.Target))
	if path, query, ok := strings.Cut(*target.Equal, "?"); ok {
		if fields, expr, hidden := r.pairsLike(query); hidden {
			s.Query, target = fields, like(regexp.QuoteMeta(path+"?")+expr)
		}
	}
	s.Target = &target
	for _, name := range headers {
		value, ok := req.Headers.Last(name)
		if s.Headers == nil {
			s.Headers = map[string]stub.Text{}
		}
		switch {
		case !ok:
			no := false
			s.Headers[name] = stub.Text{Present: &no}
		case r.header(name):
			s.Headers[name] = there()
		case r.loose(value) != value:
			s.Headers[name] = there()
		default:
			s.Headers[name] = equal(value)
		}
	}
	switch req.Method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "DELETE":
		if len(req.Body) == 0 {
			return s // nobody asks whether they have content
		}
	}
	s.Body = r.body(req)
	return s
}

// body describes the body of a request; nil for one of which nothing is kept.
func (r redactor) body(req *mockserver.Request) *stub.Body {
	kind := mediaType(req.Headers.Get("Content-Type"))
	switch {
	case req.Headers.Get("Content-Encoding") != "": // it may hold anything
		return nil
	case strings.HasPrefix(kind, "multipart/") && len(req.Body) > 0:
		if expr, ok := r.partsLike(req.Headers.Get("Content-Type"), string(req.Body)); ok {
			text := like(expr)
			return &stub.Body{Text: &text}
		}
		return nil
	case kind == "application/x-www-form-urlencoded" && len(req.Body) > 0 && utf8.Valid(req.Body):
		fields, expr, _ := r.pairsLike(string(req.Body))
		text := like(expr)
		return &stub.Body{Form: fields, Text: &text}
	}
	if value, err := jsonvalue.Parse(req.Body); err == nil { // whatever it is called: fetch calls its strings text/plain
		without, hidden := r.json(value, false)
		text := jsonvalue.Text(without)
		switch {
		case hidden && r.loose(text) == text:
			if b, ok := r.jsonSame(req.Body); ok {
				return b
			}
			return nil
		case r.loose(text) != text: // in a list of strings, say
			if expr, ok := r.jsonLike(req.Body); ok {
				text := like(expr)
				return &stub.Body{Text: &text}
			}
			return nil
		case kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "":
			return &stub.Body{JSON: json.RawMessage(text)}
		}
	}
	if text := string(req.Body); prose(kind) && r.loose(text) != text {
		return nil
	}
	if !utf8.Valid(req.Body) {
		bytes := slices.Clone(req.Body)
		return &stub.Body{Base64: &bytes}
	}
	text := equal(string(req.Body))
	return &stub.Body{Text: &text}
}

// json takes sensitive members out of a value, or puts a word in place of theirs. It changes the value.
func (r redactor) json(value any, replace bool) (_ any, hidden bool) {
	switch value := value.(type) {
	case []any:
		for i := range value {
			changed, found := r.json(value[i], replace)
			value[i], hidden = changed, hidden || found
		}
	case string:
		if without := r.loose(value); replace && without != value {
			return without, true
		}
	case map[string]any:
		for name := range value {
			text, _ := value[name].(string)
			switch {
			case r.field(name) && replace:
				value[name], hidden = redacted, true
			case r.field(name), !replace && r.loose(text) != text:
				delete(value, name)
				hidden = true
			default:
				changed, found := r.json(value[name], replace)
				value[name], hidden = changed, hidden || found
			}
		}
	}
	return value, hidden
}

// response takes secrets out of a response.
func (r redactor) response(resp stub.Response) stub.Response {
	var kind string
	resp.Headers, kind = r.headerFields(resp.Headers)
	resp.Trailers, _ = r.headerFields(resp.Trailers)
	switch {
	case resp.Body != nil:
		text := r.content(kind, *resp.Body)
		resp.Body = &text
	case resp.Base64 != nil: // what is no UTF-8 may still be text
		bytes := []byte(r.content(kind, string(*resp.Base64)))
		resp.Base64 = &bytes
	}
	return resp
}

// headerFields takes secrets out of header fields, and finds the media type among them.
func (r redactor) headerFields(fields []string) (without []string, kind string) {
	without = slices.Clone(fields)
	for i := 0; i+1 < len(fields); i += 2 {
		switch name := strings.ToLower(fields[i]); {
		case name == "set-cookie":
			without[i+1] = cookie(fields[i+1])
		case r.header(name):
			without[i+1] = redacted
		case name == "content-type":
			kind = mediaType(fields[i+1])
		default: // many have URLs: Location, Content-Location, Link, Refresh
			without[i+1] = r.loose(fields[i+1])
		}
	}
	return without, kind
}

// cookie keeps the name and the attributes of a cookie.
func cookie(line string) string {
	pair, attributes, more := strings.Cut(line, ";")
	name, _, _ := strings.Cut(pair, "=")
	if line = name + "=" + redacted; more {
		line += ";" + attributes
	}
	return line
}
