package okhttp

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/okhttp-go/ok/okio"
)

// duplex is a request body that is sent while the response is read. It has a goroutine of its own. The call ends when both have.
type duplex struct {
	mu    sync.Mutex
	over  bool
	after func() // what the end of the response left to do
}

// then runs f when the body is over, which may be now.
func (d *duplex) then(f func()) {
	d.mu.Lock()
	over := d.over
	if !over {
		d.after = f
	}
	d.mu.Unlock()
	if over {
		f()
	}
}

// done ends the body.
func (d *duplex) done() {
	d.mu.Lock()
	d.over = true
	after := d.after
	d.mu.Unlock()
	if after != nil {
		after()
	}
}

// duplex returns the request's body that is sent beside the response, nil if there is none.
func (ex *exchange) duplex() *duplex {
	if ex.rare == nil {
		return nil
	}
	return ex.rare.duplex
}

// writeDuplex begins to send a body beside the response.
func (c *Call) writeDuplex(ctx context.Context, ex *exchange, body *Body) *attemptError {
	w, err := ex.wire.requestBody(bodyLength(body))
	if err != nil {
		return ex.failure(PhaseRequestBody, err)
	}
	if err := ex.wire.flush(); err != nil {
		return ex.failure(PhaseRequestHeaders, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	ex.wire.overlap(cancel)
	d := new(duplex)
	ex.rarely().duplex = d
	c.client.background.spawn(func() {
		defer d.done()
		defer cancel()
		c.sendDuplex(ctx, ex, w, body)
	})
	return nil
}

// sendDuplex sends the content. A failure resets the stream, so that whoever reads the response learns of it.
func (c *Call) sendDuplex(ctx context.Context, ex *exchange, w requestSink, body *Body) {
	l := c.events.Load()
	if l != nil && l.RequestBodyStart != nil {
		l.RequestBodyStart(c)
	}
	err := error(&PanicError{}) // unless it returns
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v}
		}
		switch {
		case err == nil:
			if l != nil && l.RequestBodyEnd != nil {
				l.RequestBodyEnd(BodyEnd{c, w.Written()})
			}
			return
		case l != nil && l.RequestFailed != nil:
			l.RequestFailed(Failure{c, err})
		}
		ex.wire.abort(err)
	}()
	sink := okio.NewBufferedSink(w)
	if body.cfg.Write != nil {
		err = body.cfg.Write(ctx, promptSink{sink})
	} else {
		err = sendPromptly(ctx, sink, body)
	}
	if err == nil {
		err = finishBody(sink, w, body)
	}
}

// promptSink sends each write at once: the other side may answer it.
type promptSink struct{ sink *okio.BufferedSink }

func (s promptSink) Write(p []byte) (int, error) {
	n, err := s.sink.Write(p)
	if err == nil {
		err = s.sink.Flush()
	}
	return n, err
}

// WriteString implements [io.StringWriter].
func (s promptSink) WriteString(text string) (int, error) {
	n, err := s.sink.WriteString(text)
	if err == nil {
		err = s.sink.Flush()
	}
	return n, err
}

// WriteBuffer implements [okio.Sink].
func (s promptSink) WriteBuffer(src *okio.Buffer, n int64) error {
	if err := s.sink.WriteBuffer(src, n); err != nil {
		return err
	}
	return s.sink.Flush()
}

// Flush implements [okio.Sink].
func (s promptSink) Flush() error { return s.sink.Flush() }

// Close does nothing: returning ends the body.
func (s promptSink) Close() error { return nil }

// ReadFrom implements [io.ReaderFrom]: what is read goes out before the next read.
func (s promptSink) ReadFrom(r io.Reader) (total int64, err error) {
	buf := make([]byte, 16<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if _, err := s.Write(buf[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return total, err
		}
	}
}

func sendPromptly(ctx context.Context, sink *okio.BufferedSink, body *Body) (err error) {
	r, err := body.cfg.Open(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		return errors.New("okhttp: a body's Open returned neither a reader nor an error")
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	_, err = promptSink{sink}.ReadFrom(r)
	return err
}
