package okio

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

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
	lied64.entries = 1 << 30
	deep := strings.Repeat("a/", 32767)
	many := &zipBuilder{}
	for i := range 10 {
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
		{"absurd number of entries", lied64.bytes64(), "cannot hold 1073741824 entries", false},
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
		{"too many directories", many.bytes(), "unsupported zip: more than 262144 directories without an entry", false},
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
