package stub_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okio"
)

// Conditions that stand beside each other have all to hold, whatever they are.
func TestImportOfConditionsTogether(t *testing.T) {
	const mappings = `{"mappings": [
		{"request": {"urlPath": "/one", "bodyPatterns": [{"equalToJson": {"a": 1}, "ignoreExtraElements": true, "contains": "x"}]}},
		{"request": {"urlPath": "/path", "bodyPatterns": [{"equalToJson": {"a": 1}, "matchesJsonPath": "$.b", "ignoreExtraElements": true}]}},
		{"request": {"urlPath": "/same", "bodyPatterns": [{"matchesJsonPath": {"expression": "$.a", "contains": "x"}}, {"matchesJsonPath": {"expression": "$.a", "contains": "y"}}, {"contains": "z"}]}},
		{"request": {"urlPath": "/bare", "bodyPatterns": [{"matchesJsonPath": {"expression": "$.a"}}]}},
		{"request": {"urlPath": "/binary", "bodyPatterns": [{"binaryEqualTo": "aGk=", "contains": "h"}]}},
		{"request": {"urlPath": "/part", "multipartPatterns": [{"name": "n", "bodyPatterns": [{"equalToJson": "{\"a\": 1}", "contains": "  "}, {"doesNotContain": "b"}]}]}},
		{"request": {"urlPath": "/host", "host": {"not": {"equalTo": "other"}, "contains": "1"}}},
		{"request": {"urlPath": "/fold", "host": {"equalTo": "A1", "caseInsensitive": true}}},
		{"request": {"urlPath": "/all", "headers": {"A": {"and": [{"contains": "x"}, {"not": {"contains": "y"}}, {"or": [{"equalTo": "xz"}, {"matches": "x.x"}]}]}}}}
	]}`
	list := imported(t, mappings)
	s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(list...)))
	part := func(body string) string {
		return "--b\r\nContent-Disposition: form-data; name=n\r\n\r\n" + body + "\r\n--b--\r\n"
	}
	form := []string{"Content-Type", "multipart/form-data; boundary=b"}
	for _, tt := range []struct {
		path, body string
		headers    []string
		want       string
	}{
		{"/one", `{"a": 1, "b": "x"}`, nil, "200"},
		{"/one", `{"a": 2, "b": "x"}`, nil, "404"}, // the text holds and the value does not
		{"/one", `{"a": 1, "b": "y"}`, nil, "404"},
		{"/path", `{"a": 1, "b": 2}`, nil, "200"},
		{"/path", `{"a": 1}`, nil, "404"},
		{"/path", `{"b": 1}`, nil, "404"},
		{"/same", `{"a": "xyz"}`, nil, "200"},
		{"/same", `{"a": "xz"}`, nil, "404"},
		{"/same", `{"a": "yz"}`, nil, "404"},
		{"/same", `{"a": "xy"}`, nil, "404"},
		{"/bare", `{"a": "xy"}`, nil, "200"},
		{"/bare", `{"b": "xy"}`, nil, "404"},
		{"/binary", `hi`, nil, "200"},
		{"/binary", `ho`, nil, "404"},
		{"/part", part(`{  "a": 1}`), form, "200"},
		{"/part", part(`{ "a": 1}`), form, "404"},
		{"/part", part(`{  "a": 2}`), form, "404"},
		{"/part", part(`{  "a": 1, "b": 1}`), form, "404"},
		{"/host", "", []string{"Host", "h1:80"}, "200"},
		{"/host", "", []string{"Host", "h:11"}, "404"},
		{"/host", "", []string{"Host", "other:1"}, "404"},
		{"/fold", "", []string{"Host", "a1:80"}, "200"},
		{"/fold", "", []string{"Host", "a2:80"}, "404"},
		{"/all", "", []string{"A", "xz"}, "200"},
		{"/all", "", []string{"A", "xax"}, "200"},
		{"/all", "", []string{"A", "xyx"}, "404"},
		{"/all", "", []string{"A", "x"}, "404"},
	} {
		if got := ask(t, s, "POST", tt.path, tt.body, tt.headers...); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %q %q: got %s, want %s", tt.path, tt.body, tt.headers, got, tt.want)
		}
	}
}

// Delays are added up, and the tail of a log-normal one ends where WireMock says.
func TestImportOfDelays(t *testing.T) {
	ms := func(n int) stub.Duration { return stub.Duration(time.Duration(n) * time.Millisecond) }
	for _, tt := range []struct {
		response string
		want     stub.Delay
	}{
		{`"fixedDelayMilliseconds": 5`, stub.Delay{Fixed: ms(5)}},
		{`"delayDistribution": {"type": "fixed", "milliseconds": 7}, "fixedDelayMilliseconds": 5`, stub.Delay{Fixed: ms(12)}},
		{`"fixedDelayMilliseconds": 5, "delayDistribution": {"type": "uniform", "lower": 1, "upper": 2}`, stub.Delay{From: ms(6), To: ms(7)}},
		{`"delayDistribution": {"type": "lognormal", "median": 10, "sigma": 0.5, "maxValue": 15}`, stub.Delay{Median: ms(10), Sigma: 0.5, Max: ms(15)}},
	} {
		stubs, err := stub.Import("m", []byte(`{"response": {`+tt.response+`}}`))
		if err != nil || stubs[0].Responses[0].Delay != tt.want {
			t.Errorf("%s: %+v, %v", tt.response, stubs, err)
			continue
		}
		text, err := stub.Marshal(stubs...)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := stub.Parse("m", text); err != nil || again[0].Responses[0].Delay != tt.want {
			t.Errorf("%s: %s, %v", tt.response, text, err)
		}
	}
}

// What would be lost is an error.
func TestImportLosesNothing(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"response": {"fixedDelayMilliseconds": 1, "delayDistribution": {"type": "lognormal", "median": 1, "sigma": 1}}}`, "response: expected fixedDelayMilliseconds or a lognormal"},
		{`{"response": {"delayDistribution": {"type": "lognormal", "median": 1, "sigma": 1, "maxValue": 0}}}`, "response.delayDistribution: expected a maxValue above 0"},
		{`{"requiredScenarioState": "x", "response": {}}`, "m:1: requiredScenarioState and newScenarioState: expected scenarioName"},
		{`{"request": {"scheme": "ftp"}}`, `request.scheme: expected http or https but it is "ftp"`},
		{`{"request": {"headers": {"A": {"contains": "x", "caseInsensitive": true}}}}`, "request.headers.A: caseInsensitive: expected equalTo"},
		{`{"request": {"bodyPatterns": [{"contains": "x", "ignoreArrayOrder": true}]}}`, "request.bodyPatterns[0]: ignoreArrayOrder and ignoreExtraElements: expected equalToJson"},
		{`{"request": {"bodyPatterns": [{"equalToJson": "{\"a\": \"${json-unit.any-string}\"}"}]}}`, "request.bodyPatterns[0].equalToJson: placeholders such as"},
		{`{"request": {"bodyPatterns": [{"matchesJsonPath": "$.a[??(@.b == 1)]"}]}}`, "request.bodyPatterns[0].matchesJsonPath: JSON path"},
		{`{"request": {"bodyPatterns": [{"matchesJsonPath": {"contains": "x"}}]}}`, "request.bodyPatterns[0].matchesJsonPath: expected an expression"},
		{`{"request": {"bodyPatterns": [{"matchesJsonPath": {"expression": "$.a", "contains": "x", "equalToJson": "1"}}]}}`, "matchesJsonPath: expected equalToJson or conditions of a text"},
		{`{"request": {"multipartPatterns": [{"matchingType": "ALL", "name": "n"}]}}`, `request.multipartPatterns[0].matchingType: expected ANY`},
		{`{"request": {"multipartPatterns": [{"bodyPatterns": [{"binaryEqualTo": "aGk="}]}]}}`, "request.multipartPatterns[0].bodyPatterns[0]: expected conditions of a text"},
		{`{"request": {"urlPathTemplate": "/{a}", "pathParameters": {"a": {"equalTo": "x", "contains": "y"}}}}`, "request.pathParameters.a: expected equalTo"},
		{`{"response": {"transformers": ["response-template"], "body": "{{jsonPath request.body '$.a[?(@.b)]'}}"}}`, "the expression {{jsonPath request.body '$.a[?(@.b)]'}} is not understood"},
		{`{"response": {"transformers": ["response-template"], "body": "{{jsonPath request.body '$..a'}}"}}`, "the expression {{jsonPath request.body '$..a'}} is not understood"},
		{`{"response": {"body": "x", "jsonBody": {}}}`, "response: expected one of body, json"},
	} {
		if stubs, err := stub.Import("m", []byte(tt.text)); stubs != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// An error quotes a path as the file has it, and says where in that.
func TestImportQuotesPaths(t *testing.T) {
	for path, want := range map[string]string{
		"$.a[?(@.b =~ /x/)]":            `JSON path "$.a[?(@.b =~ /x/)]": expected`,
		"$[?@.a][?(@.b =~ /x/)]":        `at offset 14`,
		"$.['a'].[?(@.b =~ /x/)]":       `at offset 15`,
		"$.['a']..[0]..":                `at offset 14`,
		"$.a[?(@.b[?(@.c =~ /x/)])].d.": `JSON path "$.a[?(@.b[?(@.c =~ /x/)])].d."`,
	} {
		_, err := stub.Import("m", []byte(`{"request": {"bodyPatterns": [{"matchesJsonPath": `+strconv.Quote(path)+`}]}}`))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "??") {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// A bare path of one value wants something there that is not null, [] or {}, as in WireMock; one of several wants any of them.
func TestImportOfBarePaths(t *testing.T) {
	for _, tt := range []struct {
		path, body string
		fits       bool
	}{
		{"$.a", `{"a": 1}`, true}, {"$.a", `{"a": 0}`, true}, {"$.a", `{"a": false}`, true}, {"$.a", `{"a": ""}`, true}, {"$.a", `{"a": "x"}`, true},
		{"$.a", `{"a": [null]}`, true}, {"$.a", `{"a": {"b": null}}`, true},
		{"$.a", `{"a": null}`, false}, {"$.a", `{"a": []}`, false}, {"$.a", `{"a": {}}`, false}, {"$.a", `{"b": 1}`, false}, {"$.a", `[]`, false},
		{"$['a'].b", `{"a": {"b": 1}}`, true}, {"$['a'].b", `{"a": {"b": null}}`, false}, {"$['a'].b", `{"a": 1}`, false},
		{"$[0]", `[1]`, true}, {"$[0]", `[null, 1]`, false}, {"$[1].a", `[1, {"a": 2}]`, true}, {"$.a[-1]", `{"a": [null, {}]}`, false},
		{"$.a[*]", `{"a": [null]}`, true}, {"$.a[*]", `{"a": []}`, false}, {"$..a", `{"a": null}`, true}, {"$.a[?(@.b)]", `{"a": {"b": 1}}`, true},
	} {
		list := imported(t, `{"request": {"bodyPatterns": [{"matchesJsonPath": `+strconv.Quote(tt.path)+`}]}, "response": {}}`)
		s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(list...)))
		if got := ask(t, s, "POST", "/", tt.body); strings.HasPrefix(got, "200") != tt.fits {
			t.Errorf("%s in %s: got %s, want it to match: %t", tt.path, tt.body, got, tt.fits)
		}
	}
}

// What was recorded has the coding of its connection among the headers, which is done and not only said.
func TestImportOfRecordedHeaders(t *testing.T) {
	list := imported(t, `{"response": {"body": "abc", "headers": {"Vary": ["Accept", "Origin"], "Transfer-Encoding": "chunked", "Content-Type": "text/plain"}}}`)
	s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(list...)))
	client := s.Client()
	resp, err := client.Get(t.Context(), s.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := resp.Body.Text()
	if h := resp.Headers(); err != nil || text != "abc" || h.Get("Transfer-Encoding") != "chunked" || h.Get("Content-Type") != "text/plain" || h.Get("Content-Length") != "" {
		t.Errorf("%q, %v, %v", text, h, err)
	}
}

// No stubs are a list without any.
func TestMarshalOfNothing(t *testing.T) {
	stubs, err := stub.Import("m", []byte(`{"mappings": []}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := stub.Marshal(stubs...)
	if err != nil || string(text) != "[]\n" {
		t.Errorf("got %q, %v, want []", text, err)
	}
	if stubs, err := stub.Parse("m", text); err != nil || len(stubs) != 0 {
		t.Errorf("read again: %v, %v", stubs, err)
	}
}

// WireMock's filters ask an object itself, those of RFC 9535 its members; of arrays both ask the elements.
func TestImportOfFilters(t *testing.T) {
	for _, tt := range []struct{ path, fits, not string }{
		{"$[?(@.x == 'y')]", `{"x": "y"}`, `{"a": {"x": "y"}}`},
		{"$[?(@.x == 'y')]", `[1, {"x": "y"}]`, `[[{"x": "y"}]]`},
		{"$.a[?(@.x == 'y')]", `{"a": {"x": "y"}}`, `{"a": {"b": {"x": "y"}}}`},
		{"$.a[?(@.x == 'y')]", `{"a": [{"x": "y"}]}`, `{"a": [[{"x": "y"}]]}`},
		{"$.a[?(@.x == 'y')].z", `{"a": {"x": "y", "z": 1}}`, `{"a": {"x": "y"}}`},
		{"$..[?(@.x == 'y')]", `{"a": [{"b": {"x": "y"}}]}`, `{"a": [{"b": {"x": "z"}}]}`},
		{"$..[?(@.x == 'y')]", `{"x": "y"}`, `{"y": "x"}`},
		{"$.a[*][?(@.x == 'y')]", `{"a": [{"x": "y"}]}`, `{"a": [{"b": {"x": "y"}}]}`},
		{"$.a[?(@.b[?(@.x == 'y')])]", `{"a": {"b": {"x": "y"}}}`, `{"a": {"b": {"c": {"x": "y"}}}}`},
		{"$['?'][?(@['?'] == '\\'?')]", `{"?": {"?": "'?"}}`, `{"?": {"b": {"?": "'?"}}}`},
		{"$ [ ? (@.x)]", `{"x": 1}`, `{"a": {"x": 1}}`},
		{"$.['a'].['b.[']", `{"a": {"b.[": 1}}`, `{"a": {"b[": 1}}`},
		{"$.[?(@.['x'] == 'y')]", `{"x": "y"}`, `{"a": {"x": "y"}}`},
	} {
		list := imported(t, `{"request": {"bodyPatterns": [{"matchesJsonPath": `+strconv.Quote(tt.path)+`}]}, "response": {}}`)
		s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(list...)))
		if got := ask(t, s, "POST", "/", tt.fits); !strings.HasPrefix(got, "200") {
			t.Errorf("%s does not select in %s: %s", tt.path, tt.fits, got)
		}
		if got := ask(t, s, "POST", "/", tt.not); !strings.HasPrefix(got, "404") {
			t.Errorf("%s selects in %s: %s", tt.path, tt.not, got)
		}
	}
}
