package stub

import (
	"encoding/base64"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/mockserver/match"
)

// request reads what a stub matches.
func (v value) request() (r Request) {
	v.keys(map[string]func(value){
		"method": func(v value) { r.Method = v.strs(); v.valid(match.Err(match.Method(r.Method...))) },
		"path": func(v value) {
			s := v.str()
			r.Path = &s
			if v.Kind == jsontree.String {
				v.valid(match.Err(match.Path(s)))
			}
		},
		"rawPath":           func(v value) { r.RawPath = v.textRef() },
		"target":            func(v value) { r.Target = v.textRef() },
		"query":             func(v value) { r.Query = v.textMap() },
		"headers":           func(v value) { r.Headers = v.headerMap() },
		"cookies":           func(v value) { r.Cookies = v.textMap() },
		"host":              func(v value) { r.Host = v.textRef() },
		"basicAuth":         func(v value) { r.BasicAuth = v.credentials() },
		"protocol":          func(v value) { r.Protocol = v.strs(); v.valid(match.Err(match.Proto(r.Protocol...))) },
		"tls":               func(v value) { b := v.boolean(); r.TLS = &b },
		"serverName":        func(v value) { r.ServerName = v.textRef() },
		"clientCertificate": func(v value) { r.ClientCertificate = v.textRef() },
		"connection":        func(v value) { n := int(v.integer(0, 1<<31-1)); r.Connection = &n },
		"body":              func(v value) { r.Body = v.body() },
		"not":               func(v value) { not := v.request(); r.Not = &not },
		"any": func(v value) {
			for _, one := range v.list() {
				r.Any = append(r.Any, one.request())
			}
		},
	})
	return r
}

// valid complains about what is wrong with something made of the value.
func (v value) valid(err error) {
	if err == nil {
		return
	}
	text := err.Error()
	for _, where := range []string{"mockserver: ", "match: ", "okhttp: "} {
		text = strings.TrimPrefix(text, where)
	}
	v.fail("%s", text)
}

func (v value) headerMap() map[string]Text {
	all := v.textMap()
	if _, empty := all[""]; empty {
		v.fail("expected names of headers")
	}
	return all
}

func (v value) credentials() *Credentials {
	c := new(Credentials)
	v.keys(map[string]func(value){
		"user":     func(v value) { c.User = v.str() },
		"password": func(v value) { c.Password = v.str() },
	})
	v.valid(match.Err(match.BasicAuth(c.User, c.Password)))
	return c
}

func (v value) body() *Body {
	b := new(Body)
	v.keys(map[string]func(value){
		"text":          func(v value) { b.Text = v.textRef() },
		"base64":        func(v value) { b.Base64 = v.bytes() },
		"json":          func(v value) { b.JSON = v.raw() },
		"jsonSubset":    func(v value) { b.JSONSubset = v.raw() },
		"extraElements": func(v value) { b.ExtraElements = v.boolean() },
		"anyOrder":      func(v value) { b.AnyOrder = v.boolean() },
		"jsonPath": func(v value) {
			b.JSONPath = map[string]JSONValue{}
			v.each(func(path string, member value) {
				member.valid(match.Err(match.JSONPath(path, match.Present())))
				b.JSONPath[path] = member.jsonValue()
			})
		},
		"form": func(v value) { b.Form = v.textMap() },
		"parts": func(v value) {
			for _, one := range v.list() {
				b.Parts = append(b.Parts, one.part())
			}
		},
	})
	if v.Kind == jsontree.Object && len(v.Members) == 0 {
		v.fail("expected a condition, such as text or json")
	}
	return b
}

func (v value) bytes() *[]byte {
	p, err := base64.StdEncoding.DecodeString(v.str())
	if err != nil && v.Kind == jsontree.String {
		v.fail("expected base64: %v", err)
	}
	if p == nil {
		p = []byte{}
	}
	return &p
}

func (v value) jsonValue() (j JSONValue) {
	if v.Kind != jsontree.Object {
		j.Text = v.text()
		return j
	}
	known := j.Text.keys()
	known["json"] = func(v value) { j.JSON = v.raw() }
	v.keys(known)
	switch {
	case len(v.Members) == 0:
		v.fail("expected a condition, such as equal or json")
	case j.JSON != nil && len(v.Members) > 1:
		v.fail("expected json or conditions of a text but got both")
	}
	return j
}

func (v value) part() (p Part) {
	v.keys(map[string]func(value){
		"name":     func(v value) { p.Name = v.str() },
		"fileName": func(v value) { p.FileName = v.str() },
		"headers":  func(v value) { p.Headers = v.headerMap() },
		"text":     func(v value) { p.Text = v.textRef() },
		"json":     func(v value) { p.JSON = v.raw() },
	})
	return p
}

// Matcher returns the request as package match describes it.
func (r Request) Matcher() mockserver.Matcher {
	var parts []mockserver.Matcher
	add := func(m mockserver.Matcher) { parts = append(parts, m) }
	text := func(t *Text, make func(match.Pattern) mockserver.Matcher) {
		if t != nil {
			add(make(t.Pattern()))
		}
	}
	named := func(all map[string]Text, make func(string, match.Pattern) mockserver.Matcher) {
		for _, name := range sorted(all) {
			add(make(name, all[name].Pattern()))
		}
	}
	if len(r.Method) > 0 {
		add(match.Method(r.Method...))
	}
	if r.Path != nil {
		add(match.Path(*r.Path))
	}
	text(r.RawPath, match.RawPath)
	text(r.Target, match.Target)
	named(r.Query, match.Query)
	text(r.Host, match.Host)
	named(r.Headers, match.Header)
	named(r.Cookies, match.Cookie)
	if r.BasicAuth != nil {
		add(match.BasicAuth(r.BasicAuth.User, r.BasicAuth.Password))
	}
	if len(r.Protocol) > 0 {
		add(match.Proto(r.Protocol...))
	}
	if r.TLS != nil {
		add(match.TLS(*r.TLS))
	}
	text(r.ServerName, match.ServerName)
	text(r.ClientCertificate, match.ClientCertificate)
	if r.Connection != nil {
		add(match.Connection(*r.Connection))
	}
	if r.Body != nil {
		parts = append(parts, r.Body.matchers()...)
	}
	if r.Not != nil {
		add(match.Not(r.Not.Matcher()))
	}
	if len(r.Any) > 0 {
		var either []mockserver.Matcher
		for _, one := range r.Any {
			either = append(either, one.Matcher())
		}
		add(match.Any(either...))
	}
	return match.All(parts...)
}

func (b *Body) matchers() (list []mockserver.Matcher) {
	add := func(m mockserver.Matcher) { list = append(list, m) }
	if b.Text != nil {
		add(match.Body(b.Text.Pattern()))
	}
	if b.Base64 != nil {
		add(match.Bytes(*b.Base64))
	}
	rules := match.JSONRules{ExtraElements: b.ExtraElements, AnyOrder: b.AnyOrder}
	if b.JSON != nil {
		add(match.JSONWith(string(b.JSON), rules))
	}
	if b.JSONSubset != nil {
		rules.ExtraMembers = true
		add(match.JSONWith(string(b.JSONSubset), rules))
	}
	for _, path := range sorted(b.JSONPath) {
		if want := b.JSONPath[path]; want.JSON != nil {
			add(match.JSONPathIs(path, string(want.JSON)))
		} else {
			add(match.JSONPath(path, want.Pattern()))
		}
	}
	for _, name := range sorted(b.Form) {
		add(match.Form(name, b.Form[name].Pattern()))
	}
	for _, p := range b.Parts {
		rules := match.PartRules{Name: p.Name, FileName: p.FileName, JSON: string(p.JSON), Headers: map[string]match.Pattern{}}
		for name, t := range p.Headers {
			rules.Headers[name] = t.Pattern()
		}
		if p.Text != nil {
			pattern := p.Text.Pattern()
			rules.Body = &pattern
		}
		add(match.Part(rules))
	}
	return list
}
