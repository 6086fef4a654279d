package okhttp

import (
	"errors"
	"mime"
	"strings"
	"testing"
)

func TestParseMediaType(t *testing.T) {
	for in, want := range map[string][]string{ // type, subtype, then names and values of parameters
		"text/plain":                                {"text", "plain"},
		"Text/PLAIN; Charset=UTF-8":                 {"text", "plain", "charset", "UTF-8", "CHARSET", "UTF-8"},
		"text/plain;charset=utf-8":                  {"text", "plain", "charset", "utf-8"},
		"text/plain; charset='utf-8'":               {"text", "plain", "charset", "utf-8"}, // fact 93
		`text/plain; charset="utf-8"`:               {"text", "plain", "charset", "utf-8"},
		`text/plain; charset="'utf-8'"`:             {"text", "plain", "charset", "'utf-8'"},
		"text/plain; a=''; b='x; c='y'":             {"text", "plain", "a", "''", "b", "'x", "c", "y"},
		"text/plain;; ;":                            {"text", "plain"}, // fact 93
		"text/plain;":                               {"text", "plain"},
		"text/plain; ":                              {"text", "plain"},
		"text/plain;\t a=b;;c=d;":                   {"text", "plain", "a", "b", "c", "d"},
		"text/plain; a=1; a=2; A=3":                 {"text", "plain", "a", "1"},
		`multipart/x; boundary="a; b=c, \d"; e=f`:   {"multipart", "x", "boundary", `a; b=c, \d`, "e", "f"},
		`text/plain; a=""`:                          {"text", "plain", "a", ""},
		"application/vnd.api+json":                  {"application", "vnd.api+json"},
		"image/svg+xml;a!#$%&'*+.^_`{|}~-=!#$%&'*+": {"image", "svg+xml", "a!#$%&'*+.^_`{|}~-", "!#$%&'*+"},
		"*/*": {"*", "*"},
	} {
		m, err := ParseMediaType(in)
		if err != nil || m.Type() != want[0] || m.Subtype() != want[1] || m.String() != in {
			t.Errorf("%q: %q %q, %v", in, m.Type(), m.Subtype(), err)
			continue
		}
		for i := 2; i < len(want); i += 2 {
			if got, ok := m.Parameter(want[i]); got != want[i+1] || !ok {
				t.Errorf("%q: %s is %q, %v; want %q", in, want[i], got, ok, want[i+1])
			}
		}
		for _, name := range []string{"none", ""} {
			if got, ok := m.Parameter(name); ok || got != "" {
				t.Errorf("%q: parameter %q is %q", in, name, got)
			}
		}
	}
}

func TestParseMediaTypeErrors(t *testing.T) {
	const noSubtype = "okhttp: no subtype found for: "
	parameter := func(rest, whole string) string {
		return `okhttp: parameter is not formatted correctly: "` + rest + `" for: "` + whole + `"`
	}
	for in, want := range map[string]string{
		"":                      noSubtype + `""`,
		"x":                     noSubtype + `"x"`,
		"/":                     noSubtype + `"/"`,
		"text/":                 noSubtype + `"text/"`,
		"/plain":                noSubtype + `"/plain"`,
		" text/plain":           noSubtype + `" text/plain"`, // fact 93
		"te<t/plain":            noSubtype + `"te<t/plain"`,
		"text /plain":           noSubtype + `"text /plain"`,
		"text/ plain":           noSubtype + `"text/ plain"`,
		"text/pl@in":            parameter("@in", "text/pl@in"),
		"text/plain ":           parameter(" ", "text/plain "),
		"text/plain ; a=b":      parameter(" ; a=b", "text/plain ; a=b"),
		"text/plain, text/html": parameter(", text/html", "text/plain, text/html"),
		"text/plain; a":         parameter("a", "text/plain; a"),   // fact 93
		"text/plain; a=":        parameter("a=", "text/plain; a="), // fact 93
		"text/plain; a =b":      parameter("a =b", "text/plain; a =b"),
		"text/plain; a= b":      parameter("a= b", "text/plain; a= b"),
		"text/plain; a=b c":     parameter(" c", "text/plain; a=b c"),
		"text/plain; =b":        parameter("=b", "text/plain; =b"),
		`text/plain; a="b`:      parameter(`a=\"b`, `text/plain; a=\"b`),
		`text/plain; a="b\"c"`:  parameter(`c\"`, `text/plain; a=\"b\\\"c\"`),
		`text/plain; a=b"c"`:    parameter(`\"c\"`, `text/plain; a=b\"c\"`),
		"text/plain;\r\na=b":    parameter(`\r\na=b`, `text/plain;\r\na=b`),
	} {
		m, err := ParseMediaType(in)
		if err == nil || err.Error() != want || !errors.As(err, new(*MediaTypeError)) || m != (MediaType{}) {
			t.Errorf("%q: %v; want %s", in, err, want)
		}
	}
	if _, err := ParseMediaType("a/b;" + strings.Repeat("é\n", 1e5)); len(err.Error()) > 1000 {
		t.Errorf("a message of %d bytes", len(err.Error()))
	}
}

func TestMediaTypeCharset(t *testing.T) {
	for in, want := range map[string]string{
		"text/plain":                           "",
		"text/plain; charset=UTF-8":            "utf-8",
		"text/plain; charset='iso-8859-1'":     "iso-8859-1",
		`text/plain; charset="us-ascii"`:       "us-ascii",
		"text/plain; charset=utf-16":           "utf-16",
		"text/plain; charset=EBCDIC":           "",
		`text/plain; charset=""`:               "",
		"text/plain; charset=x; charset=utf-8": "",
	} {
		m, err := ParseMediaType(in)
		if got := m.Charset(); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	if got := (MediaType{}).Charset(); got != "" {
		t.Errorf("no media type: charset %q", got)
	}
}

func TestMediaTypeEquality(t *testing.T) {
	parse := func(s string) MediaType {
		m, err := ParseMediaType(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a, b, c := parse("text/plain;charset=utf-8"), parse("text/plain;"+"charset=utf-8"), parse("text/plain; charset=utf-8")
	if a != b || a == c {
		t.Errorf("%q == %q is %v, %q == %q is %v", a, b, a == b, a, c, a == c)
	}
}

// FuzzParseMediaType checks that what is accepted means the same to package mime, as far as that takes it.
func FuzzParseMediaType(f *testing.F) {
	for _, s := range []string{
		"text/plain; charset=utf-8", `multipart/form-data; boundary="a b"; x='y'`, "text/plain;; ;", "text/plain; a=", `a/b;c="d\"`, "A/B;C=D;c=e",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMediaType(s)
		if err != nil {
			if !errors.As(err, new(*MediaTypeError)) || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 2000 {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if m.String() != s || strings.ToLower(s[:m.params]) != m.Type()+"/"+m.Subtype() {
			t.Fatalf("%q: %q/%q", s, m.Type(), m.Subtype())
		}
		whole, params, err := mime.ParseMediaType(s)
		if err != nil || strings.ContainsAny(s, `\*'`) || strings.Contains(s, "\r\n") { // escapes, RFC 2231, single quotes
			return
		}
		if whole != m.Type()+"/"+m.Subtype() {
			t.Fatalf("%q: package mime reads %q", s, whole)
		}
		for name, want := range params {
			if got, ok := m.Parameter(name); !ok || got != want {
				t.Fatalf("%q: %q is %q, %v; package mime reads %q", s, name, got, ok, want)
			}
		}
	})
}
