package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestDispositionName(t *testing.T) {
	long := strings.Repeat("ä", 200)
	for _, c := range []struct{ value, want string }{
		{"", ""},
		{"attachment", ""},
		{"attachment; filename=", ""},
		{`attachment; filename=""`, ""},
		{`attachment; filename="a.txt"`, "a.txt"},
		{`ATTACHMENT; FILENAME="a.txt"`, "a.txt"},
		{`attachment;filename=a.txt`, "a.txt"},
		{`attachment;  filename = "a.txt" ; size=3`, "a.txt"},
		{`inline; filename="a.txt"`, "a.txt"},
		{`filename="a.txt"`, "a.txt"},
		{`attachment; size=3; filename="a;b=c.txt"`, "a;b=c.txt"},
		{`attachment; filename="say \"a\".txt"`, `say "a".txt`},
		{`attachment; filename="a.txt`, "a.txt"},
		{`attachment; filename=our report.txt; size=3`, "our report.txt"},
		{`attachment; filename="a.txt"; filename="b.txt"`, "a.txt"},
		{`attachment; xfilename=a.txt`, ""},

		// The extended parameter goes before the plain one, wherever it stands, if it can be read (RFC 6266 section 4.3).
		{`attachment; filename="EURO.txt"; filename*=UTF-8''%e2%82%AC.txt`, "€.txt"},
		{`attachment; filename*=utf-8'en'%e2%82%ac%20rates; filename="EURO.txt"`, "€ rates"},
		{`attachment; filename*=ISO-8859-1''%e4.txt`, "ä.txt"},
		{`attachment; filename*="UTF-8''a.txt"`, "a.txt"},
		{`attachment; filename="a.txt"; filename*=UTF-8''%e4.txt`, "a.txt"},
		{`attachment; filename="a.txt"; filename*=UTF-8''b%2`, "a.txt"},
		{`attachment; filename="a.txt"; filename*=UTF-8''b%zz`, "a.txt"},
		{`attachment; filename="a.txt"; filename*=KOI8-R''b`, "a.txt"},
		{`attachment; filename="a.txt"; filename*=b.txt`, "a.txt"},
		{`attachment; filename="a.txt"; filename*=UTF-8''..`, "a.txt"},

		// The plain one is as it is, whatever it may mean.
		{`attachment; filename="a%20b.txt"`, "a%20b.txt"},
		{`attachment; filename="ä.txt"`, "ä.txt"},
		{"attachment; filename=\"\xe4.txt\"", "ä.txt"},
		{`attachment; filename="=?UTF-8?Q?a?="`, "=?UTF-8?Q?a?="},

		// It leads nowhere and hides nothing.
		{`attachment; filename="/etc/passwd"`, "passwd"},
		{`attachment; filename="../../a.txt"`, "a.txt"},
		{`attachment; filename="C:\temp\a.txt"`, "a.txt"},
		{`attachment; filename="\\\\host\\share\\a.txt"`, "a.txt"},
		{`attachment; filename*=UTF-8''..%2fa.txt`, "a.txt"},
		{`attachment; filename*=UTF-8''..%5ca.txt`, "a.txt"},
		{`attachment; filename=".."`, ""},
		{`attachment; filename="."`, ""},
		{`attachment; filename="..."`, ""},
		{`attachment; filename="a/"`, ""},
		{`attachment; filename=" "`, ""},
		{`attachment; filename=".bashrc"`, "_bashrc"},
		{`attachment; filename="-rf"`, "_rf"},
		{`attachment; filename="~root"`, "_root"},
		{`attachment; filename*=UTF-8''a%00%1b%5b2J%0a.txt`, "a__[2J_.txt"},
		{`attachment; filename*=UTF-8''gpj%e2%80%ae.exe`, "gpj_.exe"},
		{`attachment; filename="` + long + `.txt"`, long[:250] + ".txt"},
		{`attachment; filename="` + long + "." + long + `"`, long[:254]},
	} {
		if got := dispositionName(c.value); got != c.want {
			t.Errorf("%s: %q, want %q", c.value, got, c.want)
		}
	}
}

func FuzzDispositionName(f *testing.F) {
	f.Add(`attachment; filename="a;b.txt"; filename*=UTF-8''%e2%82%ac.txt`)
	f.Add(`attachment; filename="..\..\a\"b`)
	f.Add(`inline; filename*=iso-8859-1'en'%e4%2f..`)
	f.Fuzz(func(t *testing.T, value string) {
		name := dispositionName(value)
		if name == "" {
			return
		}
		if !filepath.IsLocal(name) || filepath.Base(name) != name || strings.ContainsAny(name, `/\`) || strings.IndexByte(".-~", name[0]) >= 0 ||
			len(name) > longestName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			t.Errorf("%q: %q", value, name)
		}
	})
}
