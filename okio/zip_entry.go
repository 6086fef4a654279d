package okio

import (
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// zip64Sentinel in a size or an offset of 32 bits says that the zip64 field has it.
const zip64Sentinel = math.MaxUint32

// The bits of the general purpose flag, and the compression methods.
const (
	zipEncrypted = 1 << 0

	zipStored   = 0
	zipDeflated = 8
)

// A zipEntry is one header of a central directory.
type zipEntry struct {
	name       string // as the archive has it; bytes that are taken as UTF-8
	method     uint16
	crc        uint32
	compressed int64
	size       int64
	offset     int64 // of the local header
	limit      int64 // where the next entry, or the central directory, begins: the first byte that is certainly not part of this one
	dos        zipTimes
	ntfs       zipTimes
}

// readZipEntries reads the central directory and calls visit with each entry in turn. It refuses entries that share bytes of the archive, by which a
// small one could stand for any amount of data.
func readZipEntries(r io.ReaderAt, d zipDirectory, visit func(*zipEntry) error) error {
	if d.entries == 0 {
		return nil
	}
	src := NewBufferedSource(FromReader(io.NewSectionReader(r, d.offset, d.size)))
	defer func() { _ = src.Close() }()
	var entries []*zipEntry
	for range d.entries {
		e, err := readZipEntry(src, d)
		if err == nil {
			entries = append(entries, e)
			err = visit(e)
		}
		if err != nil {
			if problem, ok := err.(*ZipError); ok && e != nil && problem.Entry == "" {
				problem.Entry = e.name
			}
			return err
		}
	}
	return limitZipEntries(entries, d.offset)
}

// limitZipEntries finds out where each entry has to end, and reports those that cannot. What their local headers add is not known here.
func limitZipEntries(entries []*zipEntry, end int64) error {
	slices.SortStableFunc(entries, func(a, b *zipEntry) int { return cmp.Compare(a.offset, b.offset) })
	for i, e := range entries {
		e.limit = end
		if i == len(entries)-1 {
			break
		}
		next := entries[i+1]
		e.limit = next.offset
		if least := zipLocalSize + int64(len(e.name)); e.limit-e.offset < least || e.limit-e.offset-least < e.compressed {
			problem := badZip("its place at %d overlaps that of entry %q at %d", next.offset, shortName(e.name), e.offset)
			problem.Entry = next.name
			return problem
		}
	}
	return nil
}

// readZipEntry reads one header. It returns an entry together with an error if at least the name is known.
func readZipEntry(src *BufferedSource, d zipDirectory) (*zipEntry, error) {
	header, err := src.ReadN(zipCentralSize)
	if err != nil {
		return nil, truncatedZip(err, "central directory")
	}
	if err := checkZipSignature(header, zipCentralSignature); err != nil {
		return nil, err
	}
	nameSize, extraSize, commentSize := binary.LittleEndian.Uint16(header[28:]), binary.LittleEndian.Uint16(header[30:]), binary.LittleEndian.Uint16(header[32:])
	name, err := src.ReadText(int64(nameSize))
	if err != nil && nameSize > 0 {
		return nil, truncatedZip(err, "filename in central directory")
	}
	e := &zipEntry{
		name:       name,
		method:     binary.LittleEndian.Uint16(header[10:]),
		dos:        zipTimes{modified: dosTime(binary.LittleEndian.Uint16(header[14:]), binary.LittleEndian.Uint16(header[12:]))},
		crc:        binary.LittleEndian.Uint32(header[16:]),
		compressed: int64(binary.LittleEndian.Uint32(header[20:])),
		size:       int64(binary.LittleEndian.Uint32(header[24:])),
		offset:     int64(binary.LittleEndian.Uint32(header[42:])),
	}
	if flags := binary.LittleEndian.Uint16(header[8:]); flags&zipEncrypted != 0 {
		return e, unsupportedZip("general purpose bit flag=%#x", flags)
	}
	if disk := binary.LittleEndian.Uint16(header[34:]); disk != 0 && disk != math.MaxUint16 {
		return e, unsupportedZip("spanned (entry on disk %d)", disk)
	}
	extra, err := src.ReadN(int64(extraSize))
	if err != nil && extraSize > 0 {
		return e, truncatedZip(err, "extra field in central directory")
	}
	if err := e.addExtra(extra); err != nil {
		return e, err
	}
	if err := src.Skip(int64(commentSize)); err != nil {
		return e, truncatedZip(err, "comment in central directory")
	}
	if e.offset >= d.offset {
		return e, badZip("local file header offset >= central directory offset (%d >= %d)", e.offset, d.offset)
	}
	if room := d.offset - e.offset - zipLocalSize; e.compressed > room {
		return e, badZip("%d bytes of data at %d reach into the central directory at %d", e.compressed, e.offset, d.offset)
	}
	return e, nil
}

// addExtra takes what the extra field of the central directory adds.
func (e *zipEntry) addExtra(extra []byte) error {
	required := e.size == zip64Sentinel || e.compressed == zip64Sentinel || e.offset == zip64Sentinel
	seen64, seenNTFS := false, false
	err := eachZipField(extra, "extra field", func(id uint16, value []byte) (err error) {
		switch id {
		case zip64Extra:
			if seen64 {
				return badZip("zip64 extra repeated")
			}
			seen64 = true
			return e.extend64(value)
		case ntfsExtra:
			if seenNTFS {
				return badZip("NTFS extra repeated")
			}
			seenNTFS = true
			e.ntfs, err = ntfsTimes(value)
		}
		return err
	})
	if err == nil && required && !seen64 {
		err = badZip("zip64 extra required but absent")
	}
	return err
}

// A zipLocal is what the header in front of an entry's data adds to the central directory.
type zipLocal struct {
	data  int64 // offset of the first byte after the header
	times zipTimes
}

// readZipLocal reads the local header of e.
func readZipLocal(r io.ReaderAt, e *zipEntry) (zipLocal, error) {
	var header [zipLocalSize]byte
	if err := readAtFull(r, header[:], e.offset); err != nil {
		return zipLocal{}, truncatedZip(err, "local file header")
	}
	if err := checkZipSignature(header[:], zipLocalSignature); err != nil {
		return zipLocal{}, err
	}
	if flags := binary.LittleEndian.Uint16(header[6:]); flags&zipEncrypted != 0 {
		return zipLocal{}, unsupportedZip("general purpose bit flag=%#x", flags)
	}
	nameSize, extraSize := int64(binary.LittleEndian.Uint16(header[26:])), int64(binary.LittleEndian.Uint16(header[28:]))
	local := zipLocal{data: e.offset + zipLocalSize + nameSize + extraSize}
	if local.data > e.limit || e.compressed > e.limit-local.data {
		return zipLocal{}, badZip("%d bytes of data at %d reach into what begins at %d", e.compressed, local.data, e.limit)
	}
	variable := make([]byte, nameSize+extraSize)
	if err := readAtFull(r, variable, e.offset+zipLocalSize); err != nil {
		return zipLocal{}, truncatedZip(err, "local file header")
	}
	name, extra := variable[:nameSize], variable[nameSize:]
	if string(name) != e.name {
		return zipLocal{}, badZip("the local file header names it %q", shortName(string(name)))
	}
	err := eachZipField(withoutPadding(extra), "extra field", func(id uint16, value []byte) (err error) {
		if id == extendedExtra {
			local.times, err = extendedTimes(value)
		}
		return err
	})
	return local, err
}

// withoutPadding drops what zipalign puts behind the last field: up to three zeros, so that the data begins at a multiple of four.
func withoutPadding(extra []byte) []byte {
	rest := extra
	for len(rest) >= 4 {
		size := int(binary.LittleEndian.Uint16(rest[2:]))
		if size > len(rest)-4 {
			return extra
		}
		rest = rest[4+size:]
	}
	for _, b := range rest {
		if b != 0 {
			return extra
		}
	}
	return extra[:len(extra)-len(rest)]
}
