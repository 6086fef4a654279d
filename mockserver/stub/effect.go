package stub

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// moments and their names in files.
var moments = map[string]mockserver.Moment{
	"requestStart": mockserver.RequestStart, "requestBody": mockserver.RequestBody, "responseStart": mockserver.ResponseStart,
	"responseBody": mockserver.ResponseBody, "responseEnd": mockserver.ResponseEnd,
}

// kind is an effect by its name in files.
type kind struct {
	members []string // that it may have, besides those of all
	make    func(Effect) mockserver.Effect
}

var kinds = map[string]kind{
	"closeSocket": {[]string{"in", "out", "noClose"}, func(e Effect) mockserver.Effect {
		return mockserver.CloseSocket{NoClose: e.NoClose, In: e.In, Out: e.Out}
	}},
	"reset":              {nil, func(Effect) mockserver.Effect { return mockserver.Reset{} }},
	"stall":              {nil, func(Effect) mockserver.Effect { return mockserver.Stall{} }},
	"shutdownConnection": {nil, func(Effect) mockserver.Effect { return mockserver.ShutdownConnection{} }},
	"partialRecord":      {nil, func(Effect) mockserver.Effect { return mockserver.PartialRecord{} }},
	"failHandshake":      {nil, func(Effect) mockserver.Effect { return mockserver.FailHandshake{} }},
	"closeStream":        {[]string{"code"}, func(e Effect) mockserver.Effect { return mockserver.CloseStream{Code: http2.ErrorCode(e.Code)} }},
	"goAway": {[]string{"code", "debug", "refuse"}, func(e Effect) mockserver.Effect {
		return mockserver.GoAway{Code: http2.ErrorCode(e.Code), Debug: e.Debug, Refuse: e.Refuse}
	}},
	"garbage":           {[]string{"size"}, func(e Effect) mockserver.Effect { return mockserver.Garbage{Bytes: e.Size} }},
	"write":             {[]string{"text"}, func(e Effect) mockserver.Effect { return mockserver.Write{Bytes: []byte(e.Text)} }},
	"wait":              {[]string{"for"}, func(e Effect) mockserver.Effect { return mockserver.Wait{For: time.Duration(e.For)} }},
	"refuseConnections": {[]string{"for"}, func(e Effect) mockserver.Effect { return mockserver.RefuseConnections{For: time.Duration(e.For)} }},
	"badCertificate":    {[]string{"fault"}, func(e Effect) mockserver.Effect { return mockserver.BadCertificate{Fault: faults[e.Fault]} }},
}

// faults of certificates by name.
var faults = map[string]mockserver.CertificateFault{
	"Expired": mockserver.Expired, "NotYetValid": mockserver.NotYetValid, "WrongHost": mockserver.WrongHost, "UnknownAuthority": mockserver.UnknownAuthority,
}

// codes are the error codes of HTTP/2 by name (RFC 9113 section 7).
var codes = []string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL",
	"COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// common are the members that each effect may have.
var common = []string{"at", "do", "bytes", "probability", "everyNth", "first"}

func (v value) effects() (list []Effect) {
	for _, one := range v.list() {
		list = append(list, one.effect())
	}
	return list
}

func (v value) effect() (e Effect) {
	begun := len(v.rd.errs)
	v.keys(map[string]func(value){
		"at":          func(v value) { e.At = v.str(); named(v, moments) },
		"do":          func(v value) { e.Do = v.str(); named(v, kinds) },
		"bytes":       func(v value) { n := v.integer(0, 1<<50); e.Bytes = &n },
		"code":        func(v value) { e.Code = v.code() },
		"in":          func(v value) { e.In = v.boolean() },
		"out":         func(v value) { e.Out = v.boolean() },
		"noClose":     func(v value) { e.NoClose = v.boolean() },
		"size":        func(v value) { e.Size = int(v.integer(0, 1<<20)) },
		"text":        func(v value) { e.Text = v.str() },
		"for":         func(v value) { e.For = v.duration() },
		"fault":       func(v value) { e.Fault = v.str(); named(v, faults) },
		"debug":       func(v value) { e.Debug = v.str() },
		"refuse":      func(v value) { e.Refuse = v.boolean() },
		"probability": func(v value) { p := v.float(); e.Probability = &p },
		"everyNth":    func(v value) { e.EveryNth = int(v.integer(1, 1<<31-1)) },
		"first":       func(v value) { e.First = int(v.integer(1, 1<<31-1)) },
	})
	if v.Kind != jsontree.Object || len(v.rd.errs) > begun {
		return e
	}
	for _, name := range []string{"at", "do"} {
		if v.Get(name) == nil {
			v.fail("expected a member %q", name)
			return e
		}
	}
	for _, m := range v.Members {
		if !slices.Contains(common, m.Name) && !slices.Contains(kinds[e.Do].members, m.Name) {
			v.rd.fail(m.Start, v.member(m.Name), "%s has no such member", e.Do)
		}
	}
	if e.Do == "badCertificate" && e.Fault == "" {
		v.fail("expected a member %q", "fault")
	}
	chosen := 0
	for _, name := range []string{"probability", "everyNth", "first"} {
		if v.Get(name) != nil {
			chosen++
		}
	}
	if chosen > 1 {
		v.fail("expected one of probability, everyNth, first")
	}
	return e
}

// named complains about a name that is none of a table.
func named[V any](v value, table map[string]V) {
	if _, ok := table[v.Text]; !ok && v.Kind == jsontree.String {
		v.fail("expected one of %s but it is %q", strings.Join(sorted(table), ", "), v.Text)
	}
}

// code reads an error code by number or by name.
func (v value) code() uint32 {
	if v.Kind != jsontree.String {
		return uint32(v.integer(0, 1<<32-1))
	}
	i := slices.Index(codes, v.Text)
	if i < 0 {
		v.fail("expected a number or one of %s but it is %q", strings.Join(codes, ", "), v.Text)
		return 0
	}
	return uint32(i)
}

// effect is the effect as package mockserver has it.
func (e Effect) effect() (mockserver.Effect, error) {
	k, ok := kinds[e.Do]
	if !ok {
		return nil, fmt.Errorf("effect %q: expected one of %s", e.Do, strings.Join(sorted(kinds), ", "))
	}
	made := k.make(e)
	switch {
	case e.Probability != nil:
		made = mockserver.Sometimes{Probability: *e.Probability, Effect: made}
	case e.EveryNth > 0:
		made = mockserver.EveryNth(e.EveryNth, made)
	case e.First > 0:
		made = mockserver.First(e.First, made)
	}
	return made, nil
}

// withEffects puts effects into a response, those of one moment in their order.
func withEffects(resp mockserver.Response, list []Effect) mockserver.Response {
	for name, moment := range moments {
		var all []mockserver.Effect
		var bytes *int64
		for _, e := range list {
			if e.At != name {
				continue
			}
			one, err := e.effect()
			if err != nil {
				return mockserver.Fault(err)
			}
			if len(all) > 0 && (bytes == nil) != (e.Bytes == nil) || bytes != nil && e.Bytes != nil && *bytes != *e.Bytes {
				return mockserver.Fault(fmt.Errorf("effects at %s: expected all of them after the same number of bytes", name))
			}
			all, bytes = append(all, one), e.Bytes
		}
		var effect mockserver.Effect
		switch len(all) {
		case 0:
			continue
		case 1:
			effect = all[0]
		default:
			effect = mockserver.Sequence(all...)
		}
		if bytes != nil {
			resp = resp.OnBytes(moment, *bytes, effect)
		} else {
			resp = resp.On(moment, effect)
		}
	}
	for _, e := range list {
		if _, ok := moments[e.At]; !ok {
			return mockserver.Fault(fmt.Errorf("effect at %q: expected one of %s", e.At, strings.Join(sorted(moments), ", ")))
		}
	}
	return resp
}
