package property

import (
	"net/url"
	"testing"

	"pgregory.net/rapid"

	"github.com/okhttp-go/ok/okhttp"
)

// pieces make up texts that are URLs more often than not, and strange ones.
func text(pieces ...string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var s string
		for _, p := range rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.SampledFrom(pieces), rapid.StringN(0, 3, -1)), 0, 6).Draw(t, "pieces") {
			s += p
		}
		return s
	})
}

var (
	schemes = rapid.SampledFrom([]string{"http://", "https://", "HTTP://", "http:", "https:/", "http:\\\\", " http://"})
	users   = rapid.OneOf(rapid.Just(""), rapid.Map(text("u", ":", "%40", "p", "é", "@"), func(s string) string { return s + "@" }))
	hosts   = rapid.OneOf(
		rapid.SampledFrom([]string{"h", "example.com", "EXAMPLE.com.", "a_b.test", "127.0.0.1", "0x7f.1", "[::1]", "[2001:DB8::1]", "[::ffff:1.2.3.4]", "bücher.example", "xn--bcher-kva.example", "%65xample.com"}),
		text("a", ".", "-", "1", "é", "%41", "_", "ß"),
	)
	ports  = rapid.SampledFrom([]string{"", ":", ":80", ":443", ":8080", ":0", ":00080", ":65535"})
	paths  = text("/", "a", ".", "..", "%2e", "%2F", "\\", " ", "é", "%", "%zz", "+", ";", "|", "\t")
	suffix = text("?", "#", "&", "=", "a", "%20", " ", "'", "\"", "é", "+", "[", "\n")
	urls   = rapid.Custom(func(t *rapid.T) string {
		s := schemes.Draw(t, "scheme") + users.Draw(t, "user") + hosts.Draw(t, "host") + ports.Draw(t, "port")
		return s + "/" + paths.Draw(t, "path") + suffix.Draw(t, "suffix")
	})
	references = rapid.OneOf(urls, rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"", "/", "//", "?", "#", "..", "\\"}).Draw(t, "start")
		return start + paths.Draw(t, "path") + suffix.Draw(t, "suffix")
	}))
	valid = rapid.Custom(func(t *rapid.T) okhttp.URL {
		return rapid.Map(urls, func(s string) okhttp.URL {
			u, err := okhttp.ParseURL(s)
			if err != nil {
				return okhttp.URL{}
			}
			return u
		}).Filter(func(u okhttp.URL) bool { return u != okhttp.URL{} }).Draw(t, "url")
	})
)

// check has what is true of every URL.
func check(t *rapid.T, u okhttp.URL) {
	s := u.String()
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			t.Fatalf("%q has the byte %#x", s, s[i])
		}
	}
	if again, err := okhttp.ParseURL(s); err != nil || again != u {
		t.Fatalf("%q parses to %q, %v", s, again, err)
	}
	if again, err := u.Resolve(s); err != nil || again != u {
		t.Fatalf("%q against itself is %q, %v", s, again, err)
	}
	if again, err := u.Edit().Build(); err != nil || again != u {
		t.Fatalf("%q unchanged is %q, %v", s, again, err)
	}
	b := new(okhttp.URLBuilder).Scheme(u.Scheme()).Username(u.Username()).Password(u.Password()).Host(u.Host()).Port(u.Port()).EncodedPath(u.EncodedPath())
	if q, ok := u.EncodedQuery(); ok {
		b.EncodedQuery(q)
	}
	if f, ok := u.Fragment(); ok {
		b.Fragment(f)
	}
	built, err := b.Build()
	if err != nil || built.Scheme() != u.Scheme() || built.Host() != u.Host() || built.Port() != u.Port() || built.EncodedPath() != u.EncodedPath() ||
		built.Username() != u.Username() || built.Password() != u.Password() {
		t.Fatalf("%q of its parts is %q, %v", s, built, err)
	}
	if q1, ok1 := u.EncodedQuery(); ok1 {
		if q2, ok2 := built.EncodedQuery(); q1 != q2 || !ok2 {
			t.Fatalf("%q of its parts has the query %q", s, q2)
		}
	}
	if std := u.Std(); std == nil || std.Hostname() == "" {
		t.Fatalf("%q is %v to net/url", s, std)
	}
}

func TestURLs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { check(t, valid.Draw(t, "url")) })
}

// TestResolve resolves references against URLs. What comes out does not change by resolving it again, against whatever base.
func TestResolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, other, ref := valid.Draw(t, "base"), valid.Draw(t, "other"), references.Draw(t, "reference")
		u, err := base.Resolve(ref)
		if err != nil {
			if u != (okhttp.URL{}) {
				t.Fatalf("%q and a failure: %v", u, err)
			}
			t.Skip("no URL")
		}
		check(t, u)
		for _, b := range []okhttp.URL{base, other, u} {
			if again, err := b.Resolve(u.String()); err != nil || again != u {
				t.Fatalf("%q against %q is %q, %v", u, b, again, err)
			}
		}
	})
}

// TestPlainURLs compares with net/url where both follow the same rules.
func TestPlainURLs(t *testing.T) {
	plain := rapid.StringMatching(`https?://[a-z]([a-z0-9-]{0,8}[a-z0-9])?(\.[a-z][a-z0-9]{0,5}){0,3}(:[1-9][0-9]{3})?(/[A-Za-z0-9_~$&+,;=:@-]{1,6}){0,4}/(\?[A-Za-z0-9_~$&+,;=:@/?-]{0,9})?`).
		Filter(func(s string) bool {
			u, err := url.Parse(s)
			return err == nil && len(u.Hostname()) < 4 || err == nil && u.Hostname()[2:4] != "--"
		})
	rapid.Check(t, func(t *rapid.T) {
		s := plain.Draw(t, "url")
		theirs, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := okhttp.ParseURL(s)
		if err != nil || ours.String() != s {
			t.Fatalf("%q, %v; want it unchanged", ours, err)
		}
		query, _ := ours.EncodedQuery()
		if ours.Scheme() != theirs.Scheme || ours.Host() != theirs.Hostname() || ours.EncodedPath() != theirs.EscapedPath() || query != theirs.RawQuery {
			t.Fatalf("%q: %q %q %q %q, net/url %v", s, ours.Scheme(), ours.Host(), ours.EncodedPath(), query, theirs)
		}
	})
}
