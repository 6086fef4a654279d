package okcache

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// tripBody is a body that is stored while it is read, as users of net/http know bodies: one may be closed while another goroutine reads it, which ends the reading.
type tripBody struct {
	body    *okhttp.ResponseBody
	base    io.Closer  // what body reads from, which may be closed at any time
	reading sync.Mutex // held by who uses body
	closed  atomic.Bool
}

var errReadAfterClose = errors.New("okcache: read of a closed body")

// Read implements [io.Reader].
func (b *tripBody) Read(p []byte) (int, error) {
	b.reading.Lock()
	if b.closed.Load() {
		b.reading.Unlock()
		return 0, errReadAfterClose
	}
	n, err := b.body.Read(p)
	b.reading.Unlock()
	if b.closed.Load() {
		b.end()
	}
	return n, err
}

// Close implements [io.Closer]. It never waits for a read.
func (b *tripBody) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	if !b.end() {
		return b.base.Close() // which ends the read, and that ends the rest
	}
	return nil
}

// end closes the body unless somebody reads it.
func (b *tripBody) end() bool {
	if !b.reading.TryLock() {
		return false
	}
	defer b.reading.Unlock()
	// Closing reads the rest, which may never come: no deadline reaches what is beneath.
	enough := time.AfterFunc(salvageTime, func() { _ = b.base.Close() })
	defer enough.Stop()
	_ = b.body.Close() // it tells its faults to who reads
	return true
}
