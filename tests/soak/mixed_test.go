package soak

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	okcache "github.com/okhttp-go/ok/okhttp-cache"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// mixed is one run of everything at once: calls, a cache, web sockets and event streams against mock servers that misbehave.
type mixed struct {
	t       *testing.T
	servers []*faulty
	client  *okhttp.Client
	pool    *okhttp.ConnectionPool
	cache   *okcache.Cache
	ids     atomic.Int64
	tallies []*tally
	rounds  sync.RWMutex // held for reading by a round of work, and for writing by who wants rest
}

// tally counts what one kind of work came to.
type tally struct {
	name      string
	good, bad atomic.Int64
	parts     atomic.Int64 // messages, events, hits
	what      string       // the parts are
	mu        sync.Mutex
	kinds     map[string]int // of failures
}

// failed counts a failure by its text without numbers.
func (y *tally) failed(err error) {
	y.bad.Add(1)
	text := number.ReplaceAllString(err.Error(), "N")
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.kinds[text]++
}

func (y *tally) String() string {
	return fmt.Sprintf("%s: %d good, %d bad, %d %s", y.name, y.good.Load(), y.bad.Load(), y.parts.Load(), y.what)
}

// TestMixed is the soak of the protocols together. What must hold: no response is another's, no POST arrives twice or is lost although it succeeded, a web
// socket echoes what it was sent in its order, a stream of events brings each one once, and a cache gives out nothing cut off or mixed. What must be
// left is nothing.
func TestMixed(t *testing.T) {
	duration, seed := settings(t)
	goroutines := goleak.IgnoreCurrent()
	sockets, before := descriptors(), heap()
	m := &mixed{t: t}
	m.begin(seed)
	m.run(duration, seed)
	m.end()
	if err := goleak.Find(goroutines); err != nil {
		t.Error(err)
	}
	if after := heap(); after > before+8 {
		t.Errorf("the heap has %.1f MiB, %.1f before", after, before)
	}
	if n := descriptors(); n > sockets {
		t.Errorf("%d sockets are open, %d were before", n, sockets)
	}
}

func (m *mixed) begin(seed uint64) {
	quiet := slog.New(slog.DiscardHandler)
	plain := newFaulty(m.t, seed, mockserver.WithLogger(quiet))
	secure := newFaulty(m.t, seed+1, mockserver.WithLogger(quiet), mockserver.WithLocalhostTLS())
	m.servers = []*faulty{plain, secure}
	var err error
	// Small enough that entries are evicted all the time.
	if m.cache, err = okcache.Open(m.t.TempDir(), 300_000, okcache.Config{Logger: quiet}); err != nil {
		m.t.Fatal(err)
	}
	m.pool = okhttp.NewConnectionPool(okhttp.PoolConfig{MaxIdle: 50, KeepAlive: time.Second, MaxAge: 5 * time.Second})
	m.client = okhttp.New(okhttp.WithPool(m.pool), okhttp.WithProxy(okhttp.Direct), okhttp.WithTLSConfig(secure.ClientTLSConfig()),
		okhttp.WithLogger(quiet), okhttp.WithConnectTimeout(2*time.Second), okhttp.WithReadTimeout(time.Second), okhttp.WithWriteTimeout(2*time.Second))
}

// work is one kind of work: a round of it, which ends by itself in a few seconds, and how many do it at a time.
type work struct {
	*tally
	callers int
	round   func(ctx context.Context, rng *rand.Rand, y *tally)
}

func (m *mixed) run(duration time.Duration, seed uint64) {
	kinds := []work{
		{&tally{name: "calls", what: "bytes"}, 60, m.callRound},
		{&tally{name: "cache", what: "hits"}, 30, m.cacheRound},
		{&tally{name: "web sockets", what: "echoes"}, 30, m.socketRound},
		{&tally{name: "event streams", what: "events"}, 30, m.eventRound},
	}
	// A busy machine may need longer than a short run until each kind of work has gone well once.
	over := time.Now().Add(duration)
	late := over.Add(time.Minute)
	ctx, cancel := context.WithDeadline(m.t.Context(), late.Add(10*time.Second))
	defer cancel()
	var all sync.WaitGroup
	for k, kind := range kinds {
		kind.kinds = map[string]int{}
		m.tallies = append(m.tallies, kind.tally)
		for i := range kind.callers {
			rng := rand.New(rand.NewPCG(seed, uint64(1000*k+i)))
			all.Go(func() {
				for time.Now().Before(over) || kind.good.Load() == 0 && time.Now().Before(late) {
					m.rounds.RLock()
					kind.round(ctx, rng, kind.tally)
					m.rounds.RUnlock()
				}
			})
		}
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	first := 0.0
	every := time.NewTicker(max(min(duration/4, time.Minute), time.Second))
	defer every.Stop()
	for {
		select {
		case <-finished:
			for _, y := range m.tallies {
				if y.good.Load() == 0 {
					m.t.Errorf("%v: nothing went well", y)
				}
			}
			return
		case <-every.C:
			m.t.Logf("%s, %d sockets; %v", memory(), descriptors(), m.tallies)
			// An hour must not leave more behind than the first minute did.
			if duration < 2*time.Minute {
				continue
			}
			if rest := m.rest(first); first == 0 {
				first = rest
			} else if rest > first+restGrowth {
				m.t.Errorf("the heap at rest grew from %.1f to %.1f MiB", first, rest)
				first = rest
			}
		case <-time.After(time.Until(late) + time.Minute): // a round takes seconds
			m.t.Fatalf("work does not end:\n%s", stacks())
		}
	}
}

// restGrowth is what the heap at rest may have more than after the first minute, in MiB: idle connections and what they have buffered.
const restGrowth = 8

// rest is the heap when nobody works: what work needs while it is done depends on chance, compressors for the most part. Servers may need a moment to
// see that their clients have gone.
func (m *mixed) rest(first float64) (now float64) {
	m.rounds.Lock()
	defer m.rounds.Unlock()
	for range 50 {
		if now = heap(); first != 0 && now <= first+restGrowth {
			break
		}
		<-time.After(100 * time.Millisecond)
	}
	m.t.Logf("at rest: %s, %d sockets", memory(), descriptors())
	return now
}

func (m *mixed) end() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := m.client.Shutdown(ctx); err != nil {
		m.t.Errorf("Shutdown: %v", err)
	}
	m.pool.Close()
	if got := m.pool.Stats(); got != (okhttp.PoolStats{}) {
		m.t.Errorf("pool %+v", got)
	}
	if err := m.cache.Close(); err != nil {
		m.t.Errorf("the cache does not close: %v", err)
	}
	for _, s := range m.servers {
		if err := s.Close(); err != nil {
			m.t.Errorf("a server does not close: %v", err)
		}
	}
	for _, y := range m.tallies {
		m.t.Log(y)
		for kind, n := range y.kinds {
			m.t.Logf("%8d %.100s", n, kind)
		}
	}
}

// any is one of the servers.
func (m *mixed) any(rng *rand.Rand) *faulty { return m.servers[rng.IntN(len(m.servers))] }

// callRound makes one call, and checks at once what became of it.
func (m *mixed) callRound(ctx context.Context, rng *rand.Rand, y *tally) {
	server, id := m.any(rng), fmt.Sprint("id-", m.ids.Add(1))
	method, opts := "GET", []okhttp.RequestOption{okhttp.Header("X-Id", id)}
	if rng.IntN(3) == 0 {
		method = "POST"
		opts = append(opts, okhttp.WithBody(okhttp.Text(strings.Repeat("x", rng.IntN(40_000)))))
	}
	req, err := okhttp.NewRequest(method, server.URL("/echo"), opts...)
	if err != nil {
		m.t.Error(err)
		return
	}
	text, err := m.fetch(ctx, rng, req)
	switch times := server.times(id); {
	case times > 1 && method == "POST":
		m.t.Errorf("POST %s was sent %d times: %v", id, times, err)
	case times > 0 && method == "POST" && err != nil && okhttp.SafeToRetry(err):
		m.t.Errorf("POST %s was sent, and yet: %v", id, err)
	case err != nil:
		y.failed(err)
	case times == 0:
		m.t.Errorf("%s %s succeeded and never arrived", method, id)
	case text == "" || strings.ReplaceAll(text, id+" ", "") != "":
		m.t.Errorf("%s %s got %.60q", method, id, text)
	default:
		y.good.Add(1)
		y.parts.Add(int64(len(text)))
	}
}

// fetch executes a request, now and then cancelled while it runs, and reads the body.
func (m *mixed) fetch(ctx context.Context, rng *rand.Rand, req *okhttp.Request, opts ...okhttp.CallOption) (string, error) {
	call := m.client.NewCall(req, opts...)
	if rng.IntN(30) == 0 {
		defer time.AfterFunc(time.Duration(rng.IntN(200))*time.Millisecond, call.Cancel).Stop()
	}
	resp, err := call.Execute(ctx)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := resp.Body.Text()
	if err == nil && resp.Status != 200 {
		err = fmt.Errorf("status %d", resp.Status)
	}
	return text, err
}

// cacheRound gets something that may be cached. All of a body is of one version of one resource, as long as that version is.
func (m *mixed) cacheRound(ctx context.Context, rng *rand.Rand, y *tally) {
	server, key := m.any(rng), rng.IntN(40)
	req, err := okhttp.NewRequest("GET", server.URL(fmt.Sprint("/cached/", key)))
	if err != nil {
		m.t.Error(err)
		return
	}
	hits := m.cache.Stats().Hits
	text, err := m.fetch(ctx, rng, req, okhttp.WithCache(m.cache))
	if err != nil {
		y.failed(err)
		return
	}
	first, _, _ := strings.Cut(text, " ")
	var k, version int
	if _, err := fmt.Sscanf(first, "%d:%d", &k, &version); err != nil || k != key || text != cached(key, version) {
		m.t.Errorf("resource %d got %d bytes, %.60q: want all of one version", key, len(text), text)
		return
	}
	y.good.Add(1)
	if m.cache.Stats().Hits > hits {
		y.parts.Add(1) // about: others hit too
	}
}

// stacks are those of all goroutines.
func stacks() []byte {
	buf := make([]byte, 1<<20)
	return buf[:runtime.Stack(buf, true)]
}
