package okhttp

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/okhttp-go/ok/okio"
)

// httpResponse is a response of net/http with its body, in one piece of memory.
type httpResponse struct {
	http.Response
	body httpBody
}

// httpBody is a response's body as users of net/http know it: they may close it while another goroutine reads, which ends the reading. That is
// how a watch is stopped and how a read is left that the context does not end. Reads that come at the same time wait for each other.
type httpBody struct {
	body    *ResponseBody
	call    *Call
	trailed *httpResponse // whose trailers are set at the end of the body; nil: there are none, or they are set
	reading sync.Mutex    // held by who uses body; it is never waited for by Close
	closed  atomic.Bool
}

// Read implements [io.Reader].
func (b *httpBody) Read(p []byte) (int, error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	defer b.leave()
	n, err := b.body.Read(p)
	if err == io.EOF {
		b.setTrailers()
	}
	return n, b.orClosed(err)
}

// WriteTo implements [io.WriterTo].
func (b *httpBody) WriteTo(w io.Writer) (int64, error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	defer b.leave()
	n, err := b.body.WriteTo(w)
	if err == nil {
		b.setTrailers()
	}
	return n, b.orClosed(err)
}

// ReadBuffer implements [okio.Source].
func (b *httpBody) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	defer b.leave()
	n, err := b.body.ReadBuffer(dst, most)
	return n, b.orClosed(err)
}

// setTrailers sets the trailers of the response, once.
func (b *httpBody) setTrailers() {
	h, ex := b.trailed, b.call.exchange
	if h == nil || ex == nil || !ex.done {
		return
	}
	b.trailed = nil
	if ex.rare == nil {
		return
	}
	for name, value := range headersOf(ex.rare.trailers).All() {
		if h.Trailer == nil {
			h.Trailer = http.Header{}
		}
		h.Trailer.Add(name, value)
	}
}

// Close closes the body. If somebody reads it, the call is canceled, and who reads closes it.
func (b *httpBody) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	done, err := b.giveUp()
	if !done {
		b.call.Cancel()
	}
	return err
}

func (b *httpBody) enter() error {
	b.reading.Lock()
	if b.closed.Load() {
		b.leave()
		return okio.ErrClosed
	}
	return nil
}

// leave lets others read, and then looks whether it was closed meanwhile: Close does it the other way round, so that one of them gives up the body.
func (b *httpBody) leave() {
	b.reading.Unlock()
	if b.closed.Load() {
		_, _ = b.giveUp() // which never fails for a body from a server
	}
}

// giveUp closes the body unless somebody reads it, and reports whether it did.
func (b *httpBody) giveUp() (done bool, err error) {
	if !b.reading.TryLock() {
		return false, nil
	}
	defer b.reading.Unlock()
	return true, b.body.Close()
}

// orClosed is the error of a read: what comes of being canceled by Close is that it was closed.
func (b *httpBody) orClosed(err error) error {
	if err != nil && err != io.EOF && b.closed.Load() {
		return okio.ErrClosed
	}
	return err
}
