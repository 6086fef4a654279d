package okhttp

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// regenerated is what the directives of a header are written as when their text is not kept.
func regenerated(c CacheControl) string {
	c.text = ""
	return c.String()
}

func TestParseCacheControl(t *testing.T) {
	const all = "no-cache, no-store, max-age=1, s-maxage=2, private, public, must-revalidate, max-stale=3, min-fresh=4, only-if-cached, " +
		"no-transform, immutable"
	for in, want := range map[string]string{
		"": "",
		"immutable, no-transform, only-if-cached, min-fresh=4, max-stale=3, must-revalidate, public, private, s-maxage=2, max-age=1, " +
			"no-store, no-cache": all,
		strings.ToUpper(all):                    all,
		strings.ReplaceAll(all, ",", ";"):       all,
		strings.ReplaceAll(all, " ", ""):        all,
		"max-age=0":                             "max-age=0",
		"max-age=10, max-age=20":                "max-age=20",
		"max-age=10, max-age=x":                 "",
		`max-age="10"`:                          "max-age=10",
		"max-age = 10 ,no-store":                "no-store, max-age=10",
		"max-age=\t10\t;no-store":               "no-store, max-age=10",
		"max-age=-1":                            "max-age=0",
		"max-age=-":                             "",
		"max-age":                               "",
		"max-age=":                              "",
		`max-age=""`:                            "",
		"max-age=abc":                           "",
		"max-age=1.5":                           "",
		"max-age=+1":                            "",
		"max-age=1 0":                           "",
		"max-age=2147483647":                    "max-age=2147483647",
		"max-age=2147483648":                    "max-age=2147483647",
		"max-age=99999999999999999999":          "max-age=2147483647",
		"max-age=-99999999999999999999":         "max-age=0",
		"max-age=00000000000000000000000000001": "max-age=1",
		"max-stale":                             "max-stale=2147483647",
		"max-stale=abc":                         "",
		"max-stale=7":                           "max-stale=7",
		"max-stale, max-stale=7":                "max-stale=7",
		`private="set-cookie, no-store"`:        "private",
		`private="a\", no-store", public`:       "private, public",
		`private="a", no-store`:                 "no-store, private",
		`private="a"no-store`:                   "no-store, private",
		`no-cache="set-cookie"`:                 "no-cache",
		`private="never closed, no-store`:       "private",
		`private="never closed\`:                "private",
		`private="`:                             "private",
		`max-age="10`:                           "max-age=10",
		"private=a=b, no-store":                 "no-store, private",
		"x-unknown=1, y, no-store":              "no-store",
		", ,;=,,; no-store ,":                   "no-store",
		"no-storeX, Xno-store, no store":        "",
		"no-\u017ftore":                         "", // LATIN SMALL LETTER LONG S
	} {
		// One Cache-Control keeps its text, two headers do not.
		if got := ParseCacheControl(headersOf([]string{"Cache-Control", in})); got.String() != in || regenerated(got) != want {
			t.Errorf("%q: %q, regenerated %q; want %q", in, got, regenerated(got), want)
		}
		for _, nv := range [][]string{{"pragma", "", "cache-control", in}, {"CACHE-CONTROL", in, "Cache-Control", ""}, {"Pragma", in}} {
			if got := ParseCacheControl(headersOf(nv)); got.String() != want {
				t.Errorf("%q: %q, want %q", nv, got, want)
			}
		}
	}
}

func TestParseCacheControlFields(t *testing.T) {
	c := ParseCacheControl(mustHeaders(t, "A", "no-store", "Cache-Control", "max-age=0, s-maxage=60", "Pragma", "no-cache",
		"cache-control", "private, max-age=5"))
	if c.MaxAge == nil || *c.MaxAge != 5*time.Second || c.SMaxAge == nil || *c.SMaxAge != time.Minute || !c.NoCache || !c.Private {
		t.Errorf("%+v", c)
	}
	if c.NoStore || c.Public || c.MustRevalidate || c.OnlyIfCached || c.NoTransform || c.Immutable || c.MaxStale != nil || c.MinFresh != nil {
		t.Errorf("says more: %q", c)
	}
	if any := ParseCacheControl(mustHeaders(t, "Cache-Control", "max-stale")); *any.MaxStale != MaxStaleAny {
		t.Errorf("max-stale is %v", *any.MaxStale)
	}
	if zero := ParseCacheControl(mustHeaders(t, "Cache-Control", "max-age=0")); zero.MaxAge == nil || *zero.MaxAge != 0 {
		t.Errorf("max-age=0 is %v", zero.MaxAge)
	}
	if none := ParseCacheControl(Headers{}); none != (CacheControl{}) {
		t.Errorf("no header: %+v", none)
	}
}

func TestCacheControlString(t *testing.T) {
	for want, c := range map[string]CacheControl{
		"":                                     {},
		"no-cache":                             ForceNetwork(),
		"max-stale=2147483647, only-if-cached": ForceCache(),
		"max-age=60":                           {MaxAge: new(time.Minute)},
		"max-age=0":                            {MaxAge: new(999 * time.Millisecond)},
		"max-age=1, min-fresh=2147483647":      {MaxAge: new(1999 * time.Millisecond), MinFresh: new(time.Duration(1<<63 - 1))},
		"max-age=2147483647":                   {MaxAge: new(36500 * 24 * time.Hour)}, // fact 114 of the cache
		"max-age=4":                            {MaxAge: new(4999 * time.Millisecond)},
		"max-age=172800":                       {MaxAge: new(2 * 24 * time.Hour)},
		"s-maxage=0":                           {SMaxAge: new(-time.Second)},
		"no-store, private, public, immutable": {NoStore: true, Private: true, Public: true, Immutable: true},
		"must-revalidate, no-transform":        {MustRevalidate: true, NoTransform: true},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCacheControlStringOfChanged changes what was parsed: the text must not outlive that.
func TestCacheControlStringOfChanged(t *testing.T) {
	c := ParseCacheControl(mustHeaders(t, "Cache-Control", "MAX-AGE=5,x"))
	if c.String() != "MAX-AGE=5,x" {
		t.Errorf("unchanged: %q", c)
	}
	c.NoStore = true
	if c.String() != "no-store, max-age=5" {
		t.Errorf("with no-store: %q", c)
	}
	c.NoStore, c.MaxAge = false, new(6*time.Second)
	if c.String() != "max-age=6" {
		t.Errorf("with another age: %q", c)
	}
	c.MaxAge = new(5 * time.Second)
	if c.String() != "MAX-AGE=5,x" {
		t.Errorf("as it was: %q", c)
	}
	c.MaxAge = nil
	if c.String() != "" {
		t.Errorf("without the age: %q", c)
	}
}

func TestWithCacheControl(t *testing.T) {
	r := mustRequest(t, "GET", "http://h/", Header("Cache-Control", "max-age=1"), AddHeader("Cache-Control", "no-store"), Header("A", "b"))
	if got := r.CacheControl(); got.String() != "no-store, max-age=1" {
		t.Errorf("the request says %q", got)
	}
	replaced, err := r.With(WithCacheControl(ForceCache()))
	if err != nil || replaced.Headers().String() != "A: b\nCache-Control: max-stale=2147483647, only-if-cached\n" {
		t.Errorf("%v\n%s", err, replaced.Headers())
	}
	removed, err := replaced.With(WithCacheControl(CacheControl{}))
	if err != nil || removed.Headers().String() != "A: b\n" {
		t.Errorf("%v\n%s", err, removed.Headers())
	}
	resp := NewResponse(r, 200, ResponseHeaders(mustHeaders(t, "Cache-Control", "private=\"x\", foo")))
	if got := resp.CacheControl(); !got.Private || got.String() != `private="x", foo` {
		t.Errorf("the response says %q", got)
	}
}

func TestWithCacheControlErrors(t *testing.T) {
	for want, c := range map[string]CacheControl{
		"max-age < 0: -1s":     {MaxAge: new(-time.Second)},
		"s-maxage < 0: -1ns":   {SMaxAge: new(-time.Nanosecond)},
		"max-stale < 0: -1m0s": {MaxStale: new(-time.Minute)},
		"min-fresh < 0: -1s":   {MinFresh: new(-time.Second)},
	} {
		_, err := NewRequest("GET", "http://h/", WithCacheControl(c))
		if e := (*RequestError)(nil); !errors.As(err, &e) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	injected := ParseCacheControl(headersOf([]string{"Cache-Control", "no-store\r\nX: y"}))
	if _, err := NewRequest("GET", "http://h/", WithCacheControl(injected)); !errors.As(err, new(*HeaderError)) {
		t.Errorf("a line feed: %v", err)
	}
}

// FuzzParseCacheControl checks that what is written reads back as the same.
func FuzzParseCacheControl(f *testing.F) {
	for _, s := range []string{
		"max-age=10, no-store", `private="a, b", public`, "max-stale", `max-age="1`, "max-age=-5;s-maxage=99999999999", `no-cache="\`, "=,;",
	} {
		f.Add(s, "no-cache")
	}
	f.Fuzz(func(t *testing.T, s, pragma string) {
		one := ParseCacheControl(headersOf([]string{"Cache-Control", s}))
		if one.String() != s {
			t.Fatalf("%q is written as %q", s, one)
		}
		two := ParseCacheControl(headersOf([]string{"Cache-Control", s, "Pragma", pragma}))
		written := two.String()
		again := ParseCacheControl(headersOf([]string{"Cache-Control", written}))
		if regenerated(again) != written {
			t.Fatalf("%q, %q: %q reads back as %q", s, pragma, written, regenerated(again))
		}
		if name, _ := two.negative(); name != "" {
			t.Fatalf("%q, %q: negative %s", s, pragma, name)
		}
		if _, err := NewRequest("GET", "http://h/", WithCacheControl(two)); err != nil {
			t.Fatalf("%q, %q: %v", s, pragma, err)
		}
	})
}

func BenchmarkParseCacheControl(b *testing.B) {
	for name, h := range map[string]Headers{
		"none": mustHeaders(b, "Content-Type", "text/plain", "Content-Length", "5", "Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
		"some": mustHeaders(b, "Content-Type", "text/plain", "Cache-Control", "public, max-age=3600, must-revalidate"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = ParseCacheControl(h)
			}
		})
	}
}

// The directives of a header as they stand there, also those that nobody knows, and what nobody can read.
func TestCacheDirectives(t *testing.T) {
	for header, want := range map[string]string{
		"":                                  "",
		"no-cache":                          "no-cache",
		" Max-Age = 60 , x=\"a,b\";private": "Max-Age=60|x=a,b|private",
		"a=,b=\"":                           "a=|b=",
		",;=":                               "=",
		"a=\"b\"c,d":                        "a=b|c|d",
	} {
		var got []string
		for d := range CacheDirectives(header) {
			text := d.Name
			if d.HasValue {
				text += "=" + d.Value
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%q: %q, want %q", header, text, want)
		}
	}
	for range CacheDirectives("a,b,c") {
		break // which ends it
	}
}
