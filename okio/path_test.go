package okio

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPathParsing(t *testing.T) {
	for _, test := range []struct{ in, raw, clean string }{
		{"/a//", "/a", "/a"},
		{"//a", "/a", "/a"},
		{"", ".", "."},
		{".", ".", "."},
		{"./", ".", "."},
		{"/", "/", "/"},
		{"///", "/", "/"},
		{`\`, `\`, `\`},
		{"a/./b/.", "a/b", "a/b"},
		{"a/../..", "a/../..", ".."},
		{"/../a/../b", "/a/../b", "/b"},
		{"/..", "/", "/"},
		{"..", "..", ".."},
		{"a/..", "a/..", "."},
		{"a/../../../b/../c", "a/../../../b/../c", "../../c"},
		{"/a/.../b", "/a/.../b", "/a/.../b"},
		// The first slash decides.
		{`a/b\c`, "a/b/c", "a/b/c"},
		{`a\b/c`, `a\b\c`, `a\b\c`},
		{`\a/b`, `\a\b`, `\a\b`},
		{`/\a\b`, "/a/b", "/a/b"},
		// Volumes.
		{`C:\`, `C:\`, `C:\`},
		{`C:\\Windows\`, `C:\Windows`, `C:\Windows`},
		{`C:\Windows/system32`, `C:\Windows\system32`, `C:\Windows\system32`},
		{`C:\..\x`, `C:\x`, `C:\x`},
		{`C:\x\..\..\y`, `C:\x\..\..\y`, `C:\y`},
		{`C:..\z`, "C:z", "C:z"},
		{`C:x\y\..\..\..\z`, `C:x\y\..\..\..\z`, "C:z"},
		{"C:", "C:", "C:"},
		{"C:.", "C:", "C:"},
		{"c:x", "c:x", "c:x"},
		{"C:/Windows", "C:/Windows", "C:/Windows"},
		{"1:x", "1:x", "1:x"},
		// What would become a volume by accident does not.
		{`.\C:\x`, `.\C:\x`, `.\C:\x`},
		{`a\..\C:\x`, `a\..\C:\x`, `.\C:\x`},
		{"./C:", "./C:", "./C:"},
		{"./C:/x", "C:/x", "C:/x"},
		{"a/../C:", "a/../C:", "./C:"},
		// Servers.
		{`\\`, `\\`, `\\`},
		{`\\server`, `\\server`, `\\server`},
		{`\\server\..`, `\\server\..`, `\\server`},
		{`\\..\server`, `\\server`, `\\server`},
		{`\/server\share/x`, `\\server\share\x`, `\\server\share\x`},
		{`\\127.0.0.1\..\localhost\c$\Windows`, `\\127.0.0.1\..\localhost\c$\Windows`, `\\127.0.0.1\localhost\c$\Windows`},
		{`\\127.0.0.1\c$\..\d$`, `\\127.0.0.1\c$\..\d$`, `\\127.0.0.1\d$`},
	} {
		raw, clean := ParsePath(test.in), ParsePathClean(test.in)
		if raw.String() != test.raw || clean.String() != test.clean {
			t.Errorf("%q: %q and %q, want %q and %q", test.in, raw, clean, test.raw, test.clean)
		}
		if raw.Clean() != clean {
			t.Errorf("%q: cleaned later %q, want %q", test.in, raw.Clean(), clean)
		}
		for _, p := range []Path{raw, clean} {
			if again := ParsePath(p.String()); again != p {
				t.Errorf("%q: parsed again %q", p, again)
			}
		}
	}
	if (Path{}) != ParsePath(".") || (Path{}).String() != "." {
		t.Error("the zero Path is not .")
	}
}

func TestPathProperties(t *testing.T) {
	const none = "none"
	for _, test := range []struct {
		in, root, volume, name, parent string
		segments                       []string
	}{
		{".", none, none, ".", none, []string{"."}},
		{"..", none, none, "..", none, []string{".."}},
		{"../../..", none, none, "..", none, []string{"..", "..", ".."}},
		{"../../project/x", none, none, "x", "../../project", []string{"..", "..", "project", "x"}},
		{"a", none, none, "a", ".", []string{"a"}},
		{"a/b", none, none, "b", "a", []string{"a", "b"}},
		{"a/..", none, none, "..", none, []string{"a", ".."}},
		{"../a", none, none, "a", "..", []string{"..", "a"}},
		{"/", "/", none, "", none, nil},
		{"/a", "/", none, "a", "/", []string{"a"}},
		{"/a/b", "/", none, "b", "/a", []string{"a", "b"}},
		{"/a/..", "/", none, "..", none, []string{"a", ".."}},
		{`\`, `\`, none, "", none, nil},
		{`\a`, `\`, none, "a", `\`, []string{"a"}},
		{`a\b`, none, none, "b", "a", []string{"a", "b"}},
		{`C:\`, `C:\`, "C", "", none, nil},
		{`C:\Windows`, `C:\`, "C", "Windows", `C:\`, []string{"Windows"}},
		{`C:\Windows\notepad.exe`, `C:\`, "C", "notepad.exe", `C:\Windows`, []string{"Windows", "notepad.exe"}},
		{"C:", none, "C", "", none, []string{"C:"}},
		{"C:x", none, "C", "C:x", "C:", []string{"C:x"}},
		{`z:x\y`, none, "z", "y", "z:x", []string{"z:x", "y"}},
		{"C:/x", none, none, "x", "./C:", []string{"C:", "x"}},
		{"./C:", none, none, "C:", ".", []string{"C:"}},
		{`\\`, `\\`, none, "", none, nil},
		{`\\server`, `\\server`, none, "server", none, nil},
		{`\\server\p`, `\\server`, none, "p", `\\server`, []string{"p"}},
		{`\\server\p\q`, `\\server`, none, "q", `\\server\p`, []string{"p", "q"}},
	} {
		p := ParsePath(test.in)
		root, parent, volume := none, none, none
		if r, ok := p.Root(); ok {
			root = r.String()
		}
		if p.IsAbs() != (root != none) {
			t.Errorf("%q: absolute: %v, root %q", test.in, p.IsAbs(), root)
		}
		if up, ok := p.Parent(); ok {
			parent = up.String()
		}
		if v, ok := p.Volume(); ok {
			volume = string(rune(v))
		}
		if root != test.root || parent != test.parent || volume != test.volume || p.Name() != test.name || !slices.Equal(p.Segments(), test.segments) {
			t.Errorf("%q: root %q, volume %s, name %q, parent %q, segments %q", test.in, root, volume, p.Name(), parent, p.Segments())
		}
	}
}

func TestPathJoin(t *testing.T) {
	host := string(filepath.Separator)
	for _, test := range []struct{ dir, child, want string }{
		{`C:\Windows`, `\Users`, `\Users`},
		{"/base", "/home", "/home"},
		{"/base", "home", "/base/home"},
		{".", "home", "home"},
		{"home", ".", "home"},
		{"home", "", "home"},
		{".", ".", "."},
		{"/", "a/b", "/a/b"},
		{"/", "..", "/"},
		{"/a", "../b", "/a/../b"},
		{"a/b", `c\d`, "a/b/c/d"},
		{"a", `c\d`, `a\c\d`},
		{"a", "c/d", "a/c/d"},
		{"a", "b", "a" + host + "b"},
		{"a", "C:x", "C:x"},
		{"a", "./C:x", "a/C:x"},
		{"/a", `C:\x`, `C:\x`},
		{"/a", `\\server`, `\\server`},
		{`C:\`, "x/y", `C:\x\y`},
		{"C:", "x", "C:x"},
		{"C:x", "y", `C:x\y`},
		{`\\server`, "share", `\\server\share`},
	} {
		if got := ParsePath(test.dir).Join(test.child); got.String() != test.want {
			t.Errorf("%q join %q: %q, want %q", test.dir, test.child, got, test.want)
		}
	}
	child := ParsePathClean("/a/./b")
	if got := ParsePath("x").Resolve(child); got != child {
		t.Errorf("resolved an absolute path: %q", got)
	}
}

func TestPathRelativeTo(t *testing.T) {
	const roots, impossible = "different roots cannot be relative to each other", "impossible relative path to resolve"
	for _, test := range []struct{ path, base, want string }{
		{"/Admin/Secret", "/Users/jesse/hello.txt", "../../../Admin/Secret"},
		{"/Users/jesse/hello.txt", "/Admin/Secret", "../../Users/jesse/hello.txt"},
		{"/Users/jesse/hello.txt", "/", "Users/jesse/hello.txt"},
		{"/", "/Users", ".."},
		{"/", "/", "."},
		{"a/b", "a/b", "."},
		{"a/b", "a", "b"},
		{"a", "a/b", ".."},
		{"a/b", "a/c", "../b"},
		{"a", ".", "a"},
		{".", "a", ".."},
		{"../a", ".", "../a"},
		{".", ".", "."},
		{"../../resumes", "../../../taxes", impossible},
		{"../../../taxes", "../../resumes", "../../taxes"},
		{"a", "..", impossible},
		{".", "..", impossible},
		{"a/../b", "a", "../b"},
		{"b", "a/../c", impossible},
		{`C:\Windows`, `D:\Windows`, roots},
		{`C:\Windows`, `C:\Users\jesse`, `..\..\Windows`},
		{`C:x`, `C:y`, `..\x`},
		{`C:x`, `D:x`, roots},
		{`C:x`, `C:\x`, roots},
		{`C:x`, "a", roots},
		{"/a", "a", roots},
		{"a", "/a", roots},
		{"/a", `\a`, roots},
		{"/a", ".", roots},
		{`\\server\a`, `\\server\b`, `..\a`},
		{`\\server\a`, `\\other\a`, roots},
		{`\\server\a`, `\\server`, `a`},
		{`x\C:\y`, "x", `.\C:\y`},
		{"/x/C:", "/x", "./C:"},
	} {
		p, base := ParsePath(test.path), ParsePath(test.base)
		got, err := p.RelativeTo(base)
		if test.want == roots || test.want == impossible {
			var typed *RelativePathError
			if !errors.As(err, &typed) || typed.Path != p || typed.Base != base || !strings.HasSuffix(err.Error(), test.want+": "+p.String()+" and "+base.String()) {
				t.Errorf("%q relative to %q: %q, %v, want %q", test.path, test.base, got, err, test.want)
			}
			continue
		}
		if err != nil || got.String() != test.want {
			t.Errorf("%q relative to %q: %q, %v, want %q", test.path, test.base, got, err, test.want)
		}
		if back := base.Resolve(got).Clean(); back != p.Clean() {
			t.Errorf("%q relative to %q is %q, which leads to %q", test.path, test.base, got, back)
		}
	}
}

func TestPathOrder(t *testing.T) {
	paths := []Path{ParsePath("b"), ParsePath(`a\b`), ParsePath("a/b"), ParsePath("A"), ParsePath("."), ParsePath("/"), ParsePath("a"), ParsePath("é"), ParsePath("-")}
	slices.SortFunc(paths, Path.Compare)
	var got []string
	for _, p := range paths {
		got = append(got, p.String())
	}
	if want := []string{"-", ".", "/", "A", "a", "a/b", `a\b`, "b", "é"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if ParsePath("a/b") == ParsePath(`a\b`) || ParsePath("a//b/.") != ParsePath("a/b") {
		t.Error("equality is not that of the text")
	}
}

func TestPathOfUnixNames(t *testing.T) {
	for _, test := range []struct {
		name, want string
		parts      []string
	}{
		{"/a/b", "/a/b", []string{"a", "b"}},
		{`/a\b/c:d`, `/a\b/c:d`, []string{`a\b`, "c:d"}},
		{`a\b`, `./a\b`, []string{`a\b`}},
		{"c:d", "./c:d", []string{"c:d"}},
		{`c:\d/e`, `./c:\d/e`, []string{`c:\d`, "e"}},
		{"./x//y/", "x/y", []string{"x", "y"}},
	} {
		p := unixPath(test.name)
		if p.String() != test.want || !slices.Equal(p.Segments(), test.parts) || p.Name() != test.parts[len(test.parts)-1] {
			t.Errorf("%q: %q, segments %q, name %q", test.name, p, p.Segments(), p.Name())
		}
		if host, err := hostName(p, '/'); err != nil || filepath.ToSlash(filepath.Clean(host)) != filepath.ToSlash(filepath.Clean(test.name)) {
			t.Errorf("%q: back on the host %q, %v", test.name, host, err)
		}
		if moved := ParsePath("/x").Resolve(p); !slices.Equal(moved.Segments()[1:], test.parts) && test.name[0] != '/' {
			t.Errorf("%q resolved: %q", test.name, moved)
		}
		if p.Clean() != p {
			t.Errorf("%q cleaned: %q", test.name, p.Clean())
		}
	}
	for _, test := range []struct{ dir, name, want string }{
		{".", "a", "a"},
		{"d", `a\b`, `d/a\b`},
		{`d\e`, `a\b`, `d/e/a\b`},
		{`\d`, `a\b`, `/d/a\b`},
		{`d\e`, "a", `d\e\a`},
		{`C:\`, "a", `C:\a`},
		{".", "c:a", "./c:a"},
	} {
		if got := ParsePath(test.dir).child(test.name); filepath.ToSlash(got.String()) != filepath.ToSlash(test.want) {
			t.Errorf("child %q of %q: %q, want %q", test.name, test.dir, got, test.want)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, seed := range [][2]string{
		{"/a/b/../c", "/a/d"}, {`C:\x`, `C:y\..\z`}, {`\\server\share\..`, `\\server\x`}, {"../..", "../../../a"}, {`x\C:\y`, "x"}, {"C:", "C:x"},
		{`a\..\C:`, "./C:"}, {`\\?\C:\x`, `\\?\UNC\h\s\..`}, {`\\.\COM1`, `\\..\?\C:`}, {"", "."}, {`\/..`, "//.."}, {"a:/b", `a:\b`}, {`.\.\a`, "é\x00\xff/b"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, as, bs string) {
		a, b := ParsePath(as), ParsePath(bs)
		for _, p := range []Path{a, b, a.Clean(), b.Clean(), a.Resolve(b), b.Resolve(a)} {
			checkPathLaws(t, p)
		}
		if ParsePathClean(as) != a.Clean() {
			t.Errorf("%q: cleaned while parsing %q, later %q", as, ParsePathClean(as), a.Clean())
		}
		if (a.Compare(b) == 0) != (a == b) || a.Compare(b) != -b.Compare(a) {
			t.Errorf("%q and %q compare as %d, %d", a, b, a.Compare(b), b.Compare(a))
		}
		way, err := b.RelativeTo(a)
		if err != nil {
			return
		}
		checkPathLaws(t, way)
		if way.IsAbs() && !b.IsAbs() {
			t.Errorf("%q relative to %q is %q", b, a, way)
		}
		// Two relative paths may have different slashes, which joining evens out.
		even := func(p Path) string { return strings.TrimPrefix(strings.ReplaceAll(p.Clean().String(), `\`, "/"), "./") }
		if got := a.Resolve(way); even(got) != even(b) || a.slash() == b.slash() && got.Clean() != b.Clean() {
			t.Errorf("%q relative to %q is %q, which leads to %q, not %q", b, a, way, got.Clean(), b.Clean())
		}
	})
}

func checkPathLaws(t *testing.T, p Path) {
	t.Helper()
	if again := ParsePath(p.String()); again != p {
		t.Errorf("%q parses as %q", p, again)
	}
	clean := p.Clean()
	if clean.Clean() != clean {
		t.Errorf("%q cleans to %q, and that to %q", p, clean, clean.Clean())
	}
	if clean.IsAbs() != p.IsAbs() {
		t.Errorf("%q cleans to %q", p, clean)
	}
	if root, ok := p.Root(); ok {
		if again, ok := root.Root(); !ok || again != root || !strings.HasPrefix(p.String(), root.String()) {
			t.Errorf("%q has the root %q, which has %q", p, root, again)
		}
		if rest, err := p.RelativeTo(root); err != nil || root.Resolve(rest) != p {
			t.Errorf("%q behind its root %q: %q, %v", p, root, rest, err)
		}
	} else if p.IsAbs() {
		t.Errorf("%q is absolute and has no root", p)
	}
	if parent, ok := p.Parent(); ok {
		if len(parent.String()) >= len(p.String()) && parent.s != "" && !strings.HasPrefix(parent.s, ".") {
			t.Errorf("%q has the parent %q", p, parent)
		}
		if name := p.Name(); parent.slash() == p.slash() && parent.child(name) != p && !strings.Contains(name, ":") {
			t.Errorf("%q is not %q in %q", p, name, parent)
		}
	}
}

// Join has a short way, which must lead where the long one does.
func TestJoinIsResolve(t *testing.T) {
	names := []string{"", ".", "..", "a", "a.b", ".a", "..a", "a/b", `a\b`, "c:", "c:a", "/a", `\a`, "a:", "a/", "x y", "\x00", "é"}
	for _, dir := range append(names, "/", "/a", "/a/b", "/..", `C:\`, `C:\a`, "C:", `\\server`, `\\server\share`, "./c:a", `\`, "//a", "/c:") {
		for _, name := range names {
			p := ParsePath(dir)
			if got, want := p.Join(name), p.Resolve(ParsePath(name)); got != want {
				t.Errorf("%q joined with %q is %q, want %q", dir, name, got.s, want.s)
			}
		}
	}
}
