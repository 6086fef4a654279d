package okhttp

import (
	"errors"
	"strings"
	"testing"
)

func TestURLBuilder(t *testing.T) {
	for _, tt := range []struct {
		name, from string
		edit       func(b *URLBuilder) *URLBuilder
		want       string
	}{
		{"nothing", "http://u:p@h:81/a%2fb/?#", func(b *URLBuilder) *URLBuilder { return b }, "http://u:p@h:81/a%2fb/?#"},
		{"scheme of a default port", "http://h:80/", func(b *URLBuilder) *URLBuilder { return b.Scheme("HTTPS") }, "https://h/"},      // spec fact 88
		{"scheme of another port", "http://h:8080/", func(b *URLBuilder) *URLBuilder { return b.Scheme("https") }, "https://h:8080/"}, // spec fact 88
		{"port that becomes the default", "http://h:443/", func(b *URLBuilder) *URLBuilder { return b.Scheme("https") }, "https://h/"},
		{"port 0", "http://h/", func(b *URLBuilder) *URLBuilder { return b.Port(0) }, "http://h:0/"},
		{"default port", "http://h:81/", func(b *URLBuilder) *URLBuilder { return b.Port(80) }, "http://h/"},
		{"host", "http://h:81/p", func(b *URLBuilder) *URLBuilder { return b.Host("B%C3%BCcher.DE") }, "http://xn--bcher-kva.de:81/p"},
		{"IPv6 host", "http://h/", func(b *URLBuilder) *URLBuilder { return b.Host("::0:1") }, "http://[::1]/"},
		{"IPv6 host in brackets", "http://h/", func(b *URLBuilder) *URLBuilder { return b.Host("[::1]") }, "http://[::1]/"},
		{"edited IPv6 host", "http://[::1]:81/", func(b *URLBuilder) *URLBuilder { return b.Port(82) }, "http://[::1]:82/"},
		{"user info", "http://h/", func(b *URLBuilder) *URLBuilder { return b.Username("a@b:%").Password(":/'") }, "http://a%40b%3A%25:%3A%2F%27@h/"},
		{"encoded user info", "http://h/", func(b *URLBuilder) *URLBuilder { return b.EncodedUsername("a%40@").EncodedPassword("%2f/") }, "http://a%40%40:%2f%2F@h/"},
		{"no user info", "http://a:b@h/", func(b *URLBuilder) *URLBuilder { return b.Username("").Password("") }, "http://h/"},

		{"segment", "http://h/", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment(`a/b\c%?#é`) }, "http://h/a%2Fb%5Cc%25%3F%23%C3%A9"},
		{"segment after a slash", "http://h/a/", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("b") }, "http://h/a/b"},
		{"segment after a segment", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("b") }, "http://h/a/b"},
		{"empty segment", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("") }, "http://h/a/"},
		{"two empty segments", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("").AddPathSegment("") }, "http://h/a/"},
		{"dot", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment(".") }, "http://h/a"},
		{"dots", "http://h/a/b", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("..") }, "http://h/a/"},
		{"dots after a slash", "http://h/a/b/", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("..") }, "http://h/a/"},
		{"dots at the root", "http://h/", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("..") }, "http://h/"},
		{"encoded dots are text", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment("%2e%2e") }, "http://h/a/%252e%252e"},
		{"dot and newline are text", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.AddPathSegment(".\n") }, "http://h/a/.%0A"},
		{"segments", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.AddPathSegments(`b/../c\d/`) }, "http://h/a/c/d/"},
		{"segments with a leading slash", "http://h/", func(b *URLBuilder) *URLBuilder { return b.AddPathSegments("/a") }, "http://h//a"},
		{"the same after a slash", "http://h/x/", func(b *URLBuilder) *URLBuilder { return b.AddPathSegments("/a") }, "http://h/x//a"},
		{"set segment", "http://h/a/b/c", func(b *URLBuilder) *URLBuilder { return b.SetPathSegment(1, "x/y") }, "http://h/a/x%2Fy/c"},
		{"remove segment", "http://h/a/b/c", func(b *URLBuilder) *URLBuilder { return b.RemovePathSegment(1) }, "http://h/a/c"},
		{"remove the only segment", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.RemovePathSegment(0).RemovePathSegment(0) }, "http://h/"},
		{"encoded path", "http://h/a", func(b *URLBuilder) *URLBuilder { return b.EncodedPath("/%2f/./b?#/.\n") }, "http://h/%2f/b%3F%23/"},

		{"query", "http://h/?x", func(b *URLBuilder) *URLBuilder { return b.Query("a=b&c+%#") }, "http://h/?a=b&c%2B%25%23"},
		{"encoded query", "http://h/", func(b *URLBuilder) *URLBuilder { return b.EncodedQuery("a+%20\n #'") }, "http://h/?a+%20%20%23%27"},
		{"empty query", "http://h/", func(b *URLBuilder) *URLBuilder { return b.Query("") }, "http://h/?"},
		{"no query", "http://h/?a", func(b *URLBuilder) *URLBuilder { return b.ClearQuery() }, "http://h/"},
		{"add", "http://h/", func(b *URLBuilder) *URLBuilder { return b.AddQuery("a b", "c&d=é+~*-._") }, "http://h/?a%20b=c%26d%3D%C3%A9%2B%7E*-._"},
		{"add to one", "http://h/?a", func(b *URLBuilder) *URLBuilder { return b.AddQuery("a", "") }, "http://h/?a&a="},
		{"add to an empty one", "http://h/?", func(b *URLBuilder) *URLBuilder { return b.AddQueryName("a") }, "http://h/?&a"},
		{"set", "http://h/?a=1&b&%61=2", func(b *URLBuilder) *URLBuilder { return b.SetQuery("a", "3") }, "http://h/?b&a=3"},
		{"remove", "http://h/?a+b=1&b&a%20b", func(b *URLBuilder) *URLBuilder { return b.RemoveQuery("a b") }, "http://h/?b"},
		{"remove the last", "http://h/?a=1&a", func(b *URLBuilder) *URLBuilder { return b.RemoveQuery("a") }, "http://h/"}, // spec fact 87
		{"remove an empty name", "http://h/?", func(b *URLBuilder) *URLBuilder { return b.RemoveQuery("") }, "http://h/"},
		{"keep an empty pair", "http://h/?&a", func(b *URLBuilder) *URLBuilder { return b.RemoveQuery("a") }, "http://h/?"},

		{"fragment", "http://h/", func(b *URLBuilder) *URLBuilder { return b.Fragment("a %é#") }, "http://h/#a%20%25%C3%A9#"},
		{"encoded fragment", "http://h/", func(b *URLBuilder) *URLBuilder { return b.EncodedFragment("a%20\t`") }, "http://h/#a%20%60"},
		{"no fragment", "http://h/#a", func(b *URLBuilder) *URLBuilder { return b.ClearFragment() }, "http://h/"},
	} {
		u, err := tt.edit(mustURL(t, tt.from).Edit()).Build()
		if err != nil || u.String() != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.name, u, err, tt.want)
			continue
		}
		if parsed := mustURL(t, u.String()); parsed != u {
			t.Errorf("%s: built %#v, parsed %#v", tt.name, u, parsed)
		}
	}
}

func TestURLBuilderErrors(t *testing.T) {
	full := func() *URLBuilder { return new(URLBuilder).Scheme("http").Host("h") }
	for _, tt := range []struct {
		b            *URLBuilder
		part, detail string
	}{
		{new(URLBuilder), "scheme", "expected a URL scheme but none was set"},
		{new(URLBuilder).Scheme("http"), "host", "expected a URL host but none was set"},
		{full().Scheme("ftp"), "scheme", "expected URL scheme 'http' or 'https' but was 'ftp'"},
		{full().Scheme("http:"), "scheme", "expected URL scheme 'http' or 'https' but was 'http:'"},
		{full().Host(""), "host", `unexpected host: ""`},
		{full().Host("a/b"), "host", `unexpected host: "a/b"`},
		{full().Host("h:80"), "host", `unexpected host: "h:80"`},
		{full().Host("a\tb"), "host", `unexpected host: "a\tb"`},
		{full().Port(-1), "port", "unexpected port: -1"},
		{full().Port(65536), "port", "unexpected port: 65536"},
		{full().EncodedPath("a"), "path", `unexpected encoded path: "a"`},
		{full().EncodedPath(""), "path", `unexpected encoded path: ""`},
		{full().SetPathSegment(0, ".."), "path", `unexpected path segment: ".."`},
		{full().SetPathSegment(1, "a"), "path", "expected a path segment index from 0 to 0 but was 1"},
		{full().RemovePathSegment(-1), "path", "expected a path segment index from 0 to 0 but was -1"},
		{full().Port(70000).Scheme("ftp").Host(""), "port", "unexpected port: 70000"}, // the first sticks
	} {
		u, err := tt.b.Build()
		var e *URLError
		if !errors.As(err, &e) || e.Part != tt.part || e.Detail != tt.detail || u != (URL{}) {
			t.Errorf("got %q, %#v; want %s: %s", u, err, tt.part, tt.detail)
		}
	}
}

func TestURLBuilderText(t *testing.T) {
	for _, tt := range []struct {
		b    *URLBuilder
		want string
	}{
		{new(URLBuilder), "///"},
		{new(URLBuilder).Scheme("https").AddPathSegment("path"), "https:///path"},
		{new(URLBuilder).Host("host.com").Port(8080).AddPathSegment("path"), "//host.com:8080/path"},
		{new(URLBuilder).Host("host.com").Port(80), "//host.com:80/"},
	} {
		if got := tt.b.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestURLBuilderIsReusable(t *testing.T) {
	b := mustURL(t, "http://h/a?b").Edit()
	first, _ := b.Build()
	second, _ := b.AddPathSegment("c").AddQuery("d", "e").Build()
	if first.String() != "http://h/a?b" || second.String() != "http://h/a/c?b&d=e" {
		t.Errorf("got %q, %q", first, second)
	}
}

// TestRawEncodeSets checks every ASCII character of every component against the table of the specification.
func TestRawEncodeSets(t *testing.T) {
	for _, tt := range []struct {
		name, stay string
		set        func(b *URLBuilder, s string) *URLBuilder
		get        func(u URL) string
	}{
		{"username", "!$&()*+,-._~", (*URLBuilder).Username, URL.Username},
		{"password", "!$&()*+,-._~", (*URLBuilder).Password, URL.Password},
		{"path segment", "!$&'()*+,-.:;=@[]_~", (*URLBuilder).AddPathSegment, func(u URL) string { return u.PathSegments()[0] }},
		{"query", "!$&()*,-./:;=?@[\\]^_`{|}~", (*URLBuilder).Query, nil},
		{"query name", "*-._", (*URLBuilder).AddQueryName, func(u URL) string {
			for name := range u.QueryAll() {
				return name
			}
			return "none"
		}},
		{"fragment", "!#$&'()*+,-./:;=?@[\\]^_{|}~", (*URLBuilder).Fragment, func(u URL) string { f, _ := u.Fragment(); return f }},
	} {
		for c := range byte(0x80) {
			text := "x" + string(rune(c))
			u, err := tt.set(mustURL(t, "http://h/").Edit(), text).Build()
			if err != nil {
				t.Errorf("%s %q: %v", tt.name, text, err)
				continue
			}
			letter := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
			stays := letter || c > ' ' && strings.IndexByte(tt.stay, c) >= 0
			if kept := strings.Contains(u.String(), text) && !strings.Contains(u.String(), "%25"); kept != stays {
				t.Errorf("%s %q: got %q, want it to stay: %v", tt.name, text, u, stays)
			}
			if tt.get != nil && tt.get(u) != text {
				t.Errorf("%s %q: decodes to %q", tt.name, text, tt.get(u))
			}
		}
	}
}

func TestPercentDecode(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"a+b":             "a+b",
		"%41%4a%4A":       "AJJ",
		"%":               "%",
		"%4":              "%4",
		"%zz%4g%":         "%zz%4g%",
		"%E2%98x":         "\uFFFDx", // spec fact 85
		"%E2%98%83":       "☃",
		"%FF%FE":          "\uFFFD\uFFFD",
		"%F0%9F%92%F0%9F": "\uFFFD\uFFFD",
		"%ED%A0%80":       "\uFFFD\uFFFD\uFFFD", // a surrogate
		"%C0%80":          "\uFFFD\uFFFD",       // an overlong NUL
	} {
		if got := percentDecode(in, false); got != want {
			t.Errorf("percentDecode(%q) = %q, want %q", in, got, want)
		}
	}
	if got := percentDecode("a+b%2B", true); got != "a b+" {
		t.Errorf("in a query: %q", got)
	}
}
