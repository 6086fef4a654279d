package mockserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrClosed is what waiting for a request fails with once the server is closed, and what ends its connections.
var ErrClosed = errors.New("mockserver: server closed")

// ErrTakeTimeout is wrapped by the failure of [Server.TakeRequest] and [Server.AwaitRequests] when no request came in time, or too few. See [WithTakeTimeout].
var ErrTakeTimeout = errors.New("mockserver: no request came")

// Requests that were taken are kept for [Server.Requests] and [Server.Verify] within these bounds, so that a test that takes what comes can run for
// as long as it likes.
const (
	takenRequests = 10_000
	takenBytes    = 64 << 20 // of their bodies
)

// journal holds the requests that came: first those that were taken, then those that were not.
type journal struct {
	limit int // negative for none
	done  <-chan struct{}

	mu      sync.Mutex
	kept    []*Request
	taken   int                   // of kept
	bytes   int64                 // of the bodies of those taken
	count   int                   // that came
	dropped int                   // that came and are not kept
	seen    map[*Request]struct{} // kept ones that a verification counted, or somebody was shown
	wake    chan struct{}         // closed and replaced by each request that comes while somebody waits
}

func (j *journal) record(r *Request) { j.keep(r, 1) }

// recordPromise keeps a request that the server made in the client's name.
func (j *journal) recordPromise(r *Request) { j.keep(r, 0) }

func (j *journal) keep(r *Request, counts int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.Received = time.Now()
	j.count += counts
	j.kept = append(j.kept, r)
	for j.limit >= 0 && len(j.kept) > j.limit {
		j.drop()
	}
	if j.wake != nil {
		close(j.wake)
		j.wake = nil
	}
}

// amend changes a request that was recorded. Those who have it may be reading it, so that another one, which is returned, takes its place.
func (j *journal) amend(r *Request, change func(*Request)) *Request {
	amended := *r
	change(&amended)
	j.mu.Lock()
	defer j.mu.Unlock()
	if i := slices.Index(j.kept, r); i >= 0 {
		j.kept[i] = &amended
		if _, ok := j.seen[r]; ok {
			delete(j.seen, r)
			j.seen[&amended] = struct{}{}
		}
	}
	if j.wake != nil { // a matcher may look at it
		close(j.wake)
		j.wake = nil
	}
	return &amended
}

// drop forgets the oldest request. The lock is held.
func (j *journal) drop() {
	if j.taken > 0 {
		j.taken--
		j.bytes -= int64(len(j.kept[0].Body))
	}
	delete(j.seen, j.kept[0])
	j.kept[0] = nil
	j.kept = j.kept[1:]
	j.dropped++
}

// take returns the next request, or what to wait on for one.
func (j *journal) take(wait bool) (*Request, chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.taken < len(j.kept) {
		r := j.kept[j.taken]
		j.taken++
		j.bytes += int64(len(r.Body))
		for j.taken > takenRequests || j.bytes > takenBytes {
			j.drop()
		}
		return r, nil
	}
	return nil, j.waited(wait)
}

// waited returns what the next request closes. The lock is held.
func (j *journal) waited(wait bool) chan struct{} {
	if wait && j.wake == nil {
		j.wake = make(chan struct{})
	}
	return j.wake
}

// all returns what is kept, how many requests are not, and what to wait on for more.
func (j *journal) all(wait bool) (kept []*Request, dropped int, wake chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.kept), j.dropped, j.waited(wait)
}

// clear forgets all requests, and that there were any to forget.
func (j *journal) clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.kept, j.taken, j.bytes, j.dropped, j.seen = nil, 0, 0, 0, nil
}

// untaken returns the requests that nobody took.
func (j *journal) untaken() (list []*Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.kept[j.taken:] {
		if _, ok := j.seen[r]; !ok {
			list = append(list, r)
		}
	}
	return list
}

// see notes that requests were looked at.
func (j *journal) see(list []*Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.seen == nil {
		j.seen = map[*Request]struct{}{}
	}
	for _, r := range list {
		j.seen[r] = struct{}{}
	}
	if len(j.seen) > len(j.kept) { // some were dropped in between
		maps.DeleteFunc(j.seen, func(r *Request, _ struct{}) bool { return !slices.Contains(j.kept, r) })
	}
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

// find returns the requests that m describes, once there are n of them, or when ctx or the server ends; then with the reason. n is 0 for those that
// there are.
func (j *journal) find(ctx context.Context, m Matcher, n int) ([]*Request, error) {
	for {
		kept, _, wake := j.all(n > 0)
		var found []*Request
		for _, r := range kept {
			if len(differences(m, r)) == 0 {
				found = append(found, r)
			}
		}
		if len(found) >= n {
			return found, nil
		}
		select {
		case <-wake:
		case <-j.done:
			return found, ErrClosed
		case <-ctx.Done():
			return found, fmt.Errorf("mockserver: waiting for %s that match %v, after %d: %w", requests(n), m, len(found), context.Cause(ctx))
		}
	}
}
