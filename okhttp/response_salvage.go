package okhttp

import (
	"time"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// CloseInto closes the body as [ResponseBody.Close] does, but what is left of it and comes within d goes to k: for a cache, which wants the rest
// although its reader does not. It reports whether that came to its end; k is neither flushed nor closed. A failure of k does not end it.
func (b *ResponseBody) CloseInto(k okio.Sink, d time.Duration) (whole bool) {
	defer b.Close()
	end := time.Now().Add(d)
	if r, ok := b.src.(*responseAndBody); ok && b.buffered == nil {
		return r.exchange.closeInto(k, end)
	}
	var rest okio.Buffer
	defer rest.Clear()
	for {
		_, err := b.ReadBuffer(&rest, 64<<10)
		if err != nil {
			return isEOF(err)
		}
		handOver(k, &rest)
		if !time.Now().Before(end) {
			return false
		}
	}
}

// closeInto is Close with a place for the rest, and with a wait for it over HTTP/2 too.
func (ex *exchange) closeInto(k okio.Sink, end time.Time) (whole bool) {
	if ex.closed || ex.done {
		return !ex.closed && ex.whole
	}
	ex.closed = true
	ex.start()
	if at, limited := ex.ctx.Deadline(); limited && at.Before(end) {
		end = at
	}
	if ex.ctx.Err() != nil || !ex.collect(k, end) {
		ex.cut()
		return false
	}
	ex.finish()
	return true
}

// collect reads content until a moment, and reports whether it came to its end.
func (ex *exchange) collect(k okio.Sink, end time.Time) bool {
	if ex.body.Done() {
		return true
	}
	ex.wire.hurry(end)
	var rest okio.Buffer
	defer rest.Clear()
	for {
		n, err := ex.body.ReadBuffer(&rest, 64<<10)
		ex.got += n
		handOver(k, &rest)
		switch {
		case ex.body.Done() && (err == nil || isEOF(err)):
			return true
		case err != nil:
			return isEOF(err) && ex.body.Len() == http1.UntilClose
		case !time.Now().Before(end):
			return false
		}
	}
}

func handOver(k okio.Sink, b *okio.Buffer) {
	_ = k.WriteBuffer(b, b.Len()) // a cache's failure is not the body's
	b.Clear()
}
