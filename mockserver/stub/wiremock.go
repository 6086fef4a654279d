package stub

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// Import reads mappings of WireMock: one, or an object with a list of them as "mappings". The common subset is understood:
//
//   - of a mapping: id, uuid, name, priority, insertionIndex, scenarioName, requiredScenarioState, newScenarioState, request, response; persistent and
//     metadata say nothing here
//   - of a request: method, url, urlPath, urlPattern, urlPathPattern, urlPathTemplate, host, scheme, queryParameters, pathParameters, formParameters, headers, cookies,
//     basicAuthCredentials, bodyPatterns, multipartPatterns
//   - of a text: equalTo, caseInsensitive, contains, doesNotContain, matches, doesNotMatch, absent, and, or, not
//   - of a body: those, equalToJson with ignoreArrayOrder and ignoreExtraElements, matchesJsonPath, binaryEqualTo
//   - of a response: status, statusMessage, headers, body, jsonBody, base64Body, bodyFileName, fixedDelayMilliseconds, delayDistribution, chunkedDribbleDelay, fault,
//     transformers with response-template and the expressions of it that name a part of the request
//
// All else is an error that names it. bodyFileName becomes File, which stands in WireMock's folder __files. Priorities are counted from WireMock's 5, which
// becomes 0.
//
// The stubs are in the order in which WireMock asks the mappings of a file that it loads: the last one first, or those with the largest insertionIndex. Those of a
// request to its admin interface, which has importOptions, it asks as they stand. [Rank] is for several files.
func Import(name string, text []byte) ([]Stub, error) {
	rd := &reader{file: name, text: text, wire: true}
	root := rd.tree()
	if root == nil {
		return nil, rd.err()
	}
	list := []value{{root, rd, ""}}
	if root.Kind == jsontree.Object && root.Get("mappings") != nil {
		v := list[0]
		list = nil
		v.keys(map[string]func(value){"mappings": func(v value) { list = v.list() }, "meta": ignored, "importOptions": ignored})
	}
	if len(list) > MaxStubs {
		rd.fail(0, "", "expected at most %d mappings but there are %d", MaxStubs, len(list))
		list = nil
	}
	var all []imported
	for _, v := range list {
		all = append(all, imported{stub: v.mapping()})
	}
	if err := rd.err(); err != nil {
		return nil, err
	}
	if root.Kind != jsontree.Object || root.Get("importOptions") == nil { // those of a request to import are added from the last to the first
		slices.Reverse(all)
	}
	byInsertion(all)
	stubs := make([]Stub, len(all))
	for i := range all {
		stubs[i] = all[i].stub
	}
	return stubs, nil
}

func ignored(value) {}

// mapping reads one mapping.
func (v value) mapping() (s Stub) {
	s.at = v.place()
	begun := len(v.rd.errs)
	var id, scenario, when, then string
	v.keys(map[string]func(value){
		"id":                    func(v value) { id = v.str() },
		"uuid":                  func(v value) { id = v.str() },
		"name":                  func(v value) { s.Name = v.str() },
		"priority":              func(v value) { s.Priority = v.wirePriority() },
		"request":               func(v value) { s.Request = v.wireRequest() },
		"response":              func(v value) { s.Responses = []Response{v.wireResponse()} },
		"scenarioName":          func(v value) { scenario = v.str() },
		"requiredScenarioState": func(v value) { when = v.str() },
		"newScenarioState":      func(v value) { then = v.str() },
		"insertionIndex":        func(v value) { n := v.integer(0, 1<<62); s.inserted = &n },
		"persistent":            ignored, "metadata": ignored,
	})
	if s.Name == "" {
		s.Name = id
	}
	switch {
	case scenario != "":
		s.Scenario = &Scenario{scenario, when, then}
	case when != "" || then != "":
		v.fail("requiredScenarioState and newScenarioState: expected scenarioName beside them")
	}
	if v.Kind == jsontree.Object && v.Get("response") == nil {
		s.Responses = []Response{{}}
	}
	if len(v.rd.errs) > begun {
		return s
	}
	r, err := s.route("", nil)
	if err == nil {
		err = route.New(r).Err()
	}
	if err == nil {
		err = match.Err(r.Match)
	}
	if err == nil {
		err = readable(s)
	}
	if err != nil {
		v.fail("%v", err)
	}
	return s
}

// wirePriority reads a priority, which is an int of Java. The five lowest share one.
func (v value) wirePriority() int {
	return int(max(v.integer(math.MinInt32, math.MaxInt32)-5, math.MinInt32))
}

// readable is why a stub could not be read again once it was written. WireMock takes conditions that say nothing.
func readable(s Stub) error {
	text, err := Marshal(s)
	if err != nil {
		return err
	}
	_, err = Parse("", text)
	var list Errors
	if errors.As(err, &list) {
		return fmt.Errorf("%s: %s", list[0].Path, list[0].Detail)
	}
	return err
}

// wireResponse reads a response.
func (v value) wireResponse() (r Response) {
	var fixed Duration
	v.keys(map[string]func(value){
		"status": func(v value) { r.Status = int(v.integer(200, 999)) },
		"statusMessage": func(v value) {
			s := v.str()
			r.Reason = &s
		},
		"headers":                func(v value) { r.Headers = v.fields(); r.unchunk() },
		"body":                   func(v value) { s := v.str(); r.Body = &s },
		"jsonBody":               func(v value) { r.JSON = v.raw() },
		"base64Body":             func(v value) { r.Base64 = v.bytes() },
		"bodyFileName":           func(v value) { r.File = strings.TrimPrefix(v.str(), "/"); v.fileName(r.File); r.fileAt = v.place() },
		"fixedDelayMilliseconds": func(v value) { fixed = v.millis() },
		"delayDistribution":      func(v value) { r.Delay = v.distribution() },
		"chunkedDribbleDelay":    func(v value) { v.dribble(&r) },
		"fault":                  func(v value) { v.fault(&r) },
		"transformers": func(v value) {
			for _, one := range v.list() {
				if name := one.str(); name != "response-template" {
					one.fail("expected response-template but it is %q", name)
				}
				r.Template = true
			}
		},
		"transformerParameters": func(v value) {
			if v.is(jsontree.Object) && len(v.Members) > 0 {
				v.fail("parameters of transformers are not understood")
			}
		},
		"fromConfiguredStub": ignored,
	})
	switch d := &r.Delay; { // the two delays come one after the other
	case d.Median > 0 && fixed > 0:
		v.fail("expected fixedDelayMilliseconds or a lognormal delayDistribution but got both")
	case d.To > 0:
		d.From, d.To = d.From+fixed, d.To+fixed
	default:
		d.Fixed += fixed
	}
	if r.Template {
		v.converted(&r)
	}
	return r
}

// unchunk takes a coding out of the header, where recorded mappings have it, and has it done: a stub sends what its header says and does nothing about it.
func (r *Response) unchunk() {
	var rest Fields
	for i := 0; i+1 < len(r.Headers); i += 2 {
		if strings.EqualFold(r.Headers[i], "Transfer-Encoding") && strings.EqualFold(strings.TrimSpace(r.Headers[i+1]), "chunked") {
			r.Chunked = &Chunks{}
		} else {
			rest = append(rest, r.Headers[i], r.Headers[i+1])
		}
	}
	r.Headers = rest
}

func (v value) millis() Duration {
	return Duration(time.Duration(v.integer(0, 1<<31-1)) * time.Millisecond)
}

// floatMillis reads a number of milliseconds with a fraction.
func (v value) floatMillis() Duration {
	f := v.float()
	if f < 0 || f > 1<<31 {
		v.fail("expected a number from 0 to %d but it is %s", int64(1<<31), v.Text)
		return 0
	}
	return Duration(f * float64(time.Millisecond))
}

func (v value) distribution() (d Delay) {
	kind := ""
	var lower, upper, fixed, most Duration
	bounded := false
	v.keys(map[string]func(value){
		"type":         func(v value) { kind = v.str() },
		"lower":        func(v value) { lower = v.millis() },
		"upper":        func(v value) { upper = v.millis() },
		"milliseconds": func(v value) { fixed = v.millis() },
		"median":       func(v value) { d.Median = v.floatMillis() },
		"sigma":        func(v value) { d.Sigma = v.float() },
		"maxValue":     func(v value) { most = v.floatMillis(); bounded = true },
	})
	switch kind {
	case "fixed":
		return Delay{Fixed: fixed}
	case "uniform":
		if upper <= lower {
			return Delay{Fixed: lower}
		}
		return Delay{From: lower, To: upper}
	case "lognormal":
		if d.Median <= 0 || d.Sigma < 0 || d.Sigma > 3 {
			v.fail("expected a median above 0 and a sigma from 0 to 3")
		}
		if d.Max = most; bounded && most <= 0 {
			v.fail("expected a maxValue above 0")
		}
		return d
	}
	v.fail("expected a type of fixed, uniform or lognormal but it is %q", kind)
	return d
}

// dribble spreads the body over a time.
func (v value) dribble(r *Response) {
	var chunks int64
	var whole Duration
	v.keys(map[string]func(value){
		"numberOfChunks": func(v value) { chunks = v.integer(1, 1<<20) },
		"totalDuration":  func(v value) { whole = v.millis() },
	})
	if chunks > 0 {
		r.Dribble = &Dribble{int(chunks), whole}
	}
}

// fault reads one of WireMock's four faults.
func (v value) fault(r *Response) {
	switch name := v.str(); name {
	case "EMPTY_RESPONSE":
		r.Effects = append(r.Effects, Effect{At: "responseStart", Do: "closeSocket"})
	case "CONNECTION_RESET_BY_PEER":
		r.Effects = append(r.Effects, Effect{At: "responseStart", Do: "reset"})
	case "MALFORMED_RESPONSE_CHUNK":
		r.MalformedChunk = true
	case "RANDOM_DATA_THEN_CLOSE":
		r.Effects = append(r.Effects, Effect{At: "responseStart", Do: "garbage", Size: 64})
	default:
		v.fail("expected EMPTY_RESPONSE, CONNECTION_RESET_BY_PEER, MALFORMED_RESPONSE_CHUNK or RANDOM_DATA_THEN_CLOSE but it is %q", name)
	}
}
