package okio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// A zipBuilder makes archives that archive/zip would not.
type zipBuilder struct {
	data    []byte
	central []byte
	entries int
	comment string
}

// A zipFile is what a zipBuilder makes an entry of. What is zero follows from the contents.
type zipFile struct {
	name           string
	data           string // as it is in the archive
	method         uint16
	flags          uint16
	clock, date    uint16
	crc            uint32
	size           uint32
	compressed     uint32
	offset         uint32
	extra          string // in the central directory
	localExtra     string
	comment        string
	localSignature uint32
	disk           uint16
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func (b *zipBuilder) add(f zipFile) *zipBuilder {
	le := binary.LittleEndian
	offset := or(f.offset, uint32(len(b.data)))
	crc := or(f.crc, crc32.ChecksumIEEE([]byte(f.data)))
	compressed, size := or(f.compressed, uint32(len(f.data))), or(f.size, uint32(len(f.data)))

	shared := le.AppendUint16(nil, 20)
	for _, v := range []uint16{f.flags, f.method, f.clock, f.date} {
		shared = le.AppendUint16(shared, v)
	}
	for _, v := range []uint32{crc, compressed, size} {
		shared = le.AppendUint32(shared, v)
	}
	shared = le.AppendUint16(shared, uint16(len(f.name)))

	b.data = le.AppendUint32(b.data, or(f.localSignature, zipLocalSignature))
	b.data = append(b.data, shared...)
	b.data = le.AppendUint16(b.data, uint16(len(f.localExtra)))
	b.data = append(b.data, f.name+f.localExtra+f.data...)

	b.central = le.AppendUint32(b.central, zipCentralSignature)
	b.central = le.AppendUint16(b.central, 20)
	b.central = append(b.central, shared...)
	b.central = le.AppendUint16(b.central, uint16(len(f.extra)))
	b.central = le.AppendUint16(b.central, uint16(len(f.comment)))
	b.central = le.AppendUint16(b.central, f.disk)
	b.central = append(b.central, make([]byte, 6)...)
	b.central = le.AppendUint32(b.central, offset)
	b.central = append(b.central, f.name+f.extra+f.comment...)
	b.entries++
	return b
}

func (b *zipBuilder) end() []byte {
	le := binary.LittleEndian
	end := le.AppendUint32(nil, zipEndSignature)
	end = append(end, 0, 0, 0, 0)
	end = le.AppendUint16(end, uint16(b.entries))
	end = le.AppendUint16(end, uint16(b.entries))
	end = le.AppendUint32(end, uint32(len(b.central)))
	end = le.AppendUint32(end, uint32(len(b.data)))
	end = le.AppendUint16(end, uint16(len(b.comment)))
	return append(end, b.comment...)
}

func (b *zipBuilder) bytes() []byte {
	return append(append(bytes.Clone(b.data), b.central...), b.end()...)
}

// bytes64 has everything that matters in the zip64 records.
func (b *zipBuilder) bytes64() []byte {
	le := binary.LittleEndian
	archive := append(bytes.Clone(b.data), b.central...)
	at := len(archive)
	archive = le.AppendUint32(archive, zip64EndSignature)
	archive = le.AppendUint64(archive, zip64EndSize-12)
	archive = le.AppendUint16(archive, 45)
	archive = le.AppendUint16(archive, 45)
	archive = append(archive, make([]byte, 8)...)
	for _, v := range []int{b.entries, b.entries, len(b.central), len(b.data)} {
		archive = le.AppendUint64(archive, uint64(v))
	}
	archive = le.AppendUint32(archive, zip64EndLocatorSignature)
	archive = le.AppendUint32(archive, 0)
	archive = le.AppendUint64(archive, uint64(at))
	archive = le.AppendUint32(archive, 1)
	end := b.end()
	for i := 4; i < 20; i++ {
		end[i] = 0xff
	}
	return append(archive, end...)
}

func zipExtraField(id uint16, value string) string {
	field := binary.LittleEndian.AppendUint16(nil, id)
	field = binary.LittleEndian.AppendUint16(field, uint16(len(value)))
	return string(field) + value
}

func uint64s(values ...uint64) string {
	var p []byte
	for _, v := range values {
		p = binary.LittleEndian.AppendUint64(p, v)
	}
	return string(p)
}

// openZipBytes opens an archive in a fake file system.
func openZipBytes(t testing.TB, archive []byte) (FileSystem, *FakeFileSystem, error) {
	t.Helper()
	fake := new(FakeFileSystem)
	putFile(t, fake, "/a.zip", string(archive))
	z, err := OpenZip(fake, ParsePath("/a.zip"))
	return z, fake, err
}

func mustZip(t testing.TB, archive []byte) (FileSystem, *FakeFileSystem) {
	t.Helper()
	z, fake, err := openZipBytes(t, archive)
	if err != nil {
		t.Fatal(err)
	}
	return z, fake
}

// stdZip makes an archive with archive/zip. Names that end in a slash are directories.
func stdZip(t testing.TB, method uint16, comment string, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: files[i], Method: method, Comment: "about " + files[i]})
		if err == nil && files[i+1] != "" {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetComment(comment); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func walked(t *testing.T, f FileSystem) string {
	t.Helper()
	var all []string
	for p, err := range Walk(f, ParsePath("/"), false) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p.String())
	}
	return strings.Join(all, " ")
}

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

// corrupt returns the archive with some bytes replaced, counted from its end if at is negative.
func corrupt(archive []byte, at int, with string) []byte {
	archive = bytes.Clone(archive)
	if at < 0 {
		at += len(archive)
	}
	copy(archive[at:], with)
	return archive
}

func TestZipRefuses(t *testing.T) {
	one := func(f zipFile) []byte {
		f.name = or(f.name, "file")
		return (&zipBuilder{}).add(f).bytes()
	}
	plain := one(zipFile{data: "text"})
	plain64 := (&zipBuilder{}).add(zipFile{name: "file", data: "text"}).bytes64()
	lied := (&zipBuilder{}).add(zipFile{name: "file", data: "text"})
	lied.entries = 3
	lied64 := (&zipBuilder{}).add(zipFile{name: "file", data: "text"})
	lied64.entries = 1 << 40
	deep := strings.Repeat("a/", 32767)
	many := &zipBuilder{}
	for i := range 40 {
		many.add(zipFile{name: string(rune('b'+i%20)) + string(rune('b'+i/20)) + deep[:65530]})
	}
	tests := []struct {
		name    string
		archive []byte
		want    string
		cut     bool
	}{
		{"nothing", nil, "okio: /a.zip: not a zip: size=0", false},
		{"too short", plain[:21], "not a zip: size=21", false},
		{"text", bytes.Repeat([]byte("text "), 100000), "not a zip: end of central directory signature not found", false},
		{"cut off", plain[:len(plain)-1], "not a zip: end of central directory signature not found", false},
		{"comment cut off", corrupt(plain, -2, "\x05"), "bad zip: truncated comment of 5 bytes", true},
		{"second disk", corrupt(plain, -18, "\x01"), "unsupported zip: spanned", false},
		{"directory on second disk", corrupt(plain, -16, "\x01"), "unsupported zip: spanned", false},
		{"entries elsewhere", corrupt(plain, -12, "\x02"), "unsupported zip: spanned", false},
		{"entry on second disk", one(zipFile{disk: 1}), `entry "file": unsupported zip: spanned`, false},
		{"locator on second disk", corrupt(plain64, -22-16, "\x01"), "unsupported zip: spanned", false},
		{"two disks", corrupt(plain64, -22-4, "\x02"), "unsupported zip: spanned", false},
		{"zip64 second disk", corrupt(plain64, -22-20-40, "\x01"), "unsupported zip: spanned", false},
		{"zip64 record elsewhere", corrupt(plain64, -22-12, "\x00\x00\x00\x00"), "bad zip: expected 0x06064b50 but was 0x04034b50", false},
		{"zip64 record behind", corrupt(plain64, -22-12, "\xff\xff\xff"), "bad zip: zip64 end of central directory at 16777215", false},
		{"zip64 absurd offset", corrupt(plain64, -22-20-8, "\xff\xff\xff\xff\xff\xff\xff\xff"), "bad zip: central directory of", false},
		{"more entries than bytes", lied.bytes(), "bad zip: central directory of 50 bytes cannot hold 3 entries", false},
		{"absurd number of entries", lied64.bytes64(), "cannot hold 1099511627776 entries", false},
		{"one entry too many", corrupt(corrupt((&zipBuilder{}).add(zipFile{name: strings.Repeat("x", 60)}).bytes(), -14, "\x02\x00"), -12, "\x02\x00"), "bad zip: truncated central directory", true},
		{"directory behind the end", corrupt(plain, -6, "\xff\xff\xff\x7f"), "bad zip: central directory at 2147483647", false},
		{"directory too long", corrupt(plain, -10, "\xff\xff\xff\x7f"), "bad zip: central directory of 2147483647 bytes", false},
		{"directory elsewhere", corrupt(plain, -6, "\x00"), "bad zip: expected 0x02014b50 but was 0x04034b50", false},
		{"bytes in front", append([]byte("#!"), plain...), "bad zip: expected 0x02014b50", false},
		{"encrypted", one(zipFile{flags: 0x801}), `entry "file": unsupported zip: general purpose bit flag=0x801`, false},
		{"offset behind", one(zipFile{offset: 5000}), "bad zip: local file header offset >= central directory offset", false},
		{"data behind", one(zipFile{data: "text", compressed: 5000}), "reach into the central directory", false},
		{"local header in the directory", one(zipFile{offset: 20}), "bad zip: 0 bytes of data at 20 reach into the central directory at 34", false},
		{"name with a zero", one(zipFile{name: "a\x00b"}), `entry "a\x00b": bad zip: filename contains 0x00`, false},
		{"climbing", one(zipFile{name: "../a"}), `entry "../a": bad zip: filename leaves the archive: it contains ..`, false},
		{"climbing inside", one(zipFile{name: "a/../../b"}), "filename leaves the archive", false},
		{"climbing with backslashes", one(zipFile{name: `a\..\..\b`}), "filename leaves the archive", false},
		{"a volume", one(zipFile{name: `C:\a`}), "filename leaves the archive: it names a volume", false},
		{"a volume with a slash", one(zipFile{name: "/c:/a"}), "filename leaves the archive: it names a volume", false},
		{"a server", one(zipFile{name: `\\server\a`}), "filename leaves the archive: it names a server", false},
		{"the root as a file", one(zipFile{name: "."}), "bad zip: a file has the name of the root", false},
		{"a file as a directory", (&zipBuilder{}).add(zipFile{name: "a", data: "text"}).add(zipFile{name: "a/b"}).bytes(), `entry "a/b": bad zip: "a", a file of 4 bytes, is also used as a directory`, false},
		{"a directory as a file", (&zipBuilder{}).add(zipFile{name: "a/b"}).add(zipFile{name: "a", data: "text"}).bytes(), `entry "a": bad zip: a file of 4 bytes is also used as a directory`, false},
		{"too many directories", many.bytes(), "unsupported zip: more than 1048576 directories without an entry", false},
		{"extra header cut off", one(zipFile{extra: "\x01\x00\x00"}), "bad zip: truncated header in extra field", true},
		{"extra value cut off", one(zipFile{extra: "\x01\x00\x08\x00\x00"}), "bad zip: truncated value in extra field", true},
		{"zip64 extra repeated", one(zipFile{extra: zipExtraField(1, "") + zipExtraField(1, "")}), "bad zip: zip64 extra repeated", false},
		{"zip64 extra too short", one(zipFile{size: zip64Sentinel, extra: zipExtraField(1, "1234567")}), "bad zip: zip64 extra too short", false},
		{"zip64 extra absent", one(zipFile{size: zip64Sentinel}), "bad zip: zip64 extra required but absent", false},
		{"zip64 extra negative", one(zipFile{size: zip64Sentinel, extra: zipExtraField(1, uint64s(1<<63))}), "bad zip: zip64 extra has 0x8000000000000000", false},
		{"NTFS extra repeated", one(zipFile{extra: strings.Repeat(zipExtraField(0xa, "1234"), 2)}), "bad zip: NTFS extra repeated", false},
		{"NTFS extra too short", one(zipFile{extra: zipExtraField(0xa, "123")}), "bad zip: NTFS extra too short", false},
		{"NTFS attribute repeated", one(zipFile{extra: zipExtraField(0xa, "1234"+strings.Repeat(zipExtraField(1, strings.Repeat("x", 24)), 2))}), "attribute tag 0x0001 repeated", false},
		{"NTFS attribute too short", one(zipFile{extra: zipExtraField(0xa, "1234"+zipExtraField(1, "x"))}), "attribute tag 0x0001 size 1, expected 24", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, fake, err := openZipBytes(t, test.archive)
			if _, ok := errors.AsType[*ZipError](err); !ok || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 1000 {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if errors.Is(err, io.ErrUnexpectedEOF) != test.cut {
				t.Errorf("%v: is cut off: %v", err, !test.cut)
			}
			wantNoOpenFiles(t, fake) // fact 142
		})
	}
}

func TestZipEntriesThatLie(t *testing.T) {
	deflated := stdZip(t, zip.Deflate, "", "file", strings.Repeat("text", 100))
	// The fields of the central directory, from its end.
	central := bytes.Index(deflated, []byte("PK\x01\x02"))
	one := func(f zipFile) []byte { f.name = "file"; return (&zipBuilder{}).add(f).bytes() }
	tests := []struct {
		name    string
		archive []byte
		want    string
		after   int // bytes that come before the error
	}{
		{"CRC", one(zipFile{data: "text", crc: 0x12345678}), "bad zip: CRC-32 is 0x3b8ba7c7 but the archive says 0x12345678", 4},
		{"stored size", one(zipFile{data: "text", size: 5}), "bad zip: a stored entry has 4 bytes of data but a size of 5", 0},
		{"method", one(zipFile{data: "text", method: 12}), "unsupported zip: compression method=12", 0},
		{"local signature", one(zipFile{data: "text", localSignature: 5}), "bad zip: expected 0x04034b50 but was 0x00000005", 0},
		{"local extra", one(zipFile{data: "text", localExtra: "\x01\x02\x03"}), "bad zip: truncated header in extra field", 0},
		{"not deflated", one(zipFile{data: "\xff\xff\xff", method: 8}), "bad zip: unreadable data", 0},
		{"deflated longer", corrupt(deflated, central+24, "\x8f\x01"), "bad zip: expected 399 bytes", -1},
		{"deflated shorter", corrupt(deflated, central+24, "\x91\x01"), "bad zip: expected 401 bytes", -1},
		{"deflated data cut off", corrupt(deflated, central+20, "\x04"), "bad zip: unreadable data", -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			z, fake := mustZip(t, test.archive)
			got, err := readFile(z, "/file")
			problem, ok := errors.AsType[*ZipError](err)
			if !ok || !strings.Contains(err.Error(), test.want) || problem.Entry != "file" || problem.Archive != ParsePath("/a.zip") {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if test.after >= 0 && len(got) != test.after || len(got) > 400 {
				t.Errorf("%d bytes came before the error", len(got))
			}
			wantNoOpenFiles(t, fake)
		})
	}
}

func TestZipSourceRepeatsItsError(t *testing.T) {
	z, fake := mustZip(t, (&zipBuilder{}).add(zipFile{name: "file", data: "text", crc: 1}).bytes())
	source, err := z.Source(ParsePath("file"))
	if err != nil {
		t.Fatal(err)
	}
	var b Buffer
	if n, err := source.ReadBuffer(&b, 0); n != 0 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if n, err := source.ReadBuffer(&b, 100); n != 4 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	_, first := source.ReadBuffer(&b, 100)
	_, second := source.ReadBuffer(&b, 100)
	if first == nil || first != second {
		t.Errorf("got %v, then %v", first, second)
	}
	if got := paths(fake.OpenPaths()); got != "/a.zip" {
		t.Errorf("open: %s", got)
	}
	if err := errors.Join(source.Close(), source.Close()); err != nil {
		t.Error(err)
	}
	if _, err := source.ReadBuffer(&b, 1); err != ErrClosed {
		t.Errorf("got %v", err)
	}
	wantNoOpenFiles(t, fake)
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
