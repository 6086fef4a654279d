package okws

import (
	"io"

	"github.com/klauspost/compress/flate"
)

// packed is memory for messages: compressed ones on their way out, and those that [Conn.Messages] lends.
type packed struct{ bytes []byte }

// keptScratch is the most that is kept of such memory.
const keptScratch = 2 << 20

var scratches shelf[packed]

func takeScratch() *packed { return scratches.take() }

func (p *packed) release() {
	if p.bytes = p.bytes[:0]; cap(p.bytes) <= keptScratch {
		scratches.give(p)
	}
}

// flateWriters are compressors without context, by level.
var flateWriters [10]shelf[flate.Writer]

// deflater compresses messages. It belongs to who holds the turn to write.
type deflater struct {
	agreement
	writer *flate.Writer // the connection's own, if it keeps context or has a small window
	out    *packed       // what came out, while a message is compressed
}

// Write implements [io.Writer] for the compressor.
func (d *deflater) Write(b []byte) (int, error) {
	d.out.bytes = append(d.out.bytes, b...)
	return len(b), nil
}

// begin returns a compressor, whose output is to be had in d.out until release.
func (d *deflater) begin() (w *flate.Writer, err error) {
	d.out = takeScratch()
	switch {
	case d.writer != nil:
		if !d.takeover {
			d.writer.Reset(d)
		}
		return d.writer, nil
	case d.window < 15:
		w, err = flate.NewWriterWindow(d, 1<<d.window)
	default:
		if w = flateWriters[d.level].tryTake(); w != nil {
			w.Reset(d)
		} else {
			w, err = flate.NewWriter(d, d.level)
		}
	}
	if err == nil && (d.takeover || d.window < 15) {
		d.writer = w
	}
	return w, err
}

// end gives a compressor back.
func (d *deflater) end(w *flate.Writer) {
	if w != d.writer {
		w.Reset(io.Discard)
		flateWriters[d.level].give(w)
	}
}

// abandon gives up a message of which nothing was sent: what follows must not refer to it.
func (d *deflater) abandon(w *flate.Writer) {
	d.end(w)
	d.writer = nil
	d.release()
}

// message compresses a message (RFC 7692 section 7.2.1). What it returns is valid until release, which must follow.
func (d *deflater) message(p []byte) ([]byte, error) {
	w, err := d.begin()
	if err == nil {
		if _, err = w.Write(p); err == nil {
			err = w.Flush()
		}
		d.end(w)
	}
	return withoutFlush(d.out.bytes), err
}

// release gives up the memory for compressed bytes.
func (d *deflater) release() {
	d.out.release()
	d.out = nil
}

// close forgets the context.
func (d *deflater) close() { d.writer = nil }

// withoutFlush takes the end of the flush off a message.
func withoutFlush(p []byte) []byte {
	const end = "\x00\x00\xff\xff"
	if n := len(p) - len(end); n > 0 && string(p[n:]) == end {
		return p[:n]
	}
	return append(p, 0)
}
