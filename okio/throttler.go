package okio

import (
	"fmt"
	"math/bits"
	"sync"
	"time"
)

// The sizes that Set takes 0 for.
const (
	defaultThrottleWait = 8 << 10
	defaultThrottleMax  = 256 << 10
)

// A Throttler limits the streams that it wraps to a joint rate. A stream may be wrapped by several throttlers, all of which
// count then, for example one of its own and one for all. The zero value does not limit anything until [Throttler.Set] is
// called.
//
// A throttled stream asks for a grant before each read and for each piece of a write, and waits if there is none. The wait
// obeys the stream's limits (see [Limited]) as a wait of the stream itself does, and it ends when the [Socket] or [Pipe]
// beneath is canceled, or when Set changes the rate. It holds no lock, starts no goroutine, and is durable in the sense of
// [testing/synctest].
//
// A Throttler is safe for concurrent use; the streams are not, as usual. It must not be copied.
type Throttler struct {
	mu        sync.Mutex
	rate      int64 // in bytes a second; 0 for any
	wait, max int64 // 0 before Set was called
	allocated time.Time
	changed   chan struct{} // closed and forgotten by Set; nil if nobody waits
}

// Set limits the streams to bytesPerSecond together, or not at all if that is 0. It takes effect on waits that are under way
// too.
//
// A stream that has to wait waits until waitBytes of what it wants can be granted, 8 KiB if waitBytes is 0: fewer make a
// steadier flow at the price of more wake-ups. maxBytes, 256 KiB if it is 0 or waitBytes if that is more, is the most that
// is granted at once, and how much can be saved up: after a pause that many bytes pass without waiting. Negative values, and
// a maxBytes below waitBytes, are errors and change nothing.
func (t *Throttler) Set(bytesPerSecond, waitBytes, maxBytes int64) error {
	if bytesPerSecond < 0 || waitBytes < 0 || maxBytes < 0 {
		return fmt.Errorf("okio: throttle at %d bytes a second by %d to %d bytes: negative", bytesPerSecond, waitBytes, maxBytes)
	}
	if waitBytes == 0 {
		waitBytes = defaultThrottleWait
		if maxBytes > 0 {
			waitBytes = min(waitBytes, maxBytes)
		}
	}
	if maxBytes == 0 {
		maxBytes = max(defaultThrottleMax, waitBytes)
	}
	if maxBytes < waitBytes {
		return fmt.Errorf("okio: throttle by %d to %d bytes: the most is less than the least", waitBytes, maxBytes)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	owed := t.bytes(t.backlog(now)) // at the old rate
	t.rate, t.wait, t.max = bytesPerSecond, waitBytes, maxBytes
	t.allocated = now.Add(t.time(min(owed, maxBytes)))
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
	return nil
}

// grant returns how many of n bytes, n > 0, may pass now, or how long to wait before asking again, unless changed is closed
// before.
func (t *Throttler) grant(n int64) (granted int64, wait time.Duration, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rate == 0 {
		return n, 0, nil
	}
	now := time.Now()
	backlog := t.backlog(now)
	free := t.max - t.bytes(backlog)
	full := t.time(t.max)
	if free >= n {
		cost := t.time(n)
		t.allocated = now.Add(min(backlog, full-cost) + cost) // which the largest sizes would overflow
		return n, 0, nil
	}
	if free >= t.wait {
		t.allocated = now.Add(full)
		return free, 0, nil
	}
	need := min(t.wait, n)
	if wait = backlog - t.time(t.max-need); wait <= 0 {
		t.allocated = now.Add(full)
		return need, 0, nil
	}
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return 0, wait, t.changed
}

// backlog is how far ahead of now the budget is spent.
func (t *Throttler) backlog(now time.Time) time.Duration { return max(t.allocated.Sub(now), 0) }

// time is how long n bytes take, and bytes how many pass in d, both rounded down.
func (t *Throttler) time(n int64) time.Duration {
	return time.Duration(mulDiv(n, int64(time.Second), t.rate))
}

func (t *Throttler) bytes(d time.Duration) int64 {
	return mulDiv(int64(d), t.rate, int64(time.Second))
}

// mulDiv is a*b/c of numbers that are not negative, or the largest number there is. Divided by 0 it is 0.
func mulDiv(a, b, c int64) int64 {
	if c == 0 {
		return 0
	}
	const most = 1<<63 - 1
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high >= uint64(c) {
		return most
	}
	quotient, _ := bits.Div64(high, low, uint64(c))
	return int64(min(quotient, most))
}
