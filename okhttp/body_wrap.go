package okhttp

import (
	"context"
	"errors"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// Gzipped is b, compressed with gzip at the default level while it is sent. Its length is not known, so it is sent chunked. Set the header
// Content-Encoding: gzip on the request yourself.
func Gzipped(b *Body) *Body {
	cfg := BodyConfig{ContentType: b.cfg.ContentType, Len: -1, OneShot: b.cfg.OneShot, Trailers: b.cfg.Trailers}
	cfg.Write = func(ctx context.Context, w io.Writer) error {
		gz, err := okio.NewGzipSink(okio.ToWriter(w), -1)
		if err != nil {
			return err
		}
		sink := okio.NewBufferedSink(gz)
		if err := b.writeTo(ctx, sink); err != nil {
			return err
		}
		return sink.Close()
	}
	return &Body{cfg: cfg}
}

// Progress is b, with f told on the goroutine of the call how many bytes have been handed to the connection so far, and how many there are in all,
// -1 if that is not known. Each attempt begins again at zero.
func Progress(b *Body, f func(done, total int64)) *Body {
	cfg := b.cfg
	cfg.Open = nil
	cfg.Write = func(ctx context.Context, w io.Writer) error {
		sink := okio.NewBufferedSink(okio.ToWriter(&progressWriter{w: w, total: b.cfg.Len, f: f}))
		if err := b.writeTo(ctx, sink); err != nil {
			return err
		}
		return sink.Flush()
	}
	return &Body{cfg: cfg}
}

type progressWriter struct {
	w           io.Writer
	done, total int64
	f           func(done, total int64)
}

func (p *progressWriter) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.done += int64(n)
	p.f(p.done, p.total)
	return n, err
}

// sourceError marks a failure of the body itself, as opposed to one of the connection it is written to.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// writeTo writes the content into the sink, without flushing it. Failures of the body are a *sourceError.
func (b *Body) writeTo(ctx context.Context, sink *okio.BufferedSink) error {
	switch {
	case b.data != nil:
		_, err := sink.Write(b.data)
		return err
	case b.cfg.Write != nil:
		// The user's function sees failures of the sink too and may return them wrapped; the sink knows its own.
		if err := b.cfg.Write(ctx, keptOpen{sink}); sink.Err() == nil && err != nil {
			return ofSource(err)
		}
		return sink.Err()
	}
	r, err := b.cfg.Open(ctx)
	if err != nil {
		return ofSource(err)
	}
	if r == nil {
		return ofSource(errors.New("okhttp: a body's Open returned neither a reader nor an error"))
	}
	return send(sink, r)
}

// keptOpen is a sink that stays open when whoever writes a part of it closes it: a compressor that is done, for example.
type keptOpen struct{ *okio.BufferedSink }

// Close does nothing.
func (keptOpen) Close() error { return nil }

// send copies a reader into a sink and closes it, also when it panics.
func send(sink *okio.BufferedSink, r io.ReadCloser) (err error) {
	defer func() {
		if closeErr := r.Close(); err == nil && closeErr != nil {
			err = ofSource(closeErr)
		}
	}()
	if _, err = sink.ReadFrom(r); err != nil && sink.Err() == nil {
		err = ofSource(err)
	}
	return err
}

// ofSource marks a failure as the body's own, unless a body within the body did so before.
func ofSource(err error) error {
	var marked *sourceError
	if errors.As(err, &marked) {
		return err
	}
	return &sourceError{err}
}
