package okcookie

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// bench is a jar with a clock to wind.
type bench struct {
	t   *testing.T
	now time.Time
	*Jar
}

func newBench(t *testing.T, opt Options) *bench {
	b := &bench{t: t, now: noon}
	opt.Now = func() time.Time { return b.now }
	b.Jar = New(&opt)
	return b
}

// set takes a line and expects it to be refused for a reason, "" for none. A second passes.
func (b *bench) set(u, line string, want Reason) {
	b.t.Helper()
	if _, err := b.SetCookie(mustURL(b.t, u), line); reasonOf(err) != want {
		b.t.Errorf("%s sets %q: got %v, want reason %q", u, line, err, want)
	}
	b.now = b.now.Add(time.Second)
}

// header is what a request to u sends.
func (b *bench) header(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		b.t.Fatal(err)
	}
	req := &http.Request{Header: http.Header{}}
	for _, c := range b.Cookies(parsed) {
		req.AddCookie(c)
	}
	return req.Header.Get("Cookie")
}

func (b *bench) want(u, header string) {
	b.t.Helper()
	if got := b.header(u); got != header {
		b.t.Errorf("%s: got %q, want %q", u, got, header)
	}
}

func (b *bench) names() string {
	var names []string
	for e := range b.All() {
		names = append(names, e.Name)
	}
	return strings.Join(names, " ")
}

func TestHeaderOrder(t *testing.T) {
	b := newBench(t, Options{})
	b.set("http://www.example.com/x/y/z", "first=1; Path=/", "")
	b.set("http://www.example.com/x/y/z", "deep=1; Path=/x/y", "")
	b.set("http://www.example.com/x/y/z", "second=1; Path=/; Domain=example.com", "")
	b.set("http://www.example.com/x/y/z", "deepest=1; Path=/x/y/z", "")
	b.set("http://www.example.com/x/y/z", "first=2; Path=/", "") // keeps its age
	b.set("http://www.example.com/x/y/z", "else=1; Path=/elsewhere", "")
	b.want("http://www.example.com/x/y/z", "deepest=1; deep=1; first=2; second=1")
	b.want("http://www.example.com/", "first=2; second=1")
	b.want("http://example.com/", "second=1")
	b.want("http://other.com/", "")
	b.want("ftp://example.com/", "")
}

// The four of these are four cookies.
func TestIdentity(t *testing.T) {
	b := newBench(t, Options{})
	b.set("http://example.com/", "a=host", "")
	b.set("http://example.com/", "a=domain; Domain=example.com", "")
	b.set("http://example.com/", "a=path; Path=/p", "")
	b.set("http://example.com/", "A=case", "")
	b.want("http://example.com/p", "a=path; a=host; a=domain; A=case")
	b.set("http://example.com/", "a=; Max-Age=0", "")
	b.want("http://example.com/p", "a=path; a=domain; A=case")
}

func TestExpiry(t *testing.T) {
	b := newBench(t, Options{})
	b.set("http://example.com/", "session=1", "")
	b.set("http://example.com/", "short=1; Max-Age=10", "")
	b.set("http://example.com/", "long=1; Expires="+noon.Add(time.Hour).Format(http.TimeFormat), "")
	b.want("http://example.com/", "session=1; short=1; long=1")
	b.now = noon.Add(11 * time.Second) // ten after it was set
	if b.names() != "session long" || b.Len() != 2 {
		t.Error(b.names(), b.Len())
	}
	b.want("http://example.com/", "session=1; long=1")
	b.set("http://example.com/", "long=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "")
	b.want("http://example.com/", "session=1")
	for e := range b.All() {
		if !e.IsSession() || !e.Created.Equal(noon) || !e.Accessed.Equal(b.now) {
			t.Errorf("%+v", e)
		}
	}
}

func TestMaxAgeOption(t *testing.T) {
	b := newBench(t, Options{MaxAge: time.Hour})
	b.set("http://example.com/", "session=1", "")
	b.set("http://example.com/", "a=1; Max-Age=99999999", "")
	b.now = noon.Add(time.Hour)
	b.want("http://example.com/", "session=1; a=1")
	b.now = noon.Add(time.Hour + time.Second)
	b.want("http://example.com/", "session=1")
}

func TestSecure(t *testing.T) {
	b := newBench(t, Options{})
	b.set("http://example.com/", "a=1; Secure", ReasonInsecure)
	b.set("https://www.example.com/login", "a=1; Secure; Path=/login; Domain=example.com", "")
	b.want("https://www.example.com/login", "a=1")
	b.want("http://www.example.com/login", "")

	// Leave secure cookies alone: http neither replaces, deletes nor hides it.
	b.set("http://www.example.com/", "a=2; Path=/login; Domain=example.com", ReasonShadow)
	b.set("http://www.example.com/", "a=2; Path=/login; Domain=example.com; Max-Age=0", ReasonShadow)
	b.set("http://www.example.com/", "a=2; Path=/login/en", ReasonShadow)
	b.set("http://example.com/", "a=2; Path=/login", ReasonShadow)
	b.set("http://deep.www.example.com/", "a=2; Path=/login", ReasonShadow)
	b.set("http://other.com/", "a=2; Path=/login", "")         // another site
	b.set("http://www.example.com/", "b=2; Path=/login", "")   // another name
	b.set("http://www.example.com/", "a=2; Path=/", "")        // comes after it
	b.set("http://www.example.com/", "a=2; Path=/login-x", "") // another path
	b.want("https://www.example.com/login", "a=1; b=2; a=2")

	// https may, and then there is nothing to leave alone.
	b.set("https://www.example.com/", "a=3; Path=/login; Domain=example.com", "")
	b.set("http://www.example.com/", "a=4; Path=/login; Domain=example.com", "")
	b.want("http://www.example.com/login", "a=4; b=2; a=2")

	// A Secure cookie that has expired is none.
	b.set("https://www.example.com/", "c=1; Secure; Max-Age=1", "")
	b.set("http://www.example.com/", "c=2", "")
	b.want("http://www.example.com/", "a=2; c=2")
}

func TestPrefixes(t *testing.T) {
	b := newBench(t, Options{})
	const http, https = "http://www.example.com/", "https://www.example.com/"
	b.set(https, "__Secure-a=1", ReasonPrefix)
	b.set(https, "__secURE-a=1", ReasonPrefix)
	b.set(http, "__Secure-a=1", ReasonPrefix)
	b.set(http, "__Secure-a=1; Secure", ReasonInsecure)
	b.set(https, "__Secure-a=1; Secure; Domain=example.com; Path=/x", "")
	b.set(https, "__Host-a=1; Secure; Path=/", "")
	b.set(https, "__host-b=1; Path=/", ReasonPrefix)
	b.set(https, "__Host-b=1; Secure", ReasonPrefix) // the path would be /, but it is not said
	b.set(https, "__Host-b=1; Secure; Path=/x", ReasonPrefix)
	b.set(https, "__Host-b=1; Secure; Path=/; Domain=www.example.com", ReasonPrefix)
	b.set(https, "__Host-b=1; Secure; Path=/; Domain=", "")
	b.set(https, "__Host=1", "")
	b.want(https, "__Host-a=1; __Host-b=1; __Host=1")
	if err := b.Put(Cookie{Name: "__Host-c", Domain: "example.com", HostOnly: true}); reasonOf(err) != ReasonPrefix {
		t.Error(err)
	}
}

func TestSize(t *testing.T) {
	b := newBench(t, Options{})
	b.set("http://example.com/", "a="+strings.Repeat("v", 4095), "")
	b.set("http://example.com/", "b="+strings.Repeat("v", 4096), ReasonSize)
	b.set("http://example.com/"+strings.Repeat("p/", 2048), "c=1", "")
	b.set("http://example.com/"+strings.Repeat("p/", 2049), "c=1", ReasonSize)
	b.set("http://example.com/", "d="+strings.Repeat("v", 2000)+"; Path=/"+strings.Repeat("x", 5000), "") // the path does not count
	if b.Len() != 3 {
		t.Error(b.names())
	}
	if err := b.Put(Cookie{Name: "a", Domain: "h", SameSite: strings.Repeat("x", 1025)}); reasonOf(err) != ReasonSize {
		t.Error(err)
	}
}

func TestMaxPerDomain(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 200 {
		b.set("http://example.com/", fmt.Sprintf("c%d=1", i), "")
	}
	b.set("http://www.example.com/", "other=1", "")
	if b.Len() != 181 || !strings.HasPrefix(b.names(), "c20 c21 ") {
		t.Error(b.Len(), b.names())
	}

	b = newBench(t, Options{MaxPerDomain: 3})
	b.set("https://example.com/", "secure=1; Secure; Path=/s", "")
	b.set("https://example.com/", "old=1; Path=/old", "")
	b.set("https://example.com/", "new=1; Path=/new", "")
	b.want("http://example.com/old", "old=1") // used last
	b.now = b.now.Add(time.Second)
	b.set("https://example.com/", "newer=1; Path=/newer", "")
	if b.names() != "secure old newer" {
		t.Error(b.names())
	}
	b.set("https://example.com/", "s2=1; Secure", "")
	b.set("https://example.com/", "s3=1; Secure", "")
	if b.names() != "secure s2 s3" {
		t.Error(b.names())
	}
	b.set("http://example.com/", "plain=1", "") // cannot push out what is Secure
	if b.names() != "secure s2 s3" {
		t.Error(b.names())
	}
	b.set("https://example.com/", "s4=1; Secure", "")
	if b.names() != "s2 s3 s4" {
		t.Error(b.names())
	}

	// What has expired goes before anything else.
	b = newBench(t, Options{MaxPerDomain: 2})
	b.set("http://example.com/", "old=1", "")
	b.set("http://example.com/", "short=1; Max-Age=1", "")
	b.now = b.now.Add(time.Minute)
	b.set("http://example.com/", "new=1", "")
	if b.names() != "old new" {
		t.Error(b.names())
	}
}

func TestMaxCookies(t *testing.T) {
	b := newBench(t, Options{MaxCookies: 3})
	b.set("https://a.com/", "a=1; Secure", "")
	b.set("http://b.com/", "b=1", "")
	b.set("http://c.com/", "c=1; Max-Age=1", "")
	b.now = b.now.Add(time.Minute)
	b.want("https://a.com/", "a=1")
	b.set("http://d.com/", "d=1", "")
	if b.names() != "a b d" { // c has expired
		t.Error(b.names())
	}
	b.set("http://e.com/", "e=1", "")
	if b.names() != "a d e" || b.count != 3 || len(b.domains) != 3 || b.secure != 1 {
		t.Error(b.names(), b.count, b.domains)
	}

	b = newBench(t, Options{})
	for i := range 4000 {
		b.set(fmt.Sprintf("http://h%d.example/", i/100), fmt.Sprintf("c%d=1", i), "")
	}
	if b.Len() != 3000 || !strings.HasPrefix(b.names(), "c1000 ") {
		t.Error(b.Len())
	}
}

func TestEdit(t *testing.T) {
	b := newBench(t, Options{})
	b.set("http://example.com/x/y", "a=1; HttpOnly; SameSite=Lax", "")
	b.set("http://example.com/x/y", "b=1; Domain=example.com", "")
	b.set("http://example.org/", "c=1; Max-Age=10", "")
	for e := range b.All() {
		if e.Name == "a" {
			want := Cookie{Name: "a", Value: "1", Domain: "example.com", HostOnly: true, Path: "/x", HTTPOnly: true, SameSite: "Lax", HasSameSite: true}
			if e.Cookie != want {
				t.Errorf("got %+v, want %+v", e.Cookie, want)
			}
			e.Value = "2"
			if err := b.Put(e.Cookie); err != nil {
				t.Error(err)
			}
		}
		if e.Name == "b" {
			if c := e.Cookie; !b.Remove(c) || b.Remove(c) {
				t.Error("removed not once")
			}
		}
	}
	if b.names() != "a c" {
		t.Error(b.names())
	}
	b.want("http://example.com/x", "a=2")
	for e := range b.All() {
		if e.Name == "c" {
			b.now = b.now.Add(time.Minute)
			if b.Remove(e.Cookie) {
				t.Error("it has expired and is not there any more")
			}
		}
		break
	}
	if err := b.Put(Cookie{Name: "p", Value: "1", Domain: "Example.COM", Secure: true}); err != nil {
		t.Error(err)
	}
	b.want("https://sub.example.com/", "p=1")
	if err := b.Put(Cookie{Name: "p", Domain: "com"}); reasonOf(err) != ReasonPublicSuffix {
		t.Error(err)
	}
	if err := b.Put(Cookie{Name: "p", Domain: "example.com", Expires: noon}); err != nil {
		t.Error(err)
	}
	b.want("https://sub.example.com/", "")
	b.Clear()
	if b.Len() != 0 || b.count != 0 || b.secure != 0 {
		t.Error("not clear")
	}
}

func TestSetCookiesFromHTTP(t *testing.T) {
	lines := http.Header{"Set-Cookie": {
		`quoted="x y"`,
		"plain=1; Path=/p; SameSite=Other",
		"late=1; Expires=01 Jan 2037 junk 00:00:00", // package net/http has no such dates
		"age=1; Max-Age=05",                         // nor such numbers
	}}
	b := newBench(t, Options{})
	u := &url.URL{Scheme: "https", Host: "example.com", Path: "/p"}
	b.SetCookies(u, (&http.Response{Header: lines}).Cookies())
	b.SetCookies(u, []*http.Cookie{nil,
		{Raw: `odd=a"b\c; Path=/p`}, // a line that package net/http cannot read
		{Name: "struct", Value: "1", MaxAge: 7, SameSite: http.SameSiteStrictMode, Domain: "example.com", HttpOnly: true},
		{Name: "dated", Value: "1", Expires: noon.Add(time.Hour), SameSite: http.SameSiteDefaultMode, Secure: true},
		{Name: "injected", Value: "1; a=b"},
		{Name: "injected", Value: "1\r\nX: y"},
		{Name: "foreign", Value: "1", Domain: "other.com"},
		{Name: "gone", Value: "1", MaxAge: -1},
		{Name: "gone", Value: "1", Expires: time.Date(1, 1, 1, 1, 0, 0, 0, time.UTC)},
	})
	want := map[string]Cookie{
		"quoted": {Value: `"x y"`, Path: "/"},
		"plain":  {Value: "1", Path: "/p", SameSite: "Other", HasSameSite: true},
		"late":   {Value: "1", Path: "/", Expires: time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC)},
		"age":    {Value: "1", Path: "/", Expires: noon.Add(5 * time.Second)},
		"odd":    {Value: `a"b\c`, Path: "/p"},
		"struct": {Value: "1", Path: "/", Expires: noon.Add(7 * time.Second), SameSite: "Strict", HasSameSite: true, HTTPOnly: true},
		"dated":  {Value: "1", Path: "/", Expires: noon.Add(time.Hour), HasSameSite: true, Secure: true},
	}
	for e := range b.All() {
		c := want[e.Name]
		c.Name, c.Domain, c.HostOnly = e.Name, "example.com", e.Name != "struct"
		if e.Cookie != c {
			t.Errorf("got %+v, want %+v", e.Cookie, c)
		}
		delete(want, e.Name)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
	b.Clear()
	b.set("https://example.com/", `q="x y"`, "")
	b.want("https://example.com/", `q="x y"`)

	// A cookie that was changed after it was parsed is what it is now.
	c, err := http.ParseSetCookie("a=1; Path=/p")
	if err != nil {
		t.Fatal(err)
	}
	c.Path = "/"
	b.Clear()
	b.SetCookies(u, []*http.Cookie{c})
	b.want("https://example.com/", "a=1")

	// URLs that are none of a request are ignored.
	b.SetCookies(&url.URL{Scheme: "ftp", Host: "example.com"}, []*http.Cookie{c})
	b.SetCookies(nil, []*http.Cookie{c})
	if b.Cookies(nil) != nil || b.Cookies(&url.URL{}) != nil || b.Len() != 1 {
		t.Error("URLs without a host have no cookies")
	}
}

func TestConcurrentUse(t *testing.T) {
	j := New(&Options{MaxCookies: 50, MaxPerDomain: 10})
	path := t.TempDir() + "/cookies"
	if err := j.Save(path); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 100 {
				u := &url.URL{Scheme: "http", Host: fmt.Sprintf("h%d.example.com", i%20), Path: "/"}
				j.SetCookies(u, []*http.Cookie{{Name: fmt.Sprint("c", g, i), Value: "1", MaxAge: 60}})
				j.Cookies(u)
				for e := range j.All() {
					if i%10 == 0 {
						j.Remove(e.Cookie)
					}
				}
				if i%25 == 0 {
					if err := j.Save(path); err != nil {
						t.Error(err)
					}
					if err := j.Load(path); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := j.Len(); n > 50 || n != j.count || n != len(slices.Collect(j.All())) {
		t.Error(n, j.count)
	}
}
