package okio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"testing"
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
	localName      string
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
	localName := or(f.localName, f.name)

	b.data = le.AppendUint32(b.data, or(f.localSignature, zipLocalSignature))
	b.data = append(b.data, shared...)
	b.data = le.AppendUint16(b.data, uint16(len(localName)))
	b.data = le.AppendUint16(b.data, uint16(len(f.localExtra)))
	b.data = append(b.data, localName+f.localExtra+f.data...)

	b.central = le.AppendUint32(b.central, zipCentralSignature)
	b.central = le.AppendUint16(b.central, 20)
	b.central = append(b.central, shared...)
	b.central = le.AppendUint16(b.central, uint16(len(f.name)))
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
