package okcookie

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// tabs writes a line with spaces for its tabs.
func tabs(line string) string { return strings.ReplaceAll(line, " ", "\t") }

func parseAll(r io.Reader) (cookies []Cookie, errs []error) {
	for c, err := range ParseNetscape(r) {
		if err != nil {
			errs = append(errs, err)
		} else {
			cookies = append(cookies, c)
		}
	}
	return cookies, errs
}

func TestParseNetscapeLine(t *testing.T) {
	end := time.Unix(1893456000, 0).UTC()
	for _, tt := range []struct {
		line string
		want Cookie
	}{
		{"example.com FALSE / FALSE 1893456000 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", HostOnly: true, Path: "/", Expires: end}},
		{".example.com TRUE / FALSE 1893456000 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", Path: "/", Expires: end}},
		{"example.com TRUE /x TRUE 0 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", Path: "/x", Secure: true}},
		{".example.com FALSE / FALSE 0 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", HostOnly: true, Path: "/"}}, // the field decides
		{"example.com true / false  a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", Path: "/"}},
		{"#HttpOnly_.example.com TRUE / TRUE 0 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", Path: "/", Secure: true, HTTPOnly: true}},
		{"EXAMPLE.com FALSE  FALSE 0 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", HostOnly: true, Path: "/"}},
		{"example.com FALSE / FALSE 0 a", Cookie{Name: "a", Domain: "example.com", HostOnly: true, Path: "/"}},
		{"example.com FALSE / FALSE 0 a ", Cookie{Name: "a", Domain: "example.com", HostOnly: true, Path: "/"}},
		{`example.com FALSE / FALSE 0 x[1] {"a":"b=c"}`, Cookie{Name: "x[1]", Value: `{"a":"b=c"}`, Domain: "example.com", HostOnly: true, Path: "/"}},
		{"127.0.0.1:8080 FALSE / FALSE 0 a 1", Cookie{Name: "a", Value: "1", Domain: "127.0.0.1", HostOnly: true, Path: "/"}}, // by wget
		{"::1 FALSE / FALSE 0 a 1", Cookie{Name: "a", Value: "1", Domain: "::1", HostOnly: true, Path: "/"}},
		{"[::1]:8080 FALSE / FALSE 0 a 1", Cookie{Name: "a", Value: "1", Domain: "::1", HostOnly: true, Path: "/"}},
		{"example.com FALSE / FALSE 1 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", HostOnly: true, Path: "/", Expires: time.Unix(1, 0).UTC()}},
		{"example.com FALSE / FALSE 99999999999999999999 a 1", Cookie{Name: "a", Value: "1", Domain: "example.com", HostOnly: true, Path: "/",
			Expires: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}},
	} {
		for _, end := range []string{"", "\n", "\r\n"} {
			cookies, errs := parseAll(strings.NewReader(tabs(tt.line) + end))
			if len(errs) != 0 || !slices.Equal(cookies, []Cookie{tt.want}) {
				t.Errorf("%q: %+v, %v", tt.line, cookies, errs)
			}
		}
	}
}

func TestParseNetscapeDamage(t *testing.T) {
	for _, tt := range []struct {
		line   string
		want   string
		reason Reason // "": the line itself is not as it should be
	}{
		{"{", "expected 7 fields between tabs, got 1", ""},
		{"example.com FALSE / FALSE 0", "expected 7 fields between tabs, got 5", ""},
		{"example.com FALSE / FALSE 0 secret 1 2", "expected 7 fields between tabs, got 8", ""},
		{"example.com secret / FALSE 0 a 1", "expected TRUE or FALSE in the field for hosts below the domain, got something else", ""},
		{"example.com TRUE / secret 0 a 1", "expected TRUE or FALSE in the field for Secure, got something else", ""},
		{"example.com TRUE / TRUE secret a 1", "expected seconds since 1970 in the field for the end, got something else", ""},
		{"example.com TRUE / TRUE -1 a 1", "expected seconds since 1970 in the field for the end, got something else", ""},
		{"example.com TRUE / TRUE 1.5 a 1", "expected seconds since 1970 in the field for the end, got something else", ""},
		{"#HttpOnly_ TRUE / TRUE 0 a 1", `cookie "a": unexpected domain: ""`, ReasonDomain},
		{":80 TRUE / TRUE 0 a 1", `cookie "a": unexpected domain: ""`, ReasonDomain},
		{"a..b TRUE / TRUE 0 a 1", `cookie "a": unexpected domain: "a..b"`, ReasonDomain},
		{"example.com TRUE x TRUE 0 a 1", `cookie "a": expected a path that begins with /, got "x"`, ReasonSyntax},
		{"example.com TRUE / TRUE 0  secret", "expected a name, got none", ReasonSyntax},
		{"example.com TRUE / TRUE 0 a secr\u00e9t", `cookie "a": unexpected character in the value`, ReasonCharacter},
		{"example.com TRUE / TRUE 0 a secret\x00", `cookie "a": unexpected character in the value`, ReasonCharacter},
		{"example.com TRUE / TRUE 0 a secret;", `cookie "a": unexpected ; in the value`, ReasonSyntax},
		{strings.Repeat("x", maxLine), "longer than the limit of 65536 bytes", ""},
		{"#HttpOnly_x FALSE / FALSE 0 a " + strings.Repeat("secret", maxLine), "longer than the limit of 65536 bytes", ""},
	} {
		good := tabs("example.com FALSE / FALSE 0 b 2\n")
		cookies, errs := parseAll(strings.NewReader("# a comment\n" + good + tabs(tt.line) + "\n\n" + good))
		if len(cookies) != 2 || len(errs) != 1 {
			t.Errorf("%.40q: %v, %v", tt.line, cookies, errs)
			continue
		}
		var at *LineError
		if !errors.As(errs[0], &at) || at.Line != 3 || at.Detail != tt.want || errs[0].Error() != "okcookie: line 3: "+tt.want || reasonOf(at.Err) != tt.reason {
			t.Errorf("%.40q: %v, %+v", tt.line, errs[0], at)
		}
		if strings.Contains(errs[0].Error(), "secr") {
			t.Errorf("%.40q: the message has a secret: %v", tt.line, errs[0])
		}
	}
}

// Comments and empty lines are nothing, and the first line may have the mark of Windows.
func TestParseNetscapeNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "\r\n\r\n", " \t\n", "# Netscape HTTP Cookie File\n\n", "#\n##\n# #HttpOnly_\n", "\ufeff# x\n", "\ufeff", "#HttpOnl\tTRUE\n"} {
		if cookies, errs := parseAll(strings.NewReader(text)); len(cookies) != 0 || len(errs) != 0 {
			t.Errorf("%q: %v, %v", text, cookies, errs)
		}
	}
	if cookies, errs := parseAll(strings.NewReader("\ufeff" + tabs("example.com FALSE / FALSE 0 a 1"))); len(cookies) != 1 || len(errs) != 0 {
		t.Error(cookies, errs)
	}
}

func TestParseNetscapeReader(t *testing.T) {
	text := strings.Repeat(tabs("example.com FALSE / FALSE 0 a 1\n"), 3)
	if cookies, errs := parseAll(iotest.OneByteReader(strings.NewReader(text))); len(cookies) != 3 || len(errs) != 0 {
		t.Error(cookies, errs)
	}
	why := errors.New("the disk is gone")
	cookies, errs := parseAll(io.MultiReader(strings.NewReader(text[:40]), iotest.ErrReader(why)))
	if len(cookies) != 1 || len(errs) != 1 || !errors.Is(errs[0], why) {
		t.Error(cookies, errs)
	}
	for range ParseNetscape(strings.NewReader(text)) {
		break // ends it
	}
}

func TestNetscapeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.txt")
	from := full(t, Options{SaveSession: true})
	if err := from.SaveNetscape(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := netscapeHead + tabs("#HttpOnly_.example.com TRUE /x TRUE {1000} all 'X\n"+
		"www.example.com FALSE /x;y FALSE {100000000000} host \n"+
		"www.example.com FALSE / FALSE 0 session 1\n"+
		"2001:db8::1 FALSE / FALSE {1003} six 1\n"+
		"example.com. FALSE /\u00e9 FALSE {1004} dot 1\n"+
		"a..b FALSE / FALSE {1005} odd 1\n"+
		"www.example.com FALSE / FALSE {66} short 1\n")
	want = strings.ReplaceAll(want, "'X", `"<&> \"`)
	for _, n := range []int64{100000000000, 1000, 1003, 1004, 1005, 66} {
		want = strings.ReplaceAll(want, fmt.Sprintf("{%d}", n), fmt.Sprint(noon.Unix()+n))
	}
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Error(info.Mode(), err)
	}

	to := newBench(t, Options{})
	to.set("http://www.example.com/", "session=old", "")
	to.set("http://www.example.com/", "kept=1", "")
	to.now = from.now
	if err := to.LoadNetscape(path); err != nil {
		t.Fatal(err)
	}
	same := func(j *bench) (list []Cookie) {
		for e := range j.All() {
			e.Expires, e.SameSite, e.HasSameSite = e.Expires.Truncate(time.Second), "", false
			list = append(list, e.Cookie)
		}
		return list
	}
	got := slices.DeleteFunc(same(to), func(c Cookie) bool { return c.Name == "kept" })
	if names := to.names(); names != "kept session all host six dot odd short" { // session was there before
		t.Error(names)
	}
	slices.SortFunc(got, func(a, b Cookie) int { return strings.Compare(a.Name, b.Name) })
	expected := same(from)
	slices.SortFunc(expected, func(a, b Cookie) int { return strings.Compare(a.Name, b.Name) })
	if !slices.Equal(got, expected) {
		t.Errorf("got  %+v\nwant %+v", got, expected)
	}

	// Session cookies end with the jar, unless it is told to keep them; what has expired does not come back.
	if err := to.SaveNetscape(path); err != nil {
		t.Fatal(err)
	}
	later := newBench(t, Options{})
	later.now = from.now.Add(5 * time.Minute)
	if err := later.LoadNetscape(path); err != nil || later.names() != "all host six dot odd" {
		t.Error(later.names(), err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

// A path with a tab would be two fields. No request has one.
func TestNetscapeLeavesOutTabs(t *testing.T) {
	b := newBench(t, Options{SaveSession: true})
	b.set("http://example.com/", "a=1; Path=/\tx", "")
	b.set("http://example.com/", "b=1", "")
	var text strings.Builder
	if err := b.WriteNetscape(&text); err != nil {
		t.Fatal(err)
	}
	if want := netscapeHead + tabs("example.com FALSE / FALSE 0 b 1\n"); text.String() != want {
		t.Errorf("%q", text.String())
	}
}

func TestLoadNetscapeFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cookies.txt")
	b := newBench(t, Options{})
	if err := os.WriteFile(path, []byte(tabs("example.com FALSE / FALSE 0 a 1\nexample.com FALSE\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	err := b.LoadNetscape(path)
	var file *FileError
	var line *LineError
	if !errors.As(err, &file) || file.Path != path || !errors.As(err, &line) || line.Line != 2 || b.Len() != 0 {
		t.Error(err, b.names())
	}
	if want := "okcookie: cookie file " + path + ": line 2: expected 7 fields between tabs, got 2"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := b.LoadNetscape(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Truncate(path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if err := b.LoadNetscape(path); !errors.As(err, &file) || !strings.Contains(file.Detail, "limit") {
		t.Error(err)
	}
	if err := b.SaveNetscape(filepath.Join(dir, "absent", "cookies")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := b.WriteNetscape(failing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Cookies that no server could set do not come in by a file, and the limits of the jar hold.
func TestLoadNetscapeKeepsTheRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.txt")
	var text strings.Builder
	for _, line := range []string{
		"co.uk TRUE / FALSE 0 suffix 1", "example.com TRUE / FALSE 0 __Host-a 1", "example.com FALSE / FALSE 0 __Secure-a 1", "example.com FALSE / FALSE 1 expired 1",
		"example.com FALSE / FALSE 0 large " + strings.Repeat("x", 5000), "example.com FALSE / FALSE 0 odd \u00e9",
	} {
		text.WriteString(tabs(line) + "\n")
	}
	for n := range 10 {
		fmt.Fprintf(&text, "h%d.example.com\tFALSE\t/\tFALSE\t0\tn%d\t1\n", n, n)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{}, "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9"},
		{Options{MaxCookies: math.MaxInt}, "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9"},
		{Options{MaxCookies: 3}, "n7 n8 n9"},
		{Options{MaxCookies: 1}, "n9"},
	} {
		b := newBench(t, tt.opt)
		if err := b.LoadNetscape(path); err != nil || b.names() != tt.want {
			t.Errorf("%+v: %s, %v", tt.opt, b.names(), err)
		}
	}
}

// Whatever comes, cookies are sound and read back as they were written, and nothing else is taken for a cookie.
func FuzzParseNetscape(f *testing.F) {
	f.Add(netscapeHead + tabs("#HttpOnly_.example.com TRUE / TRUE 1893456000 a b\nexample.com FALSE /x FALSE 0 c\r\n"))
	f.Add("\ufeff" + tabs("[::1]:80 FALSE / FALSE  a =\n127.0.0.1:1 TRUE / TRUE 99999999999999999999 b "))
	f.Add(tabs("#HttpOnly_ TRUE\n:80 x / FALSE 0 a 1\nexample.com TRUE x TRUE -1 a 1\n"))
	f.Fuzz(func(t *testing.T, text string) {
		line := 0
		for c, err := range ParseNetscape(strings.NewReader(text)) {
			if err != nil {
				var at *LineError
				if !errors.As(err, &at) || at.Line <= line || at.Line > strings.Count(text, "\n")+1 || c != (Cookie{}) || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
					t.Fatalf("%+v, %q", c, err)
				}
				line = at.Line
				continue
			}
			if made, err := NewCookie(c); err != nil || made != c {
				t.Fatalf("%+v becomes %+v, %v", c, made, err)
			}
			if strings.Contains(c.Path, "\t") {
				t.Fatalf("path %q", c.Path)
			}
			again, errs := parseAll(strings.NewReader(c.netscape()))
			if len(errs) != 0 || !slices.Equal(again, []Cookie{c}) {
				t.Fatalf("%q reads back as %+v, %v, want %+v", c.netscape(), again, errs, c)
			}
		}
	})
}
