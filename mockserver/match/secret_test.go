package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okhttp"
)

// asked is a request with that target and body.
func asked(t *testing.T, target, contentType, body string) *mockserver.Request {
	t.Helper()
	h, err := okhttp.NewHeaders("Content-Type", contentType, "X-Auth-Token", "sesame", "X-Plain", "clear")
	if err != nil {
		t.Fatal(err)
	}
	return &mockserver.Request{Method: "POST", Target: target, Proto: "HTTP/1.1", Headers: h, Body: []byte(body), BodySize: int64(len(body))}
}

// Neither the secret that came nor the one that was expected is in what a matcher is called, nor in what it reports, which says where they differ all the same.
func TestReportsHideSecrets(t *testing.T) {
	const (
		form      = "application/x-www-form-urlencoded"
		multipart = "multipart/form-data; boundary=b"
		parts     = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\"sesame\"\r\n--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nclear\r\n--b--\r\n"
		user      = `{"name":"clear","password":"sesame","keys":[{"apiKey":"sesame"}],"token":{"sesame":1}}`
	)
	is := func(text string) *match.Pattern { p := match.Is(text); return &p }
	for name, tt := range map[string]struct {
		m          mockserver.Matcher
		kind, body string
		want       string // what the report says
	}{
		"query":                          {m: match.Query("token", match.Is("wanted")), want: "query token"},
		"query that is no secret":        {m: match.Query("a", match.Is("c")), want: `"clear"`},
		"target":                         {m: match.Target(match.Is("/?token=wanted&a=c")), want: `"/?token=redacted&a=clear"`},
		"target by expression":           {m: match.Target(match.Regexp("/[?]token=wanted&a=c")), want: `"/?token=redacted&a=clear"`},
		"shorthand":                      {m: match.Request("GET /?token=wanted"), want: "GET /?token=redacted"},
		"header":                         {m: match.Header("X-Auth-Token", match.Is("wanted")), want: "header X-Auth-Token"},
		"form field":                     {match.Form("password", match.Is("wanted")), form, "password=sesame&a=clear", "form field password"},
		"body of text":                   {match.Body(match.Is("password=wanted&a=c")), form, "password=sesame&a=clear", `"password=redacted&a=clear"`},
		"body of JSON as text":           {match.Body(match.Contains(`"password": "wanted"`)), "", user, `"{\"name\":\"clear\",\"password\":\"redacted\"`},
		"JSON":                           {match.JSON(strings.ReplaceAll(user, "sesame", "wanted")), "", user, "body at $.password"},
		"JSON deeper":                    {match.JSONSubset(`{"keys":[{"apiKey":"wanted"}]}`), "", user, "body at $.keys[0].apiKey"},
		"JSON within a secret":           {match.JSONSubset(`{"token":{"wanted":2}}`), "", user, "body at $.token"},
		"JSON of another type":           {match.JSON(`["c"]`), "", `{"password":"sesame","a":"clear"}`, "clear"},
		"JSON in any order":              {match.JSONWith(`[{"secret":"wanted"}]`, match.JSONRules{AnyOrder: true}), "", `[{"secret":"sesame"}]`, "body at $"},
		"JSON with more":                 {match.JSON(`{}`), "", `{"password":"sesame"}`, "body at $.password"},
		"JSON without":                   {match.JSON(`{"password":"wanted"}`), "", `{}`, "missing"},
		"no JSON":                        {match.JSON(`{}`), "", `{"password":"sesame", "a" "clear"}`, "clear"},
		"path":                           {match.JSONPath("$.password", match.Is("wanted")), "", user, "body at $.password"},
		"path in brackets":               {match.JSONPath("$['password']", match.Regexp("wanted.*")), "", user, "$['password']"},
		"path into a secret":             {match.JSONPath("$.token.*", match.Is("wanted")), "", `{"token":["sesame"]}`, "body at $.token.*"},
		"path that happens on secrets":   {match.JSONPath("$.*", match.Is("c")), "", `{"password":"sesame"}`, "hidden"},
		"path to an object with secrets": {match.JSONPath("$", match.Is("c")), "", user, "clear"},
		"path with a filter":             {match.JSONPath("$[?@.password=='wanted']", match.Present()), "", `[{"password":"sesame"}]`, "missing"},
		"path and value":                 {match.JSONPathIs("$.password", `"wanted"`), "", user, "body at $.password"},
		"path that happens on values":    {match.JSONPathIs("$..apiKey", `"wanted"`), "", user, "body at $..apiKey"},
		"path and object":                {match.JSONPathIs("$", `{"password":"wanted","name":"clear"}`), "", user, "clear"},
		"part":                           {match.Part(match.PartRules{Name: "password", Body: is("wanted")}), multipart, parts, "part password: body"},
		"part of JSON":                   {match.Part(match.PartRules{Name: "password", JSON: `"wanted"`}), multipart, parts, "part password: body"},
		"part without a name":            {match.Part(match.PartRules{Body: is("c")}), "multipart/form-data; boundary=b", parts[:strings.Index(parts, "--b\r\nContent-Disposition: form-data; name=\"other")] + "--b--\r\n", "part: body"},
		"parts as a body":                {match.Body(match.Is("c")), multipart, parts, "redacted"},
		"parts as JSON":                  {match.JSON(`{}`), multipart, parts, "redacted"},
		"bytes":                          {match.Bytes([]byte("password=wanted")), "text/plain", "password=sesame", "hidden"},
		"bytes without secrets":          {match.Bytes([]byte("c")), "text/plain", "clear", "Y2xlYXI="},
		"form as a body":                 {match.Body(match.Is("c")), form, "password=a,sesame&a=clear", `"password=redacted&a=clear"`},
		"part that is no secret":         {match.Part(match.PartRules{Name: "other", Body: is("c")}), multipart, parts, `"clear"`},
	} {
		t.Run(name, func(t *testing.T) {
			kind := tt.kind
			if kind == "" {
				kind = "application/json"
			}
			r := asked(t, "/?token=sesame&a=clear", kind, tt.body)
			list := tt.m.Match(r)
			if len(list) == 0 {
				t.Fatal("it matches")
			}
			text := fmt.Sprint(tt.m, list)
			if strings.Contains(text, "sesame") || strings.Contains(text, "c2VzYW1l") || strings.Contains(text, "PXNlc2FtZ") || strings.Contains(text, "wanted") {
				t.Errorf("a secret is in %s", text)
			}
			if !strings.Contains(text, tt.want) {
				t.Errorf("%q is not in %s", tt.want, text)
			}
		})
	}
}

// What is wrong with a matcher is told without the secret in it.
func TestErrorsHideSecrets(t *testing.T) {
	for _, m := range []mockserver.Matcher{
		match.JSON(`{"password":"sesame"`),
		match.JSONPath("$[?@.password=='sesame'", match.Present()),
		match.JSONPath("$[?@.token==sesame]", match.Present()),
		match.JSONPathIs("$.password", `"sesame`),
	} {
		if err := match.Err(m); err == nil || strings.Contains(fmt.Sprint(err, m), "sesame") {
			t.Errorf("%v, of %s", err, m)
		}
	}
}
