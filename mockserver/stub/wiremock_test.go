package stub_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okio"
)

const mappings = `{"mappings": [
	{"id": "1", "name": "user", "persistent": true, "metadata": {"a": 1}, "priority": 1,
	 "request": {"method": "GET", "urlPathTemplate": "/users/{id}/{part}", "pathParameters": {"part": {"equalTo": "a b"}}, "headers": {"Accept": {"contains": "json"}}, "host": {"equalTo": "h"}},
	 "response": {"status": 200, "statusMessage": "Fine", "jsonBody": {"id": 1}, "headers": {"A": ["1", "2"]}}},
	{"request": {"method": "ANY", "url": "/exact?q=1"}, "response": {"body": "exact"}},
	{"request": {"urlPattern": "/p.*x=1"}, "response": {"body": "pattern"}},
	{"request": {"urlPath": "/query", "queryParameters": {"a": {"matches": "[0-9]+"}, "b": {"absent": true}, "c": {"or": [{"equalTo": "x"}, {"absent": true}]}}}, "response": {"body": "query"}},
	{"request": {"urlPathPattern": "/json/.*", "bodyPatterns": [{"equalToJson": "{\"a\": [1, 2]}", "ignoreArrayOrder": true, "ignoreExtraElements": true}, {"contains": "b"},
	  {"doesNotContain": "c"}, {"matchesJsonPath": "$.b"}, {"matchesJsonPath": {"expression": "$.b", "equalTo": "yes", "caseInsensitive": true}}]}, "response": {"status": 201}},
	{"request": {"urlPath": "/form", "formParameters": {"f": {"equalTo": "1"}}, "cookies": {"c": {"not": {"equalTo": "d"}}}, "basicAuthCredentials": {"username": "u", "password": "p"}}, "response": {"base64Body": "aGk="}},
	{"request": {"urlPath": "/multi", "multipartPatterns": [{"matchingType": "ANY", "name": "n", "headers": {"Content-Type": {"contains": "text"}}, "bodyPatterns": [{"equalTo": "v"}]}]}, "response": {"body": "multi"}},
	{"request": {"urlPath": "/s"}, "scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "two", "response": {"body": "one"}},
	{"request": {"urlPath": "/s"}, "scenarioName": "s", "requiredScenarioState": "two", "response": {"body": "two"}},
	{"request": {"urlPath": "/t/x"}, "response": {"transformers": ["response-template"], "body": "{{request.path.[1]}} {{ request.query.q }} {{{request.headers.X-Y}}} {{request.method}} {{jsonPath  request.body '$.a'}}"}},
	{"request": {"urlPath": "/empty"}, "response": {"fault": "EMPTY_RESPONSE"}},
	{"request": {"urlPath": "/reset"}, "response": {"fault": "CONNECTION_RESET_BY_PEER"}},
	{"request": {"urlPath": "/chunk"}, "response": {"fault": "MALFORMED_RESPONSE_CHUNK"}},
	{"request": {"urlPath": "/garbage"}, "response": {"fault": "RANDOM_DATA_THEN_CLOSE"}},
	{"request": {"urlPath": "/slow"}, "response": {"fixedDelayMilliseconds": 1, "body": "abcd", "chunkedDribbleDelay": {"numberOfChunks": 2, "totalDuration": 2}}},
	{"request": {"urlPath": "/random"}, "response": {"delayDistribution": {"type": "uniform", "lower": 1, "upper": 2}}},
	{"request": {"urlPath": "/log"}, "response": {"delayDistribution": {"type": "lognormal", "median": 1, "sigma": 0.1}}},
	{"request": {"urlPath": "/last"}}
]}`

// imported returns the routes of mappings of WireMock.
func imported(t *testing.T, mappings string) []route.Route {
	t.Helper()
	stubs, err := stub.Import("m.json", []byte(mappings))
	if err != nil {
		t.Fatal(err)
	}
	// What was imported is a stub file like others.
	text, err := stub.Marshal(stubs...)
	if err != nil {
		t.Fatal(err)
	}
	if stubs, err = stub.Parse("written", text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	list, err := stub.Routes(nil, stubs...)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestImport(t *testing.T) {
	list := imported(t, mappings)
	if first := list[len(list)-1]; first.Priority != -4 || first.Name != "user" {
		t.Errorf("the first, which is asked last: %+v", first)
	}
	s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(list...)))
	const multipart = "--b\r\nContent-Disposition: form-data; name=n\r\nContent-Type: text/plain\r\n\r\nv\r\n--b--\r\n"
	for _, tt := range []struct {
		method, path, body string
		headers            []string
		want               string
	}{
		{"GET", "/users/7/a%20b", "", []string{"Accept", "application/json"}, `200 Fine|application/json|{"id":1}`},
		{"PUT", "/exact?q=1", "", nil, "200 OK||exact"},
		{"GET", "/p/a?x=1", "", nil, "200 OK||pattern"},
		{"GET", "/query?a=12", "", nil, "200 OK||query"},
		{"GET", "/query?a=12&c=x", "", nil, "200 OK||query"},
		{"GET", "/query?a=12&b=1", "", nil, "404"},
		{"POST", "/json/x", `{"b": "YES", "a": [2, 1, 3]}`, nil, "201 Created||"},
		{"POST", "/json/x", `{"b": "YES", "a": [2, 1], "c": 1}`, nil, "404"},
		{"POST", "/form", "f=1", []string{"Content-Type", "application/x-www-form-urlencoded", "Authorization", "Basic dTpw", "Cookie", "c=e"}, "200 OK||hi"},
		{"POST", "/multi", multipart, []string{"Content-Type", "multipart/form-data; boundary=b"}, "200 OK||multi"},
		{"GET", "/s", "", nil, "200 OK||one"},
		{"GET", "/s", "", nil, "200 OK||two"},
		{"GET", "/s", "", nil, "200 OK||two"},
		{"POST", "/t/x?q=1", `{"a": 5}`, []string{"X-Y", "z"}, "200 OK||x 1 z POST 5"},
		{"GET", "/empty", "", nil, `Get "http://h/empty": EOF`},
		{"GET", "/reset", "", nil, `Get "http://h/reset": `},
		{"GET", "/chunk", "", nil, "invalid byte in chunk length"},
		{"GET", "/garbage", "", nil, `Get "http://h/garbage": `},
		{"GET", "/slow", "", nil, "200 OK||abcd"},
		{"GET", "/random", "", nil, "200 OK||"},
		{"GET", "/log", "", nil, "200 OK||"},
		{"GET", "/last", "", nil, "200 OK||"},
	} {
		if got := ask(t, s, tt.method, tt.path, tt.body, tt.headers...); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %s: got %s, want %s", tt.method, tt.path, got, tt.want)
		}
	}
}

func TestImportOfOne(t *testing.T) {
	stubs, err := stub.Import("m", []byte(`{"uuid": "u", "request": {"urlPath": "/a", "scheme": "https"}, "response": {"bodyFileName": "a.txt"}}`))
	if err != nil || len(stubs) != 1 || stubs[0].Name != "u" || stubs[0].Responses[0].File != "a.txt" || !*stubs[0].Request.TLS {
		t.Errorf("%+v, %v", stubs, err)
	}
	if err := match.Err(stubs[0].Request.Matcher()); err != nil {
		t.Error(err)
	}
}

func TestImportErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"request": {}, "response": {"proxyBaseUrl": "x"}}`, "m:1: response.proxyBaseUrl: unknown key"},
		{"{\"mappings\": [\n{},\n{\"request\": {\"bodyPatterns\": [{\"equalToXml\": \"<a/>\"}]}}]}", "m:3: mappings[1].request.bodyPatterns[0].equalToXml: unknown key: expected one of absent, and, binaryEqualTo"},
		{`{"request": {"urlPattern": "(?=a)"}}`, "request.urlPattern: error parsing regexp"},
		{`{"request": {"headers": {"A": {"before": "now"}}}}`, "request.headers.A.before: unknown key"},
		{`{"request": {"bodyPatterns": [{}]}}`, "request.body: expected a condition"},
		{`{"request": {"headers": {"A": {}}}}`, "request.headers.A: expected a condition, such as equalTo"},
		{`{"request": {"bodyPatterns": [{"equalToJson": "{"}]}}`, "request.bodyPatterns[0].equalToJson: JSON"},
		{`{"request": {"bodyPatterns": [{"matchesJsonPath": "$["}]}}`, "request.bodyPatterns[0].matchesJsonPath: JSON path"},
		{`{"request": {"pathParameters": {"a": {"equalTo": "x"}}}}`, "request.pathParameters.a: expected equalTo, for a variable of urlPathTemplate"},
		{`{"response": {"fault": "BOOM"}}`, "response.fault: expected EMPTY_RESPONSE"},
		{`{"response": {"delayDistribution": {"type": "x"}}}`, "response.delayDistribution: expected a type of fixed"},
		{`{"response": {"transformers": ["mine"]}}`, `response.transformers[0]: expected response-template but it is "mine"`},
		{`{"response": {"transformers": ["response-template"], "body": "{{#each x}}"}}`, `response: body: the expression {{#each x}} is not understood`},
		{`{"response": {"bodyFileName": "../x"}}`, "response.bodyFileName: expected the name of a file"},
		{`{"response": {"headers": {"a b": "c"}}}`, "m:1: "},
		{`{"postServeActions": []}`, "postServeActions: unknown key"},
		{`[]`, "expected an object but it is an array"},
	} {
		stubs, err := stub.Import("m", []byte(tt.text))
		all := stub.Errors(nil)
		if stubs != nil || !errors.As(err, &all) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(mappings))
	f.Add([]byte(`{"request": {"bodyPatterns": [{"matchesJsonPath": {"expression": "$.a", "contains": "b"}}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		stubs, err := stub.Import("m", text)
		if err != nil || len(stubs) == 0 {
			return
		}
		written, err := stub.Marshal(stubs...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stub.Parse("m", written); err != nil {
			t.Errorf("%v\n%s\n%s", err, text, written)
		}
	})
}
