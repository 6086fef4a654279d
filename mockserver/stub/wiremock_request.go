package stub

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/jsonpath"
	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/mockserver/match"
)

// wireRequest reads a request pattern.
func (v value) wireRequest() (r Request) {
	also := func(more Request) { // a second condition on the same thing
		r.Any = append(r.Any, more)
	}
	v.keys(map[string]func(value){
		"method": func(v value) {
			if m := v.str(); m != "ANY" {
				r.Method = []string{m}
			}
		},
		"url":            func(v value) { s := v.str(); r.Target = &Text{Equal: &s} },
		"urlPattern":     func(v value) { r.Target = v.expression() },
		"urlPath":        func(v value) { s := v.str(); r.RawPath = &Text{Equal: &s} },
		"urlPathPattern": func(v value) { r.RawPath = v.expression() },
		"urlPathTemplate": func(v value) {
			s := v.str()
			r.Path = &s
			v.valid(match.Err(match.Path(s)))
		},
		"host": func(v value) { v.wireHost(&r) },
		"scheme": func(v value) {
			over := v.str() == "https"
			r.TLS = &over
			if !over && v.Text != "http" {
				v.fail("expected http or https but it is %q", v.Text)
			}
		},
		"queryParameters": func(v value) { r.Query = v.wireTexts() },
		"pathParameters":  ignored, // below, with the template
		"formParameters": func(v value) {
			body(&r).Form = v.wireTexts()
		},
		"headers":              func(v value) { r.Headers = v.wireTexts() },
		"cookies":              func(v value) { r.Cookies = v.wireTexts() },
		"basicAuthCredentials": func(v value) { r.BasicAuth = v.wireCredentials() },
		"basicAuth":            func(v value) { r.BasicAuth = v.wireCredentials() },
		"bodyPatterns": func(v value) {
			for _, one := range v.list() {
				if left := merge(body(&r), one.wireBody()); left != nil {
					also(Request{Body: left})
				}
			}
		},
		"multipartPatterns": func(v value) {
			for _, one := range v.list() {
				if p, ok := one.wirePart(); ok {
					body(&r).Parts = append(body(&r).Parts, p)
				}
			}
		},
	})
	if p := v.Get("pathParameters"); p != nil && v.Kind == jsontree.Object {
		value{p, v.rd, v.member("pathParameters")}.pathParameters(&r)
	}
	if len(r.Any) > 1 { // each of them has to hold, and any is one of several: nest them
		for len(r.Any) > 1 {
			last := len(r.Any) - 1
			r.Any[last-1].Any = []Request{r.Any[last]}
			r.Any = r.Any[:last]
		}
	}
	return r
}

// body returns the body of a request, which is made if there is none.
func body(r *Request) *Body {
	if r.Body == nil {
		r.Body = new(Body)
	}
	return r.Body
}

// merge adds the conditions of b to those of to, and returns those of which there is one of the kind already, nil if there is none.
func merge(to, b *Body) *Body {
	var left Body
	switch {
	case b.Text != nil && to.Text != nil:
		to.Text = &Text{All: []Text{*to.Text, *b.Text}}
	case b.Text != nil:
		to.Text = b.Text
	}
	switch {
	case b.Base64 != nil && to.Base64 != nil:
		left.Base64 = b.Base64
	case b.Base64 != nil:
		to.Base64 = b.Base64
	}
	if b.JSON != nil || b.JSONSubset != nil {
		into := to
		if to.JSON != nil || to.JSONSubset != nil {
			into = &left
		}
		into.JSON, into.JSONSubset, into.ExtraElements, into.AnyOrder = b.JSON, b.JSONSubset, b.ExtraElements, b.AnyOrder
	}
	for path, want := range b.JSONPath {
		into := to
		if _, taken := to.JSONPath[path]; taken {
			into = &left
		}
		if into.JSONPath == nil {
			into.JSONPath = map[string]JSONValue{}
		}
		into.JSONPath[path] = want
	}
	if left.Base64 == nil && left.JSON == nil && left.JSONSubset == nil && left.JSONPath == nil {
		return nil
	}
	return &left
}

func (v value) expression() *Text {
	s := v.str()
	if err := match.Regexp(s).Err(); err != nil {
		v.fail("%v: expected a regular expression of RE2, which has no look-around and no back references", err)
	}
	return &Text{Regexp: &s}
}

// wireHost compares the host without its port.
func (v value) wireHost(r *Request) {
	t := portless(v.wireText())
	r.Host = &t
}

// portless is a text that a host with or without a port has to be, as t without one.
func portless(t Text) Text {
	var all []Text
	add := func(format string, s *string) {
		if s != nil {
			re := strings.Replace(format, "%", *s, 1) + `(?::\d+)?`
			all = append(all, Text{Regexp: &re})
		}
	}
	quoted := func(s *string) *string {
		if s == nil {
			return nil
		}
		q := regexp.QuoteMeta(*s)
		return &q
	}
	add(`%`, quoted(t.Equal))
	add(`(?i:%)`, quoted(t.EqualFold))
	add(`[^:]*%[^:]*`, quoted(t.Contains))
	add(`(?:%)`, t.Regexp)
	if t.Present != nil {
		all = append(all, Text{Present: t.Present})
	}
	if t.Not != nil {
		not := portless(*t.Not)
		all = append(all, Text{Not: &not})
	}
	for _, one := range t.All {
		all = append(all, portless(one))
	}
	if len(t.Any) > 0 {
		var either []Text
		for _, one := range t.Any {
			either = append(either, portless(one))
		}
		all = append(all, Text{Any: either})
	}
	if len(all) == 1 {
		return all[0]
	}
	return Text{All: all}
}

func (v value) wireCredentials() *Credentials {
	c := new(Credentials)
	v.keys(map[string]func(value){
		"username": func(v value) { c.User = v.str() },
		"password": func(v value) { c.Password = v.str() },
	})
	v.valid(match.Err(match.BasicAuth(c.User, c.Password)))
	return c
}

// pathParameters puts values into the template where they have to be equal.
func (v value) pathParameters(r *Request) {
	v.each(func(name string, member value) {
		t := member.wireText()
		if t.Equal == nil || !t.same(Text{Equal: t.Equal}) || r.Path == nil || !strings.Contains(*r.Path, "{"+name+"}") {
			member.fail("expected equalTo, for a variable of urlPathTemplate")
			return
		}
		path := strings.ReplaceAll(*r.Path, "{"+name+"}", pathEscaped(*t.Equal))
		r.Path = &path
	})
}

// pathEscaped writes a text so that a template takes it for itself.
func pathEscaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			const hex = "0123456789ABCDEF"
			b.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
		}
	}
	return b.String()
}

func (v value) wireTexts() map[string]Text {
	all := map[string]Text{}
	v.each(func(name string, member value) { all[name] = member.wireText() })
	return all
}

// wireText reads a string pattern.
func (v value) wireText() (t Text) {
	fold := false
	v.keys(t.wireKeys(&fold))
	if v.Kind == jsontree.Object && len(v.Members) == 0 {
		v.fail("expected a condition, such as equalTo")
	}
	v.folded(fold, &t)
	return t
}

// folded applies caseInsensitive, which says how equalTo compares.
func (v value) folded(fold bool, t *Text) {
	switch {
	case fold && t.Equal != nil:
		t.Equal, t.EqualFold = nil, t.Equal
	case fold:
		v.fail("caseInsensitive: expected equalTo beside it")
	}
}

func (t *Text) wireKeys(fold *bool) map[string]func(value) {
	not := func(make func(value) Text) func(value) {
		return func(v value) {
			inner := make(v)
			if t.Not != nil { // doesNotContain and doesNotMatch together
				both := Text{Any: []Text{*t.Not, inner}}
				t.Not = &both
				return
			}
			t.Not = &inner
		}
	}
	return map[string]func(value){
		"equalTo":         func(v value) { s := v.str(); t.Equal = &s },
		"caseInsensitive": func(v value) { *fold = v.boolean() },
		"contains":        func(v value) { s := v.str(); t.Contains = &s },
		"doesNotContain":  not(func(v value) Text { s := v.str(); return Text{Contains: &s} }),
		"matches":         func(v value) { t.Regexp = v.expression().Regexp },
		"doesNotMatch":    not(func(v value) Text { return *v.expression() }),
		"absent": func(v value) {
			there := !v.boolean()
			t.Present = &there
		},
		"and": func(v value) {
			for _, one := range v.list() {
				t.All = append(t.All, one.wireText())
			}
		},
		"or": func(v value) {
			for _, one := range v.list() {
				t.Any = append(t.Any, one.wireText())
			}
		},
		"not": not(value.wireText),
	}
}

// wireBody reads one of the patterns of a body.
func (v value) wireBody() *Body {
	b, t, fold := new(Body), Text{}, false
	keys := t.wireKeys(&fold)
	extra := false
	keys["equalToJson"] = func(v value) {
		b.JSON = v.wireJSON()
	}
	keys["ignoreArrayOrder"] = func(v value) { b.AnyOrder = v.boolean() }
	keys["ignoreExtraElements"] = func(v value) { extra = v.boolean() }
	keys["matchesJsonPath"] = func(v value) { v.wireJSONPath(b) }
	keys["binaryEqualTo"] = func(v value) { b.Base64 = v.bytes() }
	v.keys(keys)
	if v.Kind == jsontree.Object && v.Get("equalToJson") == nil && (extra || b.AnyOrder) {
		v.fail("ignoreArrayOrder and ignoreExtraElements: expected equalToJson beside them")
	}
	if extra {
		b.JSON, b.JSONSubset, b.ExtraElements = nil, b.JSON, true
	}
	v.folded(fold, &t)
	if !t.same(Text{}) || len(t.All)+len(t.Any) > 0 {
		b.Text = &t
	}
	return b
}

// wireJSON reads a value that JSON has to be, or a text of it.
func (v value) wireJSON() []byte {
	text := v.raw()
	if v.Kind == jsontree.String {
		text = []byte(v.Text)
	}
	if bytes.Contains(text, []byte("${json-unit.")) {
		v.fail("placeholders such as ${json-unit.ignore} are not understood: expected values")
	}
	v.valid(match.Err(match.JSON(string(text))))
	return text
}

// wireJSONPath reads an expression that has to select something, or one with what its value has to be.
func (v value) wireJSONPath(b *Body) {
	there := true
	want := JSONValue{Text: Text{Present: &there}}
	path, bare := v.Text, v.Kind == jsontree.String
	if v.Kind == jsontree.Object {
		fold := false
		want.Text = Text{}
		keys := want.Text.wireKeys(&fold)
		keys["expression"] = func(v value) { path = v.str() }
		keys["equalToJson"] = func(v value) {
			want.JSON = v.wireJSON()
		}
		v.keys(keys)
		v.folded(fold, &want.Text)
		switch {
		case v.Get("expression") == nil:
			v.fail("expected an expression")
			return
		case want.JSON != nil && !want.same(Text{}):
			v.fail("expected equalToJson or conditions of a text but got both")
		case want.JSON == nil && want.same(Text{}):
			want.Present, bare = &there, true
		}
	} else if !v.is(jsontree.String) {
		return
	}
	whole, from := rewritten(path)
	err := match.Err(match.JSONPath(whole, match.Present()))
	if wrong := (*jsonpath.SyntaxError)(nil); errors.As(err, &wrong) { // as the file has it
		err = &jsonpath.SyntaxError{Path: path, Offset: from[min(wrong.Offset, len(from)-1)], Detail: wrong.Detail}
	}
	v.valid(err)
	if bare {
		whole = something(whole)
	}
	b.JSONPath = map[string]JSONValue{whole: want}
}

// something is a path that selects where path selects a value that is not null, [] or {}, which WireMock takes for nothing. It does so with paths of one value
// only; with others it counts what is selected.
func something(path string) string {
	if match.Err(match.JSONPath("$[?"+path+" == 0]", match.Present())) != nil || strings.TrimSpace(path) == "$" { // RFC 9535 compares singular queries only
		return path
	}
	return "$[??" + path + " && " + path + " != null && (length(" + path + ") != 0 || " + path + " == '')]"
}

// rewritten is a path of WireMock as one of RFC 9535: its filters ask objects themselves, and not their members, and a dot before a bracket says nothing. What is no path
// stays none. From is where each byte comes from, and the end.
func rewritten(path string) (whole string, from []int) {
	var b strings.Builder
	var quote byte
	write := func(c byte, at int) {
		b.WriteByte(c)
		from = append(from, at)
	}
	for i := 0; i < len(path); i++ {
		c := path[i]
		if quote == 0 && c == '.' && strings.HasPrefix(path[i+1:], "[") && !strings.HasSuffix(path[:i], ".") {
			continue
		}
		write(c, i)
		switch {
		case quote != 0 && c == '\\' && i+1 < len(path):
			i++
			write(path[i], i)
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '?':
			write('?', i+1)
		}
	}
	return b.String(), append(from, len(path))
}

// wirePart reads a pattern of a part.
func (v value) wirePart() (p Part, ok bool) {
	begun := len(v.rd.errs)
	v.keys(map[string]func(value){
		"name":     func(v value) { p.Name = v.str() },
		"filename": func(v value) { p.FileName = v.str() },
		"matchingType": func(v value) {
			if kind := v.str(); kind != "ANY" {
				v.fail("expected ANY, as one part has to match, but it is %q", kind)
			}
		},
		"headers": func(v value) { p.Headers = v.wireTexts() },
		"bodyPatterns": func(v value) {
			for _, one := range v.list() {
				b := one.wireBody()
				if b.Base64 != nil || b.JSONSubset != nil || b.JSONPath != nil || b.AnyOrder || b.JSON != nil && p.JSON != nil || b.Text == nil && b.JSON == nil {
					one.fail("expected conditions of a text, or equalToJson once and without options, for a part")
					continue
				}
				if b.JSON != nil {
					p.JSON = b.JSON
				}
				switch {
				case b.Text != nil && p.Text != nil:
					p.Text = &Text{All: []Text{*p.Text, *b.Text}}
				case b.Text != nil:
					p.Text = b.Text
				}
			}
		},
	})
	return p, len(v.rd.errs) == begun
}
