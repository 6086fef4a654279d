package okhttp

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrQueueFull is the failure of a call that would have to wait in a dispatcher whose queue is full.
var ErrQueueFull = errors.New("okhttp: dispatcher queue full")

// Dispatcher bounds how many calls run at the same time: those of [Call.Enqueue], and those of [Call.Execute] if it is told so. A call runs
// from its turn until Execute returns, or the callback of Enqueue does. Calls that have to wait run in the order in which they came, but one
// that waits for its host alone lets others pass. A Dispatcher is safe for concurrent use and may be shared by clients.
//
// Its one mutex guards the counts and the queue. It is not held while anything of the user runs.
type Dispatcher struct {
	cfg DispatcherConfig

	mu      sync.Mutex
	running map[string]int // calls that have a place, by host
	total   int            // calls that have a place
	free    int            // calls of Execute that need none
	queue   []*ticket
}

// DispatcherConfig configures a [Dispatcher]. Its zero value means the defaults.
type DispatcherConfig struct {
	MaxRequests        int  // calls that run at the same time. 0: 64; negative: unlimited
	MaxRequestsPerHost int  // of those, to one host name, whatever its port; requests with Upgrade, such as web sockets, do not count. 0: 5; negative: unlimited
	MaxQueued          int  // calls that may wait; beyond it they fail with ErrQueueFull. 0 and less: unlimited
	LimitExecute       bool // apply the limits to Execute as well, which waits then. false: to Enqueue alone
	// OnIdle is called each time the last running call ended and none waits, those of Execute included, on the goroutine of that call. nil: nothing is.
	OnIdle func()
}

// NewDispatcher makes a dispatcher, for [WithDispatcher]. It has nothing to close.
func NewDispatcher(c DispatcherConfig) *Dispatcher {
	return &Dispatcher{cfg: c}
}

// DispatcherStats counts the calls of a dispatcher.
type DispatcherStats struct {
	Running int // under its limits, whose callback has not returned yet
	Queued  int // that wait for a place
}

// Stats returns the counts of this moment.
func (d *Dispatcher) Stats() DispatcherStats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return DispatcherStats{Running: d.total, Queued: len(d.queue)}
}

// ticket is the place of one call in a dispatcher.
type ticket struct {
	host    string
	perHost bool          // the limit of the host applies
	free    bool          // no limit applies
	turn    chan struct{} // closed when the call may run
	over    bool          // the place, in the queue or beyond it, was given up
}

// enter asks for a place. A nil turn means that the call may run at once.
func (d *Dispatcher) enter(host string, perHost bool) (*ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &ticket{host: host, perHost: perHost}
	if d.fits(t) {
		d.start(t)
		return t, nil
	}
	if d.cfg.MaxQueued > 0 && len(d.queue) >= d.cfg.MaxQueued {
		return nil, ErrQueueFull
	}
	t.turn = make(chan struct{})
	d.queue = append(d.queue, t)
	return t, nil
}

// watches reports whether calls of Execute concern the dispatcher.
func (d *Dispatcher) watches() bool { return d.cfg.LimitExecute || d.cfg.OnIdle != nil }

// enterExecute is enter for a call of Execute, which has a place at once unless it is limited too.
func (d *Dispatcher) enterExecute(host string, perHost bool) (*ticket, error) {
	if d.cfg.LimitExecute {
		return d.enter(host, perHost)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free++
	return &ticket{free: true}, nil
}

// wait waits for a call's turn. It fails when the context ends before.
func (d *Dispatcher) wait(ctx context.Context, t *ticket) error {
	if t.turn == nil {
		return nil
	}
	select {
	case <-t.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives a place up, in the queue or beyond it, and lets those run that can now. Doing so again does nothing.
func (d *Dispatcher) leave(t *ticket) {
	d.mu.Lock()
	if t.over {
		d.mu.Unlock()
		return
	}
	t.over = true
	if i := slices.Index(d.queue, t); i >= 0 {
		d.queue = slices.Delete(d.queue, i, i+1)
		d.mu.Unlock()
		return // something else runs, or this one would not have waited
	}
	if t.free {
		d.free--
	} else {
		d.total--
		if t.perHost {
			if d.running[t.host]--; d.running[t.host] == 0 {
				delete(d.running, t.host)
			}
		}
	}
	d.promote()
	idle := d.total == 0 && d.free == 0 && len(d.queue) == 0
	d.mu.Unlock()
	if idle && d.cfg.OnIdle != nil {
		d.cfg.OnIdle()
	}
}

// promote starts what fits, in order, passing over calls that wait for their host alone.
func (d *Dispatcher) promote() {
	waiting := d.queue[:0]
	for _, t := range d.queue {
		if d.fits(t) {
			d.start(t)
			close(t.turn)
		} else {
			waiting = append(waiting, t)
		}
	}
	clear(d.queue[len(waiting):])
	d.queue = waiting
}

// orDefault returns a limit, the default in the place of 0.
func orDefault(limit, standard int) int {
	if limit == 0 {
		return standard
	}
	return limit
}

func (d *Dispatcher) fits(t *ticket) bool {
	if limit := orDefault(d.cfg.MaxRequests, 64); limit > 0 && d.total >= limit {
		return false
	}
	limit := orDefault(d.cfg.MaxRequestsPerHost, 5)
	return !t.perHost || limit < 0 || d.running[t.host] < limit
}

func (d *Dispatcher) start(t *ticket) {
	d.total++
	if d.running == nil {
		d.running = map[string]int{}
	}
	if t.perHost {
		d.running[t.host]++
	}
}
