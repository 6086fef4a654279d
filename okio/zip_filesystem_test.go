package okio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Fact 140.
func TestZipReads(t *testing.T) {
	long := strings.Repeat("Android\n", 10000)
	stored := (&zipBuilder{comment: "a comment"}).
		add(zipFile{name: "hello.txt", data: "Hello World", comment: "of the file"}).
		add(zipFile{name: "directory/subdirectory/child.txt", data: "Another file!"})
	last := (&zipBuilder{}).
		add(zipFile{name: "hello.txt", data: "This is the first hello.txt"}).
		add(zipFile{name: "xxxxx.txt", data: "other"}).
		add(zipFile{name: "hello.txt", data: "This is the second hello.txt"})
	extended := (&zipBuilder{}).
		add(zipFile{name: "a.txt", data: "Android", size: zip64Sentinel, compressed: zip64Sentinel, extra: zipExtraField(1, uint64s(7, 7))}).
		add(zipFile{name: "b.txt", data: "Banana", offset: zip64Sentinel, extra: zipExtraField(1, uint64s(30+5+7))}) // and sizes that are no sentinels
	signatures := (&zipBuilder{comment: "PK\x05\x06 and PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff"}).
		add(zipFile{name: "f", data: "text"})
	tests := []struct {
		name    string
		archive []byte
		files   map[string]string
		walk    string
	}{
		{"stored", stdZip(t, zip.Store, "", "hello.txt", "Hello World", "a/b", "c"), map[string]string{"hello.txt": "Hello World", "/a/b": "c"}, "/a /a/b /hello.txt"},
		{"deflated", stdZip(t, zip.Deflate, "comment", "a.txt", long, "empty", ""), map[string]string{"/a.txt": long, "empty": ""}, "/a.txt /empty"},
		{"comments", stored.bytes(), map[string]string{"/hello.txt": "Hello World"}, "/directory /directory/subdirectory /directory/subdirectory/child.txt /hello.txt"},
		{"signatures in the comment", signatures.bytes(), map[string]string{"/f": "text"}, "/f"},
		{"duplicates", last.bytes(), map[string]string{"/hello.txt": "This is the second hello.txt", "xxxxx.txt": "other"}, "/hello.txt /xxxxx.txt"},
		{"zip64", extended.bytes64(), map[string]string{"/a.txt": "Android", "/b.txt": "Banana"}, "/a.txt /b.txt"},
		{"zip64 extra without the records", extended.bytes(), map[string]string{"/a.txt": "Android", "/b.txt": "Banana"}, "/a.txt /b.txt"},
		{"nothing", (&zipBuilder{}).bytes(), nil, ""},
		{"nothing after something", append([]byte("#!/bin/sh\n"), (&zipBuilder{}).bytes()...), nil, ""},
		{"something behind", append(stored.bytes(), "signature"...), map[string]string{"/hello.txt": "Hello World"}, "/directory /directory/subdirectory /directory/subdirectory/child.txt /hello.txt"},
		{"longest comment", (&zipBuilder{comment: strings.Repeat("x", 65535)}).bytes(), nil, ""},
		{"children are sorted", stdZip(t, zip.Store, "", "a/x", "", "a.txt", "", "a b", ""), nil, "/a /a/x /a b /a.txt"},
		{"names", stdZip(t, zip.Store, "", "./a//b/./c", "1", "/d", "2", `e\f`, "3", "x:y", "4", "z/C:", "5"),
			map[string]string{"/a/b/c": "1", "/d": "2", "/e/f": "3", "/x:y": "4", "/z/C:": "5"}, "/a /a/b /a/b/c /d /e /e/f /x:y /z /z/C:"},
		{"a directory without a slash", stdZip(t, zip.Store, "", "d", "", "d/f", "1", "d", ""), map[string]string{"d/f": "1"}, "/d /d/f"},
		{"directories", stdZip(t, zip.Store, "", "/", "", "d/", "", "d/", ""), nil, "/d"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			z, fake := mustZip(t, test.archive)
			if got := walked(t, z); got != test.walk {
				t.Errorf("got %s, want %s", got, test.walk)
			}
			for name, want := range test.files {
				if got := getFile(t, z, name); got != want {
					t.Errorf("%s: got %.100q, want %.100q", name, got, want)
				}
				m, err := z.Metadata(ParsePath(name))
				if err != nil || !m.Regular || m.Directory || m.Size != int64(len(want)) {
					t.Errorf("%s: %v, %v", name, m, err)
				}
			}
			wantNoOpenFiles(t, fake) // fact 142
		})
	}
}

// Facts 141 and 142.
func TestZipOperations(t *testing.T) {
	z, fake := mustZip(t, stdZip(t, zip.Store, "", "hello.txt", "Hello", "d/f", "1"))
	p := ParsePath
	full, err := z.Canonicalize(p("stuff/../hello.txt"))
	if err != nil || full.String() != "/hello.txt" {
		t.Errorf("got %s, %v", full, err)
	}
	list, err := z.List(p("d"))
	if err != nil || paths(list) != "d/f" {
		t.Errorf("got %v, %v", list, err)
	}
	m, err := z.Metadata(p("/d"))
	if err != nil || !m.Directory || m.Size != -1 || !m.Modified.IsZero() {
		t.Errorf("got %v, %v", m, err)
	}
	errorOf := func(_ any, err error) error { return err }
	tests := []struct {
		name string
		err  error
		want string
		is   error
	}{
		{"canonicalize", errorOf(z.Canonicalize(p("not/a/path"))), "not/a/path", fs.ErrNotExist},
		{"metadata", errorOf(z.Metadata(p("/x"))), "/x", fs.ErrNotExist},
		{"metadata of a volume", errorOf(z.Metadata(p(`C:\hello.txt`))), "", fs.ErrNotExist},
		{"metadata below a file", errorOf(z.Metadata(p("/hello.txt/x"))), "/hello.txt/x", fs.ErrNotExist},
		{"list", errorOf(z.List(p("/x"))), "/x", fs.ErrNotExist},
		{"list a file", errorOf(z.List(p("/hello.txt"))), "not a directory", nil},
		{"source", errorOf(z.Source(p("/x"))), "/x", fs.ErrNotExist},
		{"source of a directory", errorOf(z.Source(p("/d"))), "is a directory", nil},
		{"open", errorOf(z.OpenReadOnly(p("/x"))), "/x", fs.ErrNotExist},
		{"open a file", errorOf(z.OpenReadOnly(p("/hello.txt"))), "no random access", nil},
		{"open for writing", errorOf(z.OpenReadWrite(p("/hello.txt"), 0)), "zip entries are not writable", fs.ErrPermission},
		{"sink", errorOf(z.Sink(p("/x"), 0)), "zip file systems are read-only", fs.ErrPermission},
		{"appending", errorOf(z.Appending(p("/x"), 0)), "zip file systems are read-only", fs.ErrPermission},
		{"create", z.CreateDirectory(p("/x"), 0), "zip file systems are read-only", fs.ErrPermission},
		{"move", z.AtomicMove(p("/hello.txt"), p("/x")), "zip file systems are read-only", fs.ErrPermission},
		{"delete", z.Delete(p("/hello.txt"), 0), "zip file systems are read-only", fs.ErrPermission},
		{"link", z.CreateSymlink(p("/x"), p("y")), "zip file systems are read-only", fs.ErrPermission},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { wantProblem(t, test.err, test.want, test.is) })
		wantNoOpenFiles(t, fake)
	}
	if !errors.Is(tests[9].err, errors.ErrUnsupported) {
		t.Errorf("got %v", tests[9].err)
	}
	if err := z.Close(); err != nil {
		t.Error(err)
	}
	if got := getFile(t, z, "hello.txt"); got != "Hello" {
		t.Errorf("got %q", got)
	}
	_ = fake.Delete(p("/a.zip"), MustExist)
	for _, err := range []error{errorOf(z.Source(p("/hello.txt"))), errorOf(z.Metadata(p("/hello.txt"))), errorOf(OpenZip(fake, p("/a.zip")))} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	}
}

// Faults of the file system beneath come through as they are and leave nothing open.
func TestZipFaults(t *testing.T) {
	z, fake := mustZip(t, stdZip(t, zip.Deflate, "", "f", "text"))
	for _, name := range []string{"openReadOnly", "read", "close"} {
		fake.SetFault(func(op FakeOp) error {
			if op.Name == name {
				return errTestFault
			}
			return nil
		})
		if _, err := z.Metadata(ParsePath("/f")); !errors.Is(err, errTestFault) {
			t.Errorf("%s: metadata: %v", name, err)
		}
		if _, err := readFile(z, "/f"); !errors.Is(err, errTestFault) {
			t.Errorf("%s: source: %v", name, err)
		}
		if _, err := OpenZip(fake, ParsePath("/a.zip")); !errors.Is(err, errTestFault) {
			t.Errorf("%s: open: %v", name, err)
		}
		wantNoOpenFiles(t, fake)
	}
}

// Fact 141.
func TestZipTimes(t *testing.T) {
	utc := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	seconds := func(s string) string { // as 32 bits
		return string(binary.LittleEndian.AppendUint32(nil, uint32(utc(s).Unix())))
	}
	ntfs := func(times ...string) string {
		var ticks []uint64
		for _, s := range times {
			ticks = append(ticks, uint64(utc(s).UnixMilli()+11644473600000)*10000)
		}
		return zipExtraField(0x0a, "\x00\x00\x00\x00"+zipExtraField(2, "ignored")+zipExtraField(1, uint64s(ticks...)))
	}
	dosDate, dosClock := uint16((2021-1980)<<9|2<<5|18), uint16(20<<11|30<<5|30/2)
	dos := time.Date(2021, 2, 18, 20, 30, 30, 0, time.Local)
	none := time.Time{}
	tests := []struct {
		name                        string
		file                        zipFile
		created, modified, accessed time.Time
	}{
		{"none", zipFile{}, none, none, none},
		{"DOS", zipFile{date: dosDate, clock: dosClock}, none, dos, none},
		{"extended", zipFile{date: dosDate, clock: dosClock,
			localExtra: zipExtraField(extendedExtra, "\x07"+seconds("2001-01-01T00:00:01Z")+seconds("2002-01-01T00:00:02Z")+seconds("1969-12-31T23:59:59Z"))},
			utc("1969-12-31T23:59:59Z"), utc("2001-01-01T00:00:01Z"), utc("2002-01-01T00:00:02Z")},
		{"extended at the limit", zipFile{localExtra: zipExtraField(extendedExtra, "\x01"+seconds("2038-01-19T03:14:07Z"))}, none, utc("2038-01-19T03:14:07Z"), none},
		{"extended beyond the limit", zipFile{localExtra: zipExtraField(extendedExtra, "\x01"+seconds("2038-01-19T03:14:08Z"))}, none, utc("1901-12-13T20:45:52Z"), none},
		{"only accessed", zipFile{date: dosDate, clock: dosClock, localExtra: zipExtraField(extendedExtra, "\x02"+seconds("2002-01-01T00:00:02Z"))},
			none, dos, utc("2002-01-01T00:00:02Z")},
		{"NTFS wins", zipFile{date: dosDate, clock: dosClock, extra: ntfs("2021-02-19T04:11:57.244Z", "2021-02-20T04:11:57.5Z", "1601-01-02T00:00:00Z"),
			localExtra: zipExtraField(extendedExtra, "\x01"+seconds("2001-01-01T00:00:01Z"))},
			utc("1601-01-02T00:00:00Z"), utc("2021-02-19T04:11:57.244Z"), utc("2021-02-20T04:11:57.5Z")},
		{"NTFS knows a part", zipFile{extra: zipExtraField(0x0a, "\x00\x00\x00\x00"+zipExtraField(1, uint64s(116444736000000000, 0, 0))),
			localExtra: zipExtraField(extendedExtra, "\x03"+seconds("2001-01-01T00:00:01Z")+seconds("2002-01-01T00:00:02Z"))},
			none, utc("1970-01-01T00:00:00Z"), utc("2002-01-01T00:00:02Z")},
		{"padding", zipFile{localExtra: zipExtraField(extendedExtra, "\x01"+seconds("2001-01-01T00:00:01Z")) + "\x00\x00\x00"}, none, utc("2001-01-01T00:00:01Z"), none},
	}
	for _, test := range tests {
		test.file.name = "file"
		z, fake := mustZip(t, (&zipBuilder{}).add(test.file).bytes())
		m, err := z.Metadata(ParsePath("file"))
		if err != nil || !m.Created.Equal(test.created) || !m.Modified.Equal(test.modified) || !m.Accessed.Equal(test.accessed) {
			t.Errorf("%s: got %v, %v", test.name, m, err)
		}
		wantNoOpenFiles(t, fake) // fact 142
	}
	for _, extra := range []string{"", "\x01", "\x01\x02\x03\x04", "\x07\x00\x00\x00\x00\x00\x00\x00\x00"} {
		z, _ := mustZip(t, (&zipBuilder{}).add(zipFile{name: "file", localExtra: zipExtraField(extendedExtra, extra)}).bytes())
		if _, err := z.Metadata(ParsePath("file")); (err == nil) == (len(extra) != 5) || err != nil && !strings.Contains(err.Error(), "bad zip: extended timestamp extra too short") {
			t.Errorf("%q: %v", extra, err)
		}
	}
}

// What archive/zip writes is read as archive/zip reads it.
func TestZipAgainstStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var files []string
		for i := range random.IntN(20) {
			name := strings.Repeat("dir/", random.IntN(4)) + string(rune('a'+i))
			files = append(files, name, strings.Repeat(string(rune('A'+i)), random.IntN(1<<random.IntN(18))))
		}
		archive := stdZip(t, uint16(random.IntN(2)*8), strings.Repeat("c", random.IntN(1000)), files...)
		z, fake := mustZip(t, archive)
		compareZip(t, z, archive)
		wantNoOpenFiles(t, fake)
	}
}

// compareZip checks that z has the files, and their contents, that archive/zip finds in the archive.
func compareZip(t *testing.T, z FileSystem, archive []byte) {
	t.Helper()
	std, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatalf("archive/zip: %v", err)
	}
	if err := fs.WalkDir(std, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		m, err := z.Metadata(ParsePath(name))
		if err != nil {
			return err
		}
		if m.Directory != d.IsDir() {
			t.Errorf("%s: %v", name, m)
		}
		if d.IsDir() {
			entries, err := std.Open(name)
			if err != nil {
				return err
			}
			want, _ := entries.(fs.ReadDirFile).ReadDir(-1)
			got, err := z.List(ParsePath(name))
			if err != nil || len(got) != len(want) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
			return nil
		}
		want, err := fs.ReadFile(std, name)
		if err != nil {
			return err
		}
		if got := getFile(t, z, name); got != string(want) {
			t.Errorf("%s: got %.100q, want %.100q", name, got, want)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
