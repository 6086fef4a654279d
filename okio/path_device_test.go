package okio

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"testing"
)

func TestPathOfDevices(t *testing.T) {
	for _, test := range []struct {
		in, raw, clean, root, parent string
		segments                     []string
	}{
		{`\\.\COM1`, `\\.\COM1`, `\\.\COM1`, `\\.\COM1`, "none", nil},
		{`\\.\pipe\x`, `\\.\pipe\x`, `\\.\pipe\x`, `\\.\pipe`, `\\.\pipe`, []string{"x"}},
		{`\\.\pipe\..\..\x`, `\\.\pipe\..\..\x`, `\\.\pipe\x`, `\\.\pipe`, `\\.\pipe\..\..`, []string{"..", "..", "x"}},
		{`\\.\..\COM1`, `\\.\COM1`, `\\.\COM1`, `\\.\COM1`, "none", nil},
		{`\\.\C:`, `\\.\C:`, `\\.\C:`, `\\.\C:`, "none", nil},
		{`\\./COM1/`, `\\.\COM1`, `\\.\COM1`, `\\.\COM1`, "none", nil},
		{`\\.`, `\\.\`, `\\.\`, `\\.\`, "none", nil},
		{`\\..\.\server\x`, `\\server\x`, `\\server\x`, `\\server`, `\\server`, []string{"x"}},
		{`\\.a\x`, `\\.a\x`, `\\.a\x`, `\\.a`, `\\.a`, []string{"x"}},
		{`\\?\C:\..\..\x`, `\\?\C:\x`, `\\?\C:\x`, `\\?\C:\`, `\\?\C:\`, []string{"x"}},
		{`\\?\C:\a\..\..\x`, `\\?\C:\a\..\..\x`, `\\?\C:\x`, `\\?\C:\`, `\\?\C:\a\..\..`, []string{"a", "..", "..", "x"}},
		{`\\?\c:`, `\\?\c:\`, `\\?\c:\`, `\\?\c:\`, "none", nil},
		{`\\?\C:/`, `\\?\C:\`, `\\?\C:\`, `\\?\C:\`, "none", nil},
		{`\\?\C:x\y`, `\\?\C:x\y`, `\\?\C:x\y`, `\\?\C:x`, `\\?\C:x`, []string{"y"}},
		{`\\..\?\..\C:\..\x`, `\\?\C:\x`, `\\?\C:\x`, `\\?\C:\`, `\\?\C:\`, []string{"x"}},
		{`\\?`, `\\?\`, `\\?\`, `\\?\`, "none", nil},
		{`\\?\UNC\h\s\..\x`, `\\?\UNC\h\s\..\x`, `\\?\UNC\h\s\x`, `\\?\UNC\h\s`, `\\?\UNC\h\s\..`, []string{"..", "x"}},
		{`\\?\unc\h\..\s\a\b`, `\\?\unc\h\s\a\b`, `\\?\unc\h\s\a\b`, `\\?\unc\h\s`, `\\?\unc\h\s\a`, []string{"a", "b"}},
		{`\\?\UNC\h`, `\\?\UNC\h`, `\\?\UNC\h`, `\\?\UNC\h`, "none", nil},
		{`\\?\Volume{1}\..\x`, `\\?\Volume{1}\..\x`, `\\?\Volume{1}\x`, `\\?\Volume{1}`, `\\?\Volume{1}\..`, []string{"..", "x"}},
		// Not a root of Windows.
		{`//?/C:/..`, `/?/C:/..`, "/?", "/", "none", []string{"?", "C:", ".."}},
		{`?\C:\..`, `?\C:\..`, "?", "none", "none", []string{"?", "C:", ".."}},
	} {
		raw, clean := ParsePath(test.in), ParsePathClean(test.in)
		root, parent := "none", "none"
		if r, ok := raw.Root(); ok {
			root = r.String()
		}
		if up, ok := raw.Parent(); ok {
			parent = up.String()
		}
		if raw.String() != test.raw || clean.String() != test.clean || raw.Clean() != clean || root != test.root || parent != test.parent {
			t.Errorf("%q: %q, clean %q and %q, root %q, parent %q", test.in, raw, clean, raw.Clean(), root, parent)
		}
		if got := raw.Segments(); !slices.Equal(got, test.segments) {
			t.Errorf("%q: segments %q", test.in, got)
		}
		for _, p := range []Path{raw, clean} {
			checkPathLaws(t, p)
		}
	}
	for _, test := range []struct{ dir, child, want string }{
		{`\\?\C:\`, "a", `\\?\C:\a`}, {`\\?\C:\a`, `..\..\b`, `\\?\C:\a\..\..\b`}, {`\\?\`, `.\C:`, `\\?\C:\`}, {`\\`, `?\C:`, `\\?\C:\`}, {`\\.\pipe`, "x/y", `\\.\pipe\x\y`},
		{"/a", `\\?\C:\x`, `\\?\C:\x`},
	} {
		if got := ParsePath(test.dir).Join(test.child); got.String() != test.want {
			t.Errorf("%q join %q: %q, want %q", test.dir, test.child, got, test.want)
		}
	}
	for _, test := range []struct{ path, base, want string }{
		{`\\?\C:\a\b`, `\\?\C:\c`, `..\a\b`}, {`\\?\UNC\h\s\a`, `\\?\UNC\h\s`, "a"}, {`\\?\C:\a`, `\\?\D:\a`, ""}, {`\\?\C:\a`, `C:\a`, ""},
		{`\\?\UNC\h\s\a`, `\\?\UNC\h\t\a`, ""}, {`\\.\pipe\a`, `\\?\pipe\a`, ""},
	} {
		got, err := ParsePath(test.path).RelativeTo(ParsePath(test.base))
		if test.want == "" && err == nil || test.want != "" && (err != nil || got.String() != test.want) {
			t.Errorf("%q relative to %q: %q, %v", test.path, test.base, got, err)
		}
	}
	if runtime.GOOS != "windows" {
		for _, p := range []string{`\\.\COM1`, `\\?\C:\x`} {
			if _, err := OS().Metadata(ParsePath(p)); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
}
