package okio

import "time"

// Source returns a source of what s delivers, no faster than t allows. Each read asks for all that it may take, and uses
// that up even if less comes: reads of a size that fits what arrives lose the least. It owns s. If s has no limits of its
// own, the result has.
func (t *Throttler) Source(s Source) Source {
	x := &throttledSource{up: s}
	x.init(t, s)
	return x
}

// Sink returns a sink that writes to k what it is given, no faster than t allows and a grant at a time. After a write that
// ran out of time the bytes that were not written are still there. It owns k. If k has no limits of its own, the result has.
func (t *Throttler) Sink(k Sink) Sink {
	x := &throttledSink{down: k}
	x.init(t, k)
	return x
}

// throttled is what waiting needs.
type throttled struct {
	throttler *Throttler
	timeout   *Timeout
	own       Timeout // what timeout points to if the stream has none
	timer     *time.Timer
}

func (x *throttled) init(t *Throttler, stream any) {
	x.throttler = t
	if x.timeout = TimeoutOf(stream); x.timeout.fixed {
		x.timeout = &x.own
	}
}

// Timeout returns the limits of each wait and of each operation of the stream beneath.
func (x *throttled) Timeout() *Timeout { return x.timeout }

// take waits until some of n bytes, n > 0, may pass and returns how many. If the stream was canceled it returns n: the
// stream says so itself.
func (x *throttled) take(op string, n int64) (int64, error) {
	var watch disarmWatch
	var at time.Time // when this runs out of time
	for first := true; ; first = false {
		granted, wait, changed := x.throttler.grant(n)
		if granted > 0 {
			return granted, nil
		}
		now := time.Now()
		if first {
			watch = x.timeout.watch()
			at, _ = x.timeout.Next(now)
		}
		late := false
		if !at.IsZero() && !watch.disarmed() {
			if left := at.Sub(now); left < wait {
				late = true
				wait = left
			}
		}
		if wait > 0 {
			if canceled := x.sleep(wait, changed); canceled {
				return n, nil
			}
		}
		if late && !time.Now().Before(at) && !watch.disarmed() {
			return 0, newTimeoutError(op, x.timeout, at, nil)
		}
	}
}

// sleep ends after d, when changed is closed, or when the stream is canceled, which it reports.
func (x *throttled) sleep(d time.Duration, changed <-chan struct{}) (canceled bool) {
	if x.timer == nil {
		x.timer = time.NewTimer(d)
	} else {
		x.timer.Reset(d)
	}
	defer x.timer.Stop()
	select {
	case <-x.timer.C:
	case <-changed:
	case <-x.timeout.canceled:
		return true
	}
	return false
}

type throttledSource struct {
	throttled
	up     Source
	closed bool
}

func (s *throttledSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if max <= 0 || s.closed {
		return s.up.ReadBuffer(dst, max)
	}
	n, err := s.take("read", max)
	if err != nil {
		return 0, err
	}
	return s.up.ReadBuffer(dst, n)
}

func (s *throttledSource) Close() error {
	s.closed = true
	return s.up.Close()
}

type throttledSink struct {
	throttled
	down   Sink
	closed bool
}

func (k *throttledSink) WriteBuffer(src *Buffer, n int64) error {
	if err := checkTake(src, n); err != nil {
		return err
	}
	if n == 0 || k.closed {
		return k.down.WriteBuffer(src, n)
	}
	for n > 0 {
		piece, err := k.take("write", n)
		if err != nil {
			return err
		}
		if err := k.down.WriteBuffer(src, piece); err != nil {
			return err
		}
		n -= piece
	}
	return nil
}

func (k *throttledSink) Flush() error { return k.down.Flush() }

func (k *throttledSink) Close() error {
	k.closed = true
	return k.down.Close()
}
