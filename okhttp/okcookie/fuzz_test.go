package okcookie

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

func FuzzParseSetCookie(f *testing.F) {
	f.Add("https://www.example.com/a/b?c", "a=b; Path=/a; Domain=example.com; Secure; HttpOnly; SameSite=Lax; Max-Age=60")
	f.Add("http://example.com/", `a="b"; Expires=Wed, 21 Oct 2037 07:28:00 GMT`)
	f.Add("http://[::1]/", "a=; Domain=::1; Max-Age=-999999999999999999999")
	f.Add("http://a..b./x;y/", "__Host-a==b; Expires=1 jan 1650 0:0:0; SameSite; Domain=\u00e9.example")
	f.Add("http://example.com/", `a=" "`)
	f.Add("http://1.2.3.4/", "a=b\x00; ;;=; Path=\xff")
	f.Fuzz(func(t *testing.T, where, line string) {
		u, err := okhttp.ParseURL(where)
		if err != nil {
			return
		}
		c, hasPath, err := parse(u, line, noon)
		if err != nil {
			if reasonOf(err) == "" || c != (Cookie{}) || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Fatalf("%+v, %q", c, err)
			}
			return
		}
		if !hasPath && c.Path != defaultPath(u.EncodedPath()) {
			t.Fatalf("default path is %q", c.Path)
		}
		if at := u.Host(); at != c.Domain && (c.HostOnly || !strings.HasSuffix(at, "."+c.Domain)) {
			t.Fatalf("%s set a cookie for %s", at, c.Domain)
		}

		// What was parsed is sound, and its text says the same.
		made, err := NewCookie(c)
		if c.Expires = clampExpiry(c.Expires); err != nil || made != c {
			t.Fatalf("%+v becomes %+v, %v", c, made, err)
		}
		if !strings.Contains(c.Path, ";") && len(c.Path) <= maxAttribute && len(c.Domain) <= maxAttribute && trim(c.Path) == c.Path {
			again, _, err := parse(u, c.String(), noon)
			again.Expires, made.Expires = clampExpiry(again.Expires), clampExpiry(made.Expires)
			again.Expires, made.Expires = again.Expires.Truncate(1e9), made.Expires.Truncate(1e9)
			if err != nil || again != made {
				t.Fatalf("%q reads back as %+v, %v, want %+v", c.String(), again, err, made)
			}
		}

		// Package net/http reads the same name and value, where it reads the line.
		if std, err := http.ParseSetCookie(line); err == nil && std.Name != "" {
			value := trim(std.Value) // net/http leaves a space after the "="
			if std.Quoted {
				value = `"` + std.Value + `"`
			}
			if std.Name != c.Name || value != c.Value {
				t.Fatalf("net/http reads %q=%q, not %q=%q", std.Name, value, c.Name, c.Value)
			}
			if from, _, err := fromHTTP(u, std, noon); err == nil && (from.Name != c.Name || from.Value != c.Value || from.Path != c.Path || from.Domain != c.Domain) {
				t.Fatalf("by net/http it is %+v, not %+v", from, c)
			}
		}
	})
}

// A jar takes anything, keeps to itself what it refuses, and comes out of its file as it went in.
func FuzzJarFile(f *testing.F) {
	f.Add("https://www.example.com/a", "a=b; Path=/\u2028<>; Secure; SameSite=\"", "c=d; Domain=example.com; Max-Age=1")
	f.Add("http://a..b/", "a=b; Expires=1 jan 2050 0:0:0", `c="\`)
	f.Add("http://.a./x;y\"/z", "a=b; Path=/\t\ufffd", "c=d; SameSite")
	f.Fuzz(func(t *testing.T, where, one, two string) {
		u, err := okhttp.ParseURL(where)
		if err != nil {
			return
		}
		from, to := newBench(&testing.T{}, Options{SaveSession: true}), newBench(&testing.T{}, Options{})
		for _, line := range []string{one, two} {
			c, err := from.SetCookie(u, line)
			if err == nil && !c.IsExpired(noon) && !slices.ContainsFunc(slices.Collect(from.All()), func(e Entry) bool { return e.identity() == c.identity() }) {
				t.Fatalf("%q was taken and is not there", line)
			}
		}
		path := filepath.Join(t.TempDir(), "cookies")
		if err := from.Save(path); err != nil {
			t.Fatal(err)
		}
		if err := to.Load(path); err != nil {
			t.Fatal(err)
		}
		if got, want := slices.Collect(to.All()), slices.Collect(from.All()); !slices.Equal(got, want) {
			t.Fatalf("%+v comes back as %+v", want, got)
		}
	})
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"format":"okcookie","version":1,"cookies":[{"name":"a","value":"1","domain":"example.com","hostOnly":true,"path":"/",` +
		`"expires":"2027-01-01T00:00:00Z","sameSite":"","created":"2026-01-01T00:00:00Z","accessed":"2026-01-01T00:00:00+01:00"}]}`))
	f.Add([]byte(`{"format":"okcookie","version":1,"cookies":[]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := decodeFile("file", text)
		if err != nil {
			if _, ok := err.(*FileError); !ok || entries != nil {
				t.Fatal(entries, err)
			}
			return
		}
		for _, e := range entries {
			if c, err := NewCookie(e.Cookie); err != nil || c != e.Cookie || e.Created.IsZero() {
				t.Fatalf("%+v, %v", e, err)
			}
		}
	})
}
