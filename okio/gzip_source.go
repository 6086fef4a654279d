package okio

import (
	"fmt"
	"hash/crc32"
	"io"
)

// NewGzipSource returns a source of what the gzip stream s (RFC 1952) decodes to: one member or several in a row. The
// checksum and length of each member are verified before the end is reported, so reading to the end proves the data whole.
// After the last member s must end; whether it does is looked at before the end is reported, which also drives s to its own
// end. Data that is damaged, truncated or followed by something else fails with a [*FormatError]. Errors, also those of s,
// repeat on later reads. Memory use does not depend on the data. Closing it closes s.
func NewGzipSource(s Source) Source {
	g := new(gzipSource)
	g.inflater.init("gzip", s)
	return g
}

type gzipSource struct {
	inflater inflater
	state    gzipState
	crc      uint32
	size     uint32 // modulo 2^32, as ISIZE is
	err      error  // repeats
	closed   bool
}

type gzipState uint8

const (
	gzipHeader gzipState = iota
	gzipBody
	gzipTrailer
	gzipNext // after a trailer: the end or another member
)

func (g *gzipSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkCount(max); err != nil {
		return 0, err
	}
	if max == 0 && !g.closed {
		return 0, nil
	}
	n, err := dst.readOnce(g, max)
	return int64(n), err
}

// Read lets large reads of a BufferedSource bypass its buffer. It never returns bytes together with an error.
func (g *gzipSource) Read(p []byte) (int, error) {
	if g.closed {
		return 0, ErrClosed
	}
	if g.err != nil || len(p) == 0 {
		return 0, g.err
	}
	n, err := g.read(p)
	g.err = err
	return n, err
}

func (g *gzipSource) read(p []byte) (int, error) {
	for {
		switch g.state {
		case gzipHeader:
			if err := g.readHeader(); err != nil {
				return 0, err
			}
			g.crc, g.size = 0, 0
			g.state = gzipBody
		case gzipBody:
			n, err := g.inflater.read(p)
			if err == io.EOF {
				g.state = gzipTrailer
				continue
			}
			g.crc = crc32.Update(g.crc, crc32.IEEETable, p[:n])
			g.size += uint32(n)
			return n, err
		case gzipTrailer:
			if err := g.readTrailer(); err != nil {
				return 0, err
			}
			g.state = gzipNext
		case gzipNext:
			if err := g.nextMember(); err != nil {
				return 0, err
			}
			g.state = gzipHeader
		}
	}
}

// nextMember returns nil if another member follows, io.EOF if the source ended.
func (g *gzipSource) nextMember() error {
	src := g.inflater.src
	ok, err := src.Request(2)
	switch {
	case err != nil:
		return err
	case src.buf.head == nil:
		return io.EOF
	case ok && src.buf.At(0) == gzipID1 && src.buf.At(1) == gzipID2:
		return nil
	}
	return &FormatError{Format: "gzip", Problem: "gzip finished without exhausting source"}
}

func (g *gzipSource) readTrailer() error {
	src := g.inflater.src
	if err := src.Require(8); err != nil {
		return gzipShort(err)
	}
	crc, _ := src.buf.ReadUint32LE()
	size, _ := src.buf.ReadUint32LE()
	if err := gzipCompare("CRC", g.crc, crc); err != nil {
		return err
	}
	return gzipCompare("ISIZE", g.size, size)
}

// gzipCompare compares what was computed with what the stream says.
func gzipCompare(name string, actual, expected uint32) error {
	if actual == expected {
		return nil
	}
	return &FormatError{Format: "gzip", Problem: fmt.Sprintf("%s: actual 0x%08x != expected 0x%08x", name, actual, expected)}
}

// gzipShort is the error of a source that ends where it must not, even before its first byte.
func gzipShort(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return formatErr("gzip", err)
}

func (g *gzipSource) Timeout() *Timeout { return g.inflater.src.Timeout() }

func (g *gzipSource) Close() error {
	g.closed = true
	g.inflater.stop()
	return g.inflater.src.Close()
}
