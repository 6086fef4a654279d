package okcookie

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func mustURL(t testing.TB, s string) okhttp.URL {
	t.Helper()
	u, err := okhttp.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func reasonOf(err error) Reason {
	var rejected *RejectError
	if errors.As(err, &rejected) {
		return rejected.Reason
	}
	return ""
}

func TestParse(t *testing.T) {
	host := func(c Cookie) Cookie { // what is not said
		c.HostOnly = c.Domain == ""
		if c.Domain == "" {
			c.Domain = "www.example.com"
		}
		if c.Path == "" {
			c.Path = "/dir"
		}
		return c
	}
	for line, want := range map[string]Cookie{
		"a=b":                                {Name: "a", Value: "b"},
		"  a =\tb\t":                         {Name: "a", Value: "b"},
		"a=":                                 {Name: "a"},
		"a==b=c":                             {Name: "a", Value: "=b=c"},
		`a="b c"`:                            {Name: "a", Value: `"b c"`},
		`a="b`:                               {Name: "a", Value: `"b`},
		"a b=c,d\\":                          {Name: "a b", Value: "c,d\\"},
		"a=b;":                               {Name: "a", Value: "b"},
		"a=b;;; ;=;=x":                       {Name: "a", Value: "b"},
		"a=b; Secure=no; httpONLY":           {Name: "a", Value: "b", Secure: true, HTTPOnly: true},
		"a=b;secure;HttpOnly=x":              {Name: "a", Value: "b", Secure: true, HTTPOnly: true},
		"a=b; unknown=x; Priority":           {Name: "a", Value: "b"},
		"a=b; samesite=":                     {Name: "a", Value: "b", HasSameSite: true}, // fact 91
		"a=b; SameSite":                      {Name: "a", Value: "b", HasSameSite: true},
		"a=b; SameSite=Other Value":          {Name: "a", Value: "b", HasSameSite: true, SameSite: "Other Value"},
		"a=b; SameSite=Lax; SameSite=Strict": {Name: "a", Value: "b", HasSameSite: true, SameSite: "Strict"},
		"a=b; Path=/":                        {Name: "a", Value: "b", Path: "/"},
		"a=b; path = /else/where":            {Name: "a", Value: "b", Path: "/else/where"},
		"a=b; Path=x":                        {Name: "a", Value: "b"},
		"a=b; Path=":                         {Name: "a", Value: "b"},
		"a=b; Path=/x; Path=y":               {Name: "a", Value: "b"},
		"a=b; Path=/x; Path=/y":              {Name: "a", Value: "b", Path: "/y"},
		"a=b; Domain=www.example.com":        {Name: "a", Value: "b", Domain: "www.example.com"},
		"a=b; Domain=example.com":            {Name: "a", Value: "b", Domain: "example.com"},
		"a=b; Domain=.EXAMPLE.com":           {Name: "a", Value: "b", Domain: "example.com"},
		"a=b; Domain=":                       {Name: "a", Value: "b"},
		"a=b; Domain=.":                      {Name: "a", Value: "b"},
		"a=b; Domain=..example.com":          {Name: "a", Value: "b"},
		"a=b; Domain=other.com.":             {Name: "a", Value: "b"},
		"a=b; Domain=exam%70le.com":          {Name: "a", Value: "b"},
		"a=b; Domain=ex ample.com":           {Name: "a", Value: "b"},
		"a=b; Domain=example.com; Domain=":   {Name: "a", Value: "b", Domain: "example.com"},
		"a=b; Domain=other.com; Domain=example.com": {Name: "a", Value: "b", Domain: "example.com"},
		"a=b; Max-Age=60":                                             {Name: "a", Value: "b", Expires: noon.Add(time.Minute)},
		"a=b; Max-Age=1; Max-Age=60":                                  {Name: "a", Value: "b", Expires: noon.Add(time.Minute)},        // fact 89
		"a=b; Max-Age=60; Expires=Thu, 01 Jan 2037 00:00:00":          {Name: "a", Value: "b", Expires: noon.Add(time.Minute)},        // fact 89
		"a=b; Expires=Thu, 01 Jan 2037 00:00:00; Max-Age=3000":        {Name: "a", Value: "b", Expires: noon.Add(3000 * time.Second)}, // fact 89
		"a=b; Max-Age=0":                                              {Name: "a", Value: "b", Expires: longExpired},
		"a=b; Max-Age=-1":                                             {Name: "a", Value: "b", Expires: longExpired},
		"a=b; Max-Age=-99999999999999999999999":                       {Name: "a", Value: "b", Expires: longExpired},
		"a=b; Max-Age=99999999999999999999999":                        {Name: "a", Value: "b", Expires: latest},
		"a=b; Max-Age=9223372036854775807":                            {Name: "a", Value: "b", Expires: latest},
		"a=b; Max-Age=9223372036854775":                               {Name: "a", Value: "b", Expires: latest},
		"a=b; Max-Age=300000000000":                                   {Name: "a", Value: "b", Expires: latest},
		"a=b; Max-Age=1e3":                                            {Name: "a", Value: "b"},
		"a=b; Max-Age=":                                               {Name: "a", Value: "b"},
		"a=b; Max-Age=-":                                              {Name: "a", Value: "b"},
		"a=b; Max-Age=+5":                                             {Name: "a", Value: "b"},
		"a=b; Max-Age=60; Max-Age=x":                                  {Name: "a", Value: "b", Expires: noon.Add(time.Minute)},
		"a=b; Expires=Wed, 21 Oct 2037 07:28:00 GMT":                  {Name: "a", Value: "b", Expires: time.Date(2037, 10, 21, 7, 28, 0, 0, time.UTC)},
		"a=b; Expires=never":                                          {Name: "a", Value: "b"},
		"a=b; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Expires=x":       {Name: "a", Value: "b", Expires: time.Date(2037, 10, 21, 7, 28, 0, 0, time.UTC)},
		"a=b; Path=/" + strings.Repeat("x", 1023):                     {Name: "a", Value: "b", Path: "/" + strings.Repeat("x", 1023)},
		"a=b; Path=/" + strings.Repeat("x", 1024):                     {Name: "a", Value: "b"}, // longer attributes do not count
		"a=b; Path=/x; Path=/" + strings.Repeat("x", 1024):            {Name: "a", Value: "b", Path: "/x"},
		"a=b; Path=/\u00e9":                                           {Name: "a", Value: "b", Path: "/\u00e9"},
		"__Host-a=b; Path=/elsewhere; Domain=example.com":             {Name: "__Host-a", Value: "b", Path: "/elsewhere", Domain: "example.com"}, // for a jar to refuse
		"a=" + strings.Repeat("v", 10000):                             {Name: "a", Value: strings.Repeat("v", 10000)},
		"a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT":                  {Name: "a", Value: "b", Expires: longExpired},
		"a=b; Max-Age=252455615999":                                   {Name: "a", Value: "b", Expires: latest},
		"a=b; Max-Age=0000000000000000000000000000000000000000000060": {Name: "a", Value: "b", Expires: noon.Add(time.Minute)},
	} {
		got, _, err := parse(mustURL(t, "http://www.example.com/dir/page"), line, noon)
		if err != nil || got != host(want) {
			t.Errorf("%.80q:\n got %+v, %v\nwant %+v", line, got, err, host(want))
		}
	}
}

func TestParseRejects(t *testing.T) {
	for _, tt := range []struct {
		url, line string
		want      Reason
	}{
		{"http://example.com/", "", ReasonSyntax},
		{"http://example.com/", "a", ReasonSyntax},
		{"http://example.com/", "a; b=c", ReasonSyntax},
		{"http://example.com/", "=b", ReasonSyntax},
		{"http://example.com/", " \t=b", ReasonSyntax},
		{"http://example.com/", ";a=b", ReasonSyntax},
		{"http://example.com/", "a\x00=b", ReasonCharacter},
		{"http://example.com/", "a\tb=c", ReasonCharacter},
		{"http://example.com/", "a=b\tc", ReasonCharacter},
		{"http://example.com/", "a=b\x7f", ReasonCharacter},
		{"http://example.com/", "a=b\r\nSet-Cookie: c=d", ReasonCharacter},
		{"http://example.com/", "a=\u00e9", ReasonCharacter},
		{"http://example.com/", "\u00e9=b", ReasonCharacter},
		{"http://example.com/", "a=\x80", ReasonCharacter},
		{"http://example.com/", "a=b; Path=/\x01", ReasonCharacter},
		{"http://example.com/", "a=b; Path=/\xff", ReasonCharacter},
		{"http://example.com/", "a=b; SameSite=\xff", ReasonCharacter},
		{"http://example.com/", "a=b; Domain=other.com", ReasonDomain},
		{"http://example.com/", "a=b; Domain=www.example.com", ReasonDomain},
		{"http://example.com/", "a=b; Domain=ample.com", ReasonDomain},
		{"http://example.com./", "a=b; Domain=example.com", ReasonDomain},
		{"http://example.com/", "a=b; Domain=com", ReasonPublicSuffix},
		{"http://www.example.co.uk/", "a=b; Domain=co.uk", ReasonPublicSuffix},
		{"http://foo.bar.elb.amazonaws.com/", "a=b; Domain=bar.elb.amazonaws.com", ReasonPublicSuffix}, // fact 90
		{"http://server.corp/", "a=b; Domain=corp", ReasonPublicSuffix},
		{"http://192.168.0.1/", "a=b; Domain=168.0.1", ReasonDomain}, // fact 90
		{"http://10.0.0.2/", "a=b; Domain=0.2", ReasonDomain},
		{"http://[::1]/", "a=b; Domain=[::2]", ReasonDomain},
	} {
		c, err := ParseSetCookie(mustURL(t, tt.url), tt.line)
		if reasonOf(err) != tt.want || c != (Cookie{}) {
			t.Errorf("%s, %q: got %+v, %v, want %s", tt.url, tt.line, c, err, tt.want)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\r\n\x00\x7f") {
			t.Errorf("message with control characters: %q", err)
		}
	}
	if _, err := ParseSetCookie(okhttp.URL{}, "a=b"); reasonOf(err) != ReasonURL {
		t.Error(err)
	}
}

// What a load balancer's customers share is not theirs.
func TestPublicSuffix(t *testing.T) {
	u := mustURL(t, "http://foo.bar.us-east-1.elb.amazonaws.com/")
	if c, err := ParseSetCookie(u, "a=b; Domain=us-east-1.elb.amazonaws.com"); reasonOf(err) != ReasonPublicSuffix {
		t.Error(c, err)
	}
	if c, err := ParseSetCookie(u, "a=b; Domain=bar.us-east-1.elb.amazonaws.com"); err != nil || c.HostOnly {
		t.Error(c, err)
	}
	// A host that is a public suffix may have cookies, which stay with it.
	for _, host := range []string{"github.io", "localhost", "com"} {
		c, err := ParseSetCookie(mustURL(t, "http://"+host+"/"), "a=b; Domain="+host)
		if err != nil || !c.HostOnly || c.Domain != host || c.Matches(mustURL(t, "http://below."+host+"/")) {
			t.Errorf("%s: %+v, %v", host, c, err)
		}
	}
}

func TestInternationalDomain(t *testing.T) {
	u := mustURL(t, "http://www.b\u00fccher.example/")
	for _, domain := range []string{"b\u00fccher.example", "BU\u0308CHER.example", "xn--bcher-kva.example", ".b\u00fccher\u3002example"} {
		c, err := ParseSetCookie(u, "a=b; Domain="+domain)
		if err != nil || c.Domain != "xn--bcher-kva.example" || c.HostOnly {
			t.Errorf("%s: %+v, %v", domain, c, err)
		}
	}
}

func TestDefaultPath(t *testing.T) {
	for path, want := range map[string]string{
		"/":             "/",
		"/foo":          "/",
		"/foo/":         "/foo",
		"/foo/bar":      "/foo", // fact 91
		"/foo/bar?/a/b": "/foo",
		"/a;x=1/b":      "/a;x=1",
		"//":            "/",
	} {
		c, err := ParseSetCookie(mustURL(t, "http://example.com"+path), "a=b")
		if err != nil || c.Path != want {
			t.Errorf("%s: got %q, %v, want %q", path, c.Path, err, want)
		}
	}
}

func TestParseDate(t *testing.T) {
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	for text, want := range map[string]time.Time{
		"Thu, 01 Jan 1970 00:00:00 GMT":       day(1970, 1, 1),
		"Thu, 01-Jan-70 00:00:00 GMT":         day(1970, 1, 1),
		"Thu Jan  1 00:00:00 1970":            day(1970, 1, 1),
		"1970 1 jan 0:0:0":                    day(1970, 1, 1),
		"00:00:00 01 1970 january":            day(1970, 1, 1),
		"01 JANxyz 1970 0:00:0":               day(1970, 1, 1),
		"01 Jan 1970 00:00:00 GMT-01:00":      day(1970, 1, 1), // zones do not count
		"01 Jan 99 00:00:00":                  day(1999, 1, 1),
		"01 Jan 70 00:00:00":                  day(1970, 1, 1),
		"01 Jan 69 00:00:00":                  day(2069, 1, 1),
		"01 Jan 00 00:00:00":                  day(2000, 1, 1),
		"01 Jan 0001 00:00:00":                day(2001, 1, 1),
		"01 Jan 1601 00:00:00":                day(1601, 1, 1),
		"31 Dec 9999 00:00:00":                day(9999, 12, 31),
		"29 Feb 2024 00:00:00":                day(2024, 2, 29),
		"01 Jan 1970 00:00:00 02 Feb 1980":    day(1970, 1, 1), // the first of each counts
		"01th Jan 1970AD 00:00:00.000":        day(1970, 1, 1),
		"01/Jan/1970\t00:00:00":               day(1970, 1, 1),
		"Sun, 06 Nov 1994 08:49:37 GMT":       time.Date(1994, 11, 6, 8, 49, 37, 0, time.UTC),
		"6 nov 94 8:49:37pm":                  time.Date(1994, 11, 6, 8, 49, 37, 0, time.UTC),
		"Sunday, 06-Nov-94 23:59:59 whatever": time.Date(1994, 11, 6, 23, 59, 59, 0, time.UTC),
	} {
		if got, ok := parseDate(text); !ok || !got.Equal(want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "GMT", "Thu, 01 Jan 1970", "01 Jan 00:00:00", "Jan 1970 00:00:00", "01 1970 00:00:00",
		"01 Jan 1600 00:00:00", "00 Jan 1970 00:00:00", "32 Jan 1970 00:00:00", "29 Feb 2023 00:00:00", "31 Apr 2023 00:00:00",
		"01 Jan 1970 24:00:00", "01 Jan 1970 00:60:00", "01 Jan 1970 00:00:60", "01 Jan 1970 000:00:00", "01 Jan 1970 00:00",
		"001 Jan 1970 00:00:00", "01 Jan 11970 00:00:00", "01 Jen 1970 00:00:00", "01 \xff\xfeJan 1970 00:00:00", "01 Ja\u0080 1970 0:0:0",
	} {
		if got, ok := parseDate(text); ok {
			t.Errorf("%q: got %v, want none", text, got)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		set, line, to string
		want          bool
	}{
		{"http://example.com/", "a=b", "http://example.com/", true},
		{"http://example.com/", "a=b", "https://example.com:8443/x", true}, // neither port nor scheme count
		{"http://example.com/", "a=b", "http://www.example.com/", false},
		{"http://example.com/", "a=b; Domain=example.com", "http://www.example.com/", true},
		{"http://example.com/", "a=b; Domain=example.com", "http://example.com/", true},
		{"http://example.com/", "a=b; Domain=example.com", "http://badexample.com/", false},
		{"http://a.example.com/", "a=b; Domain=example.com", "http://b.example.com/", true},
		{"http://a.example.com/", "a=b; Domain=a.example.com", "http://example.com/", false},
		{"http://1.2.3.4/", "a=b; Domain=1.2.3.4", "http://1.2.3.4/", true},
		{"http://1.2.3.4/", "a=b; Domain=1.2.3.4", "http://0.1.2.3.4.example/", false},
		{"http://[::1]/", "a=b; Domain=::1", "http://[::1]:8080/", true},
		{"http://example.com/", "a=b; Path=/foo", "http://example.com/foo", true},
		{"http://example.com/", "a=b; Path=/foo", "http://example.com/foo/bar", true},
		{"http://example.com/", "a=b; Path=/foo", "http://example.com/foo?x", true},
		{"http://example.com/", "a=b; Path=/foo", "http://example.com/foobar", false},
		{"http://example.com/", "a=b; Path=/foo", "http://example.com/", false},
		{"http://example.com/", "a=b; Path=/foo/", "http://example.com/foo/bar", true},
		{"http://example.com/", "a=b; Path=/foo/", "http://example.com/foo", false},
		{"http://example.com/", "a=b; Path=/Foo", "http://example.com/foo", false},
		{"https://example.com/", "a=b; Secure", "https://example.com/", true},
		{"https://example.com/", "a=b; Secure", "http://example.com/", false},
	} {
		c, err := ParseSetCookie(mustURL(t, tt.set), tt.line)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Matches(mustURL(t, tt.to)); got != tt.want {
			t.Errorf("%s from %s for %s: got %v", tt.line, tt.set, tt.to, got)
		}
	}
	if (Cookie{}).Matches(okhttp.URL{}) {
		t.Error("nothing matches nothing")
	}
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		cookie Cookie
		want   string
	}{
		{Cookie{Name: "a", Value: "b", Domain: "example.com", HostOnly: true}, "a=b; path=/"},
		{Cookie{Name: "a", Value: "b", Domain: "Example.com", Path: "/x"}, "a=b; domain=example.com; path=/x"},
		{Cookie{Name: "a", Domain: "h", HostOnly: true, Expires: time.Unix(0, 0)}, "a=; max-age=0; path=/"}, // fact 91
		{Cookie{Name: "a", Domain: "h", HostOnly: true, Expires: time.Unix(-1, 0)}, "a=; max-age=0; path=/"},
		{Cookie{Name: "a", Domain: "h", HostOnly: true, Expires: time.Unix(784111777, 0), Secure: true, HTTPOnly: true, SameSite: "Lax"},
			"a=; expires=Sun, 06 Nov 1994 08:49:37 GMT; path=/; secure; httponly; samesite=Lax"},
		{Cookie{Name: "a", Domain: "h", HostOnly: true, HasSameSite: true}, "a=; path=/; samesite="},
	} {
		c, err := NewCookie(tt.cookie)
		if err != nil || c.String() != tt.want {
			t.Errorf("got %q, %v, want %q", c, err, tt.want)
		}
	}
}

func TestNewCookie(t *testing.T) {
	far, err := NewCookie(Cookie{Name: "a", Domain: "h", Expires: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil || !far.Expires.Equal(latest) {
		t.Error(far, err)
	}
	zone := time.FixedZone("", 3600)
	one, err1 := NewCookie(Cookie{Name: "a", Domain: ".B\u00fccher.example", Expires: noon.In(zone)})
	two, err2 := NewCookie(Cookie{Name: "a", Domain: "xn--bcher-kva.example", Expires: noon})
	if err1 != nil || err2 != nil || one != two {
		t.Errorf("%+v, %v\n%+v, %v", one, err1, two, err2)
	}
	for want, cookies := range map[string][]Cookie{
		"name is not trimmed":                 {{Name: " a", Domain: "h"}},
		"value is not trimmed":                {{Name: "a", Value: "b ", Domain: "h"}},
		"SameSite is not trimmed":             {{Name: "a", Domain: "h", SameSite: "Lax "}},
		"expected a path that begins with /":  {{Name: "a", Domain: "h", Path: "x"}},
		"unexpected domain":                   {{Name: "a"}, {Name: "a", Domain: "a..b"}, {Name: "a", Domain: "h."}, {Name: "a", Domain: strings.Repeat("x", 64)}, {Name: "a", Domain: strings.Repeat("x.", 127) + "x"}, {Name: "a", Domain: "a b"}, {Name: "a", Domain: "a/b"}},
		"expected a name":                     {{Domain: "h"}},
		"unexpected = or ; in the name":       {{Name: "a;b", Domain: "h"}, {Name: "a=b", Domain: "h"}},
		"unexpected ; in the value":           {{Name: "a", Value: "b; c=d", Domain: "h"}},
		"unexpected character in the name":    {{Name: "a\n", Domain: "h"}},
		"unexpected character in the value":   {{Name: "a", Value: "\r\nX: y", Domain: "h"}},
		"unexpected character in the path":    {{Name: "a", Domain: "h", Path: "/\r\n"}},
		"unexpected character in the SameSit": {{Name: "a", Domain: "h", SameSite: "\x00"}},
		"unexpected ; in the SameSite":        {{Name: "a", Domain: "h", SameSite: "Lax;Secure"}},
	} {
		for _, c := range cookies {
			if _, err := NewCookie(c); err == nil || !strings.Contains(err.Error(), want) || reasonOf(err) == "" {
				t.Errorf("%+v: got %v, want %s", c, err, want)
			}
		}
	}
}

// A message may name the cookie but never tells its value.
func TestErrorsKeepSecrets(t *testing.T) {
	const secret = "hunter2"
	for _, line := range []string{
		"a=" + secret + "\x00", "a=" + secret + "\u00e9", "a=" + secret + "; Domain=other.com", "a=" + secret + "; Domain=com", "=" + secret, secret,
		"a=" + secret + "; Path=/\xff",
	} {
		_, err := ParseSetCookie(mustURL(t, "http://example.com/"), line)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", line, err)
		}
	}
}
