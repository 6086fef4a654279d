package okio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// The signatures and fixed sizes of the records (APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16).
const (
	zipLocalSignature        = 0x04034b50
	zipCentralSignature      = 0x02014b50
	zipEndSignature          = 0x06054b50
	zip64EndSignature        = 0x06064b50
	zip64EndLocatorSignature = 0x07064b50

	zipLocalSize        = 30
	zipCentralSize      = 46
	zipEndSize          = 22
	zip64EndSize        = 56
	zip64EndLocatorSize = 20
)

// zipMaxComment is how far before its last possible place the end record is looked for.
const zipMaxComment = 65536

// A zipDirectory says where the central directory of an archive is.
type zipDirectory struct {
	entries uint64
	offset  int64
	size    int64 // as stated
	limit   int64 // the first byte that is certainly not part of it
}

// findZipDirectory reads the end record of an archive of size bytes and its zip64 extension. What it returns lies within the file, and has room
// for as many entries as it states.
func findZipDirectory(r io.ReaderAt, size int64) (zipDirectory, error) {
	if size < zipEndSize {
		return zipDirectory{}, &ZipError{Problem: fmt.Sprintf("not a zip: size=%d", size)}
	}
	tail := make([]byte, min(size, zipEndSize+zipMaxComment))
	start := size - int64(len(tail))
	if err := readAtFull(r, tail, start); err != nil {
		return zipDirectory{}, truncatedZip(err, "end of central directory")
	}
	at, err := findZipEnd(tail)
	if err != nil {
		return zipDirectory{}, err
	}
	end := tail[at:]
	disk, directoryDisk := binary.LittleEndian.Uint16(end[4:]), binary.LittleEndian.Uint16(end[6:])
	onDisk, total := binary.LittleEndian.Uint16(end[8:]), binary.LittleEndian.Uint16(end[10:])
	d := zipDirectory{
		entries: uint64(total),
		size:    int64(binary.LittleEndian.Uint32(end[12:])),
		offset:  int64(binary.LittleEndian.Uint32(end[16:])),
		limit:   start + int64(at),
	}
	is64, err := d.extend(r)
	if err != nil {
		return zipDirectory{}, err
	}
	sentinel := func(v uint16) bool { return v == 0 || is64 && v == math.MaxUint16 }
	if !sentinel(disk) || !sentinel(directoryDisk) || onDisk != total {
		return zipDirectory{}, unsupportedZip("spanned (disk %d, directory on disk %d, %d of %d entries)", disk, directoryDisk, onDisk, total)
	}
	if d.entries == 0 {
		return d, nil
	}
	if d.offset > d.limit {
		return zipDirectory{}, badZip("central directory at %d in an archive of %d bytes", d.offset, size)
	}
	if d.size > d.limit-d.offset {
		return zipDirectory{}, badZip("central directory of %d bytes but only %d before its end record", d.size, d.limit-d.offset)
	}
	if d.entries > uint64(d.size)/zipCentralSize {
		return zipDirectory{}, badZip("central directory of %d bytes cannot hold %d entries", d.size, d.entries)
	}
	return d, nil
}

// findZipEnd returns where in the tail of an archive the end record is: the last place that has its signature and whose comment ends with the
// archive, or, if there is none because something was appended, the last place that has all of its comment.
func findZipEnd(tail []byte) (int, error) {
	var signature [4]byte
	binary.LittleEndian.PutUint32(signature[:], zipEndSignature)
	const nowhere = -1
	fits, cut := nowhere, nowhere
	for to := len(tail) - zipEndSize + len(signature); ; {
		at := bytes.LastIndex(tail[:to], signature[:])
		if at < 0 {
			break
		}
		comment := int(binary.LittleEndian.Uint16(tail[at+20:]))
		switch rest := len(tail) - at - zipEndSize - comment; {
		case rest == 0:
			return at, nil
		case rest > 0 && fits == nowhere:
			fits = at
		case rest < 0 && cut == nowhere:
			cut = comment
		}
		to = at + len(signature) - 1
	}
	switch {
	case fits != nowhere:
		return fits, nil
	case cut != nowhere:
		return 0, truncatedZip(nil, fmt.Sprintf("comment of %d bytes", cut))
	}
	return 0, &ZipError{Problem: "not a zip: end of central directory signature not found"}
}

// extend replaces what the end record before d.limit says by what its zip64 extension says, if it has one.
func (d *zipDirectory) extend(r io.ReaderAt) (bool, error) {
	at := d.limit - zip64EndLocatorSize
	if at < 0 {
		return false, nil
	}
	var locator [zip64EndLocatorSize]byte
	if err := readAtFull(r, locator[:], at); err != nil {
		return false, truncatedZip(err, "zip64 end of central directory locator")
	}
	if binary.LittleEndian.Uint32(locator[:]) != zip64EndLocatorSignature {
		return false, nil
	}
	disk, offset, disks := binary.LittleEndian.Uint32(locator[4:]), binary.LittleEndian.Uint64(locator[8:]), binary.LittleEndian.Uint32(locator[16:])
	if disk != 0 || disks != 1 {
		return false, unsupportedZip("spanned (zip64 end of central directory on disk %d of %d)", disk, disks)
	}
	if at < zip64EndSize || offset > uint64(at-zip64EndSize) {
		return false, badZip("zip64 end of central directory at %d but its locator is at %d", offset, at)
	}
	var end [zip64EndSize]byte
	if err := readAtFull(r, end[:], int64(offset)); err != nil {
		return false, truncatedZip(err, "zip64 end of central directory")
	}
	if err := checkZipSignature(end[:], zip64EndSignature); err != nil {
		return false, err
	}
	disk, directoryDisk := binary.LittleEndian.Uint32(end[16:]), binary.LittleEndian.Uint32(end[20:])
	onDisk, total := binary.LittleEndian.Uint64(end[24:]), binary.LittleEndian.Uint64(end[32:])
	if disk != 0 || directoryDisk != 0 || onDisk != total {
		return false, unsupportedZip("spanned (disk %d, directory on disk %d, %d of %d entries)", disk, directoryDisk, onDisk, total)
	}
	size, start := binary.LittleEndian.Uint64(end[40:]), binary.LittleEndian.Uint64(end[48:])
	if size > math.MaxInt64 || start > math.MaxInt64 {
		return false, badZip("central directory of %d bytes at %d", size, start)
	}
	*d = zipDirectory{entries: total, offset: int64(start), size: int64(size), limit: int64(offset)}
	return true, nil
}

func checkZipSignature(record []byte, want uint32) error {
	if got := binary.LittleEndian.Uint32(record); got != want {
		return badZip("expected %#08x but was %#08x", want, got)
	}
	return nil
}

// readAtFull fills p from r or fails. A reader may report io.EOF together with the last bytes.
func readAtFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
