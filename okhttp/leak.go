package okhttp

import (
	"errors"
	"log/slog"
	"runtime"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// ErrBodyLeaked is the failure of a call whose response was dropped without being closed. There is nobody to return it to: listeners and
// the log are told, and the connection is closed.
var ErrBodyLeaked = errors.New("okhttp: the response body was dropped without being closed")

// leakInterval is how often a client that shuts down looks for responses that were dropped: they are why it has to wait.
const leakInterval = 500 * time.Millisecond

// A body's source is a part of its response, so that whoever can still read the one keeps the other in memory. When the response is not
// reachable any more while its exchange is not over, nobody is left who could end it.

// Nobody may need a response any more once its body is being read or closed for the last time, but it must not count as dropped before that
// is over: its methods keep it.

func (r *responseAndBody) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	n, err := r.exchange.ReadBuffer(dst, most)
	runtime.KeepAlive(r)
	return n, err
}

func (r *responseAndBody) Read(p []byte) (int, error) {
	n, err := r.exchange.Read(p)
	runtime.KeepAlive(r)
	return n, err
}

func (r *responseAndBody) Close() error {
	err := r.exchange.Close()
	runtime.KeepAlive(r)
	return err
}

// watch looks out for the response being dropped, until the exchange is over.
func (ex *exchange) watch(r *responseAndBody) {
	ex.leak = runtime.AddCleanup(r, (*exchange).leaked, ex)
}

// leaked runs on the runtime's goroutine for cleanups, which belongs to nobody: it may be outside of the synctest bubble that the
// connection is in, and must not be held up. So it only puts the exchange on a list of its pool. That is looked at when the next call starts,
// when the pool looks for idle connections, while a client shuts down, and when it or the pool is closed.
func (ex *exchange) leaked() {
	p := ex.conn.pool
	p.mu.Lock()
	p.leaks = append(p.leaks, ex)
	p.mu.Unlock()
	p.leaking.Store(true)
}

// reap ends the exchanges whose responses were dropped.
func (p *ConnectionPool) reap() {
	if !p.leaking.Swap(false) {
		return
	}
	p.mu.Lock()
	leaks := p.leaks
	p.leaks = nil
	p.mu.Unlock()
	for _, ex := range leaks {
		call := ex.call
		logger := call.client.cfg.logger
		if logger == nil {
			logger = slog.Default()
		}
		args := []any{"method", call.request.method, "url", call.request.url.Redacted()}
		if call.rare != nil && call.rare.stack != "" {
			args = append(args, "stack", call.rare.stack)
		}
		logger.Warn("okhttp: a connection was leaked; close the body of every response", args...)
		ex.endLeaked(logger)
	}
}

// endLeaked fails the call of a leak. A panic of its listener is for the log too: whoever's call this happens in has nothing to do with it.
func (ex *exchange) endLeaked(logger *slog.Logger) {
	defer func() {
		if v := recover(); v != nil {
			logger.Error("okhttp: a listener panicked when its call was leaked", "panic", v)
		}
	}()
	ex.fail(ErrBodyLeaked)
}

// callerStack returns the stack of the goroutine that executes a call, for the report of a leak.
func callerStack() string {
	buf := make([]byte, 4<<10)
	return string(buf[:runtime.Stack(buf, false)])
}
