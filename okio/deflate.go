package okio

import (
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// The compression levels: -2 for Huffman coding only, -1 for the default, 0 for none, 1 for speed to 9 for size.
const (
	minLevel = flate.HuffmanOnly
	maxLevel = flate.BestCompression
)

// flateWriters recycles deflaters, whose tables are several hundred KiB, by level.
var flateWriters [maxLevel - minLevel + 1]sync.Pool

func checkLevel(level int) error {
	if level < minLevel || level > maxLevel {
		return fmt.Errorf("okio: compression level %d is not in %d..%d", level, minLevel, maxLevel)
	}
	return nil
}

// A deflater encodes a raw deflate stream (RFC 1951).
type deflater struct {
	level  int
	out    *BufferedSink
	own    BufferedSink // what out points to if the sink was not buffered
	flate  *flate.Writer
	closed bool
}

func (x *deflater) init(k Sink, level int) error {
	if err := checkLevel(level); err != nil {
		return err
	}
	x.level = level
	if b, ok := k.(*BufferedSink); ok {
		x.out = b
		return nil
	}
	x.own.down = k
	x.out = &x.own
	return nil
}

// start takes an encoder for the first byte.
func (x *deflater) start() error {
	if x.flate != nil {
		return nil
	}
	if w, ok := flateWriters[x.level-minLevel].Get().(*flate.Writer); ok {
		w.Reset(x.out)
		x.flate = w
		return nil
	}
	w, err := flate.NewWriter(x.out, x.level)
	x.flate = w
	return err
}

// check reports why nothing can be written any more.
func (x *deflater) check() error {
	if x.closed {
		return ErrClosed
	}
	return x.out.Err()
}

// write encodes n bytes of src, handing each piece to seen, and consumes them as they are encoded.
func (x *deflater) write(src *Buffer, n int64, seen func([]byte)) error {
	if err := x.check(); err != nil {
		return err
	}
	if src == &x.out.buf {
		return errSelfMove
	}
	if err := checkTake(src, n); err != nil || n == 0 {
		return err
	}
	if err := x.start(); err != nil {
		return err
	}
	for n > 0 {
		p := src.head.bytes()
		p = p[:min(int64(len(p)), n)]
		if _, err := x.flate.Write(p); err != nil {
			return err
		}
		if seen != nil {
			seen(p)
		}
		n -= int64(len(p))
		src.drop(int64(len(p)))
	}
	return nil
}

// Flush makes everything written so far decodable, by ending with an empty stored block, and flushes downstream.
func (x *deflater) Flush() error {
	if err := x.check(); err != nil {
		return err
	}
	if err := x.start(); err != nil {
		return err
	}
	if err := x.flate.Flush(); err != nil {
		return err
	}
	return x.out.Flush()
}

// emptyDeflate is a final block of the fixed code that holds nothing.
const emptyDeflate = "\x03\x00"

// finish ends the stream. Whatever goes wrong sticks to the sink, whose Close reports it.
func (x *deflater) finish() {
	x.closed = true
	if x.flate == nil {
		_, _ = x.out.WriteString(emptyDeflate)
		return
	}
	_ = x.flate.Close()
	x.flate.Reset(io.Discard) // the pool must not keep the sink alive
	flateWriters[x.level-minLevel].Put(x.flate)
	x.flate = nil
}

func (x *deflater) Timeout() *Timeout { return x.out.Timeout() }

// NewDeflaterSink returns a sink that writes what it is given to k as a raw deflate stream (RFC 1951). The level is -2 for
// Huffman coding only, -1 for the default, 0 for none, and 1 for speed up to 9 for size; any other is an error. Flush makes
// everything written so far decodable, which costs ratio when done often. Close ends the stream and closes k.
func NewDeflaterSink(k Sink, level int) (Sink, error) {
	d := new(deflaterSink)
	if err := d.init(k, level); err != nil {
		return nil, err
	}
	return d, nil
}

type deflaterSink struct{ deflater }

func (d *deflaterSink) WriteBuffer(src *Buffer, n int64) error { return d.write(src, n, nil) }

func (d *deflaterSink) Close() error {
	if d.closed {
		return nil
	}
	d.finish()
	return d.out.Close()
}
