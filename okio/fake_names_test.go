package okio

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestFakeRefusesNames(t *testing.T) {
	var plain, unix, windows FakeFileSystem
	unix.EmulateUnix()
	windows.AllowSymlinks = true
	windows.EmulateWindows()
	for _, test := range []struct{ name, nul, want string }{
		{name: "a\x00b", nul: `name has a NUL byte: "/a\x00b"`, want: `name has a NUL byte: "F:\\a\x00b"`},
		{name: "a\nb", want: `name has '\n', which Windows reserves: "a\nb"`},
		{name: "a<", want: `name has '<'`}, {name: "a>", want: `name has '>'`}, {name: `"a`, want: `name has '"'`}, {name: "a|b", want: `name has '|'`},
		{name: "a?", want: `name has '?'`}, {name: "*", want: `name has '*'`}, {name: "file:stream", want: `name has ':', which Windows reserves: "file:stream"`},
		{name: "CON", want: `name is that of the device CON on Windows: "CON"`}, {name: "prn", want: "device PRN"}, {name: "Aux.c", want: "device AUX"},
		{name: "nul.tar.gz", want: "device NUL"}, {name: "com1", want: "device COM1"}, {name: "LPT9 .txt", want: "device LPT9"},
		{name: "COM0"}, {name: "COM10"}, {name: "CONSOLE"}, {name: "x.con"}, {name: "a b."}, {name: "é😀"},
	} {
		for f, want := range map[*FakeFileSystem]string{&plain: test.nul, &unix: test.nul, &windows: test.want} {
			for _, p := range []Path{ParsePath("./" + test.name), ParsePath("d").child(test.name).Join("x")} {
				for i, err := range everyOperation(f, p) {
					if refused := errors.Is(err, fs.ErrInvalid) && strings.Contains(err.Error(), want); want != "" && p.Name() != "x" && !refused {
						t.Errorf("%q, operation %d: got %v, want %q", p, i, err, want)
					}
					if want == "" && err != nil && strings.Contains(err.Error(), "name ") || want != "" && !errors.Is(err, fs.ErrInvalid) {
						t.Errorf("%q, operation %d: got %v", p, i, err)
					}
				}
			}
			if f != &plain {
				err := f.CreateSymlink(ParsePath("link"), ParsePath("../d").child(test.name))
				if want == "" && err != nil || want != "" && !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("link to %q: got %v", test.name, err)
				}
				_ = f.Delete(ParsePath("link"), 0)
			}
		}
	}
	if err := windows.AfterCrash(CrashOptions{}).CreateDirectory(ParsePath("aux"), 0); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("after a crash: %v", err)
	}
	// What was made before is there until it is named.
	unix.SyncAll()
	putFile(t, &unix, "/a?", "")
	unix.EmulateWindows()
	if _, err := unix.Metadata(ParsePath("/a?")); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
	unix.EmulateUnix()
	if _, err := unix.Metadata(ParsePath("/a?")); err != nil {
		t.Error(err)
	}
}

func TestFakeWritesBack(t *testing.T) {
	const big = maxFakePendingBytes + 1
	var n fakeNode
	for range 1000 {
		n.write(fakeWrite{data: []byte("x")})
	}
	if len(n.pending) != 1000 || len(n.durableData) != 0 {
		t.Errorf("%d writes kept, %d bytes durable", len(n.pending), len(n.durableData))
	}
	n.write(fakeWrite{at: 0, data: make([]byte, big)}) // with all that came before it
	if len(n.pending) != 0 || n.pendingBytes != 0 || len(n.durableData) != big {
		t.Errorf("%d writes of %d bytes kept, %d bytes durable", len(n.pending), n.pendingBytes, len(n.durableData))
	}
	n = fakeNode{}
	half := make([]byte, maxFakePendingBytes/2)
	for i := range 3 {
		n.write(fakeWrite{at: int64(i * len(half)), data: half})
	}
	if len(n.pending) != 1 || n.pendingBytes != len(half) || len(n.durableData) != 2*len(half) {
		t.Errorf("%d writes of %d bytes kept, %d bytes durable", len(n.pending), n.pendingBytes, len(n.durableData))
	}
}
