package stub_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okio"
)

// everything has each member once.
const everything = `[
{
  "name": "all", "priority": -3, "times": 4, "scenario": {"name": "s", "when": "Started", "then": "next"}, "after": "0s", "until": "1h0m0s",
  "request": {
    "method": ["GET", "POST"], "path": "/a/{id}", "rawPath": {"regexp": "/a/.*"}, "target": {"prefix": "/a", "not": "/a"},
    "query": {"q": {"all": [{"contains": "x"}, {"suffix": "y"}]}}, "headers": {"Accept": {"equalFold": "JSON"}, "X": "y"}, "cookies": {"c": {"present": false}},
    "host": {"any": ["h", {"prefix": "i"}]}, "basicAuth": {"user": "u", "password": "p"}, "protocol": "HTTP/1.1", "tls": false, "serverName": {"present": false},
    "clientCertificate": {"present": false}, "connection": 0,
    "body": {"text": {"contains": "a"}, "json": {"a": [1, 2]}, "jsonSubset": {"a": [2]}, "extraElements": true, "anyOrder": true,
      "jsonPath": {"$.a[0]": "1", "$.a[1]": {"json": 2}}},
    "not": {"method": "PUT"}, "any": [{"method": "GET"}, {"path": "/a/7"}]
  },
  "responses": [
    {"status": 201, "reason": "Made", "headers": {"A": ["1", "2"], "B": "<3>"}, "body": "hi", "chunked": [1, 2], "trailers": {"T": "t"},
     "rawHeaders": {"Bad Name": ["x\ny", "z"]}, "informational": [{"status": 103, "headers": {"Link": "</x>"}, "delay": "1s"}], "delay": "1s", "bodyDelay": {"from": "1ms", "to": "2ms"}, "throttle": {"bytes": 1, "every": "1ms"},
     "effects": [{"at": "responseBody", "do": "closeStream", "code": "REFUSED_STREAM", "bytes": 1},
       {"at": "responseStart", "do": "wait", "for": "1s", "first": 1},
       {"at": "responseStart", "do": "goAway", "code": 1, "debug": "d", "refuse": true}, {"at": "responseStart", "do": "write", "text": "x"}, {"at": "responseStart", "do": "write", "base64": "AP8="}, {"at": "responseStart", "do": "wait", "for": {"median": "1s", "sigma": 0.5}}, {"at": "responseStart", "do": "refuseConnections", "for": "1s"},
       {"at": "responseStart", "do": "partialRecord", "everyNth": 3},
       {"at": "requestHead", "do": "sendSettings", "settings": {"MAX_CONCURRENT_STREAMS": 1, "0x9": 5}}, {"at": "requestHead", "do": "ignoreConnections", "for": "1s"}],
     "skipRequestBody": true},
    {"json": {"a": 1.0}, "dribble": {"pieces": 2, "over": "1s"}, "slowHead": {"bytes": 1, "every": "1ms"}, "trailersDelay": "1ms", "wrongLength": -1}, {"malformedChunk": true}, {"body": "abc", "chunked": [1], "effects": [{"at": "responseBody", "do": "reset", "chunks": 2}]}, {"base64": "AAE="}, {"raw": "x"}, {"rawBase64": "/w=="}, {"template": true, "body": "{{.Method}}", "delay": {"median": "10ms", "sigma": 0.5}}, {"body": "", "untilClose": true, "shutdownServer": true}
  ],
  "recorded": {"origin": "http://o/", "at": "2026-01-31T12:00:00Z", "latency": "30ms"}
},
{"request": {"body": {"base64": "AA==", "form": {"f": "1"}, "parts": [{"name": "n", "fileName": "f", "headers": {"H": "h"}, "text": "t", "json": 1}]}}, "response": {"chunked": true}},
{"request": {"path": "/"}, "response": {"effects": [{"at": "requestStart", "do": "wait", "for": "1s"}, {"at": "requestStart", "do": "closeStream", "code": 8, "everyNth": 2}]}},
{"responses": [{"effects": [{"at": "requestStart", "do": "badCertificate", "fault": "Expired"}]}, {"effects": [{"at": "requestStart", "do": "failHandshake", "first": 1}]},
  {"effects": [{"at": "requestBody", "do": "garbage", "size": 3, "probability": 0.5}, {"at": "requestBody", "do": "reset", "everyNth": 2}]},
  {"effects": [{"at": "responseEnd", "do": "closeSocket", "in": true, "out": true, "noClose": true}]}, {"effects": [{"at": "responseEnd", "do": "shutdownConnection"}]},
  {"effects": [{"at": "responseStart", "do": "stall"}]}]}
]`

// TestRoundTrip has each member survive being written and read.
func TestRoundTrip(t *testing.T) {
	stubs, err := stub.Parse("all.json", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	text, err := stub.Marshal(stubs...)
	if err != nil {
		t.Fatal(err)
	}
	again, err := stub.Parse("again.json", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	second, err := stub.Marshal(again...)
	if err != nil || string(second) != string(text) {
		t.Errorf("%v; first %s\nsecond %s", err, text, second)
	}
	if again[0].Responses[0].Effects[0].Code != 7 || *again[0].Request.Body.JSONPath["$.a[0]"].Equal != "1" || !reflect.DeepEqual(again[0].Responses[0].Headers, stub.Fields{"A", "1", "A", "2", "B", "<3>"}) {
		t.Errorf("read %+v", again[0])
	}
	if !strings.Contains(string(text), `"B": "<3>"`) {
		t.Errorf("escaped: %s", text)
	}
	one, err := stub.Marshal(stubs[1])
	if again, err2 := stub.Parse("one", one); err != nil || err2 != nil || len(again) != 1 || again[0].Responses[0].Chunked == nil {
		t.Errorf("%v, %v: %s", err, err2, one)
	}
	if _, err := stub.Parse("wrapped", []byte(`{"stubs": `+everything+`}`)); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	const response = `, "response": {}}`
	for _, tt := range []struct{ text, want string }{
		{"", "f:1: unexpected end"},
		{"{\n \"response\": {},\n}", "f:3: invalid character"},
		{"{\"name\": \"a\",\n\"name\": \"b\"}", `f:2: name: a second time in this object`},
		{"7", "f:1: expected an object but it is a number"},
		{"[1]", "f:1: [0]: expected an object but it is a number"},
		{"{}", "f:1: expected a response"},
		{`{"stubs": [], "x": 1}`, "f:1: x: unknown key: expected one of stubs"},
		{"{\"request\": {\n\"method\": \"GET\",\n\"headrs\": {}}" + response, "f:3: request.headrs: unknown key: did you mean headers? Expected one of any, basicAuth, body, "},
		{`{"request": {"method": 1}` + response, "f:1: request.method: expected a string but it is a number"},
		{`{"request": {"method": []}` + response, "request.method: Method([]): expected names"},
		{`{"request": {"path": "a"}` + response, `request.path: path "a": expected it to begin with /`},
		{`{"request": {"headers": {"X-Y": {"equls": "a"}}}` + response, "request.headers.X-Y.equls: unknown key"},
		{`{"request": {"headers": {"X Y": {"regexp": "("}}}` + response, `request.headers."X Y".regexp: error parsing regexp`},
		{`{"request": {"headers": {"X": {}}}` + response, `request.headers.X: expected a condition`},
		{`{"request": {"headers": {"X": {"any": []}}}` + response, `request.headers.X.any: expected a list of texts`},
		{`{"request": {"headers": {"": "x"}}` + response, `request.headers: expected names of headers`},
		{`{"request": {"query": {"a": {"any": ["x", 1]}}}` + response, "request.query.a.any[1]: expected a string or an object but it is a number"},
		{`{"request": {"protocol": "h2"}` + response, "request.protocol: Proto"},
		{`{"request": {"connection": 1.5}` + response, "request.connection: expected an integer from 0 to 2147483647 but it is 1.5"},
		{`{"request": {"connection": -1}` + response, "request.connection: expected an integer"},
		{`{"request": {"tls": "yes"}` + response, "request.tls: expected a boolean but it is a string"},
		{`{"request": {"basicAuth": {"user": "a:b"}}` + response, "request.basicAuth: BasicAuth"},
		{`{"request": {"body": {}}` + response, "request.body: expected a condition"},
		{`{"request": {"body": {"base64": "!"}}` + response, "request.body.base64: expected base64"},
		{`{"request": {"body": {"jsonPath": {"$.": "x"}}}` + response, `request.body.jsonPath."$.": JSON path "$.": expected a name`},
		{`{"request": {"any": [{"not": {"path": 1}}]}` + response, "request.any[0].not.path: expected a string"},
		{`{"response": {"status": 20}}`, "response.status: expected an integer from 200 to 999 but it is 20"},
		{`{"response": {"headers": {"a b": "c"}}}`, `response.headers."a b": unexpected char 0x20`},
		{`{"response": {"headers": {"a": "b\r\nc"}}}`, "response.headers.a: unexpected char 0x0d"},
		{`{"response": {"headers": {"a": 1}}}`, "response.headers.a: expected a string but it is a number"},
		{`{"response": {"body": "a", "json": 1}}`, "response: expected one of body, json but got all"},
		{`{"response": {"json": 1, "template": true}}`, "response: expected a template as body or file, not as json"},
		{`{"response": {"body": "{{", "template": true}}`, "response.body: template: body:1: "},
		{`{"response": {"body": "{{.Nope}}", "template": true, "headers": {"a": "{{nope}}"}}}`, `response.headers.a: template: a:1: function "nope" not defined`},
		{`{"response": {"file": "../x"}}`, `response.file: expected the name of a file within the folder`},
		{`{"response": {"file": "/etc/passwd"}}`, `response.file: expected the name of a file within the folder`},
		{`{"response": {"chunked": [0]}}`, `response.chunked[0]: expected an integer from 1`},
		{`{"response": {"chunked": true, "untilClose": true}}`, `response: expected one of chunked, untilClose`},
		{`{"response": {"trailers": {"a": "b"}}}`, `response: a response with trailers that is not chunked`},
		{`{"response": {"informational": [{"status": 200}]}}`, `response.informational[0].status: expected an integer from 100 to 199`},
		{`{"response": {"delay": "fast"}}`, `response.delay: expected a time such as "200ms"`},
		{`{"response": {"delay": "-1s"}}`, `response.delay: expected a time`},
		{`{"response": {"delay": 5}}`, `response.delay: expected a string but it is a number`},
		{`{"response": {"delay": {"from": "2s", "to": "1s"}}}`, `response.delay: expected a time "to" above "from"`},
		{`{"response": {"delay": {"from": "2s", "sigma": 1}}}`, `response.delay: expected from and to, or median and sigma`},
		{`{"response": {"delay": {"median": "2s", "sigma": 9}}}`, `response.delay: expected a time as median and a sigma from 0 to 3`},
		{`{"response": {"dribble": {"over": "1s"}}}`, `response.dribble: expected pieces and over`},
		{`{"response": {"throttle": {"every": "1s"}}}`, `response.throttle: expected bytes and every`},
		{`{"response": {"effects": [{"at": "start", "do": "reset"}]}}`, `response.effects[0].at: expected one of requestBody, requestHead, requestStart, responseBody, responseEnd, responseStart but it is "start"`},
		{`{"response": {"effects": [{"at": "responseEnd", "do": "explode"}]}}`, `response.effects[0].do: expected one of badCertificate, closeSocket, `},
		{`{"response": {"effects": [{"do": "reset"}]}}`, `response.effects[0]: expected a member "at"`},
		{`{"response": {"effects": [{"at": "responseEnd", "do": "reset", "bytes": 1}]}}`, `response.effects[0]: OnBytes(ResponseEnd)`},
		{`{"response": {"effects": [{"at": "responseEnd", "do": "closeStream", "code": "X"}]}}`, `response.effects[0].code: expected a number or one of NO_ERROR`},
		{`{"response": {"effects": [{"at": "responseEnd", "do": "reset", "code": 1}]}}`, `response.effects[0].code: reset has no such member`},
		{"{\"response\": {\"effects\": [{\"do\": \"wait\", \"at\": \"requestHead\", \"for\": \"1s\", \"first\": 1},\n{\"at\": \"requestStart\", \"do\": \"badCertificate\", \"fault\": \"Expired\"}]},\n\"request\": {\"path\": \"/a\"}}", "f:2: response.effects[1].at: an effect that cannot strike: when a connection is accepted no request is known yet"},
		{`{"request": {"connection": 1, "method": "GET"}, "responses": [{}, {"effects": [{"at": "requestStart", "do": "stall", "probability": 0.5}]}]}`, "f:1: responses[1].effects[0].at: an effect that cannot strike"},
		{`{"response": {"skipRequestBody": true, "effects": [{"at": "requestBody", "do": "reset"}]}}`, "response: an effect at RequestBody cannot strike: SkipRequestBody does not read the body"},
		{`{"response": {"effects": [{"at": "responseStart", "do": "reset"}, {"at": "responseStart", "do": "stall"}]}}`, "response: a Sequence with Reset before another effect, which cannot strike"},
		{`{"response": {"effects": [{"at": "responseStart", "do": "reset"}, {"at": "responseEnd", "do": "stall"}]}}`, "response: an effect at ResponseEnd cannot strike: the one at ResponseStart ends the exchange"},
		{`{"response": {"effects": [{"at": "requestStart", "do": "goAway"}]}}`, "response.effects[0]: mockserver.GoAway at RequestStart, when there is no HTTP/2 yet"},
		{`{"response": {"pushes": [{"path": "/p", "response": {"effects": [{"at": "requestHead", "do": "reset"}]}}]}}`, "an effect at RequestHead cannot strike: no request is read"},
		{`{"response": {"effects": [{"at": "requestStart", "do": "badCertificate"}]}}`, `response.effects[0]: expected a member "fault"`},
		{`{"response": {"effects": [{"at": "requestStart", "do": "reset", "first": 1, "everyNth": 2}]}}`, `response.effects[0]: expected one of probability, everyNth, first`},
		{`{"response": {"effects": [{"at": "requestStart", "do": "reset", "probability": 2}]}}`, `expected 0 to 1`},
		{`{"response": {"effects": [{"at": "responseStart", "do": "failHandshake"}]}}`, `expected RequestStart`},
		{`{"response": {"effects": [{"at": "responseBody", "do": "reset", "bytes": 1}, {"at": "responseBody", "do": "wait", "bytes": 2}]}}`, `after the same number of bytes`},
		{`{"response": {"effects": [{"at": "requestHead", "do": "sendSettings"}]}}`, `response.effects[0]: expected a member "settings"`},
		{`{"response": {"effects": [{"at": "requestHead", "do": "sendSettings", "settings": {"MAX": 1}}]}}`, `response.effects[0].settings.MAX: expected the name of a setting of HTTP/2`},
		{`{"response": {"effects": [{"at": "responseBody", "do": "reset", "bytes": 1, "chunks": 2}]}}`, `response.effects[0]: expected one of bytes, chunks but got both`},
		{`{"response": {"effects": [{"at": "responseBody", "do": "reset", "chunks": 1}, {"at": "responseBody", "do": "wait", "chunks": 2}]}}`, `after the same number of chunks`},
		{`{"response": {"effects": [{"at": "requestBody", "do": "reset", "chunks": 1}]}}`, `expected responseBody`},
		{`{"response": {"effects": [{"at": "responseBody", "do": "reset", "chunks": 1}]}}`, `OnChunk with a response whose chunks have no sizes`},
		{`{"response": {}, "responses": []}`, "expected response or responses but got both"},
		{`{"responses": []}`, "expected a response"},
		{`{"response": {}, "times": 0}`, "times: expected an integer from 1"},
		{`{"response": {}, "scenario": {"when": "x"}}`, "scenario: expected a name"},
		{`{"response": {}, "after": "2s", "until": "1s"}`, "expected a time"},
		{`{"response": {}, "recorded": {"at": "today"}}`, "recorded.at: expected a time such as"},
		{strings.Repeat(`{"a":`, 300), "levels"},
		{`"` + strings.Repeat("a", 17<<20) + `"`, "f:1: expected at most 16777216 bytes"},
		{"[" + strings.Repeat("{},", 10000) + "{}]", "expected at most 10000 stubs but there are 10001"},
	} {
		stubs, err := stub.Parse("f", []byte(tt.text))
		all := stub.Errors(nil)
		if stubs != nil || !errors.As(err, &all) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.100s:\ngot  %.300v\nwant %s", tt.text, err, tt.want)
		}
	}
	_, err := stub.Parse("f", []byte("[\n{\"x\": 1},\n{\"response\": {\"status\": \"a\", \"y\": 2}},\n"+strings.Repeat("{},", 50)+"{}]"))
	all := stub.Errors(nil)
	if !errors.As(err, &all) || len(all) != 20 || all[0].Line != 2 || all[1].Line != 3 || all[1].Path != "[1].response.status" || all[2].Path != "[1].response.y" || all[2].Column != 30 {
		t.Errorf("several: %v", err)
	}
}

// served starts a server with the stubs of a text.
func served(t *testing.T, text string, o *stub.Options, opts ...mockserver.Option) (*mockserver.Server, *route.Routes) {
	t.Helper()
	stubs, err := stub.Parse("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	list, err := stub.Routes(o, stubs...)
	if err != nil {
		t.Fatal(err)
	}
	routes := route.New(list...)
	opts = append(opts, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(routes))
	return mockserver.New(t, opts...), routes
}

// ask sends a request and returns status, Content-Type and body.
func ask(t *testing.T, s *mockserver.Server, method, path, body string, headers ...string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: s.DialContext, DisableKeepAlives: true}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://h"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	if host := req.Header.Get("Host"); host != "" { // which net/http takes from elsewhere
		req.Host = host
	}
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s|%s|%s", resp.Status, resp.Header.Get("Content-Type"), text)
}

func TestServedStubs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"f":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	s, _ := served(t, `[
		{"request": {"method": "GET", "path": "/users/{id}"}, "response": {"json": {"b": 1.0, "a": "<&>"}}},
		{"request": {"path": "/typed"}, "response": {"status": 299, "headers": {"content-type": "a/b"}, "json": []}},
		{"request": {"path": "/file"}, "response": {"file": "a.json"}},
		{"request": {"path": "/chunk"}, "response": {"body": "abc", "chunked": [1], "effects": [{"at": "responseBody", "do": "closeSocket", "chunks": 2}]}},
		{"request": {"path": "/head"}, "response": {"body": "abc", "effects": [{"at": "requestHead", "do": "wait", "for": "1ms"}, {"at": "requestHead", "do": "closeSocket"}]}},
		{"request": {"path": "/seq"}, "responses": [{"status": 503}, {"status": 200, "body": "ok"}]},
		{"request": {"method": "POST", "body": {"json": {"n": 1}}}, "response": {"status": 201}},
		{"request": {"path": "/cut"}, "response": {"body": "abcdef", "effects": [{"at": "responseBody", "do": "closeSocket", "bytes": 3}]}},
		{"request": {"path": "/bin"}, "response": {"base64": "aGk="}}
	]`, &stub.Options{Dir: dir})
	for _, tt := range []struct{ method, path, body, want string }{
		{"GET", "/users/7", "", `200 OK|application/json|{"a":"<&>","b":1.0}`},
		{"GET", "/typed", "", `299 OK|a/b|[]`},
		{"GET", "/file", "", `200 OK|application/json|{"f":1}`},
		{"GET", "/seq", "", `503 Service Unavailable||`},
		{"GET", "/seq", "", `200 OK||ok`},
		{"GET", "/seq", "", `200 OK||ok`},
		{"POST", "/x", `{"n": 1.0}`, `201 Created||`},
		{"GET", "/cut", "", `unexpected EOF`},
		{"GET", "/chunk", "", `unexpected EOF`},
		{"GET", "/head", "", `Get "http://h/head": EOF`},
		{"GET", "/bin", "", `200 OK||hi`},
	} {
		if got := ask(t, s, tt.method, tt.path, tt.body); got != tt.want {
			t.Errorf("%s %s: got %s, want %s", tt.method, tt.path, got, tt.want)
		}
	}
	if got := ask(t, s, "POST", "/x", `{"n": 2}`); !strings.Contains(got, "body at $.n: expected 1 but it was 2") {
		t.Errorf("near miss: %s", got)
	}
}

// Random delays follow the seed of the server.
func TestSeededDelays(t *testing.T) {
	times := func(seed uint64) (list []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := served(t, `{"response": {"delay": {"from": "1s", "to": "2s"}, "bodyDelay": {"median": "1s", "sigma": 0.2}, "body": "x"}}`, nil, mockserver.WithSeed(seed))
			for range 5 {
				begun := time.Now()
				ask(t, s, "GET", "/", "")
				list = append(list, time.Since(begun))
			}
		})
		return list
	}
	if a, again, b := times(1), times(1), times(2); !slices.Equal(a, again) || slices.Equal(a, b) {
		t.Errorf("seed 1: %v\nagain:  %v\nseed 2: %v", a, again, b)
	}
}

func TestDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := served(t, `[
			{"request": {"path": "/between"}, "response": {"delay": {"from": "1s", "to": "2s"}}},
			{"request": {"path": "/around"}, "response": {"bodyDelay": {"median": "1s", "sigma": 0.2}, "body": "x"}},
			{"request": {"path": "/exact"}, "response": {"delay": {"median": "1s", "sigma": 0}}},
			{"request": {"path": "/dribble"}, "response": {"body": "abcd", "dribble": {"pieces": 3, "over": "4s"}}},
			{"request": {"path": "/recorded"}, "response": {}, "recorded": {"latency": "3s"}}
		]`, &stub.Options{Latency: true})
		seen := map[time.Duration]bool{}
		for range 20 {
			begun := time.Now()
			ask(t, s, "GET", "/between", "")
			if took := time.Since(begun); took < time.Second || took >= 2*time.Second {
				t.Errorf("took %v", took)
			} else {
				seen[took] = true
			}
			begun = time.Now()
			ask(t, s, "GET", "/around", "")
			if took := time.Since(begun); took < 100*time.Millisecond || took > 100*time.Second {
				t.Errorf("took %v", took)
			}
		}
		if len(seen) < 10 {
			t.Errorf("%d different times", len(seen))
		}
		for path, want := range map[string]time.Duration{"/exact": time.Second, "/recorded": 3 * time.Second, "/dribble": 4 * time.Second} {
			begun := time.Now()
			ask(t, s, "GET", path, "")
			if took := time.Since(begun); took != want {
				t.Errorf("%s took %v", path, took)
			}
		}
	})
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.json": `{"name": "b", "response": {}}`, "a.json": `[{"name": "a", "response": {"file": "body.txt"}}]`, "body.txt": "hi", "notes.txt": "{",
		"sub/c.json": `{"name": "c", "response": {"file": "c.txt"}}`, "sub/c.txt": "c", "sub/__files/d.json": "[1]",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	routes, err := stub.Load(dir, nil)
	if list := route.New(routes...).Status(); err != nil || fmt.Sprint(list) != "[{a 0} {b 0} {c 0}]" {
		t.Errorf("%v, %v", list, err)
	}
	if routes, err = stub.Load(filepath.Join(dir, "sub", "c.json"), nil); err != nil || len(routes) != 1 {
		t.Errorf("%v, %v", routes, err)
	}
	if _, err := stub.Load(filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "sub", "c.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.json"), []byte("{\n\"y\": 1}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := stub.Load(dir, nil); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "b.json")+":2: y: unknown key") {
		t.Error(err)
	}
	if _, err := stub.Load(filepath.Join(dir, "sub"), nil); err == nil || !strings.Contains(err.Error(), "c.json:1: response.file: file c.txt: no such file") || !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "sub", "c.txt")); err != nil {
		t.Skip(err)
	}
	if _, err := stub.Load(filepath.Join(dir, "sub"), nil); err == nil {
		t.Error("a link leads out of the folder")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte(`{"request": {"path": "/{a}"}, "response": {"body": "{{range .QueryAll \"x\"}}{{.}}{{end}}", "template": true}}`))
	f.Add([]byte(`{"stubs": [{"responses": [{"raw": ""}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		stubs, err := stub.Parse("f", text)
		if all := stub.Errors(nil); err != nil && (!errors.As(err, &all) || len(all) == 0 || len(all) > 20) {
			t.Fatalf("%T %v", err, err)
		}
		if err != nil || len(stubs) == 0 {
			return
		}
		written, err := stub.Marshal(stubs...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stub.Parse("f", written); err != nil {
			t.Errorf("%v\n%s\n%s", err, text, written)
		}
		for _, s := range stubs {
			r, err := s.Route(nil)
			if err != nil {
				t.Error(err)
				continue
			}
			_ = r.Match.Match(&mockserver.Request{Method: "GET", Target: "/a?x=y", Proto: "HTTP/1.1", Body: []byte(`{"a":1}`), BodySize: 7})
		}
	})
}
