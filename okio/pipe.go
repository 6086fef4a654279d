package okio

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

var (
	// errSourceClosed is what writing to a pipe reports when nobody will read what was written.
	errSourceClosed = fmt.Errorf("okio: source is closed: %w", io.ErrClosedPipe)

	errFolded   = errors.New("okio: pipe is already folded")
	errFoldNil  = errors.New("okio: pipe folded to a nil sink")
	errFoldSelf = errors.New("okio: pipe folded to its own sink")
)

// Pipe carries bytes from its sink, used by one goroutine, to its source, used by another, holding a limited number in
// between. The sink waits while the pipe is full, the source while it is empty; both are [Limited], and their limits apply
// to each of these waits. Closing the sink lets the source read what is left and then see the end. Closing the source makes
// the sink fail, with an error that is [io.ErrClosedPipe]. Neither close waits for the other side.
//
// The sink's Flush and Close fail in the same way if the source was closed with bytes unread; the sink then stays open.
//
// Cancel may be called by any goroutine at any time, and so may the Close of either side as long as the pipe is not folded.
// Waiting is durable in the sense of [testing/synctest]. The zero Pipe is not usable: [NewPipe] makes one.
type Pipe struct {
	// mu guards what follows, up to the channels. It is never held while waiting or while a folded sink is called.
	mu           sync.Mutex
	buf          Buffer
	sinkClosed   bool
	sourceClosed bool
	canceled     error // the cause, once canceled
	folded       Sink
	foldTried    bool // Fold was called, whatever came of it

	limit    int64
	done     chan struct{} // closed when the pipe is canceled
	readable chan struct{} // one slot each; only the source waits on one, only the sink on the other
	writable chan struct{}
	source   pipeSource
	sink     pipeSink
}

// NewPipe returns a pipe that holds up to limit bytes; a limit below 1 means 64 KiB.
func NewPipe(limit int64) *Pipe {
	if limit < 1 {
		limit = defaultPairLimit
	}
	p := &Pipe{limit: limit, done: make(chan struct{}), readable: make(chan struct{}, 1), writable: make(chan struct{}, 1)}
	p.source.pipe = p
	p.sink.pipe = p
	p.source.timeout.canceled = p.done
	p.sink.timeout.canceled = p.done
	return p
}

// Source returns the reading side, always the same one.
func (p *Pipe) Source() Source { return &p.source }

// Sink returns the writing side, always the same one.
func (p *Pipe) Sink() Sink { return &p.sink }

// Cancel drops the bytes in the pipe and makes everything but closing fail with cause, or with [ErrCanceled] if cause is nil,
// including what waits right now. The first cause stays. A call that is under way on a folded sink is not interrupted: that
// sink has to be canceled itself.
func (p *Pipe) Cancel(cause error) {
	p.mu.Lock()
	if p.canceled == nil {
		p.canceled = causeOrCanceled(cause)
		close(p.done)
	}
	p.buf.Clear()
	p.mu.Unlock()
	signal(p.readable)
	signal(p.writable)
}

// Fold connects the pipe's sink to k: it takes the place of the source, writes what the pipe holds to k and flushes it (if
// there was anything), and from then on writes, flushes and the close of the pipe's sink go straight to k, on the goroutine
// that makes them and under the stricter of both sinks' limits. If the pipe's sink is closed by then, Fold closes k.
//
// A pipe is folded once; a second call fails, even if the first one did. A nil k and the pipe's own sink are refused, which
// does not count; a k that leads back to that sink by a detour must not be given. If k fails, Fold returns its error, the source counts as closed and k remains
// the caller's to close. On a canceled pipe Fold fails with the cause, and closing the pipe's sink closes k.
//
// Fold must not run while the source is in use. Afterwards the source is closed.
func (p *Pipe) Fold(k Sink) error {
	switch k {
	case nil:
		return errFoldNil
	case &p.sink:
		return errFoldSelf
	}
	if !p.beginFold() {
		return errFolded
	}
	var moved Buffer
	for {
		done, closing, err := p.takeForFold(k, &moved)
		if done {
			if closing {
				err = errors.Join(err, k.Close())
			}
			return err
		}
		if err := p.moveTo(k, &moved); err != nil {
			return err
		}
	}
}

// beginFold reports whether this is the first attempt.
func (p *Pipe) beginFold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.foldTried
	p.foldTried = true
	return first
}

// takeForFold moves everything out of the pipe, or finds that k can take over.
func (p *Pipe) takeForFold(k Sink, moved *Buffer) (done, closing bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.canceled != nil:
		p.folded = k
		return true, p.sinkClosed, p.canceled
	case p.buf.Len() == 0:
		p.folded = k
		p.sourceClosed = true
		signal(p.writable)
		return true, p.sinkClosed, nil
	}
	_ = moved.WriteBuffer(&p.buf, p.buf.Len()) // all of it, from another buffer: does not fail
	signal(p.writable)
	return false, false, nil
}

// moveTo writes moved to k and flushes it. If that does not come off, by an error or a panic, a waiting sink must learn that
// nobody will read.
func (p *Pipe) moveTo(k Sink, moved *Buffer) error {
	complete := false
	defer func() {
		if !complete {
			moved.Clear()
			p.closeSource()
		}
	}()
	if err := k.WriteBuffer(moved, moved.Len()); err != nil {
		return err
	}
	if err := k.Flush(); err != nil {
		return err
	}
	complete = true
	return nil
}

func (p *Pipe) closeSource() {
	p.mu.Lock()
	p.sourceClosed = true
	p.mu.Unlock()
	signal(p.readable)
	signal(p.writable)
}

// pipeSide is what waiting needs on either side.
type pipeSide struct {
	pipe    *Pipe
	timeout Timeout
	timer   *time.Timer
}

// Timeout returns the limits of each wait.
func (s *pipeSide) Timeout() *Timeout { return &s.timeout }

// wait returns nil when changed has something to tell, and an error when the time for op is up. An operation that was
// disarmed since watch waits as long as it takes.
func (s *pipeSide) wait(changed <-chan struct{}, op string, watch disarmWatch) error {
	if s.timeout.none() || watch.disarmed() {
		<-changed
		return nil
	}
	now := time.Now()
	at, _ := s.timeout.Next(now)
	left := at.Sub(now)
	if left <= 0 {
		return newTimeoutError(op, &s.timeout, at, nil)
	}
	if s.timer == nil {
		s.timer = time.NewTimer(left)
	} else {
		s.timer.Reset(left)
	}
	defer s.timer.Stop()
	select {
	case <-changed:
		return nil
	case <-s.timer.C:
		if !watch.disarmed() {
			return newTimeoutError(op, &s.timeout, at, nil)
		}
		<-changed
		return nil
	}
}

// pipeSource is the reading side of a Pipe.
type pipeSource struct{ pipeSide }

func (s *pipeSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkCount(max); err != nil || max == 0 {
		return 0, err
	}
	watch := s.timeout.watch()
	for {
		n, wait, err := s.take(dst, max)
		if !wait {
			return n, err
		}
		if err := s.wait(s.pipe.readable, "read", watch); err != nil {
			return 0, err
		}
	}
}

func (s *pipeSource) take(dst *Buffer, max int64) (n int64, wait bool, err error) {
	p := s.pipe
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.sourceClosed:
		return 0, false, ErrClosed
	case p.canceled != nil:
		return 0, false, p.canceled
	case p.buf.Len() > 0:
		n, err = p.buf.ReadBuffer(dst, max)
		signal(p.writable)
		return n, false, err
	case p.sinkClosed:
		return 0, false, io.EOF
	}
	return 0, true, nil
}

func (s *pipeSource) Close() error {
	s.pipe.closeSource()
	return nil
}

// pipeSink is the writing side of a Pipe.
type pipeSink struct{ pipeSide }

func (k *pipeSink) WriteBuffer(src *Buffer, n int64) error {
	if err := checkTake(src, n); err != nil {
		return err
	}
	watch := k.timeout.watch()
	for {
		moved, wait, folded, err := k.put(src, n)
		n -= moved
		switch {
		case err != nil:
			return err
		case folded != nil:
			if n == 0 {
				return nil
			}
			return k.forward(folded, func() error { return folded.WriteBuffer(src, n) })
		case !wait:
			return nil
		}
		if err := k.wait(k.pipe.writable, "write", watch); err != nil {
			return err
		}
	}
}

// put moves what fits. It returns the folded sink, if there is one, or whether to wait for room.
func (k *pipeSink) put(src *Buffer, n int64) (moved int64, wait bool, folded Sink, err error) {
	p := k.pipe
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.sinkErr(); err != nil {
		return 0, false, nil, err
	}
	switch {
	case p.folded != nil:
		return 0, false, p.folded, nil
	case n == 0:
		return 0, false, nil, nil
	case p.sourceClosed:
		return 0, false, nil, errSourceClosed
	}
	if moved = min(n, p.limit-p.buf.Len()); moved > 0 {
		if err := p.buf.WriteBuffer(src, moved); err != nil {
			return 0, false, nil, err
		}
		signal(p.readable)
	}
	return moved, moved < n, nil, nil
}

// sinkErr is why the sink cannot be used, nil if it can. mu is held.
func (p *Pipe) sinkErr() error {
	if p.sinkClosed {
		return ErrClosed
	}
	return p.canceled
}

// unread reports that bytes were written which nobody will read. mu is held.
func (p *Pipe) unread() bool { return p.sourceClosed && p.buf.Len() > 0 }

// forward runs call, an operation of the folded sink, under the limits of both sinks.
func (k *pipeSink) forward(folded Sink, call func() error) error {
	t := TimeoutOf(folded)
	saved := t.narrow(&k.timeout)
	defer t.restore(saved)
	return call()
}

func (k *pipeSink) Flush() error {
	p := k.pipe
	p.mu.Lock()
	err, folded := p.sinkErr(), p.folded
	if err == nil && folded == nil && p.unread() {
		err = errSourceClosed
	}
	p.mu.Unlock()
	if err != nil || folded == nil {
		return err
	}
	return k.forward(folded, folded.Flush)
}

func (k *pipeSink) Close() error {
	p := k.pipe
	p.mu.Lock()
	if p.sinkClosed {
		p.mu.Unlock()
		return nil
	}
	if p.folded == nil && p.unread() {
		p.mu.Unlock()
		return errSourceClosed
	}
	p.sinkClosed = true
	folded := p.folded
	p.mu.Unlock()
	signal(p.readable)
	signal(p.writable)
	if folded == nil {
		return nil
	}
	return k.forward(folded, folded.Close)
}
