package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The reference has a page for each package that users import, with what it exports, and none for what they cannot.
func TestReference(t *testing.T) {
	w, err := Open(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range w.Modules {
		if !m.Product() {
			continue
		}
		pages, err := w.pagesOf(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pages {
			names = append(names, p.file())
			text := string(p.render(nil))
			if strings.Contains(text, "{{") && !strings.Contains(text, "```") {
				t.Errorf("%s: braces outside of code", p.file())
			}
			if p.file() != "okhttp" {
				continue
			}
			for _, want := range []string{"# okhttp\n", "## Client {#Client}", "### Client.Get {#Client.Get}", "### New {#New}", "[WithRetryPolicy](#WithRetryPolicy)", "::: details Example", `<a id="ErrCanceled"></a>`} {
				if !strings.Contains(text, want) {
					t.Errorf("the page of okhttp lacks %q", want)
				}
			}
		}
	}
	all := " " + strings.Join(names, " ") + " "
	for _, want := range []string{"okio", "okhttp", "okhttp-okcookie", "okhttp-http2", "okhttp-brotli", "mockserver", "okhttp-cache-disklru"} {
		if !strings.Contains(all, " "+want+" ") {
			t.Errorf("no page of %s, only%s", want, all)
		}
	}
	if strings.Contains(all, "internal") || strings.Contains(all, "testdata") {
		t.Errorf("pages of%s", all)
	}
}

// A package without documentation is an error that names it; a command has no page.
func TestReferenceOfOthers(t *testing.T) {
	for _, tt := range []struct{ code, fault string }{
		{"package x\n", "reference: package example.org/x has no documentation"},
		{"// X is a command.\npackage main\n", ""},
		{"package x_test\n", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(tt.code), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := packageIn(dir, "example.org/x")
		if p != nil || err == nil != (tt.fault == "") || err != nil && err.Error() != tt.fault {
			t.Errorf("%q: %v, %v", tt.code, p, err)
		}
	}
}
