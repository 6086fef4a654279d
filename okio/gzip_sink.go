package okio

import "hash/crc32"

// NewGzipSink returns a sink that writes what it is given to k as a gzip stream of one member (RFC 1952), without file name
// or time. The level is -2 for Huffman coding only, -1 for the default, 0 for none, and 1 for speed up to 9 for size; any
// other is an error. Flush makes everything written so far decodable, which costs ratio when done often. Close ends the
// stream and closes k; a sink that nothing was written to still makes a valid stream.
func NewGzipSink(k Sink, level int) (Sink, error) {
	g := new(gzipSink)
	if err := g.init(k, level); err != nil {
		return nil, err
	}
	g.seen = g.count
	// No flags, no time, no hints about the level or the system. A failure sticks to the sink.
	_, _ = g.out.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00")
	return g, nil
}

type gzipSink struct {
	deflater
	crc  uint32
	size uint32 // modulo 2^32, as ISIZE is
	seen func([]byte)
}

func (g *gzipSink) count(p []byte) {
	g.crc = crc32.Update(g.crc, crc32.IEEETable, p)
	g.size += uint32(len(p))
}

func (g *gzipSink) WriteBuffer(src *Buffer, n int64) error { return g.write(src, n, g.seen) }

func (g *gzipSink) Close() error {
	if g.closed {
		return nil
	}
	g.finish()
	_ = g.out.WriteUint32LE(g.crc)
	_ = g.out.WriteUint32LE(g.size)
	return g.out.Close()
}
