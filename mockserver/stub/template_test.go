package stub_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okio"
)

// templated starts a server whose every response is a template.
func templated(t *testing.T, body string, o ...mockserver.Option) *mockserver.Server {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"request": map[string]any{"path": "/a/{id}/{rest...}"}, "response": map[string]any{"template": true, "body": body, "headers": map[string]any{"Content-Type": "x/{{.Count}}"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	stubs, err := stub.Parse("t", text)
	if err != nil {
		t.Fatal(err)
	}
	list, err := stub.Routes(nil, stubs...)
	if err != nil {
		t.Fatal(err)
	}
	// Not New: a template that is stopped is a fault, and would fail the test.
	s, err := mockserver.Start(append(o, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(list...)))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestTemplates(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{{.Method}} {{.Target}} {{.Proto}} {{.Scheme}} {{.Host}}`, `POST /a/b%20c/d/e?q=1&q=2&r HTTP/1.1 http h`},
		{`{{.Path}} {{.Segment 1}} {{.Segment 9}}{{.Segment -1}} {{.Param "id"}} {{.Param "rest"}}{{.Param "none"}}`, `/a/b c/d/e b c  b c d/e`},
		{`{{.Query "q"}} {{range .QueryAll "q"}}<{{.}}>{{end}}{{.Query "none"}}`, `1 <1><2>`},
		{`{{.Header "x-y"}} {{len (.HeaderAll "X-Y")}} {{.Cookie "c"}}`, `one 2 d`},
		{`{{.Body}}`, `{"a": {"b": [1, 2.50, "x"]}}`},
		{`{{.JSON "$.a.b[1]"}} {{json (.JSON "$.a.b[2]")}} {{json (.JSON "$.a")}} {{range .JSONAll "$..b[*]"}}{{.}},{{end}}{{.JSON "$.none"}}`, `2.50 "x" {"b":[1,2.50,"x"]} 1,2.50,x,`},
		{`{{upper "a"}}{{lower "B"}}{{trim " c "}} {{replace "a" "b" "banana"}} {{index (split "," "x,y") 1}} {{default "none" (.Query "z")}} {{base64 "hi"}}`, `Abc bbnbnb y none aGk=`},
		{`{{printf "%05d %.2f %s" 42 1.5 "x"}} {{print 1 "a"}} {{html "<"}} {{urlquery "a b"}} {{js "'"}}`, `00042 1.50 x 1a &lt; a+b \'`},
		{`{{define "t"}}[{{.}}]{{end}}{{template "t" .Method}}{{with .Query "q"}}{{.}}{{end}}{{if eq .Method "GET"}}no{{else}}yes{{end}}`, `[POST]1yes`},
		{`{{$x := .Param "id"}}{{range $i, $v := .QueryAll "q"}}{{$i}}{{$v}}{{$x}};{{else}}none{{end}}`, `01b c;12b c;`},
		{`{{.Form "x"}}`, ``},
	} {
		s := templated(t, tt.body)
		got := ask(t, s, "POST", "/a/b%20c/d/e?q=1&q=2&r", `{"a": {"b": [1, 2.50, "x"]}}`, "X-Y", "one", "X-Y", "two", "Cookie", "a=b; c=d")
		if want := "200 OK|x/0|" + tt.want; got != want {
			t.Errorf("%s: got %s, want %s", tt.body, got, want)
		}
	}
}

func TestTemplatesOfTime(t *testing.T) {
	s := templated(t, `{{now}}|{{now "2006"}}|{{uuid}}|{{random 1 3}}|{{random 5 5}}`)
	got := strings.Split(ask(t, s, "GET", "/a/1/", ""), "|")[2:]
	if at, err := time.Parse(time.RFC3339, got[0]); err != nil || time.Since(at) > time.Minute {
		t.Errorf("now is %s", got[0])
	}
	if len(got[1]) != 4 || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(got[2]) || !strings.Contains("123", got[3]) || got[4] != "5" {
		t.Errorf("got %q", got)
	}
	if got := ask(t, s, "GET", "/a/1/", ""); !strings.HasPrefix(got, "200 OK|x/1|") {
		t.Errorf("the second: %s", got)
	}
}

// TestHostileTemplates has each be stopped by its budget, with 500. One that is not would take hours.
func TestHostileTemplates(t *testing.T) {
	for _, body := range []string{
		`{{range 1000000000}}{{end}}`,
		`{{range $i := 1000000000}}{{range $j := 1000000000}}{{end}}{{end}}`,
		`{{define "t"}}{{template "t" .}}{{template "t" .}}{{end}}{{template "t" .}}`,
		`{{define "t"}}{{template "t" .}}{{end}}{{template "t" .}}`,
		`{{$x := "aaaaaaaaaaaaaaaa"}}{{range 1000}}{{$x = print $x $x}}{{end}}`,
		`{{$x := "aaaaaaaaaaaaaaaa"}}{{range 1000}}{{$x = printf "%s%q" $x $x}}{{end}}`,
		`{{$x := "a"}}{{range 1000}}{{$x = replace "a" "aaaa" $x}}{{end}}`,
		`{{printf "%1000000000d" 1}}`, `{{printf "%*d" 1000000000 1}}`, `{{printf "%.1000000000f" 1.0}}`, `{{printf "%[2]*[1]d" 1 1000000}}`,
		`{{range 50000}}{{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}{{end}}`,
		`{{range 1000}}{{print $.Body $.Body $.Body $.Body $.Body $.Body $.Body $.Body $.Body $.Body}}{{end}}`,
		`{{range 1000000}}{{$.JSONAll "$..*"}}{{end}}`,
		`{{.JSON "$["}}`, `{{random 3 1}}`, `{{call .Method}}`, `{{index .Method 99}}`, `{{range split "" .Body}}{{range split "" $.Body}}{{end}}{{end}}`,
		`{{.budget}}`, `{{.request}}`,
	} {
		s := templated(t, body)
		if got := ask(t, s, "POST", "/a/1/", strings.Repeat(`["aaaaaaaaaaaaaaaa"]`+"\n", 10000)); !strings.HasPrefix(got, "500 ") {
			t.Errorf("%s: %.100s", body, got)
		}
	}
}

func TestTemplateCannotInjectHeaders(t *testing.T) {
	stubs, err := stub.Parse("t", []byte(`{"response": {"template": true, "headers": {"X": "{{.Query \"x\"}}", "Y": "1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	list, err := stub.Routes(nil, stubs...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mockserver.Start(mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(list...)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := ask(t, s, "GET", "/?x=a%0d%0aSet-Cookie:b", ""); !strings.HasPrefix(got, "500 ") {
		t.Errorf("got %s", got)
	}
	if got := ask(t, s, "GET", "/?x=a", ""); !strings.HasPrefix(got, "200 ") {
		t.Errorf("got %s", got)
	}
}

func TestTemplatesBesideEachOther(t *testing.T) {
	s := templated(t, `{{define "t"}}.{{end}}{{range 2000}}{{template "t"}}{{end}}`)
	if got := ask(t, s, "GET", "/a/1/", ""); !strings.HasPrefix(got, "200 ") || strings.Count(got, ".") < 2000 {
		t.Errorf("got %.100s", got)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{`{{.Method}}{{range .QueryAll "a"}}{{.}}{{end}}`, `{{define "t"}}{{template "t"}}{{end}}{{template "t"}}`, `{{printf "%9d" 1}}{{$x := 1}}`, `{{range 10000000}}{{break}}{{end}}`, `{{json (.JSON "$..*")}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		text, err := json.Marshal(map[string]any{"response": map[string]any{"template": true, "body": body}})
		if err != nil {
			t.Fatal(err)
		}
		stubs, err := stub.Parse("t", text)
		if err != nil {
			return
		}
		_ = stub.Fill(stubs[0], &mockserver.Request{Method: "GET", Target: "/?a=1&a=2", Proto: "HTTP/1.1", Body: []byte(`{"a":[1]}`)})
	})
}
