package okio

import (
	"io"
	"net"
)

// ToWriter returns a sink that writes to w. Several segments go to a TCP or Unix connection in one system call; for any
// other writer they are joined into pieces of 16 KiB, the largest TLS record. Flush flushes w if it has a Flush method that
// returns an error, as [bufio.Writer] has, and Close closes w if it is an io.Closer. A w that is a [Sink] already is
// returned as it is.
func ToWriter(w io.Writer) Sink {
	if k, ok := w.(Sink); ok {
		return k
	}
	return &writerSink{w: w, vectored: isVectored(w)}
}

// isVectored reports whether w takes several slices in one system call.
func isVectored(w io.Writer) bool {
	switch w.(type) {
	case *net.TCPConn, *net.UnixConn:
		return true
	}
	return false
}

type writerSink struct {
	w        io.Writer
	vectored bool
	slices   [][]byte    // kept for its room
	vector   net.Buffers // the part of slices not written yet; a field, because WriteTo makes it escape
	closed   bool
}

// maxVector is how many slices one call of writev takes on every system we know.
const maxVector = 1024

func (k *writerSink) WriteBuffer(src *Buffer, n int64) error {
	if k.closed {
		return ErrClosed
	}
	if err := checkTake(src, n); err != nil {
		return err
	}
	for n > 0 {
		before := src.Len()
		err := k.writeSome(src, n)
		n -= before - src.Len()
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *writerSink) writeSome(src *Buffer, n int64) error {
	if k.vectored && int64(src.head.level()) < n {
		return k.writeVector(src, n)
	}
	piece := min(n, segmentSize)
	p, err := src.PeekN(int(piece)) // joins segments as needed
	if err != nil {
		return err
	}
	return src.writeOnce(k.w, p)
}

func (k *writerSink) writeVector(src *Buffer, n int64) error {
	k.slices = k.slices[:0]
	for p := range src.Chunks() {
		if n == 0 || len(k.slices) == maxVector {
			break
		}
		if int64(len(p)) > n {
			p = p[:n]
		}
		k.slices = append(k.slices, p)
		n -= int64(len(p))
	}
	k.vector = k.slices
	wrote, err := k.vector.WriteTo(k.w)
	clear(k.slices)
	k.vector = nil
	src.drop(wrote)
	return err
}

func (k *writerSink) Flush() error {
	if k.closed {
		return ErrClosed
	}
	if f, ok := k.w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

func (k *writerSink) Timeout() *Timeout { return TimeoutOf(k.w) }

func (k *writerSink) Close() error {
	if k.closed {
		return nil
	}
	k.closed = true
	if c, ok := k.w.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
