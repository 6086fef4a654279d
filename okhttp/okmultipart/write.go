package okmultipart

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// writeTo writes the parts and what is between them. Errors of the sink stick to it and are seen at the end.
func (l *layout) writeTo(ctx context.Context, sink *okio.BufferedSink) error {
	for i := range l.parts {
		_, _ = sink.WriteString("--")
		_, _ = sink.WriteString(l.boundary)
		_, _ = sink.WriteString("\r\n")
		_, _ = sink.WriteString(l.heads[i])
		if err := l.parts[i].writeTo(ctx, sink, i); err != nil {
			return err
		}
		_, _ = sink.WriteString("\r\n")
	}
	_, _ = sink.WriteString("--")
	_, _ = sink.WriteString(l.boundary)
	_, err := sink.WriteString("--\r\n")
	return err
}

// writeTo writes the content.
func (p *Part) writeTo(ctx context.Context, sink *okio.BufferedSink, index int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case p.nested != nil:
		return p.nested.writeTo(ctx, sink)
	case p.write != nil:
		return p.writeCounted(ctx, sink, index)
	case p.open == nil:
		_, err := sink.Write(p.data)
		return err
	}
	r, err := p.open(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("okmultipart: part %d: Open returned neither a reader nor an error", index)
	}
	return p.send(sink, r, index)
}

// send copies a reader to a sink and closes it, also when it panics.
func (p *Part) send(sink *okio.BufferedSink, r io.ReadCloser, index int) (err error) {
	defer func() {
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
	}()
	src := &measured{src: okio.FromReader(r), left: p.length, total: p.length, part: index}
	if p.length < 0 {
		_, err = sink.WriteAllFrom(src.src)
		return err
	}
	_, err = sink.WriteAllFrom(src)
	return err
}

// measured is a source that must have a certain length: another one would shift the framing of all that follows. It asks for one byte beyond,
// because a source that has more is as wrong as one that has less.
type measured struct {
	src         okio.Source
	left, total int64
	part        int
}

func (m *measured) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if m.left == 0 {
		var more okio.Buffer
		defer more.Clear()
		if n, err := m.src.ReadBuffer(&more, 1); err != nil || n == 0 {
			return 0, err
		}
		return 0, wrongLength(m.part, m.total, m.total+1)
	}
	n, err := m.src.ReadBuffer(dst, min(most, m.left))
	m.left -= n
	if errors.Is(err, io.EOF) {
		return 0, wrongLength(m.part, m.total, m.total-m.left)
	}
	return n, err
}

func (m *measured) Close() error { return m.src.Close() }

// writeCounted lets the part write itself and measures it.
func (p *Part) writeCounted(ctx context.Context, sink *okio.BufferedSink, index int) error {
	if p.length < 0 {
		return p.write(ctx, keptOpen{sink})
	}
	w := &measuredWriter{sink: sink, left: p.length, total: p.length, part: index}
	err := p.write(ctx, w)
	switch {
	case w.err != nil:
		return w.err // whatever the function made of it
	case err != nil:
		return err
	case w.left > 0:
		return wrongLength(index, p.length, p.length-w.left)
	}
	return nil
}

// measuredWriter takes as many bytes as were announced and no more. It is an [okio.Sink] too, for parts that have segments to hand over.
type measuredWriter struct {
	sink        *okio.BufferedSink
	left, total int64
	part        int
	err         error
}

func (m *measuredWriter) Write(p []byte) (int, error) {
	if err := m.fits(int64(len(p))); err != nil {
		return 0, err
	}
	n, err := m.sink.Write(p)
	m.left -= int64(n)
	return n, err
}

func (m *measuredWriter) WriteBuffer(src *okio.Buffer, n int64) error {
	if err := m.fits(n); err != nil {
		return err
	}
	err := m.sink.WriteBuffer(src, n)
	if err == nil {
		m.left -= n
	}
	return err
}

// fits reports whether n more bytes were announced. Once they were not, nothing fits.
func (m *measuredWriter) fits(n int64) error {
	if m.err == nil && n > m.left {
		m.err = wrongLength(m.part, m.total, m.total-m.left+n)
	}
	return m.err
}

func (m *measuredWriter) Flush() error { return m.sink.Flush() }

// Close does nothing: the sink goes on.
func (m *measuredWriter) Close() error { return nil }

// keptOpen is a sink that stays open when whoever writes a part of it closes it.
type keptOpen struct{ *okio.BufferedSink }

// Close does nothing.
func (keptOpen) Close() error { return nil }

// wrongLength reports a part that is not as long as it was said to be.
func wrongLength(part int, expected, got int64) error {
	e := &okhttp.ProtocolError{Detail: fmt.Sprintf("multipart part %d: expected %d bytes but received %d", part, expected, got)}
	if got < expected {
		e.Err = io.ErrUnexpectedEOF
	}
	return e
}
