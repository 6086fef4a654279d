package okio

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// logging records every path that goes in.
func logging(to FileSystem) (*ForwardingFileSystem, *[]string) {
	log := new([]string)
	return &ForwardingFileSystem{
		FileSystem: to,
		OnPathParameter: func(p Path, operation, parameter string) (Path, error) {
			*log = append(*log, fmt.Sprintf("%s(%s=%s)", operation, parameter, p))
			return p, nil
		},
	}, log
}

func TestForwardingParameters(t *testing.T) {
	p := ParsePath
	tests := []struct {
		want string
		do   func(f FileSystem) error
	}{
		{"canonicalize(path=/f)", func(f FileSystem) error { _, err := f.Canonicalize(p("/f")); return err }},
		{"metadata(path=/f)", func(f FileSystem) error { _, err := f.Metadata(p("/f")); return err }},
		{"list(dir=/d)", func(f FileSystem) error { _, err := f.List(p("/d")); return err }},
		{"openReadOnly(file=/f)", func(f FileSystem) error {
			h, err := f.OpenReadOnly(p("/f"))
			if err == nil {
				err = h.Close()
			}
			return err
		}},
		{"openReadWrite(file=/f)", func(f FileSystem) error {
			h, err := f.OpenReadWrite(p("/f"), MustExist)
			if err == nil {
				err = h.Close()
			}
			return err
		}},
		{"source(file=/f)", func(f FileSystem) error { _, err := readFile(f, "/f"); return err }},
		{"sink(file=/new)", func(f FileSystem) error {
			k, err := f.Sink(p("/new"), MustCreate)
			if err == nil {
				err = k.Close()
			}
			return err
		}},
		{"appending(file=/f)", func(f FileSystem) error {
			k, err := f.Appending(p("/f"), MustExist)
			if err == nil {
				err = k.Close()
			}
			return err
		}},
		{"createDirectory(dir=/e)", func(f FileSystem) error { return f.CreateDirectory(p("/e"), MustCreate) }},
		{"atomicMove(source=/f) atomicMove(target=/g)", func(f FileSystem) error { return f.AtomicMove(p("/f"), p("/g")) }},
		{"delete(path=/f)", func(f FileSystem) error { return f.Delete(p("/f"), MustExist) }},
		{"lockFile(file=/lock)", func(f FileSystem) error {
			lock, err := LockFile(f, p("/lock"))
			if err == nil {
				err = lock.Close()
			}
			return err
		}},
		{"syncDirectory(dir=/d)", func(f FileSystem) error { return SyncDirectory(f, p("/d")) }},
		{"createSymlink(source=/l) createSymlink(target=f)", func(f FileSystem) error { return f.CreateSymlink(p("/l"), p("f")) }},
	}
	for _, test := range tests {
		fake := unixFake()
		makeDirectory(t, fake, "/d")
		putFile(t, fake, "/f", "text")
		f, log := logging(fake)
		if err := test.do(f); err != nil {
			t.Errorf("%s: %v", test.want, err)
		}
		if got := strings.Join(*log, " "); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
		if err := test.do(ForwardingFileSystem{FileSystem: fake}); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s without functions: %v", test.want, err)
		}
		// A function that fails stops the operation.
		want := paths(fake.AllPaths())
		f.OnPathParameter = func(Path, string, string) (Path, error) { return Path{}, errTestFault }
		if err := test.do(f); err != errTestFault || paths(fake.AllPaths()) != want {
			t.Errorf("%s: got %v, paths %v", test.want, err, fake.AllPaths())
		}
		wantNoOpenFiles(t, fake)
	}
}

// Fact 139: what is made of the operations meets the functions step by step.
func TestForwardingCopy(t *testing.T) {
	fake := unixFake()
	putFile(t, fake, "/a", "text")
	f, log := logging(fake)
	if err := Copy(f, ParsePath("/a"), ParsePath("/b")); err != nil {
		t.Fatal(err)
	}
	opens := slices.DeleteFunc(*log, func(line string) bool { return strings.HasPrefix(line, "canonicalize(") })
	if got := strings.Join(opens, " "); got != "source(file=/a) sink(file=/b)" {
		t.Errorf("got %s", got)
	}
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// Fact 139: a file system whose names are spelled backwards.
func TestForwardingMapsAndSorts(t *testing.T) {
	fake := unixFake()
	reverse := func(p Path) (Path, error) {
		parent, ok := p.Parent()
		if !ok {
			return p, nil
		}
		return parent.Join("./" + reversed(p.Name())), nil
	}
	f := ForwardingFileSystem{
		FileSystem:      fake,
		OnPathParameter: func(p Path, _, _ string) (Path, error) { return reverse(p) },
		OnPathResult:    func(p Path, _ string) (Path, error) { return reverse(p) },
	}
	for _, name := range []string{"/az", "/by", "/cx"} {
		putFile(t, f, name, name)
	}
	if got := paths(fake.AllPaths()); got != "/xc /yb /za" {
		t.Errorf("beneath: %s", got)
	}
	list, err := f.List(ParsePath("/"))
	if err != nil || paths(list) != "/az /by /cx" {
		t.Errorf("got %v, %v", list, err)
	}
	full, err := f.Canonicalize(ParsePath("az"))
	if err != nil || full.String() != "/az" {
		t.Errorf("got %v, %v", full, err)
	}
	if err := f.CreateSymlink(ParsePath("/kl"), ParsePath("az")); err != nil {
		t.Fatal(err)
	}
	m, err := f.Metadata(ParsePath("/kl"))
	if err != nil || m.SymlinkTarget.String() != "az" || getFile(t, f, "/kl") != "/az" {
		t.Errorf("got %v, %v", m, err)
	}
	f.OnPathResult = func(Path, string) (Path, error) { return Path{}, errTestFault }
	_, listErr := f.List(ParsePath("/"))
	_, fullErr := f.Canonicalize(ParsePath("/az"))
	_, linkErr := f.Metadata(ParsePath("/kl"))
	if listErr != errTestFault || fullErr != errTestFault || linkErr != errTestFault {
		t.Errorf("got %v, %v, %v", listErr, fullErr, linkErr)
	}
}

// Fact 139.
func TestForwardingClose(t *testing.T) {
	fake := unixFake()
	if err := (ForwardingFileSystem{FileSystem: fake}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fake.List(ParsePath("/")); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// A refusingFS overrides one operation.
type refusingFS struct{ ForwardingFileSystem }

func (refusingFS) Delete(p Path, _ OpenMode) error { return pathErr("delete", p, fs.ErrPermission) }

func TestForwardingOverride(t *testing.T) {
	fake := unixFake()
	makeDirectory(t, fake, "/d")
	putFile(t, fake, "/d/f", "")
	f := refusingFS{ForwardingFileSystem{FileSystem: fake}}
	if err := DeleteRecursively(f, ParsePath("/d"), 0); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if got := paths(fake.AllPaths()); got != "/d /d/f" {
		t.Errorf("got %s", got)
	}
}
