package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// faulty is a mock server that does to each request what chance says.
type faulty struct {
	*mockserver.Server
	t *testing.T

	mu       sync.Mutex
	rng      *rand.Rand
	seen     map[string]int // how often each request came, by its id
	before   map[string]int // the same of earlier ones, until there are enough others
	versions [40]int        // of what may be cached
}

func newFaulty(t *testing.T, seed uint64, opts ...mockserver.Option) *faulty {
	t.Helper()
	f := &faulty{t: t, rng: rand.New(rand.NewPCG(seed, 7)), seen: map[string]int{}}
	opts = append(opts, mockserver.WithDispatcher(mockserver.DispatcherFunc(f.dispatch)), mockserver.WithSeed(seed), mockserver.WithJournalLimit(1))
	var err error
	if f.Server, err = mockserver.Start(opts...); err != nil {
		t.Fatal(err)
	}
	return f
}

// chance is a source of choices for one request.
func (f *faulty) chance() *rand.Rand {
	f.mu.Lock()
	defer f.mu.Unlock()
	return rand.New(rand.NewPCG(f.rng.Uint64(), 8))
}

// times returns how often a request came.
func (f *faulty) times(id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[id] + f.before[id]
}

func (f *faulty) count(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.seen) > 5_000 {
		f.before, f.seen = f.seen, map[string]int{}
	}
	f.seen[strings.Clone(id)]++ // what came is a part of the whole head
}

func (f *faulty) dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	rng := f.chance()
	switch {
	case strings.HasPrefix(r.Target, "/cached/"):
		return f.cached(rng, r)
	case strings.HasPrefix(r.Target, "/events"):
		return f.events(rng, r)
	case r.Upgrade == "websocket":
		return f.socket(rng, r)
	}
	id := r.Headers.Get("X-Id")
	f.count(id)
	return damage(rng, mockserver.Reply(200).Text(body(id, 1+rng.IntN(3000))).HeadDelay(time.Duration(rng.IntN(20))*time.Millisecond))
}

// cached is the body of a version of a resource.
func cached(key, version int) string {
	return strings.Repeat(fmt.Sprintf("%d:%d ", key, version), 1+key*key*3)
}

// cached answers with a resource that changes now and then, or says that it has not.
func (f *faulty) cached(rng *rand.Rand, r *mockserver.Request) mockserver.Response {
	key, err := strconv.Atoi(strings.TrimPrefix(r.Target, "/cached/"))
	if err != nil || key < 0 || key >= len(f.versions) {
		return mockserver.Reply(404)
	}
	f.mu.Lock()
	if rng.IntN(10) == 0 {
		f.versions[key]++
	}
	version := f.versions[key]
	f.mu.Unlock()
	etag := fmt.Sprintf(`"%d-%d"`, key, version)
	resp := mockserver.Reply(200).Header("ETag", etag).Header("Cache-Control", fmt.Sprint("max-age=", rng.IntN(3)))
	if r.Headers.Get("If-None-Match") == etag {
		return resp.Status(304)
	}
	resp = resp.Text(cached(key, version))
	if rng.IntN(4) == 0 {
		resp = resp.Chunked()
	}
	return damage(rng, resp)
}

// damage does something bad to one response in twelve.
func damage(rng *rand.Rand, resp mockserver.Response) mockserver.Response {
	effect, ok := fault(rng)
	if !ok {
		return resp
	}
	moment := rng.IntN(4)
	if _, garbage := effect.(mockserver.Garbage); garbage {
		moment %= 2 // in the place of content it would be content, and nobody could tell
	}
	switch moment {
	case 0:
		return resp.On(mockserver.ResponseStart, effect)
	case 1:
		return resp.On(mockserver.ResponseEnd, effect)
	case 2:
		return resp.OnBytes(mockserver.ResponseBody, int64(rng.IntN(2000)), effect)
	}
	return resp.On(mockserver.ResponseBody, effect)
}

func fault(rng *rand.Rand) (mockserver.Effect, bool) {
	switch rng.IntN(150) {
	case 0:
		return mockserver.CloseSocket{}, true
	case 1:
		return mockserver.Reset{}, true
	case 2:
		return mockserver.ShutdownConnection{}, true
	case 3:
		return mockserver.CloseStream{Code: http2.InternalError}, true
	case 4:
		return mockserver.Stall{}, true
	case 5:
		return mockserver.Garbage{Bytes: 1 + rng.IntN(100)}, true
	case 6:
		return mockserver.PartialRecord{}, true
	case 7:
		return mockserver.GoAway{}, true
	case 8, 9, 10:
		return mockserver.Wait{For: time.Duration(rng.IntN(100)) * time.Millisecond}, true
	case 11:
		return mockserver.CloseSocket{Out: true}, true
	}
	return nil, false
}
