package mockserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrClosed is what waiting for a request fails with once the server is closed, and what ends its connections.
var ErrClosed = errors.New("mockserver: server closed")

// ErrTakeTimeout is wrapped by the failure of [Server.TakeRequest] when no request came in time. See [WithTakeTimeout].
var ErrTakeTimeout = errors.New("mockserver: no request came")

// journal holds the requests that came and were not taken.
type journal struct {
	limit int // negative for none
	done  <-chan struct{}

	mu      sync.Mutex
	waiting []*Request
	count   int
	wake    chan struct{} // closed and replaced by each request that comes while somebody waits
}

func (j *journal) record(r *Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.count++
	j.waiting = append(j.waiting, r)
	if extra := len(j.waiting) - j.limit; j.limit >= 0 && extra > 0 {
		j.waiting = slices.Delete(j.waiting, 0, extra)
	}
	if j.wake != nil {
		close(j.wake)
		j.wake = nil
	}
}

// take returns the next request, or what to wait on for one.
func (j *journal) take(wait bool) (*Request, chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) > 0 {
		r := j.waiting[0]
		j.waiting = slices.Delete(j.waiting, 0, 1)
		return r, nil
	}
	if wait && j.wake == nil {
		j.wake = make(chan struct{})
	}
	return nil, j.wake
}

// untaken returns the requests that nobody took.
func (j *journal) untaken() []*Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.waiting)
}

func (j *journal) received() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.count
}

func (j *journal) await(ctx context.Context, limit time.Duration) (*Request, error) {
	var expired <-chan time.Time
	if _, ok := ctx.Deadline(); !ok && limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	for {
		r, wake := j.take(true)
		if r != nil {
			return r, nil
		}
		select {
		case <-wake:
		case <-j.done:
			if r, _ = j.take(false); r != nil {
				return r, nil
			}
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("mockserver: waiting for a request, after %d that came: %w", j.received(), context.Cause(ctx))
		case <-expired:
			return nil, fmt.Errorf("%w within %v, after %d that were taken", ErrTakeTimeout, limit, j.received())
		}
	}
}
