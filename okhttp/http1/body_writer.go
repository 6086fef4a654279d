package http1

import (
	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// BodyWriter writes the content of one message. It is an [okio.Sink] and an [io.Writer]. A body of known length takes exactly that
// many bytes: more fail at once, and closing it early fails with a [ProtocolError], after which the connection cannot be used. Each
// write to a chunked body becomes one chunk, so wrap it in an [okio.BufferedSink] to coalesce small writes.
// It is valid until the message is finished.
type BodyWriter struct {
	sink *okio.BufferedSink
	tmp  okio.Buffer // what Write was given, on its way into the sink

	mode   int64 // Chunked, UntilClose, or a length
	got    int64
	closed bool
	// abandoned is set when the content ended early: the peer waits for bytes that will never come.
	abandoned bool
}

func (w *BodyWriter) reset(sink *okio.BufferedSink, length int64) {
	w.sink, w.mode, w.got, w.closed, w.abandoned = sink, length, 0, false, false
}

// Written returns the bytes of content written so far.
func (w *BodyWriter) Written() int64 { return w.got }

// WriteBuffer implements [okio.Sink].
func (w *BodyWriter) WriteBuffer(src *okio.Buffer, n int64) error {
	if w.closed {
		return okio.ErrClosed
	}
	if n == 0 {
		return nil // an empty chunk would end the body
	}
	if w.mode >= 0 && n > w.mode-w.got {
		return fault.Protocolf("expected %d bytes but received %d", w.mode, w.got+n)
	}
	w.got += n
	if w.mode != Chunked {
		return w.sink.WriteBuffer(src, n)
	}
	b := w.sink.Buffer()
	b.WriteHex(uint64(n))
	b.WriteString("\r\n")
	if err := b.WriteBuffer(src, n); err != nil {
		return err
	}
	b.WriteString("\r\n")
	return w.sink.EmitFull()
}

// Write implements [io.Writer].
func (w *BodyWriter) Write(p []byte) (int, error) {
	w.tmp.Write(p)
	if err := w.WriteBuffer(&w.tmp, w.tmp.Len()); err != nil {
		w.tmp.Clear()
		return 0, err
	}
	return len(p), nil
}

// Flush implements [okio.Sink]: everything written so far goes to the peer.
func (w *BodyWriter) Flush() error {
	if w.closed {
		return okio.ErrClosed
	}
	return w.sink.Flush()
}

// Close ends the content. It does not flush: finishing the message does.
func (w *BodyWriter) Close() error { return w.CloseWithTrailers(nil) }

// CloseWithTrailers ends the content of a chunked body with trailer fields (RFC 9112 section 7.1.2), given as alternating names and
// values. Other bodies cannot carry any. Closing twice is harmless.
func (w *BodyWriter) CloseWithTrailers(fields []string) error {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.mode >= 0 && w.got < w.mode {
		w.abandoned = true
		return &ProtocolError{Detail: "unexpected end of stream: " + short(w.mode, w.got)}
	}
	if w.mode != Chunked {
		if len(fields) > 0 {
			return fault.Protocolf("trailers need a chunked body")
		}
		return nil
	}
	if err := checkFields(fields); err != nil {
		w.abandoned = true
		return err
	}
	b := w.sink.Buffer()
	writeBlock(b, fields, "0\r\n")
	return w.sink.EmitFull()
}

func short(want, got int64) string {
	return fault.Protocolf("expected %d bytes but received %d", want, got).Detail
}
