package stub

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// moments and their names in files.
var moments = map[string]mockserver.Moment{
	"requestStart": mockserver.RequestStart, "requestHead": mockserver.RequestHead, "requestBody": mockserver.RequestBody, "responseStart": mockserver.ResponseStart,
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
	"garbage": {[]string{"size"}, func(e Effect) mockserver.Effect { return mockserver.Garbage{Bytes: e.Size} }},
	"write": {[]string{"text", "base64"}, func(e Effect) mockserver.Effect {
		return mockserver.Write{Bytes: append([]byte(e.Text), e.Base64...)}
	}},
	"wait":              {[]string{"for"}, func(e Effect) mockserver.Effect { return e.For.wait() }},
	"refuseConnections": {[]string{"for"}, func(e Effect) mockserver.Effect { return mockserver.RefuseConnections{For: time.Duration(e.For.Fixed)} }},
	"sendSettings":      {[]string{"settings"}, func(e Effect) mockserver.Effect { return mockserver.SendSettings{Settings: settings(e.Settings)} }},
	"ignoreConnections": {[]string{"for"}, func(e Effect) mockserver.Effect { return mockserver.IgnoreConnections{For: time.Duration(e.For.Fixed)} }},
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

// setting returns the setting of HTTP/2 of a name (RFC 9113 section 6.5.2), or of a number such as "0x9".
func setting(name string) (http2.SettingID, bool) {
	for id := range http2.SettingEnableConnectProtocol + 1 {
		if id.String() == name {
			return id, true
		}
	}
	n, err := strconv.ParseUint(name, 0, 16)
	return http2.SettingID(n), err == nil
}

// settings are the entries of a frame, in the order of their numbers.
func settings(values map[string]uint32) (list []http2.Setting) {
	for name, n := range values {
		id, _ := setting(name)
		list = append(list, http2.Setting{ID: id, Value: n})
	}
	slices.SortFunc(list, func(a, b http2.Setting) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// common are the members that each effect may have.
var common = []string{"at", "do", "bytes", "chunks", "probability", "everyNth", "first"}

func (v value) effects() (list []Effect) {
	if v.atMost(maxParts) {
		for _, one := range v.list() {
			list = append(list, one.effect())
		}
	}
	return list
}

func (v value) effect() (e Effect) {
	begun := len(v.rd.errs)
	v.keys(map[string]func(value){
		"at":          func(v value) { e.At = v.str(); named(v, moments) },
		"do":          func(v value) { e.Do = v.str(); named(v, kinds) },
		"bytes":       func(v value) { n := v.integer(0, 1<<50); e.Bytes = &n },
		"chunks":      func(v value) { e.Chunks = int(v.integer(1, 1<<31-1)) },
		"code":        func(v value) { e.Code = v.code() },
		"in":          func(v value) { e.In = v.boolean() },
		"out":         func(v value) { e.Out = v.boolean() },
		"noClose":     func(v value) { e.NoClose = v.boolean() },
		"size":        func(v value) { e.Size = int(v.integer(0, 1<<20)) },
		"text":        func(v value) { e.Text = v.str() },
		"base64":      func(v value) { e.Base64 = *v.bytes() },
		"for":         func(v value) { e.For = v.delay() },
		"fault":       func(v value) { e.Fault = v.str(); named(v, faults) },
		"debug":       func(v value) { e.Debug = v.str() },
		"refuse":      func(v value) { e.Refuse = v.boolean() },
		"settings":    func(v value) { e.Settings = v.settings() },
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
	switch {
	case e.Do == "badCertificate" && e.Fault == "":
		v.fail("expected a member %q", "fault")
	case e.Do == "sendSettings" && len(e.Settings) == 0:
		v.fail("expected a member %q", "settings")
	case e.Do == "write" && v.Get("text") != nil && v.Get("base64") != nil:
		v.fail("expected one of text, base64 but got both")
	case e.Do != "wait" && e.For != (Delay{Fixed: e.For.Fixed}):
		v.fail("%s: expected a time \"for\" that is no random one", e.Do)
	case e.Bytes != nil && e.Chunks > 0:
		v.fail("expected one of bytes, chunks but got both")
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
	if len(v.rd.errs) == begun {
		// Chunks need sizes, of which the response may have none; that is a fault of the response.
		v.valid(withEffects(mockserver.Reply(200).Text("x").Chunked(1), []Effect{e}).Err())
	}
	return e
}

func (v value) settings() map[string]uint32 {
	list := map[string]uint32{}
	v.each(func(name string, member value) {
		if _, ok := setting(name); !ok {
			member.fail("expected the name of a setting of HTTP/2, such as MAX_CONCURRENT_STREAMS, or a number but it is %q", name)
		}
		list[name] = uint32(member.integer(0, 1<<32-1))
	})
	return list
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
		var chunks int
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
			if len(all) > 0 && chunks != e.Chunks {
				return mockserver.Fault(fmt.Errorf("effects at %s: expected all of them after the same number of chunks", name))
			}
			all, bytes, chunks = append(all, one), e.Bytes, e.Chunks
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
		switch {
		case bytes != nil:
			resp = resp.OnBytes(moment, *bytes, effect)
		case chunks > 0 && moment != mockserver.ResponseBody:
			return mockserver.Fault(fmt.Errorf("effects at %s after chunks: expected responseBody", name))
		case chunks > 0:
			resp = resp.OnChunk(chunks, effect)
		default:
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
