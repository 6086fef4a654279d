package okio

import "io"

// A BufferedSink writes values and text to a [Sink] through a [Buffer] of its own. It passes complete segments on by itself
// and the rest when Emit, Flush or Close is called. It is itself a Sink and an io.Writer.
//
// The first error of the sink sticks: every later write and flush returns it, so that the results of a series of writes may
// be ignored if Flush or Close is checked. After Close, which reports that error, everything fails with [ErrClosed]. A
// BufferedSink is not safe for concurrent use.
type BufferedSink struct {
	down   Sink
	buf    Buffer
	err    error
	closed bool
}

// writePiece bounds how much of a large slice is copied before segments are passed on.
const writePiece = 4 * segmentSize

// NewBufferedSink returns a BufferedSink that writes to k and owns it.
func NewBufferedSink(k Sink) *BufferedSink { return &BufferedSink{down: k} }

// Buffer returns the buffer between the writer and the sink. What is written to it directly goes down with the next write
// or emit.
func (k *BufferedSink) Buffer() *Buffer { return &k.buf }

// Timeout returns the time limits of the sink beneath.
func (k *BufferedSink) Timeout() *Timeout { return TimeoutOf(k.down) }

// Err returns the error that sticks, nil if there is none, and [ErrClosed] after Close.
func (k *BufferedSink) Err() error { return k.err }

// EmitFull passes the complete segments on: everything but a last segment that has room.
func (k *BufferedSink) EmitFull() error {
	if k.err != nil {
		return k.err
	}
	return k.emit(k.buf.completeBytes())
}

// Emit passes everything on, to the sink beneath but no further.
func (k *BufferedSink) Emit() error {
	if k.err != nil {
		return k.err
	}
	return k.emit(k.buf.Len())
}

// Flush passes everything on and flushes the sink beneath, so that the bytes get to their final destination.
func (k *BufferedSink) Flush() error {
	if err := k.Emit(); err != nil {
		return err
	}
	k.err = k.down.Flush()
	return k.err
}

func (k *BufferedSink) emit(n int64) error {
	if n > 0 {
		k.err = k.down.WriteBuffer(&k.buf, n)
	}
	return k.err
}

// Close passes everything on and closes the sink beneath, whatever happens. It returns the first error, also one that stuck
// before. A second call does nothing.
func (k *BufferedSink) Close() error {
	if k.closed {
		return nil
	}
	k.closed = true
	err := k.Emit()
	if closeErr := k.down.Close(); err == nil {
		err = closeErr
	}
	k.buf.Clear()
	k.err = ErrClosed
	return err
}

// spot is the fast path of small writes: the only segment, if n bytes fit into it without making it complete, nil
// otherwise.
func (k *BufferedSink) spot(n int) *segment {
	if h := k.buf.head; h != nil && h.next == h && h.root == nil && n > 0 && n < segmentSize-h.limit && k.err == nil {
		return h
	}
	return nil
}

// Write appends a copy of p.
func (k *BufferedSink) Write(p []byte) (int, error) {
	if t := k.spot(len(p)); t != nil {
		k.buf.grow(t, copy(t.data[t.limit:], p))
		return len(p), nil
	}
	if k.err != nil {
		return 0, k.err
	}
	total := 0
	for len(p) > writePiece {
		_, _ = k.buf.Write(p[:writePiece])
		if err := k.EmitFull(); err != nil {
			return total, err
		}
		total += writePiece
		p = p[writePiece:]
	}
	_, _ = k.buf.Write(p)
	if err := k.EmitFull(); err != nil {
		return total, err
	}
	return total + len(p), nil
}

// WriteString appends a copy of s.
func (k *BufferedSink) WriteString(s string) (int, error) {
	if t := k.spot(len(s)); t != nil {
		k.buf.grow(t, copy(t.data[t.limit:], s))
		return len(s), nil
	}
	if k.err != nil {
		return 0, k.err
	}
	total := 0
	for len(s) > writePiece {
		_, _ = k.buf.WriteString(s[:writePiece])
		if err := k.EmitFull(); err != nil {
			return total, err
		}
		total += writePiece
		s = s[writePiece:]
	}
	_, _ = k.buf.WriteString(s)
	if err := k.EmitFull(); err != nil {
		return total, err
	}
	return total + len(s), nil
}

// WriteBuffer takes n bytes from the front of src, moving whole segments. It fails, taking nothing, if src does not hold n
// bytes; that error does not stick. It implements [Sink].
func (k *BufferedSink) WriteBuffer(src *Buffer, n int64) error {
	if k.err != nil {
		return k.err
	}
	if err := k.buf.WriteBuffer(src, n); err != nil {
		return err
	}
	return k.EmitFull()
}

// WriteFrom moves exactly n bytes from s. If s ends early it returns io.EOF or io.ErrUnexpectedEOF and keeps what came.
// Errors of s do not stick. If n is 0 it does not touch s.
func (k *BufferedSink) WriteFrom(s Source, n int64) error {
	if err := checkCount(n); err != nil {
		return err
	}
	if k.err != nil {
		return k.err
	}
	for left := n; left > 0; {
		came, err := k.buf.refill(s, left)
		if err != nil {
			if err == io.EOF {
				err = shortErr(n - left)
			}
			return err
		}
		left -= came
		if err := k.EmitFull(); err != nil {
			return err
		}
	}
	return nil
}

// WriteAllFrom moves everything from s until its end and returns how much that was. Errors of s do not stick.
func (k *BufferedSink) WriteAllFrom(s Source) (int64, error) {
	var total int64
	for {
		if k.err != nil {
			return total, k.err
		}
		n, err := k.buf.refill(s, segmentSize)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		total += n
		if err := k.EmitFull(); err != nil {
			return total, err
		}
	}
}

// ReadFrom appends everything that r has, until io.EOF, which is not reported. It reads straight into segments; from a
// reader that is a [Source] it moves segments instead. Errors of r do not stick.
func (k *BufferedSink) ReadFrom(r io.Reader) (int64, error) {
	if s, ok := r.(Source); ok {
		return k.WriteAllFrom(s)
	}
	var total int64
	for {
		if k.err != nil {
			return total, k.err
		}
		n, err := k.buf.readOnce(r, segmentSize)
		total += int64(n)
		if emitErr := k.EmitFull(); emitErr != nil {
			return total, emitErr
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

var (
	_ io.Writer       = (*BufferedSink)(nil)
	_ io.ByteWriter   = (*BufferedSink)(nil)
	_ io.StringWriter = (*BufferedSink)(nil)
	_ io.ReaderFrom   = (*BufferedSink)(nil)
	_ Sink            = (*BufferedSink)(nil)
	_ Limited         = (*BufferedSink)(nil)
)
