package okhttp

import (
	"context"
	"errors"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// Open returns the content for reading, for code that has to see what is sent, to sign or log it. It counts as one sending of a one-shot body. If
// the body is made by a Write function, that runs on a goroutine of its own, with a context that ends when the reader is closed; Close waits for
// it.
func (b *Body) Open(ctx context.Context) (io.ReadCloser, error) {
	if b.cfg.Open != nil {
		r, err := b.cfg.Open(ctx)
		if err == nil && r == nil {
			err = errNoReader
		}
		return r, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	p := &pipedBody{PipeReader: r, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		defer cancel()
		defer w.CloseWithError(io.ErrUnexpectedEOF) // if neither of the others comes to it: somebody calls runtime.Goexit
		defer func() {
			if v := recover(); v != nil {
				w.CloseWithError(&PanicError{v})
			}
		}()
		w.CloseWithError(b.cfg.Write(ctx, w))
	}()
	return p, nil
}

// pipedBody is what a body writes.
type pipedBody struct {
	*io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
}

// Close makes further writes fail and waits for the body to notice: it may be written again right after.
func (p *pipedBody) Close() error {
	err := p.PipeReader.Close()
	p.cancel()
	<-p.done
	return err
}

// Write writes the content to w, for code that puts it into another body, on the caller's goroutine. It counts as one sending of a one-shot body.
// w is neither flushed nor closed; if it is an [okio.Sink], segments are handed over without copying. That there are as many bytes as [Body.Len]
// says is not checked.
func (b *Body) Write(ctx context.Context, w io.Writer) error {
	sink := okio.NewBufferedSink(okio.ToWriter(w))
	if err := b.writeTo(ctx, sink); err != nil {
		if own, ok := errors.AsType[*sourceError](err); ok {
			return own.err
		}
		return err
	}
	return sink.Emit()
}
