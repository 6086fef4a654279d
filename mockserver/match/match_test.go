package match_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okhttp"
)

// request makes a request of its text, with lines that end with ·.
func request(t testing.TB, text string) *mockserver.Request {
	t.Helper()
	head, body, hasBody := strings.Cut(text, "··")
	lines := strings.Split(head, "·")
	words := strings.SplitN(lines[0], " ", 3)
	r := &mockserver.Request{Method: words[0], Target: words[1], Proto: "HTTP/1.1"}
	if len(words) > 2 {
		r.Proto = words[2]
	}
	var fields []string
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		fields = append(fields, name, value)
	}
	h, err := okhttp.NewHeaders(fields...)
	if err != nil {
		t.Fatal(err)
	}
	r.Headers, r.Authority = h, h.Get("Host")
	if hasBody {
		r.Body, r.BodySize = []byte(body), int64(len(body))
	}
	return r
}

func differences(m mockserver.Matcher, r *mockserver.Request) string {
	var list []string
	for _, d := range m.Match(r) {
		if d.Distance < 0 || d.Distance > 1 {
			list = append(list, fmt.Sprintf("distance %v", d.Distance))
		}
		list = append(list, d.String())
	}
	return strings.Join(list, "; ")
}

const multipart = "POST / HTTP/1.1·Content-Type: multipart/form-data; boundary=b··--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"doc\"; filename=\"a.json\"\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n"

func TestMatchers(t *testing.T) {
	is := match.Is
	jsonBody := `POST /orders HTTP/1.1·Content-Type: application/json··{"item": {"name": "tea", "n": 3}, "tags": ["a", "b"], "ok": true}`
	for _, tt := range []struct {
		m       mockserver.Matcher
		request string
		want    string // the differences, "" if it matches
	}{
		{match.Everything(), "GET /", ""},
		{match.Method("GET", "HEAD"), "HEAD /", ""},
		{match.Method("GET", "HEAD"), "get /", `method: expected GET or HEAD but it was "get"`},
		{match.Path("/a"), "GET /a?b=c", ""},
		{match.Path("/a"), "GET http://h/a?b=c", ""},
		{match.Path("/"), "GET http://h?b=c", ""},
		{match.Path("/"), "GET http://h", ""},
		{match.Path("/a"), "GET /a/", `path: expected /a but it was "/a/"`},
		{match.Path("/a/"), "GET /a", `path: expected /a/ but it was "/a"`},
		{match.Path("/users/{id}/files/{name}.txt"), "GET /users/7/files/a%20b.txt", ""},
		{match.Path("/users/{id}"), "GET /users/", `path: expected /users/{id} but it was "/users/"`},
		{match.Path("/users/{id}"), "GET /users/a/b", `path: expected /users/{id} but it was "/users/a/b"`},
		{match.Path("/users/{id}"), "GET /users/a%2Fb", ""},
		{match.Path("/caf%C3%A9"), "GET /caf%c3%a9", ""},
		{match.Path("/café"), "GET /caf%c3%a9", ""},
		{match.Path("/s/{path...}"), "GET /s/a/b%2fc", ""},
		{match.Path("/s/{path...}"), "GET /s/", ""},
		{match.Path("/s/{path...}"), "GET /s", `path: expected /s/{path...} but it was "/s"`},
		{match.Path("/{x}"), "GET /%zz", `path: expected /{x} but it was "/%zz"`},
		{match.Path("/{x}"), "OPTIONS *", `path: expected /{x} but it was "*"`},
		{match.RawPath(match.Regexp("/a%2[fF]b")), "GET /a%2fb?x", ""},
		{match.RawPath(match.HasPrefix("/a/")), "GET /b", `path: expected one that begins with "/a/" but it was "/b"`},
		{match.Target(is("*")), "OPTIONS *", ""},
		{match.Target(is("/a?b=1")), "GET /a?b=1", ""},
		{match.Host(is("a:80")), "GET /·Host: a:80", ""},
		{match.Host(match.Absent()), "GET /", ""},
		{match.Host(match.Present()), "GET /", "host: expected any value but it was missing"},
		{match.Proto("HTTP/2", "HTTP/1.1"), "GET /", ""},
		{match.Proto("HTTP/2"), "GET /", `protocol: expected "HTTP/2" but it was "HTTP/1.1"`},
		{match.Connection(0), "GET /", ""},
		{match.Connection(1), "GET /", "connection: expected 1 but it was 0"},
		{match.Query("q", is("a b&c")), "GET /?x=1&q=a+b%26c", ""},
		{match.Query("q", is("2")), "GET /?q=1&q=2", ""},
		{match.Query("q", is("3")), "GET /?q=1&q=2", `query q: expected "3" but it was "1" and 1 more`},
		{match.Query("q", match.Absent()), "GET /?p=q", ""},
		{match.Query("q", match.Absent()), "GET /?q", `query q: expected none but it was ""`},
		{match.Query("q", match.Present()), "GET /?q", ""},
		{match.Query("q", is("")), "GET /", `query q: expected "" but it was missing`},
		{match.Query("q", is("%zz")), "GET /?q=%zz", ""},
		{match.Header("accept", match.Contains("json")), "GET /·Accept: text/html·ACCEPT: application/json", ""},
		{match.Header("Accept", is("x")), "GET /·Accept: y", `header Accept: expected "x" but it was "y"`},
		{match.Header("Authorization", is("Bearer s3cret")), "GET /·Authorization: Bearer 0ther", "header Authorization: expected a certain value but it was another one of 12 bytes, hidden"},
		{match.Cookie("id", is("1")), "GET /·Cookie: a=b; id=1", ""},
		{match.Cookie("id", is("1")), "GET /·Cookie: id=2", "cookie id: expected a certain value but it was another one of 1 bytes, hidden"},
		{match.Cookie("id", match.Absent()), "GET /·Cookie: di=1", ""},
		{match.BasicAuth("me", "pass"), "GET /·Authorization: Basic bWU6cGFzcw==", ""},
		{match.BasicAuth("me", "pass"), "GET /", "header Authorization: expected a certain value but it was missing"},
		{match.TLS(false), "GET /", ""},
		{match.TLS(true), "GET /", "transport: expected TLS but it was cleartext"},
		{match.ServerName(match.Absent()), "GET /", ""},
		{match.ClientCertificate(match.Absent()), "GET /", ""},
		{match.Request("POST /users/{id}?x=1&y="), "POST /users/5?y&x=1&z", ""},
		{match.Request("/users"), "PUT /users", ""},
		{match.Request("* /users"), "PUT /users", ""},
		{match.Request("GET /users"), "POST /user", `method: expected GET but it was "POST"; path: expected /users but it was "/user"`},

		{match.Body(is("hi")), "POST /··hi", ""},
		{match.Body(is("hi")), "POST /··ho", `body: expected "hi" but it was "ho"`},
		{match.Body(match.Absent()), "GET /", ""},
		{match.Body(match.Absent()), "POST /··", `body: expected none but it was ""`},
		{match.Bytes([]byte("hi")), "POST /··hi", ""},
		{match.Bytes([]byte("hi")), "POST /··hx", `body: expected 2 bytes aGk= but it was 2 bytes aHg=, different from byte 1 on`},
		{match.JSON(`{"ok":true,"tags":["a","b"],"item":{"n":3.0,"name":"tea"}}`), jsonBody, ""},
		{match.JSON(`{"ok":true}`), jsonBody, `body at $.item: expected no such member but it was {"n":3,"name":"tea"}; body at $.tags: expected no such member but it was ["a","b"]`},
		{match.JSONSubset(`{"item":{"name":"tea"}}`), jsonBody, ""},
		{match.JSONSubset(`{"item":{"name":"tee"},"x":1}`), jsonBody, `body at $.item.name: expected "tee" but it was "tea"; body at $.x: expected 1 but it was missing`},
		{match.JSONWith(`{"tags":["b"]}`, match.JSONRules{ExtraMembers: true, ExtraElements: true, AnyOrder: true}), jsonBody, ""},
		{match.JSON(`{}`), "POST /··{", `body: expected JSON but it was "{" (JSON that ends too early)`},
		{match.JSON(`{}`), "GET /", `body: expected JSON but it was missing`},
		{match.JSONPath("$.item.name", is("tea")), jsonBody, ""},
		{match.JSONPath("$.item.n", is("3")), jsonBody, ""},
		{match.JSONPath("$.tags[*]", is("b")), jsonBody, ""},
		{match.JSONPath("$.tags[?@ == 'c']", match.Absent()), jsonBody, ""},
		{match.JSONPath("$.tags[*]", is("c")), jsonBody, `body at $.tags[*]: expected "c" but it was "a" and 1 more`},
		{match.JSONPathIs("$.item", `{"name":"tea","n":3.0}`), jsonBody, ""},
		{match.JSONPathIs("$.item.n", `4`), jsonBody, `body at $.item.n: expected 4 but it was 3`},
		{match.JSONPathIs("$.none", `4`), jsonBody, `body at $.none: expected 4 but it was missing`},
		{match.Form("a", is("1 2")), "POST /·Content-Type: application/x-www-form-urlencoded; charset=utf-8··a=1+2&b=3", ""},
		{match.Form("a", is("1")), "POST /·Content-Type: text/plain··a=1", `header Content-Type: expected application/x-www-form-urlencoded but it was "text/plain"`},
		{match.Part(match.PartRules{Name: "note", Body: pattern(is("hi"))}), multipart, ""},
		{match.Part(match.PartRules{Name: "doc", FileName: "a.json", JSON: `{"a":1}`, Headers: map[string]match.Pattern{"Content-Type": match.HasSuffix("json")}}), multipart, ""},
		{match.Part(match.PartRules{FileName: "a.json"}), multipart, ""},
		{match.Part(match.PartRules{Name: "note", Body: pattern(is("ho"))}), multipart, `part note: body: expected "ho" but it was "hi"`},
		{match.Part(match.PartRules{Name: "other"}), multipart, `part other: expected one but it was missing among 2 parts`},
		{match.Part(match.PartRules{Name: "doc", FileName: "b"}), multipart, `part doc: file name: expected "b" but it was "a.json"`},
		{match.Part(match.PartRules{}), "POST /··x", `header Content-Type: expected multipart with a boundary but it was missing`},

		{match.All(match.Method("GET"), match.Path("/a")), "GET /a", ""},
		{match.Any(match.Path("/abc"), match.Path("/b")), "GET /b", ""},
		{match.Any(match.Path("/x"), match.Path("/abc")), "GET /abd", `path: expected /abc but it was "/abd"`},
		{match.Any(), "GET /", `request: expected one of no alternatives but it was GET / HTTP/1.1`},
		{match.Not(match.Path("/a")), "GET /b", ""},
		{match.Not(match.Path("/a")), "GET /a", `request: expected not (path /a) but it was one`},
		{match.Func("odd", func(r *mockserver.Request) bool { return len(r.Target)%2 == 1 }), "GET /a", "odd: expected true but it was false"},

		{match.Header("A", match.IsFold("xY")), "GET /·A: XY", ""},
		{match.Header("A", match.IsNot(is("x"))), "GET /", ""},
		{match.Header("A", match.Both(match.HasPrefix("a"), match.HasSuffix("z"))), "GET /·A: abz", ""},
		{match.Header("A", match.Both(match.HasPrefix("a"), match.HasSuffix("z"))), "GET /·A: abc", `header A: expected one that begins with "a" and one that ends with "z" but it was "abc"`},
		{match.Header("A", match.Either(is("a"), match.Regexp("b+"))), "GET /·A: bb", ""},
		{match.Header("A", match.Regexp("b+")), "GET /·A: abb", `header A: expected one like /b+/ but it was "abb"`},
		{match.Header("A", is(strings.Repeat("x", 300))), "GET /·A: y", `header A: expected "` + strings.Repeat("x", 120) + `"… (300 bytes) but it was "y"`},
	} {
		if err := match.Err(tt.m); err != nil {
			t.Errorf("%v: %v", tt.m, err)
		}
		if got := differences(tt.m, request(t, tt.request)); got != tt.want {
			t.Errorf("%v for %s:\ngot  %s\nwant %s", tt.m, tt.request, got, tt.want)
		}
	}
}

func pattern(p match.Pattern) *match.Pattern { return &p }

func TestTLSMatchers(t *testing.T) {
	r := request(t, "GET /")
	r.TLS = &tls.ConnectionState{ServerName: "a.example", PeerCertificates: []*x509.Certificate{{Subject: pkix.Name{CommonName: "Me"}, DNSNames: []string{"me.example"}}}}
	for _, m := range []mockserver.Matcher{
		match.TLS(true), match.ServerName(match.Is("a.example")), match.ClientCertificate(match.Is("Me")), match.ClientCertificate(match.HasSuffix(".example")),
	} {
		if got := differences(m, r); got != "" {
			t.Errorf("%v: %s", m, got)
		}
	}
	for _, m := range []mockserver.Matcher{match.TLS(false), match.ServerName(match.Is("b")), match.ClientCertificate(match.Absent())} {
		if differences(m, r) == "" {
			t.Errorf("%v matches", m)
		}
	}
}

func TestCompressedAndCutBodies(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	r := request(t, "POST /·Content-Encoding: gzip··"+packed.String())
	if got := differences(match.JSON(`{"a":1}`), r); got != "" {
		t.Error(got)
	}
	r = request(t, "POST /·Content-Encoding: gzip··{}")
	if got := differences(match.JSON(`{}`), r); !strings.HasPrefix(got, "body: expected a body that can be decoded but it was gzip: ") {
		t.Error(got)
	}
	r = request(t, "POST /·Content-Encoding: br··{}")
	if got := differences(match.JSON(`{}`), r); !strings.Contains(got, "br: a coding that is not known") {
		t.Error(got)
	}
	r = request(t, "POST /··{}")
	r.BodySize = 10
	if got := differences(match.JSON(`{}`), r); got != "body: expected a body that was kept whole but it was cut off after 2 of 10 bytes" {
		t.Error(got)
	}
	if differences(match.Bytes([]byte("{}")), r) == "" {
		t.Error("a body that was cut off matches its beginning")
	}
}

func TestInvalidMatchers(t *testing.T) {
	for _, tt := range []struct {
		m    mockserver.Matcher
		want string
	}{
		{match.Method(), "names of methods"}, {match.Path("a"), "begin with /"}, {match.Path("/{a"), "in pairs"}, {match.Path("/a}"), "in pairs"},
		{match.Path("/{a}{b}"), "one variable"}, {match.Path("/{}"), "a name of letters"}, {match.Path("/{a b}"), "a name of letters"}, {match.Path("/{a}/{a}"), "each name once"},
		{match.Path("/{a...}/b"), "after the last slash"}, {match.Path("/a?b"), "in a path"}, {match.Path("/%zz"), "%zz"}, {match.Path("/" + strings.Repeat("a", 9000)), "at most"},
		{match.Request("GET"), "begin with /"}, {match.Header("A", match.Regexp("(")), "missing closing )"}, {match.Header("A", match.Regexp("a)(b")), "unexpected )"},
		{match.Header("", match.Present()), "expected a name"}, {match.Proto("h2"), "expected HTTP/2"}, {match.JSON("{"), "ends too early"}, {match.JSONSubset("{} {}"), "more than one"},
		{match.JSONPath("a", match.Present()), `expected "$"`}, {match.JSONPathIs("$", "x"), "invalid character"}, {match.Part(match.PartRules{JSON: "{"}), "too early"},
		{match.BasicAuth("a:b", "c"), "cannot be sent"}, {match.Func("f", nil), "expected a function"}, {match.Not(nil), "it is nil"}, {match.All(nil, match.Path("x")), "it is nil"},
		{match.Any(match.Not(match.Path("x"))), "begin with /"}, {match.Header("A", match.Both(match.IsNot(match.Regexp("[")))), "missing closing ]"},
	} {
		if err := match.Err(tt.m); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.m, err, tt.want)
		}
		if len(tt.m.Match(request(t, "GET /"))) == 0 {
			t.Errorf("%v matches", tt.m)
		}
	}
	if err := match.Err(match.BasicAuth("a:b", "s3cret")); strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v shows the password", err)
	}
}

func TestParams(t *testing.T) {
	m := match.All(match.Method("GET"), match.Any(match.Path("/users/{id}"), match.Path("/u/{id}/{rest...}")))
	for target, want := range map[string]string{"/users/a%20b": "map[id:a b]", "/u/1/x/y": "map[id:1 rest:x/y]", "/u/1/": "map[id:1 rest:]"} {
		if got := fmt.Sprint(match.Params(m, request(t, "GET "+target))); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
	if match.Params(match.Everything(), request(t, "GET /")) != nil || match.Params(match.Path("x"), request(t, "GET /")) != nil {
		t.Error("parameters of matchers that have none")
	}
}

func TestNeedsBody(t *testing.T) {
	for _, m := range []mockserver.Matcher{match.Body(match.Present()), match.All(match.Path("/"), match.JSON("1")), match.Not(match.Form("a", match.Present())), match.Func("f", func(*mockserver.Request) bool { return true })} {
		if !match.NeedsBody(m) {
			t.Errorf("%v needs no body", m)
		}
	}
	for _, m := range []mockserver.Matcher{match.Everything(), match.Request("GET /a?b=c"), match.Any(match.Header("A", match.Present()), match.TLS(true))} {
		if match.NeedsBody(m) {
			t.Errorf("%v needs the body", m)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, seed := range [][2]string{{"/users/{id}", "/users/7"}, {"/a/{b}.txt/{c...}", "/a/x.txt/y/z"}, {"/%2F/{x}", "/%2f/%2F"}, {"/{a}{", "/"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, template, path string) {
		m := match.Path(template)
		r := &mockserver.Request{Method: "GET", Target: path, Proto: "HTTP/1.1"}
		if len(m.Match(r)) > 0 {
			return
		}
		if match.Err(m) != nil {
			t.Errorf("%q is invalid and matches %q", template, path)
		}
		for name, value := range match.Params(m, r) {
			if !strings.Contains(template, "{"+name+"}") && !strings.Contains(template, "{"+name+"...}") {
				t.Errorf("%q, %q: parameter %s=%q", template, path, name, value)
			}
		}
	})
}
