package jsonpath

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/okhttp-go/ok/mockserver/internal/target"
)

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		`$.a[?@.b=='x'].c`:                          `$.a[?@.b=='x'].c`,
		`$.password`:                                `$.password`,
		`$['user']['password'][0]`:                  `$['user']['password'][0]`,
		`$.users[?@.password=='x'].name`:            `$.users[?@.password==redacted].name`,
		`$.users[?(@.name=="ann" && @.token > 12)]`: `$.users[?(@.name==redacted && @.token > redacted)]`,
		`$[?'x' == @['api_key']]`:                   `$[?redacted == @['api_key']]`,
		`$[?match(@.secret, 'x.*')]`:                `$[?match(@.secret, redacted)]`,
		`$[?@.password=='it\'s x']`:                 `$[?@.password==redacted]`,
		`$[?@.password=='x`:                         `$[?@.password==redacted`,
		`$[?(@.password =~ /x.*/i)]`:                `$[?(@.password =~ redactedi)]`,
		`$[?(@.token in ['x', 'y'])]`:               `$[?(@.token in [redacted, redacted])]`,
		``:                                          ``,
	} {
		if got := Shown(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestSecret(t *testing.T) {
	for text, want := range map[string]bool{
		`$.a`: false, `$`: false, `$.password`: true, `$['api_key'].x`: true, `$..token[0]`: true, `$[?@.token=='x'].name`: false,
	} {
		p, err := Parse(text)
		if err != nil || p.Secret() != want {
			t.Errorf("%s: %v, %v", text, p.Secret(), err)
		}
	}
}

// What a path selects is known to be secret by the names on the way to it.
func TestNodes(t *testing.T) {
	p, err := Parse("$..*")
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := p.Nodes(map[string]any{"a": "clear", "token": []any{"x", map[string]any{"b": "y"}}})
	if err != nil || len(nodes) != 5 {
		t.Fatalf("%v, %v", nodes, err)
	}
	for _, n := range nodes {
		if n.Secret != (n.Value != "clear") {
			t.Errorf("%v", n)
		}
	}
}

func FuzzShown(f *testing.F) {
	for _, seed := range []string{`$.users[?@.password=='x'].name`, `$[?'x' == @['api_key']]`, `$[?(@.token in ['x', "y"])]`, `$[?(@.secret =~ /x/i)]`, `$[`, `'\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown := Shown(text)
		if shown != text && !strings.Contains(shown, target.Redacted) {
			t.Errorf("%q became %q", text, shown)
		}
		if utf8.ValidString(text) && !utf8.ValidString(shown) {
			t.Errorf("%q became %q, which is no UTF-8", text, shown)
		}
		// A string that a filter compares a secret with is not shown, whatever stands before it.
		if p, err := Parse(`$[?@.password=='sesame']` + strings.TrimPrefix(text, "$")); err == nil && p != nil {
			if with := Shown(`$[?@.password=='sesame']` + strings.TrimPrefix(text, "$")); strings.Contains(with, "sesame") && !strings.Contains(text, "sesame") {
				t.Errorf("%q shows the secret", with)
			}
		}
	})
}
