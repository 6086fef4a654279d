package okio

import (
	"fmt"
	"hash/crc32"
)

// The member header of RFC 1952 section 2.3.
const (
	gzipID1     = 0x1f
	gzipID2     = 0x8b
	gzipDeflate = 8 // the only compression method

	gzipHasCRC     = 1 << 1
	gzipHasExtra   = 1 << 2
	gzipHasName    = 1 << 3
	gzipHasComment = 1 << 4
	gzipReserved   = 0xe0

	// gzipFieldLimit bounds the file name and the comment, which only a zero ends.
	gzipFieldLimit = 64 << 10
)

// readHeader consumes a member header.
func (g *gzipSource) readHeader() error {
	src := g.inflater.src
	if err := src.Require(10); err != nil {
		return gzipShort(err)
	}
	id := uint32(src.buf.At(0))<<8 | uint32(src.buf.At(1))
	if err := gzipCompare("ID1ID2", id, gzipID1<<8|gzipID2); err != nil {
		return err
	}
	if method := src.buf.At(2); method != gzipDeflate {
		return &FormatError{Format: "gzip", Problem: fmt.Sprintf("compression method %d is not 8", method)}
	}
	flags := src.buf.At(3)
	if flags&gzipReserved != 0 {
		return &FormatError{Format: "gzip", Problem: fmt.Sprintf("reserved flags are set: 0x%02x", flags)}
	}
	g.crc = 0
	if err := g.skipHeader(10); err != nil {
		return err
	}
	if flags&gzipHasExtra != 0 {
		if err := src.Require(2); err != nil {
			return gzipShort(err)
		}
		length := int64(src.buf.At(0)) | int64(src.buf.At(1))<<8
		if err := g.skipHeader(2 + length); err != nil {
			return err
		}
	}
	if flags&gzipHasName != 0 {
		if err := g.skipField("file name"); err != nil {
			return err
		}
	}
	if flags&gzipHasComment != 0 {
		if err := g.skipField("comment"); err != nil {
			return err
		}
	}
	if flags&gzipHasCRC != 0 {
		computed := g.crc & 0xffff
		crc, err := src.ReadUint16LE()
		if err != nil {
			return gzipShort(err)
		}
		return gzipCompare("FHCRC", computed, uint32(crc))
	}
	return nil
}

// skipField consumes a text up to and with its final zero.
func (g *gzipSource) skipField(name string) error {
	src := g.inflater.src
	end, err := src.IndexByte(0, 0, gzipFieldLimit+1)
	switch {
	case err != nil:
		return err
	case end >= 0:
		return g.skipHeader(end + 1)
	case src.buf.Len() > gzipFieldLimit:
		return &FormatError{Format: "gzip", Problem: fmt.Sprintf("%s is longer than %d bytes", name, gzipFieldLimit)}
	default:
		return gzipShort(shortErr(0))
	}
}

// skipHeader consumes n bytes and adds them to the header's checksum.
func (g *gzipSource) skipHeader(n int64) error {
	src := g.inflater.src
	for n > 0 {
		if err := src.fill(); err != nil {
			return gzipShort(err)
		}
		p := src.buf.head.bytes()
		p = p[:min(int64(len(p)), n)]
		g.crc = crc32.Update(g.crc, crc32.IEEETable, p)
		n -= int64(len(p))
		src.buf.drop(int64(len(p)))
	}
	return nil
}
