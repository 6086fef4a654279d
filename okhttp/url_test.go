package okhttp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func mustURL(t testing.TB, text string) URL {
	t.Helper()
	u, err := ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestParseURL(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		// Already canonical.
		{"http://h/", "http://h/"},
		{"https://example.com/a/b?c=d&e#f", "https://example.com/a/b?c=d&e#f"},
		{"http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"},
		{"http://a_b.com/", "http://a_b.com/"},
		{"http://h:0/", "http://h:0/"},
		{"http://h/a..b/.../%2f/%", "http://h/a..b/.../%2f/%"},
		{"http://h/?/..?#?#", "http://h/?/..?#?#"},
		{"http://h/?#", "http://h/?#"},

		// Scheme, slashes, case and space.
		{"HTTPS://EXAMPLE.com", "https://example.com/"},
		{"http:host/path", "http://host/path"}, // spec fact 82
		{"http:/host", "http://host/"},
		{`http:\\\host\a\b`, "http://host/a/b"},
		{" \x00\t http://h/a b\r\n", "http://h/a%20b"},
		{"ht\ntp://h\no\ts\rt/\n", "http://host/"},

		// User info.
		{"http://u:p@h/", "http://u:p@h/"},
		{"http://@h/", "http://h/"},
		{"http://:@h/", "http://h/"},
		{"http://:p@h/", "http://:p@h/"},
		{"http://u:@h/", "http://u@h/"},
		{"http://a@b:c@d:e@h/", "http://a%40b:c%40d%3Ae@h/"},

		// Ports.
		{"http://h:80/", "http://h/"},
		{"https://h:443/", "https://h/"},
		{"https://h:80/", "https://h:80/"},
		{"http://h:/", "http://h/"},
		{"http://h:00080/", "http://h/"},
		{"http://h:00081/", "http://h:81/"},

		// Paths.
		{"http://h/./a/../b/.", "http://h/b/"},
		{"http://h/../../a//..", "http://h/a/"},
		{"http://h/a/%2e%2E/%2e/b", "http://h/b"},
		{"http://h//a//", "http://h//a//"},
		{"http://h/..", "http://h/"},
		{"http://h?q", "http://h/?q"},
		{"http://h#f", "http://h/#f"},
		{"http://h/é\xff", "http://h/%C3%A9%FF"},
		{"http://h/a'[]|^", "http://h/a'[]|%5E"},
		{"http://h/?'é#`é", "http://h/?%27%C3%A9#%60%C3%A9"},

		// Hosts.
		{"http://℡.com/", "http://tel.com/"},                  // spec fact 83
		{"http://a\u00adb.com/", "http://ab.com/"},            // spec fact 83
		{"http://caf\u00e9.com/", "http://xn--caf-dma.com/"},  // spec fact 85
		{"http://cafe\u0301.com/", "http://xn--caf-dma.com/"}, // spec fact 85
		{"http://fa\u00df.de/", "http://xn--fa-hia.de/"},
		{"http://%41.com/", "http://a.com/"},
		{"http://[::1:255.255.255.255]/", "http://[::1:ffff:ffff]/"}, // spec fact 84
		{"http://[::ffff:192.168.0.1]/", "http://192.168.0.1/"},      // spec fact 84
		{"http://[::FFFF:C0A8:1]/", "http://192.168.0.1/"},
		{"http://[2001:DB8:0:0:1:0:0:1]:81/", "http://[2001:db8::1:0:0:1]:81/"},
		{"http://[::1.2.3.4]/", "http://[::102:304]/"},
		{"http://0x7f.1/", "http://127.0.0.1/"},
		{"http://017700000001/", "http://127.0.0.1/"},
		{"http://4294967295./", "http://255.255.255.255/"},
		{"http://1.2.3.4.com/", "http://1.2.3.4.com/"},
		{"http://a.b./", "http://a.b./"},
		{"http://a..b/", "http://a..b/"}, // spec fact 83, where the URL Standard knows better: empty labels are for DNS to refuse
		// Spec fact 85, likewise: a name that is ASCII is not decoded, and beside other characters it is.
		{"http://xn--cafe-yvc.com/", "http://xn--cafe-yvc.com/"},
		// Spec fact 86, likewise: lengths are for DNS to refuse. 63 is measured after the mapping.
		{"http://" + strings.Repeat("a", 64) + "/", "http://" + strings.Repeat("a", 64) + "/"},
		{"http://" + strings.Repeat("a.", 127) + "/", "http://" + strings.Repeat("a.", 127) + "/"},
		{"http://" + strings.Repeat("a", 253) + "./", "http://" + strings.Repeat("a", 253) + "./"},
		{"http://\u2121" + strings.Repeat("a", 60) + "/", "http://tel" + strings.Repeat("a", 60) + "/"},
		{"http://*.x!$&'()+,;=`{}~/", "http://*.x!$&'()+,;=`{}~/"},
	} {
		u, err := ParseURL(tt.in)
		if err != nil || u.String() != tt.want {
			t.Errorf("ParseURL(%q) = %q, %v; want %q", tt.in, u, err, tt.want)
			continue
		}
		if again := mustURL(t, u.String()); again != u {
			t.Errorf("ParseURL(%q) is not a fixed point: %#v, then %#v", tt.in, u, again)
		}
		if indexed := indexURL(u.String()); indexed != u {
			t.Errorf("ParseURL(%q): %#v, indexed %#v", tt.in, u, indexed)
		}
	}
}

func TestParseURLErrors(t *testing.T) {
	for _, tt := range []struct{ in, part, detail string }{
		{"", "scheme", "expected URL scheme 'http' or 'https' but no scheme was found for "},
		{"host", "scheme", "expected URL scheme 'http' or 'https' but no scheme was found for host"},
		{"//example.com", "scheme", "expected URL scheme 'http' or 'https' but no scheme was found for //exam..."},
		{"x://h/", "scheme", "expected URL scheme 'http' or 'https' but was 'x'"},
		{"localhost:8080", "scheme", "expected URL scheme 'http' or 'https' but was 'localhost'"},
		{"http:", "host", `invalid URL host: ""`},
		{"http://:80/", "host", `invalid URL host: ""`},
		{"http://u@/", "host", `invalid URL host: ""`},
		{"http://%20/", "host", `invalid URL host: "%20"`}, // spec fact 83
		{"http://x y/", "host", `invalid URL host: "x y"`},
		{"http://h%/", "host", `invalid URL host: "h%"`},
		{"http://\u00ad/", "host", "invalid URL host: \"\\u00ad\""},
		{"http://xn--cafe-yvc.\u00e9/", "host", "invalid URL host: \"xn--cafe-yvc.é\""}, // spec fact 85
		{"http://\xff.com/", "host", `invalid URL host: "\xff.com"`},
		{"http://\u2026/", "host", `invalid URL host: "…"`}, // spec fact 83
		{"http://1.2.3.256/", "host", `invalid URL host: "1.2.3.256"`},
		{"http://1.2.3.4.5/", "host", `invalid URL host: "1.2.3.4.5"`},
		{"http://1.2.3.08/", "host", `invalid URL host: "1.2.3.08"`},
		{"http://[fe80::1%25eth0]/", "host", `invalid URL host: "[fe80::1%25eth0]"`},
		{"http://[1.2.3.4]/", "host", `invalid URL host: "[1.2.3.4]"`},
		{"http://[::1/", "host", `invalid URL host: "[::1"`},
		{"http://[12345::]/", "host", `invalid URL host: "[12345::]"`},
		{"http://h:65536/", "port", `invalid URL port: "65536"`}, // fact 1
		{"http://h:-1/", "port", `invalid URL port: "-1"`},
		{"http://h:+80/", "port", `invalid URL port: "+80"`},
		{"http://h:99999999999999999999/", "port", `invalid URL port: "99999999999999999999"`},
		{"http://h:8 0/", "port", `invalid URL port: "8 0"`},
		{"http://" + strings.Repeat("é", maxUnicodeHost) + "/", "host", `invalid URL host: "` + strings.Repeat("é", 80) + `..."`},
	} {
		u, err := ParseURL(tt.in)
		var e *URLError
		if !errors.As(err, &e) || e.Part != tt.part || e.Detail != tt.detail || u != (URL{}) {
			t.Errorf("ParseURL(%q) = %q, %#v; want part %q, detail %q", tt.in, u, err, tt.part, tt.detail)
		}
	}
}

func TestURLErrorHidesSecrets(t *testing.T) {
	for _, in := range []string{
		"http://bob:hunter2@h:x/p",
		"http://bob:hunter2@ h/p",
		"http://bob:hunter2/more@h/",
		"http://bob:hunter2?more@h/",
		"http://bob:hunter2#more@h/",
		"http:bob:hunter2@h:x",
		"ftp://bob:hunter2@h/",
		"//bob:hunter2@h/",
		"http://b ob@hunter2@h:x/p?token=hunter2#hunter2",
		"http://h:x/?token=hunter2",
		"?hunter2",
		"#hunter2",
		"http://ho st/#hunter2",
	} {
		_, err := ParseURL(in)
		if err == nil {
			t.Errorf("ParseURL(%q) succeeded", in)
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(fmt.Sprintf("%#v", err.(*URLError)), "hunter2") {
			t.Errorf("ParseURL(%q): the error gives the secret away: %v", in, err)
		}
	}
	_, err := ParseURL("http://bob:secret@host:bad/path?q")
	if got, want := fmt.Sprint(err), `okhttp: invalid URL port: "bad" in http://██@host:bad/...`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err = ParseURL("http://x\x1b[31m/")
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("the error carries a control character: %q", err)
	}
}

func TestResolve(t *testing.T) {
	base := mustURL(t, "http://u:p@h:81/a/b/c?q#f")
	for _, tt := range []struct{ ref, want string }{
		{"", "http://u:p@h:81/a/b/c?q"},
		{"#", "http://u:p@h:81/a/b/c?q#"},
		{"#g", "http://u:p@h:81/a/b/c?q#g"},
		{"?", "http://u:p@h:81/a/b/c?"},
		{"?r", "http://u:p@h:81/a/b/c?r"},
		{"d", "http://u:p@h:81/a/b/d"},
		{"d/", "http://u:p@h:81/a/b/d/"},
		{"./", "http://u:p@h:81/a/b/"},
		{"..", "http://u:p@h:81/a/"},
		{"../../../../d", "http://u:p@h:81/d"},
		{"/d", "http://u:p@h:81/d"},
		{`\d`, "http://u:p@h:81/d"},
		{"//k", "http://k/"},
		{`\/k/l`, "http://k/l"},
		{"///k", "http://k/"},
		{"http:d", "http://u:p@h:81/a/b/d"},
		{"http:/d", "http://u:p@h:81/d"},
		{"http://k", "http://k/"},
		{"https:d", "https://d/"},
		{"https://k/l?m", "https://k/l?m"},
		{"d:e", ""},
		{"./d:e", "http://u:p@h:81/a/b/d:e"},
		{"mailto:x", ""},
		{"//k:99999", ""},
	} {
		u, err := base.Resolve(tt.ref)
		if u.String() != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("Resolve(%q) = %q, %v; want %q", tt.ref, u, err, tt.want)
		}
		if err == nil && indexURL(u.String()) != u {
			t.Errorf("Resolve(%q): %#v, indexed %#v", tt.ref, u, indexURL(u.String()))
		}
	}
	// Spec fact 82.
	if u, err := mustURL(t, "http://other/").Resolve("http:host/path"); err != nil || u.String() != "http://other/host/path" {
		t.Errorf("got %q, %v", u, err)
	}
	if u, err := (URL{}).Resolve("https://h/"); err != nil || u.String() != "https://h/" {
		t.Errorf("from the zero URL: %q, %v", u, err)
	}
	if u, err := (URL{}).Resolve("/p"); err == nil {
		t.Errorf("from the zero URL: %q", u)
	}
}

func TestURLAccessors(t *testing.T) {
	u := mustURL(t, "https://b%C3%B6b:s%3Acret@[2001:DB8::1]:8443/a%2Fb//%E2%98x/%xx/?a=1&b&a=2&c=x+y%2B%26&=#fr%20ag")
	for _, tt := range []struct{ name, got, want string }{
		{"Scheme", u.Scheme(), "https"},
		{"Username", u.Username(), "böb"},
		{"Password", u.Password(), "s:cret"},
		{"Host", u.Host(), "2001:db8::1"},
		{"Port", fmt.Sprint(u.Port()), "8443"},
		{"hostPort", u.hostPort(), "[2001:db8::1]:8443"},
		{"EncodedPath", u.EncodedPath(), "/a%2Fb//%E2%98x/%xx/"},
		{"requestTarget", u.requestTarget(), "/a%2Fb//%E2%98x/%xx/?a=1&b&a=2&c=x+y%2B%26&="},
		{"Redacted", u.Redacted(), "https://[2001:db8::1]:8443/..."},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if got, want := u.PathSegments(), []string{"a/b", "", "\uFFFDx", "%xx", ""}; !slices.Equal(got, want) { // spec fact 85
		t.Errorf("PathSegments = %q, want %q", got, want)
	}
	if q, ok := u.EncodedQuery(); q != "a=1&b&a=2&c=x+y%2B%26&=" || !ok {
		t.Errorf("EncodedQuery = %q, %v", q, ok)
	}
	if f, ok := u.Fragment(); f != "fr ag" || !ok {
		t.Errorf("Fragment = %q, %v", f, ok)
	}
	for _, tt := range []struct {
		name, value string
		ok          bool
	}{{"a", "1", true}, {"b", "", true}, {"c", "x y+&", true}, {"", "", true}, {"d", "", false}} {
		if v, ok := u.Query(tt.name); v != tt.value || ok != tt.ok {
			t.Errorf("Query(%q) = %q, %v; want %q, %v", tt.name, v, ok, tt.value, tt.ok)
		}
	}
	var pairs []string
	for name, value := range u.QueryAll() {
		pairs = append(pairs, name+"="+value)
	}
	if want := []string{"a=1", "b=", "a=2", "c=x y+&", "="}; !slices.Equal(pairs, want) {
		t.Errorf("QueryAll = %q, want %q", pairs, want)
	}
	for range u.QueryAll() {
		break // stopping early is allowed
	}
}

func TestURLQueryPresence(t *testing.T) {
	for _, tt := range []struct {
		in       string
		query    string
		has      bool
		pairs    int
		fragment bool
	}{
		{"http://h/", "", false, 0, false},
		{"http://h/?", "", true, 1, false}, // spec fact 87
		{"http://h/?&", "&", true, 2, false},
		{"http://h/#", "", false, 0, true},
		{"http://h/?#?", "", true, 1, true},
	} {
		u := mustURL(t, tt.in)
		pairs := 0
		for range u.QueryAll() {
			pairs++
		}
		query, has := u.EncodedQuery()
		_, fragment := u.Fragment()
		if query != tt.query || has != tt.has || pairs != tt.pairs || fragment != tt.fragment {
			t.Errorf("%s: query %q, %v, %d pairs, fragment %v", tt.in, query, has, pairs, fragment)
		}
	}
}

func TestZeroURL(t *testing.T) {
	var u URL
	query, hasQuery := u.EncodedQuery()
	fragment, hasFragment := u.Fragment()
	for range u.QueryAll() {
		t.Error("the zero URL has a query parameter")
	}
	domain, hasDomain := u.TopPrivateDomain()
	text := u.String() + u.Scheme() + u.Username() + u.Password() + u.Host() + u.EncodedPath() + u.Redacted() +
		u.hostPort() + u.requestTarget() + query + fragment + domain + u.Std().String()
	if text != "" || u.Port() != 0 || hasQuery || hasFragment || hasDomain || u.isHTTPS() || u.PathSegments() != nil {
		t.Errorf("the zero URL is not empty: %q", text)
	}
	if _, err := u.Edit().Build(); err == nil {
		t.Error("the zero URL can be built")
	}
}

func TestURLIsComparable(t *testing.T) {
	seen := map[URL]int{}
	for _, text := range []string{"http://h", "HTTP://H:80/", "http://h/./", "http:\\\\h", "http://@h/a/.."} {
		seen[mustURL(t, text)]++
	}
	b, err := new(URLBuilder).Scheme("http").Host("H").Port(80).Build()
	if err != nil {
		t.Fatal(err)
	}
	seen[b]++
	if seen[mustURL(t, "http://h/")] != 6 || len(seen) != 1 {
		t.Errorf("got %v", seen)
	}
}

func TestTopPrivateDomain(t *testing.T) {
	for host, want := range map[string]string{
		"google.com":           "google.com",
		"www.google.co.uk":     "google.co.uk",
		"adwords.google.co.uk": "google.co.uk",
		"a.b.example.com.":     "example.com",
		"www.食狮.公司.cn":         "xn--85x722f.xn--55qx5d.cn",
		"a.city.kawasaki.jp":   "city.kawasaki.jp",
		"a.b.c.kawasaki.jp":    "b.c.kawasaki.jp",
		"b.c.kawasaki.jp":      "b.c.kawasaki.jp",
		"c.kawasaki.jp":        "",
		"x.y.unknown-tld":      "y.unknown-tld",
		"co.uk":                "",
		"com":                  "",
		"localhost":            "",
		"127.0.0.1":            "",
		"[::1]":                "",
		"a..com":               "",
	} {
		got, ok := mustURL(t, "http://"+host+"/").TopPrivateDomain()
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", host, got, ok, want)
		}
	}
}

// TestURLHugeInput keeps every step linear: a quadratic one would take minutes.
func TestURLHugeInput(t *testing.T) {
	n := 1 << 20
	if underRace {
		n >>= 2 // what is not linear still takes minutes
	}
	start := time.Now()
	b := mustURL(t, "http://h/").Edit()
	for i := range 10_000 {
		b.AddQuery("name", "value").AddPathSegment("segment").SetPathSegment(i, "other")
	}
	if u, err := b.Build(); err != nil || len(u.PathSegments()) != 10_000 {
		t.Errorf("built %d segments, %v", len(u.PathSegments()), err)
	}
	for _, unit := range []string{"a", "/", "../", "/..", "/a/..", "%2e%2e/", "@", ":", "a:b@", "[", "]", "%", "%41", ".", "0.", "0x0", "é", "\t", " ", "\\", "?", "#", "&a=", "\xff", "xn--", "1"} {
		long := strings.Repeat(unit, n/len(unit))
		for _, prefix := range []string{"", "http://", "http://h/", "http://h/?", "http://h/#", "http://[", "http://h:"} {
			u, err := ParseURL(prefix + long)
			if err == nil && len(u.String()) > 3*(len(prefix)+n)+16 {
				t.Errorf("%s+%q: %d bytes", prefix, unit, len(u.String()))
			}
			if err != nil && len(err.Error()) > 2000 {
				t.Errorf("%s+%q: an error of %d bytes", prefix, unit, len(err.Error()))
			}
			if err == nil {
				u.TopPrivateDomain()
			}
			if err == nil && prefix == "http://h/" && strings.Contains("/../%é&a=", unit) {
				u.PathSegments()
				u.Query("none")
				u.Edit().RemoveQuery("a").AddPathSegments(long).AddQuery(long, long).Build()
			}
		}
	}
	if d := time.Since(start); d > 2*time.Minute {
		t.Errorf("took %v", d)
	}
}

func TestParseURLAllocations(t *testing.T) {
	var u URL
	for _, text := range []string{
		"http://h/",
		"https://api.example.com/v1/users/42?fields=name,mail&limit=10#top",
		"http://127.0.0.1:34567/path",
	} {
		if n := testing.AllocsPerRun(100, func() { u, _ = ParseURL(text) }); n != 0 {
			t.Errorf("ParseURL(%q): %v allocations, want 0", text, n)
		}
		if n := testing.AllocsPerRun(100, func() { sink = u.hostPort() + u.requestTarget()[:0] + u.Scheme()[:0] + u.Host()[:0] }); n != 0 {
			t.Errorf("accessors of %q: %v allocations, want 0", text, n)
		}
		if n := testing.AllocsPerRun(100, func() { u.Resolve(text) }); n != 0 {
			t.Errorf("Resolve(%q): %v allocations, want 0", text, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() { u.Resolve("/other?q") }); n > 2 {
		t.Errorf("Resolve of a path: %v allocations, want at most 2", n)
	}
}

var sink string

func BenchmarkParseURL(b *testing.B) {
	for name, text := range map[string]string{
		"canonical": "https://api.example.com/v1/users/42?fields=name,mail&limit=10",
		"rewritten": "https://API.example.com/v1/users/./42?fields=name,mail&limit=10",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseURL(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
