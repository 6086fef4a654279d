package pin

import (
	"slices"
	"strings"
	"testing"
)

// lower stands for the parser of URL hosts.
func lower(name string) (string, bool) {
	if name == "münchen.de" {
		return "xn--mnchen-3ya.de", true
	}
	return strings.ToLower(name), name != "" && !strings.ContainsAny(name, " /%")
}

func mustPattern(t *testing.T, text string) Pattern {
	t.Helper()
	p, err := ParsePattern(text, lower)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPatternMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern       string
		hosts, others string
	}{
		{"example.com", "example.com example.com.", "a.example.com xexample.com com example.comx example.com.. "},
		{"EXAMPLE.com", "example.com", ""},
		{"example.com.", "example.com example.com.", "a.example.com"},
		{"*.example.com", "a.example.com a.example.com. xn--a.example.com", "example.com a.b.example.com .example.com xexample.com a.example.comx"},
		{"**.example.com", "example.com a.example.com a.b.example.com b.example.com. example.com.", "xexample.com com .example.com example.com.x"},
		{"*.com", "example.com", "com a.example.com"},
		{"münchen.de", "xn--mnchen-3ya.de", ""},
		{"*.münchen.de", "a.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"},
		{"10.0.0.1", "10.0.0.1", "10.0.0.2"},
		{"::1", "::1", "::2"},
		{"[2001:DB8:0::1]", "2001:db8::1", ""},
		{"::ffff:10.0.0.1", "10.0.0.1", "::ffff:10.0.0.1"}, // which is how hosts of URLs come
	} {
		p := mustPattern(t, tt.pattern)
		for _, host := range strings.Fields(tt.hosts) {
			if !p.Matches(host) {
				t.Errorf("%s does not match %s", tt.pattern, host)
			}
		}
		for _, host := range append(strings.Fields(tt.others), "", ".") {
			if p.Matches(host) {
				t.Errorf("%s matches %q", tt.pattern, host)
			}
		}
	}
	if (Pattern{}).Matches("") || (Pattern{}).Matches("a.com") {
		t.Error("the zero Pattern matches")
	}
	if mustPattern(t, "A.com.") != mustPattern(t, "a.com") {
		t.Error("two spellings are two patterns")
	}
}

func TestPatternErrors(t *testing.T) {
	for text, kind := range map[string]string{
		"*":                "unexpected",
		"**":               "unexpected",
		"***.example.com":  "unexpected",
		"*.*.example.com":  "unexpected",
		"**.*.example.com": "unexpected",
		"a.*.com":          "unexpected",
		"*a.com":           "unexpected",
		"a*.com":           "unexpected",
		"example.*":        "unexpected",
		"*.example.*":      "unexpected",
		"":                 "invalid",
		"*.":               "invalid",
		"**.":              "invalid",
		"*..":              "invalid",
		"*..com":           "invalid",
		"a..":              "invalid",
		".com":             "invalid",
		"a b":              "invalid",
		"https://a.com":    "invalid",
		"a.com:443":        "invalid",
		"[::1":             "invalid",
		"::1%eth0":         "invalid",
		"*.::1":            "invalid",
		"**.10.0.0.1":      "invalid",
	} {
		p, err := ParsePattern(text, lower)
		if err == nil || !strings.HasPrefix(err.Error(), kind+` pattern: "`+text+`": `) || p != (Pattern{}) {
			t.Errorf("%q: %v, %v, want %s pattern", text, p, err, kind)
		}
	}
}

func TestSet(t *testing.T) {
	a, b := Of(certificate("a")), Of(certificate("b"))
	var empty Set
	one := empty.With(mustPattern(t, "*.example.com"), a, a)
	two := one.With(mustPattern(t, "**.example.com"), a, b).With(mustPattern(t, "*.example.com"), a)
	again := empty.With(mustPattern(t, "**.example.com"), b, a).With(mustPattern(t, "*.example.com"), a)
	for _, tt := range []struct {
		set  Set
		host string
		want []Pin
	}{
		{empty, "example.com", nil},
		{one, "example.com", nil},
		{one, "a.example.com", []Pin{a}},
		{two, "example.com", []Pin{a, b}},
		{two, "a.example.com", []Pin{a, b}},
		{two, "a.b.example.com", []Pin{a, b}},
		{two, "example.org", nil},
	} {
		if got := tt.set.For(tt.host); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.host, got, tt.want)
		}
	}
	if two.String() != again.String() || strings.Count(two.String(), "\n") != 2 || one.String() == two.String() {
		t.Errorf("%s\nand\n%s", two, again)
	}
	if branch := one.With(mustPattern(t, "x.com"), b); one.For("x.com") != nil || branch.For("x.com") == nil {
		t.Error("With changed the set it was called on")
	}
}
