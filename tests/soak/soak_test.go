package soak

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

const (
	sites  = 50
	secure = 10 // of them, over TLS, and every other one of these speaks HTTP/2
)

// soak is one run.
type soak struct {
	t       *testing.T
	seed    uint64
	network network
	urls    []string
	client  *okhttp.Client
	pool    *okhttp.ConnectionPool

	ids     atomic.Int64
	good    atomic.Int64
	bad     atomic.Int64
	dropped atomic.Int64
	late    atomic.Int64 // responses over a connection that is deceived
	longest atomic.Int64 // of all calls, in nanoseconds
	events  eventCount

	deceived sync.Map // connections, by which a response came that was forged when they had been looked at

	mu      sync.Mutex
	posts   map[string]error // those of this round that must not be repeated, by their id
	earlier map[string]error // those of the round before, of which one may still arrive
	oldest  int64            // the first id of the round before
	first   int64            // the first id of this round
	kinds   map[string]int   // failures by their kind
}

// eventCount counts what has to come in pairs.
type eventCount struct {
	started, ended, acquired, released      atomic.Int64 // of calls
	opened, closed, poolAcquired, poolGiven atomic.Int64 // of the pool
}

// settings are how long a soak takes and what its choices are made from.
func settings(t *testing.T) (duration time.Duration, seed uint64) {
	t.Helper()
	duration = 3 * time.Second
	if text := os.Getenv("OK_SOAK"); text != "" {
		var err error
		if duration, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	seed = uint64(time.Now().UnixNano())
	if text := os.Getenv("OK_SOAK_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("OK_SOAK=%v OK_SOAK_SEED=%d", duration, seed)
	return duration, seed
}

// TestSoak is the soak of calls: a hostile network and servers that are written by hand.
func TestSoak(t *testing.T) {
	duration, seed := settings(t)
	goroutines := goleak.IgnoreCurrent()
	sockets, before := descriptors(), heap()
	s := &soak{t: t, seed: seed, posts: map[string]error{}, kinds: map[string]int{}}
	s.begin(duration)
	s.run(duration)
	s.end()
	if err := goleak.Find(goroutines); err != nil {
		t.Error(err)
	}
	s.posts, s.earlier = nil, nil // of the test's own
	s.deceived.Clear()
	if after := heap(); after > before+8 {
		t.Errorf("the heap has %.1f MiB, %.1f before", after, before)
	}
	if n := descriptors(); n > sockets {
		t.Errorf("%d sockets are open, %d were before", n, sockets)
	}
}

// begin starts the sites and makes the client.
func (s *soak) begin(duration time.Duration) {
	root, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{CertificateAuthority: true})
	if err != nil {
		s.t.Fatal(err)
	}
	s.network.rng = rand.New(rand.NewPCG(s.seed, 3))
	for i := range sites {
		name, scheme := fmt.Sprintf("s%d.test", i), "http"
		var config *tls.Config
		if i < secure {
			scheme, config = "https", serverConfig(s.t, root, name)
		}
		s.urls = append(s.urls, scheme+"://"+name)
		site, err := listenSite(name, s.seed+uint64(i), min(duration/5, 2500*time.Millisecond), func(r *rand.Rand) string { return s.urls[r.IntN(sites)] })
		if err != nil {
			s.t.Fatal(err)
		}
		if i%2 == 0 && config != nil {
			site.start2(config)
		} else {
			site.start(config)
		}
		s.network.sites = append(s.network.sites, site)
	}
	trust := x509.NewCertPool()
	trust.AddCert(root.Certificate())
	count := func(n *atomic.Int64) func(okhttp.PoolEvent) { return func(okhttp.PoolEvent) { n.Add(1) } }
	s.pool = okhttp.NewConnectionPool(okhttp.PoolConfig{MaxIdle: 200, KeepAlive: time.Second, MaxAge: 3 * time.Second, Listener: &okhttp.ConnectionListener{
		ConnectEnd: func(okhttp.ConnectionAttempt) { s.events.opened.Add(1) },
		Closed:     count(&s.events.closed),
		Acquired:   count(&s.events.poolAcquired),
		Released:   count(&s.events.poolGiven),
	}})
	s.client = okhttp.New(
		okhttp.WithPool(s.pool), okhttp.WithProxy(okhttp.Direct), okhttp.WithTLSConfig(&tls.Config{RootCAs: trust}),
		okhttp.WithDNS(&s.network), okhttp.WithDialer(&s.network), okhttp.WithConnectTimeout(2*time.Second),
		okhttp.WithDispatcher(okhttp.NewDispatcher(okhttp.DispatcherConfig{MaxRequests: 300, MaxRequestsPerHost: 20})),
		okhttp.WithLogger(slog.New(slog.DiscardHandler)), okhttp.WithEventListener(s.listen), okhttp.WithNetworkInterceptor(okhttp.InterceptorFunc(s.watchLate)))
	for i := range 3 {
		u, err := okhttp.ParseURL(s.urls[i*4])
		if err != nil {
			s.t.Fatal(err)
		}
		if err := s.client.Prewarm(u, okhttp.AddressPolicy{MinConcurrentCalls: 3, Backoff: 100 * time.Millisecond}); err != nil {
			s.t.Fatal(err)
		}
	}
}

func serverConfig(t *testing.T, root *oktls.HeldCertificate, name string) *tls.Config {
	held, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{SubjectAltNames: []string{name}, SignedBy: root})
	if err != nil {
		t.Fatal(err)
	}
	certificates, err := oktls.NewHandshakeCertificates(oktls.HandshakeCertificatesConfig{Certificate: held})
	if err != nil {
		t.Fatal(err)
	}
	return certificates.ServerConfig()
}

// listen counts the events of a call, and checks that it has one end.
func (s *soak) listen(*okhttp.Call) *okhttp.EventListener {
	var ends atomic.Int32
	end := func() {
		s.events.ended.Add(1)
		if ends.Add(1) > 1 {
			s.t.Error("a call has a second end")
		}
	}
	return &okhttp.EventListener{
		CallStart:          func(okhttp.CallStart) { s.events.started.Add(1) },
		CallEnd:            func(okhttp.CallEnd) { end() },
		CallFailed:         func(okhttp.Failure) { end() },
		ConnectionAcquired: func(okhttp.ConnectionEvent) { s.events.acquired.Add(1) },
		ConnectionReleased: func(okhttp.ConnectionEvent) { s.events.released.Add(1) },
	}
}

// run has everybody call for a while, in rounds of a minute: between them nobody calls, and what was sent in them is settled and forgotten, so that an
// hour needs no more memory than two minutes.
func (s *soak) run(duration time.Duration) {
	rounds := max(1, int(duration/time.Minute))
	for range rounds {
		s.round(duration / time.Duration(rounds))
		s.settle()
	}
}

func (s *soak) round(duration time.Duration) {
	callers := min(mostCallers, (files()-500)/3)
	over := time.Now().Add(duration)
	ctx, cancel := context.WithDeadline(context.Background(), over.Add(time.Second))
	defer cancel()
	var all sync.WaitGroup
	for i := range callers {
		rng := rand.New(rand.NewPCG(s.seed, uint64(100+i)+uint64(s.first)))
		late := duration / 4 * time.Duration(i) / time.Duration(callers) // not all at once
		all.Go(func() {
			for time.Sleep(late); time.Now().Before(over); {
				s.call(ctx, rng)
			}
		})
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	quarter := time.NewTicker(max(duration/4, time.Second))
	defer quarter.Stop()
	for {
		select {
		case <-finished:
			return
		case <-quarter.C:
			s.t.Logf("%s, %d sockets; %d good, %d bad; %+v", memory(), descriptors(), s.good.Load(), s.bad.Load(), s.pool.Stats())
		case <-time.After(time.Until(over) + time.Minute): // a call takes seconds at the most
			s.t.Fatalf("calls do not end:\n%s", stacks())
		}
	}
}

func memory() string {
	return fmt.Sprintf("%d goroutines, heap %.1f MB", runtime.NumGoroutine(), heap())
}

// heap is what is in use, in MiB.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// end closes everything and looks at what is left.
func (s *soak) end() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.client.Shutdown(ctx) }()
	for waiting := true; waiting; {
		runtime.GC() // for the responses that were dropped
		select {
		case err := <-done:
			if waiting = false; err != nil {
				s.t.Errorf("Shutdown: %v", err)
			}
		case <-time.After(10 * time.Millisecond):
		}
	}
	s.pool.Close()
	if got := s.pool.Stats(); got != (okhttp.PoolStats{}) {
		s.t.Errorf("pool %+v", got)
	}
	if n := s.network.open.Load(); n != 0 {
		s.t.Errorf("%d connections are open", n)
	}
	for _, site := range s.network.sites {
		site.close()
	}
	e := &s.events
	for what, n := range map[string][2]*atomic.Int64{
		"calls started and ended": {&e.started, &e.ended}, "connections acquired and released": {&e.acquired, &e.released},
		"connections opened and closed": {&e.opened, &e.closed}, "connections of the pool acquired and released": {&e.poolAcquired, &e.poolGiven},
	} {
		if a, b := n[0].Load(), n[1].Load(); a != b {
			s.t.Errorf("%s: %d and %d", what, a, b)
		}
	}
	s.twice()
	s.t.Logf("%d calls succeeded, %d failed, %d were dropped, %d were deceived; %d connections; the longest took %v; %s", s.good.Load(), s.bad.Load(), s.dropped.Load(), s.late.Load(),
		e.opened.Load(), time.Duration(s.longest.Load()).Round(time.Millisecond), memory())
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		s.t.Logf("%6d %s", s.kinds[kind], kind)
	}
}

// settle ends a round.
func (s *soak) settle() {
	s.twice()
	s.mu.Lock()
	s.earlier, s.posts = s.posts, map[string]error{}
	s.oldest, s.first = s.first, s.ids.Load()+1
	oldest := s.oldest
	s.mu.Unlock()
	for _, site := range s.network.sites {
		site.mu.Lock()
		for id := range site.seen {
			if idNumber(id) < oldest {
				delete(site.seen, id)
			}
		}
		site.mu.Unlock()
	}
}

func idNumber(id string) int64 {
	n, _ := strconv.ParseInt(strings.TrimPrefix(id, "id-"), 10, 64)
	return n
}

// twice checks that no server got a request twice that must not be repeated, and none that the client says it did not send, in this round or the one before.
func (s *soak) twice() {
	seen := map[string]int{}
	for _, site := range s.network.sites {
		site.mu.Lock()
		for id, n := range site.seen {
			seen[id] += n
		}
		site.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, n := range seen {
		if idNumber(id) < s.oldest {
			continue
		}
		err, ok := s.posts[id]
		if !ok {
			err, ok = s.earlier[id]
		}
		switch {
		case !ok && n > 0:
			s.t.Errorf("request %s is nobody's", id)
		case n > 1:
			s.t.Errorf("request %s was sent %d times: %v", id, n, err)
		case n > 0 && okhttp.SafeToRetry(err):
			s.t.Errorf("request %s was sent, and yet: %v", id, err)
		}
	}
}
