package stub

import (
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
)

// maxParts bounds what a response has many of: fields, effects, 1xx responses, pushes.
const maxParts = 1000

// response reads what a stub answers.
func (v value) response() (r Response) {
	begun := len(v.rd.errs)
	text := func(to **string) func(value) {
		return func(v value) { s := v.str(); *to = &s }
	}
	v.keys(map[string]func(value){
		"status": func(v value) { r.Status = int(v.integer(200, 999)) },
		"reason": func(v value) {
			s := v.str()
			r.Reason = &s
			v.valid(mockserver.Reply(200).Reason(s).Err())
		},
		"headers":         func(v value) { r.Headers = v.fields() },
		"body":            text(&r.Body),
		"json":            func(v value) { r.JSON = v.raw() },
		"base64":          func(v value) { r.Base64 = v.bytes() },
		"file":            func(v value) { r.File = v.str(); v.fileName(r.File); r.fileAt = v.place() },
		"raw":             text(&r.Raw),
		"rawBase64":       func(v value) { r.RawBase64 = v.bytes() },
		"rawHeaders":      func(v value) { r.RawHeaders = v.rawFields() },
		"template":        func(v value) { r.Template = v.boolean() },
		"chunked":         func(v value) { r.Chunked = v.chunks() },
		"untilClose":      func(v value) { r.UntilClose = v.boolean() },
		"trailers":        func(v value) { r.Trailers = v.fields() },
		"informational":   func(v value) { r.Informational = v.informational() },
		"delay":           func(v value) { r.Delay = v.delay() },
		"bodyDelay":       func(v value) { r.BodyDelay = v.delay() },
		"throttle":        func(v value) { r.Throttle = v.throttle() },
		"dribble":         func(v value) { r.Dribble = v.spread() },
		"slowHead":        func(v value) { r.SlowHead = v.throttle() },
		"trailersDelay":   func(v value) { r.TrailersDelay = v.duration() },
		"malformedChunk":  func(v value) { r.MalformedChunk = v.boolean() },
		"wrongLength":     func(v value) { r.WrongLength = v.integer(-1<<40, 1<<40) },
		"effects":         func(v value) { r.Effects = v.effects() },
		"skipRequestBody": func(v value) { r.SkipRequestBody = v.boolean() },
		"shutdownServer":  func(v value) { r.ShutdownServer = v.boolean() },
		"settings":        func(v value) { r.Settings = v.settings() },
		"inTunnel":        func(v value) { r.InTunnel = v.boolean() },
		"pushes":          func(v value) { r.Pushes = v.pushes() },
	})
	if len(v.rd.errs) > begun {
		return r
	}
	var bodies []string
	for _, name := range []string{"body", "json", "base64", "file", "raw", "rawBase64"} {
		if v.Get(name) != nil {
			bodies = append(bodies, name)
		}
	}
	switch {
	case len(bodies) > 1:
		v.fail("expected one of %s but got all", strings.Join(bodies, ", "))
	case r.Template && (r.Base64 != nil || r.JSON != nil || r.Raw != nil || r.RawBase64 != nil):
		v.fail("expected a template as body or file, not as %s", bodies[0])
	case r.Chunked != nil && r.UntilClose:
		v.fail("expected one of chunked, untilClose but got both")
	}
	if r.Template {
		v.templates(r)
	}
	if len(v.rd.errs) == begun {
		v.valid(r.plain().Err())
	}
	return r
}

// templates complains about templates that are none.
func (v value) templates(r Response) {
	if r.Body != nil {
		v.at("body").template("body", *r.Body)
	}
	v.at("headers").each(func(name string, member value) {
		for _, one := range member.oneOrMore() {
			one.template(name, one.Text)
		}
	})
}

func (v value) template(name, text string) {
	_, err := compile(name, text)
	v.valid(err)
}

// at is a member of an object, an empty object if there is none.
func (v value) at(name string) value {
	n := v.Get(name)
	if n == nil {
		n = &jsontree.Node{Kind: jsontree.Object}
	}
	return value{n, v.rd, v.member(name)}
}

// pushes reads what is pushed along. It is made before there is a request, so it has neither a template nor a file.
func (v value) pushes() (list []Push) {
	if !v.atMost(maxParts) {
		return nil
	}
	for _, one := range v.list() {
		var p Push
		one.keys(map[string]func(value){
			"method":  func(v value) { p.Method = v.str() },
			"path":    func(v value) { p.Path = v.str() },
			"headers": func(v value) { p.Headers = v.fields() },
			"response": func(v value) {
				p.Response = v.response()
				for name, there := range map[string]bool{"file": p.Response.File != "", "template": p.Response.Template, "pushes": p.Response.Pushes != nil} {
					if there {
						v.fail("%s: not in what is pushed", name)
					}
				}
			},
		})
		list = append(list, p)
	}
	return list
}

// fileName complains about a name that leads out of the folder.
func (v value) fileName(name string) {
	if !local(name) {
		v.fail("expected the name of a file within the folder of the stub file, with slashes, but it is %q", name)
	}
}

// fields reads header fields that may be sent.
func (v value) fields() Fields {
	return v.eachField(func(name string, one value) { one.valid(mockserver.Reply(200).AddHeader(name, one.Text).Err()) })
}

// rawFields reads header fields that are sent as they are.
func (v value) rawFields() Fields { return v.eachField(func(string, value) {}) }

func (v value) eachField(check func(name string, one value)) (f Fields) {
	v.each(func(name string, member value) {
		for _, one := range member.oneOrMore() {
			if f = append(f, name, one.str()); one.Kind == jsontree.String && len(v.rd.errs) < maxErrors {
				check(name, one)
			}
		}
	})
	if len(f) > 2*maxParts {
		v.fail("expected at most %d fields but there are %d", maxParts, len(f)/2)
		return nil
	}
	return f
}

func (v value) chunks() *Chunks {
	c := Chunks{}
	if v.Kind == jsontree.Bool {
		if !v.True {
			return nil
		}
		return &c
	}
	for _, one := range v.list() {
		c = append(c, one.integer(1, 1<<40))
	}
	return &c
}

func (v value) informational() (list []Informational) {
	if !v.atMost(maxParts) {
		return nil
	}
	for _, one := range v.list() {
		var i Informational
		one.keys(map[string]func(value){
			"status": func(v value) {
				i.Status = int(v.integer(100, 199))
				v.valid(mockserver.Reply(200).Informational(i.Status).Err())
			},
			"headers": func(v value) { i.Headers = v.fields() },
			"delay":   func(v value) { i.Delay = v.duration() },
		})
		if one.Kind == jsontree.Object && i.Status == 0 {
			one.fail("expected a status")
		}
		list = append(list, i)
	}
	return list
}

func (v value) spread() *Dribble {
	d := new(Dribble)
	v.keys(map[string]func(value){
		"pieces": func(v value) { d.Pieces = int(v.integer(1, 1<<31-1)) },
		"over":   func(v value) { d.Over = v.duration() },
	})
	if v.Kind == jsontree.Object && (v.Get("pieces") == nil || v.Get("over") == nil) {
		v.fail("expected pieces and over")
	}
	return d
}

func (v value) throttle() *Throttle {
	t := new(Throttle)
	v.keys(map[string]func(value){
		"bytes": func(v value) { t.Bytes = v.integer(1, 1<<40) },
		"every": func(v value) { t.Every = v.duration() },
	})
	if v.Kind == jsontree.Object && (v.Get("bytes") == nil || v.Get("every") == nil) {
		v.fail("expected bytes and every")
	}
	return t
}
