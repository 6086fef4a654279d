package okio

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// Many entries that are one and the same data, or a part of each other's, are how a small archive has more contents than any disk.
func TestZipRefusesOverlaps(t *testing.T) {
	const header = zipLocalSize + 1 // with a name of one byte
	shared := (&zipBuilder{}).add(zipFile{name: "0", data: "text"})
	for i := range 1000 {
		shared.add(zipFile{name: fmt.Sprint(i + 10), data: "text", offset: header + 4})
	}
	tests := []struct {
		name    string
		archive []byte
		want    string
	}{
		{"a thousand on one header", shared.bytes(), `entry "11": bad zip: its place at 35 overlaps that of entry "10" at 35`},
		{"data into the next header", (&zipBuilder{}).add(zipFile{name: "a", data: "text", compressed: 5}).add(zipFile{name: "b"}).bytes(),
			`entry "b": bad zip: its place at 35 overlaps that of entry "a" at 0`},
		{"over all the rest", (&zipBuilder{}).add(zipFile{name: "a", data: "text", compressed: 30}).add(zipFile{name: "b"}).add(zipFile{name: "c"}).bytes(), `overlaps that of entry "a" at 0`},
		{"a header within a header", (&zipBuilder{}).add(zipFile{name: "a", data: "text"}).add(zipFile{name: "b", offset: 20}).bytes(), `overlaps that of entry "a" at 0`},
		{"a header within data", (&zipBuilder{}).add(zipFile{name: "a", data: "text"}).add(zipFile{name: "b", offset: header + 3}).bytes(), `overlaps that of entry "a" at 0`},
		{"against the order", (&zipBuilder{}).add(zipFile{name: "z"}).add(zipFile{name: "a", data: "x", offset: header + header + 3}).add(zipFile{name: "b", data: "text", offset: header}).bytes(),
			`entry "a": bad zip: its place at 65 overlaps that of entry "b" at 31`},
	}
	for _, test := range tests {
		_, fake, err := openZipBytes(t, test.archive)
		if _, ok := errors.AsType[*ZipError](err); !ok || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
		wantNoOpenFiles(t, fake)
	}
}

// What only the local headers say is found when these are read.
func TestZipLocalHeadersThatLie(t *testing.T) {
	for _, test := range []struct{ archive, want string }{
		{string((&zipBuilder{}).add(zipFile{name: "a", data: "text", localName: "b"}).bytes()), `entry "a": bad zip: the local file header names it "b"`},
		{string((&zipBuilder{}).add(zipFile{name: "a", data: "text", localName: "a/"}).bytes()), `the local file header names it "a/"`},
		// The extra field moves the data into the next entry.
		{string(corrupt((&zipBuilder{}).add(zipFile{name: "a", data: "text"}).add(zipFile{name: "b"}).bytes(), 28, "\x01")),
			`entry "a": bad zip: 4 bytes of data at 32 reach into what begins at 35`},
	} {
		z, fake := mustZip(t, []byte(test.archive))
		_, metadataErr := z.Metadata(ParsePath("/a"))
		_, sourceErr := z.Source(ParsePath("/a"))
		for _, err := range []error{metadataErr, sourceErr} {
			if _, ok := errors.AsType[*ZipError](err); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		}
		wantNoOpenFiles(t, fake)
	}
}

// Neither gaps nor the order matter, and a name that comes again means the later entry.
func TestZipEntriesInAnyPlace(t *testing.T) {
	b := &zipBuilder{}
	b.add(zipFile{name: "z", data: "first"})
	b.data = append(b.data, "something else"...)
	second := len(b.data)
	b.add(zipFile{name: "a", data: "second"}).add(zipFile{name: "z", data: "third", localExtra: zipExtraField(9, "x")})
	z, fake := mustZip(t, b.bytes())
	if got := walked(t, z); got != "/a /z" {
		t.Error(got)
	}
	if a, z := getFile(t, z, "/a"), getFile(t, z, "/z"); a != "second" || z != "third" {
		t.Errorf("%q and %q, the second at %d", a, z, second)
	}
	wantNoOpenFiles(t, fake)
}

func TestZipSourceOfNothingAfterTheEnd(t *testing.T) {
	z, _ := mustZip(t, (&zipBuilder{}).add(zipFile{name: "a", data: "text"}).bytes())
	s := must[Source](t)(z.Source(ParsePath("/a")))
	defer s.Close()
	var b Buffer
	for {
		if _, err := s.ReadBuffer(&b, 10); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.ReadBuffer(&b, 0); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.ReadBuffer(&b, 1); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
}

// A name implies a directory with every two of its bytes.
func TestZipImpliedDirectoriesInMemory(t *testing.T) {
	b := &zipBuilder{}
	for i := range 7 {
		b.add(zipFile{name: string(rune('b'+i)) + strings.Repeat("/a", 32700)})
	}
	archive := b.bytes()
	fake := new(FakeFileSystem)
	putFile(t, fake, "/a.zip", string(archive))
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // for what a pool gave up in the first
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	z, err := OpenZip(fake, ParsePath("/a.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if used, most := heap()-before, int64(32*len(b.central)); used > most {
		t.Errorf("%d bytes for a central directory of %d", used, len(b.central))
	}
	if list, err := z.List(ParsePath("/h" + strings.Repeat("/a", 30000))); err != nil || len(list) != 1 {
		t.Error(len(list), err)
	}
}
