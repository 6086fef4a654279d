package okio

import (
	"errors"
	"io/fs"
	"testing"
)

// fsOpenRegular is a part of testFileSystem.
func fsOpenRegular(tc *fsTest) {
	tc.write("file", "text")
	h, size, err := OpenRegular(tc.f, tc.path("file"))
	tc.ok(err)
	var b [4]byte
	if n, err := h.ReadAt(b[:], 0); n != 4 || err != nil || string(b[:]) != "text" || size != 4 {
		tc.Errorf("got %d bytes, %v, %q, size %d", n, err, b, size)
	}
	if _, err := h.WriteAt(b[:], 0); !errors.Is(err, ErrReadOnly) {
		tc.Errorf("WriteAt: got %v", err)
	}
	tc.ok(h.Close())
	_, _, err = OpenRegular(tc.f, tc.path("absent"))
	tc.wantIs(err, fs.ErrNotExist)
	tc.mkdir("dir")
	_, _, err = OpenRegular(tc.f, tc.path("dir"))
	tc.wantIs(err, ErrNotRegular)
	if tc.caps.symlinks {
		for _, target := range []string{"file", "dir", "absent", "link"} {
			tc.ok(tc.f.Delete(tc.path("link"), 0))
			tc.ok(tc.f.CreateSymlink(tc.path("link"), ParsePath(target)))
			_, _, err = OpenRegular(tc.f, tc.path("link"))
			tc.wantIs(err, ErrNotRegular)
		}
	}
}

func TestOpenRegularOfForwarding(t *testing.T) {
	fake := unixFake()
	putFile(t, fake, "/f", "text")
	f, log := logging(fake)
	h, size, err := OpenRegular(f, ParsePath("/f"))
	if err != nil || size != 4 || len(*log) != 2 {
		t.Fatalf("got %v, size %d, log %v", err, size, *log)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
