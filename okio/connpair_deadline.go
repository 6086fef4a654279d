package okio

import (
	"sync"
	"time"
)

// connDeadline is one of the two deadlines of an in-memory connection. Its timer and channels belong to whoever made the
// connection, so that inside a synctest bubble time is the bubble's time.
type connDeadline struct {
	mu      sync.Mutex
	at      time.Time // zero: none
	timer   *time.Timer
	passed  chan struct{} // closed once at is reached
	expired bool          // passed is closed
}

func (d *connDeadline) init() { d.passed = make(chan struct{}) }

// set arms the deadline; the zero time disarms it. Operations that wait already obey the new one.
func (d *connDeadline) set(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.expired {
		d.passed = make(chan struct{})
		d.expired = false
	}
	if d.timer != nil {
		d.timer.Stop()
	}
	d.at = time.Time{}
	if at.IsZero() {
		return
	}
	now := time.Now()
	left := at.Sub(now)
	if left <= 0 {
		d.expire()
		return
	}
	d.at = now.Add(left) // with a monotonic reading, whatever the caller's instant had
	if d.timer == nil {
		d.timer = time.AfterFunc(left, d.fire)
	} else {
		d.timer.Reset(left)
	}
}

// fire runs when the timer does. Stop does not wait for a run that has begun, so the run checks that it is still meant.
func (d *connDeadline) fire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.expired && !d.at.IsZero() && !time.Now().Before(d.at) {
		d.expire()
	}
}

func (d *connDeadline) expire() {
	d.expired = true
	close(d.passed)
}

// state returns whether the deadline has passed and the channel to wait for that.
func (d *connDeadline) state() (expired bool, passed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.expired, d.passed
}
