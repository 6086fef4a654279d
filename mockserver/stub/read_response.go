package stub

import (
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// response reads what a stub answers.
func (v value) response() (r Response) {
	begun := len(v.rd.errs)
	text := func(to **string) func(value) {
		return func(v value) { s := v.str(); *to = &s }
	}
	v.keys(map[string]func(value){
		"status":          func(v value) { r.Status = int(v.integer(200, 999)) },
		"reason":          text(&r.Reason),
		"headers":         func(v value) { r.Headers = v.fields() },
		"body":            text(&r.Body),
		"json":            func(v value) { r.JSON = v.raw() },
		"base64":          func(v value) { r.Base64 = v.bytes() },
		"file":            func(v value) { r.File = v.str(); v.fileName(r.File) },
		"raw":             text(&r.Raw),
		"template":        func(v value) { r.Template = v.boolean() },
		"chunked":         func(v value) { r.Chunked = v.chunks() },
		"untilClose":      func(v value) { r.UntilClose = v.boolean() },
		"trailers":        func(v value) { r.Trailers = v.fields() },
		"informational":   func(v value) { r.Informational = v.informational() },
		"delay":           func(v value) { r.Delay = v.delay() },
		"bodyDelay":       func(v value) { r.BodyDelay = v.delay() },
		"throttle":        func(v value) { r.Throttle = v.throttle() },
		"effects":         func(v value) { r.Effects = v.effects() },
		"skipRequestBody": func(v value) { r.SkipRequestBody = v.boolean() },
		"shutdownServer":  func(v value) { r.ShutdownServer = v.boolean() },
	})
	if len(v.rd.errs) > begun {
		return r
	}
	var bodies []string
	for _, name := range []string{"body", "json", "base64", "file", "raw"} {
		if v.Get(name) != nil {
			bodies = append(bodies, name)
		}
	}
	switch {
	case len(bodies) > 1:
		v.fail("expected one of %s but got all", strings.Join(bodies, ", "))
	case r.Template && (r.Base64 != nil || r.JSON != nil || r.Raw != nil):
		v.fail("expected a template as body or file, not as %s", bodies[0])
	case r.Chunked != nil && r.UntilClose:
		v.fail("expected one of chunked, untilClose but got both")
	}
	if r.Template {
		if _, err := r.templates(); err != nil {
			v.fail("%v", err)
			return r
		}
	}
	if err := r.plain().Err(); err != nil {
		v.fail("%s", strings.TrimPrefix(err.Error(), "mockserver: "))
	}
	return r
}

// fileName complains about a name that leads out of the folder.
func (v value) fileName(name string) {
	if !local(name) {
		v.fail("expected the name of a file within the folder of the stub file, with slashes, but it is %q", name)
	}
}

func (v value) fields() (f Fields) {
	v.each(func(name string, member value) {
		for _, one := range member.oneOrMore() {
			f = append(f, name, one.str())
		}
	})
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
	for _, one := range v.list() {
		var i Informational
		one.keys(map[string]func(value){
			"status":  func(v value) { i.Status = int(v.integer(100, 199)) },
			"headers": func(v value) { i.Headers = v.fields() },
		})
		list = append(list, i)
	}
	return list
}

func (v value) throttle() *Throttle {
	t := new(Throttle)
	v.keys(map[string]func(value){
		"bytes": func(v value) { t.Bytes = v.integer(1, 1<<40) },
		"every": func(v value) { t.Every = v.duration() },
	})
	if v.Kind == jsontree.Object && v.Get("bytes") == nil {
		v.fail("expected bytes and every")
	}
	return t
}

// moments and their names in files.
var moments = map[string]mockserver.Moment{
	"requestStart": mockserver.RequestStart, "requestBody": mockserver.RequestBody, "responseStart": mockserver.ResponseStart,
	"responseBody": mockserver.ResponseBody, "responseEnd": mockserver.ResponseEnd,
}

// effects and their names in files.
var effects = map[string]func(Effect) mockserver.Effect{
	"closeSocket": func(e Effect) mockserver.Effect {
		return mockserver.CloseSocket{NoClose: e.NoClose, In: e.In, Out: e.Out}
	},
	"reset":              func(Effect) mockserver.Effect { return mockserver.Reset{} },
	"shutdownConnection": func(Effect) mockserver.Effect { return mockserver.ShutdownConnection{} },
	"closeStream":        func(e Effect) mockserver.Effect { return mockserver.CloseStream{Code: http2.ErrorCode(e.Code)} },
	"stall":              func(Effect) mockserver.Effect { return mockserver.Stall{} },
}

// codes are the error codes of HTTP/2 by name (RFC 9113 section 7).
var codes = []string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL",
	"COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

func (v value) effects() (list []Effect) {
	for _, one := range v.list() {
		list = append(list, one.effect())
	}
	return list
}

func (v value) effect() (e Effect) {
	v.keys(map[string]func(value){
		"at": func(v value) {
			if e.At = v.str(); v.Kind == jsontree.String && !knows(moments, e.At) {
				v.fail("expected one of %s but it is %q", strings.Join(sorted(moments), ", "), e.At)
			}
		},
		"do": func(v value) {
			if e.Do = v.str(); v.Kind == jsontree.String && !knows(effects, e.Do) {
				v.fail("expected one of %s but it is %q", strings.Join(sorted(effects), ", "), e.Do)
			}
		},
		"bytes":   func(v value) { n := v.integer(0, 1<<50); e.Bytes = &n },
		"code":    func(v value) { e.Code = v.code() },
		"in":      func(v value) { e.In = v.boolean() },
		"out":     func(v value) { e.Out = v.boolean() },
		"noClose": func(v value) { e.NoClose = v.boolean() },
	})
	if v.Kind != jsontree.Object {
		return e
	}
	for _, name := range []string{"at", "do"} {
		if v.Get(name) == nil {
			v.fail("expected a member %q", name)
		}
	}
	for name, of := range map[string]string{"code": "closeStream", "in": "closeSocket", "out": "closeSocket", "noClose": "closeSocket"} {
		if v.Get(name) != nil && e.Do != of {
			v.fail("%s is for %s, and not for %q", name, of, e.Do)
		}
	}
	return e
}

func knows[V any](m map[string]V, name string) bool {
	_, ok := m[name]
	return ok
}

// code reads an error code by number or by name.
func (v value) code() uint32 {
	if v.Kind != jsontree.String {
		return uint32(v.integer(0, 1<<32-1))
	}
	for i, name := range codes {
		if name == v.Text {
			return uint32(i)
		}
	}
	v.fail("expected a number or one of %s but it is %q", strings.Join(codes, ", "), v.Text)
	return 0
}
