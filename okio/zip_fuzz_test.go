package okio

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzZip checks that any bytes make a file system or a ZipError, that the two agree with themselves, and that nothing stays open.
func FuzzZip(f *testing.F) {
	f.Add(stdZip(f, zip.Store, "", "hello.txt", "Hello", "d/", "", "d/e", "x"))
	f.Add(stdZip(f, zip.Deflate, "comment", "hello.txt", "Hello Hello Hello Hello", "hello.txt", "again"))
	f.Add((&zipBuilder{}).add(zipFile{name: "a", data: "b", size: zip64Sentinel, compressed: zip64Sentinel, extra: zipExtraField(1, uint64s(1, 1))}).bytes64())
	f.Add((&zipBuilder{}).add(zipFile{name: "a/b", extra: zipExtraField(0xa, "1234"+zipExtraField(1, uint64s(1, 2, 3))),
		localExtra: zipExtraField(extendedExtra, "\x07abcdefghijkl")}).bytes())
	f.Add((&zipBuilder{comment: "PK\x05\x06"}).bytes())
	f.Add([]byte("#!/bin/sh\nPK\x05\x06"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		z, fake, err := openZipBytes(t, archive)
		if err != nil {
			if _, ok := errors.AsType[*ZipError](err); !ok {
				t.Errorf("got %T: %v", err, err)
			}
			wantNoOpenFiles(t, fake)
			return
		}
		for p, err := range Walk(z, ParsePath("/"), false) {
			if err != nil {
				t.Fatal(err)
			}
			full, err := z.Canonicalize(p)
			if err != nil || full != p {
				t.Errorf("%s: canonical path %s, %v", p, full, err)
			}
			m, err := z.Metadata(p)
			if err != nil {
				wantZipError(t, err)
				continue
			}
			if m.Directory == m.Regular {
				t.Errorf("%s: %v", p, m)
			}
			if m.Directory {
				continue
			}
			source, err := z.Source(p)
			if err != nil {
				wantZipError(t, err)
				continue
			}
			var n int64
			for n <= m.Size {
				var b Buffer
				var k int64
				if k, err = source.ReadBuffer(&b, segmentSize); err != nil {
					break
				}
				n += k
			}
			switch {
			case n > m.Size:
				t.Errorf("%s: more than %d bytes", p, m.Size)
			case err == io.EOF && n != m.Size:
				t.Errorf("%s: %d bytes, expected %d", p, n, m.Size)
			case err != io.EOF:
				wantZipError(t, err)
			}
			if err := source.Close(); err != nil {
				t.Error(err)
			}
		}
		wantNoOpenFiles(t, fake)
	})
}

func wantZipError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*ZipError](err); !ok {
		t.Errorf("got %T: %v", err, err)
	}
}

// FuzzZipNames checks that an archive with any names, made by archive/zip, is refused or has their contents at paths within it.
func FuzzZipNames(f *testing.F) {
	f.Add("a", "b/c", "text")
	f.Add("../a", "C:\\b", "")
	f.Add("a/./b//c", "/d\\e", "more text")
	f.Add("a", "a/", "")
	f.Fuzz(func(t *testing.T, one, two, text string) {
		if len(one) > 1000 || len(two) > 1000 {
			return
		}
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, name := range []string{one, two} {
			entry, err := w.Create(name)
			if err != nil {
				return
			}
			if _, err := io.WriteString(entry, text); err != nil {
				return // of a directory
			}
		}
		if w.Close() != nil {
			return
		}
		z, fake, err := openZipBytes(t, b.Bytes())
		if err != nil {
			wantZipError(t, err)
			return
		}
		files := 0
		for p, err := range Walk(z, ParsePath("/"), false) {
			if err != nil {
				t.Fatal(err)
			}
			if root, ok := p.Root(); !ok || root.String() != "/" {
				t.Errorf("%s is not in the archive", p)
			}
			for _, s := range p.Segments() {
				if s == ".." || s == "" {
					t.Errorf("%s has the segment %q", p, s)
				}
			}
			if m, err := z.Metadata(p); err != nil || m.Directory {
				continue
			}
			files++
			if got, err := readFile(z, p.String()); err != nil || got != text {
				t.Errorf("%s: got %q, %v", p, got, err)
			}
		}
		if files > 2 {
			t.Errorf("%d files", files)
		}
		wantNoOpenFiles(t, fake)
	})
}
