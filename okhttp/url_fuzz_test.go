package okhttp

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// simpleURL matches what net/url and the URL Standard agree on.
var simpleURL = regexp.MustCompile(`^https?://[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*(:[1-9][0-9]{0,3})?(/[A-Za-z0-9_~$&+,;=:@-]+)*/(\?[A-Za-z0-9_~$&+,;=:@/?-]*)?$`)

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"http://h/", "https://example.com:8443/a/b?c=d#e", "http://u:p@[::1]:80/../a/%2e%2e/b", "HTTP:\\\\H\\x", "?q", "//k",
		"http://0x7f.1./", "http://bücher.de/é?é#é", "http://h:0/", "http://h:00080/\xff\xfe%", "https:a@b@c/", "http://xn--/",
		"http://a_b.com/+?a=b+c&d", " \x00http://h\n/\t", "http://1.2.3.4.5", "http://[::ffff:1.2.3.4]/", "http://ẞ.de/", "http://%E2%84%A1/",
	} {
		f.Add(seed, "http://u:p@base:81/a/b?c#d")
	}
	f.Fuzz(func(t *testing.T, text, baseText string) {
		base, _ := ParseURL(baseText)
		slow, slowErr := parseURL(text, URL{})
		if fast, ok := parseCanonical(text); ok && (slowErr != nil || fast != slow) {
			t.Fatalf("%q: the fast path makes %#v of it, the slow one %#v, %v", text, fast, slow, slowErr)
		}
		u, err := base.Resolve(text)
		if err != nil {
			if u != (URL{}) || err.(*URLError).Part == "" {
				t.Fatalf("%q: %#v, %#v", text, u, err)
			}
			return
		}
		s := u.String()
		again, err := ParseURL(s)
		if err != nil || again != u {
			t.Fatalf("%q: %#v parses to %#v, %v", text, u, again, err)
		}
		if again, err = parseURL(s, URL{}); err != nil || again != u {
			t.Fatalf("%q: %#v parses slowly to %#v, %v", text, u, again, err)
		}
		if indexed := indexURL(s); indexed != u {
			t.Fatalf("%q: %#v, indexed %#v", text, u, indexed)
		}
		if built, err := u.Edit().Build(); err != nil || built != u {
			t.Fatalf("%q: %#v, built %#v, %v", text, u, built, err)
		}
		b := u.Edit().Username(u.Username()).Password(u.Password()).Host(u.Host()).Port(u.Port())
		if built, err := b.Build(); err != nil || built.Host() != u.Host() || built.Username() != u.Username() || built.Password() != u.Password() {
			t.Fatalf("%q: %#v, built of decoded parts %#v, %v", text, u, built, err)
		}
		for i := range len(s) {
			if s[i] <= ' ' || s[i] >= 0x7f {
				t.Fatalf("%q: %q is not printable ASCII", text, s)
			}
		}
		if u.Host() == "" || !strings.HasPrefix(u.EncodedPath(), "/") || u.Redacted() != u.Scheme()+"://"+u.hostPort()+"/..." {
			t.Fatalf("%q: %#v", text, u)
		}
		u.TopPrivateDomain()
		if back, err := URLFrom(u.Std()); err != nil || back.hostPort() != u.hostPort() {
			t.Fatalf("%q: %q by way of net/url becomes %q, %v", text, u, back, err)
		}
		if simpleURL.MatchString(text) {
			std, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if query, _ := u.EncodedQuery(); u.Host() != std.Hostname() || u.EncodedPath() != std.EscapedPath() || query != std.RawQuery {
				t.Fatalf("%q: %q, net/url %q", text, u, std)
			}
		}
	})
}

func FuzzURLBuilder(f *testing.F) {
	f.Add("a/b", "c=d", "e f", 3)
	f.Add("..", "%2e", "\xff\n", 0)
	f.Fuzz(func(t *testing.T, path, query, text string, n int) {
		b := mustURL(t, "http://h/a/b?c").Edit().AddPathSegments(path).AddPathSegment(text).EncodedFragment(path).
			EncodedQuery(query).SetQuery(text, query).Username(text).EncodedPassword(path)
		if n >= 0 && n < len(b.segments) {
			b.RemovePathSegment(n)
		}
		u, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if parsed, err := ParseURL(u.String()); err != nil || parsed != u {
			t.Fatalf("built %#v, parsed %#v, %v", u, parsed, err)
		}
		if removed, err := u.Edit().RemoveQuery(text).Build(); err != nil {
			t.Fatal(err)
		} else if _, ok := removed.Query(text); ok {
			t.Fatalf("%q still has the parameter %q", removed, text)
		}
	})
}
