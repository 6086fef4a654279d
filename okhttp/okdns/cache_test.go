package okdns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// inCache runs a test of a cache over a scripted DNS in a bubble, which fails if the cache leaves something running.
func inCache(t *testing.T, cfg CacheConfig, below *scripted, test func(t *testing.T, c *Cache)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cfg.DNS = below
		c := NewCache(cfg)
		defer c.Close()
		test(t, c)
	})
}

func wantAsked(t *testing.T, s *scripted, n int) {
	t.Helper()
	synctest.Wait()
	if got := s.asked(); got != n {
		t.Errorf("%d look-ups, want %d", got, n)
	}
}

func wantStats(t *testing.T, c *Cache, s CacheStats) {
	t.Helper()
	if got := c.Stats(); got != s {
		t.Errorf("stats %+v\nwant %+v", got, s)
	}
}

func TestCacheLife(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   CacheConfig
		steps []step
		life  time.Duration
	}{
		{"the smallest TTL", CacheConfig{}, []step{{addrs: "192.0.2.1", ttl: 120 * time.Second}, {addrs: "2001:db8::1", ttl: 60 * time.Second}}, 60 * time.Second},
		{"of anything", CacheConfig{}, []step{{addrs: "192.0.2.1", ttl: 120 * time.Second}, {alpn: []string{"h2"}, ttl: 60 * time.Second}}, 60 * time.Second},
		{"counted from the start", CacheConfig{}, []step{{addrs: "192.0.2.1", ttl: 60 * time.Second, wait: 7 * time.Second}}, 53 * time.Second},
		{"at least 10 s", CacheConfig{}, []step{{addrs: "192.0.2.1", ttl: time.Second}}, 10 * time.Second},
		{"at most 300 s", CacheConfig{}, []step{{addrs: "192.0.2.1", ttl: time.Hour}}, 300 * time.Second},
		{"unknown", CacheConfig{}, []step{{addrs: "192.0.2.1"}}, 30 * time.Second},
		{"unknown and longer", CacheConfig{}, []step{{addrs: "192.0.2.1"}, {addrs: "2001:db8::1", ttl: time.Minute}}, 30 * time.Second},
		{"an unknown TTL of no address", CacheConfig{}, []step{{alpn: []string{"h2"}}, {addrs: "2001:db8::1", ttl: time.Minute}}, time.Minute},
		{"incomplete", CacheConfig{}, []step{{addrs: "192.0.2.1", ttl: time.Minute}, {ttl: 10 * time.Second}}, 10 * time.Second},
		{"a failure after addresses", CacheConfig{}, []step{{addrs: "192.0.2.1", ttl: time.Minute}, {err: errMine}}, 10 * time.Second},
		{"a failure", CacheConfig{}, []step{{err: errMine}}, 10 * time.Second},
		{"a late failure", CacheConfig{}, []step{{err: errMine, wait: 3 * time.Second}}, 7 * time.Second},
		{"no answer", CacheConfig{}, []step{}, 10 * time.Second},
		{"own bounds", CacheConfig{MinTTL: time.Minute, MaxTTL: 2 * time.Minute}, []step{{addrs: "192.0.2.1", ttl: time.Second}}, time.Minute},
		{"own upper bound", CacheConfig{MaxTTL: 20 * time.Second}, []step{{addrs: "192.0.2.1", ttl: time.Hour}}, 20 * time.Second},
		{"crossed bounds", CacheConfig{MinTTL: time.Minute, MaxTTL: 20 * time.Second}, []step{{addrs: "192.0.2.1", ttl: 1}}, 20 * time.Second},
		{"no lower bound", CacheConfig{MinTTL: -1}, []step{{addrs: "192.0.2.1", ttl: 2 * time.Second}}, 2 * time.Second},
		{"own life of the unknown", CacheConfig{UnknownTTL: 15 * time.Second}, []step{{addrs: "192.0.2.1"}}, 15 * time.Second},
		{"own life of failures", CacheConfig{FailureTTL: time.Minute}, []step{{err: errMine}}, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			below := script(tt.steps)
			tt.cfg.RefreshBefore = -1
			inCache(t, tt.cfg, below, func(t *testing.T, c *Cache) {
				first := report(t.Context(), c, "h.example")
				time.Sleep(tt.life - 1)
				got := report(t.Context(), c, "h.example")
				wantAsked(t, below, 1)
				if strings.Contains(first, "unknown host") && got != "0s"+first[strings.IndexByte(first, ' '):] {
					t.Errorf("then %s, want %s", got, first)
				}
				time.Sleep(time.Nanosecond)
				report(t.Context(), c, "h.example")
				wantAsked(t, below, 2)
			})
		})
	}
}

func TestCacheKeepsNoFailures(t *testing.T) {
	below := script([]step{{err: errMine}})
	inCache(t, CacheConfig{FailureTTL: -1}, below, func(t *testing.T, c *Cache) {
		wantUnknown(t, c, "h.example", errMine)
		wantUnknown(t, c, "h.example", errMine)
		wantStats(t, c, CacheStats{Misses: 2, Failures: 2})
	})
}

// TestCacheTTLs yields what is left of a TTL, so that a cache above this one does not add to it.
func TestCacheTTLs(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: 5 * time.Second}, {addrs: "192.0.2.2", ttl: time.Minute, wait: time.Second}, {addrs: "192.0.2.3"}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		want(t, c, "h.example", "0s [192.0.2.1] ttl 5s; 1s [192.0.2.2] ttl 1m0s; 1s [192.0.2.3]")
		want(t, c, "h.example", "0s [192.0.2.1] ttl 4s; 0s [192.0.2.2] ttl 59s; 0s [192.0.2.3]")
		time.Sleep(8 * time.Second)
		want(t, c, "h.example", "0s [192.0.2.1] ttl 1ns; 0s [192.0.2.2] ttl 51s; 0s [192.0.2.3]")
	})
}

func TestCacheShares(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: time.Minute, wait: time.Second}, {addrs: "192.0.2.2", ttl: time.Minute, wait: 2 * time.Second}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 500 * time.Millisecond)
				// Whoever comes after the first answer has it at once.
				first := max(0, time.Second-time.Duration(i)*500*time.Millisecond)
				second := 3*time.Second - time.Duration(i)*500*time.Millisecond
				want(t, c, "h.example", fmt.Sprintf("%v [192.0.2.1] ttl 1m0s; %v [192.0.2.2] ttl 1m0s", first, second))
			})
		}
		all.Wait()
		want(t, c, "other.example", "1s [192.0.2.1] ttl 1m0s; 3s [192.0.2.2] ttl 1m0s")
		wantAsked(t, below, 2)
		wantStats(t, c, CacheStats{Misses: 2, Shared: 3, Entries: 2})
	})
}

func TestCacheCancelDetachesOne(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: time.Minute, wait: 2 * time.Second}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		var all sync.WaitGroup
		all.Go(func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(errMine) })
			if got := report(ctx, c, "h.example"); got != "1s mine" {
				t.Errorf("the one who is canceled: %s", got)
			}
		})
		all.Go(func() {
			time.Sleep(time.Nanosecond)
			want(t, c, "h.example", "1.999999999s [192.0.2.1] ttl 1m0s")
		})
		all.Wait()
		wantAsked(t, below, 1)
	})
	alone := script([]step{{addrs: "192.0.2.1", ttl: time.Minute, wait: 2 * time.Second}})
	inCache(t, CacheConfig{}, alone, func(t *testing.T, c *Cache) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := report(ctx, c, "h.example"); got != "1s context deadline exceeded" {
			t.Error(got)
		}
		time.Sleep(2 * time.Second)
		want(t, c, "h.example", "0s [192.0.2.1] ttl 57s") // the look-up went on
		wantStats(t, c, CacheStats{Hits: 1, Misses: 1, Entries: 1})
	})
}

func TestCacheRefreshes(t *testing.T) {
	second := []step{{addrs: "192.0.2.2", ttl: time.Minute, wait: time.Second}}
	below := script([]step{{addrs: "192.0.2.1", ttl: time.Minute}}, second)
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(55*time.Second - 1)
		report(t.Context(), c, "h.example")
		wantAsked(t, below, 1)
		time.Sleep(time.Nanosecond)
		want(t, c, "h.example", "0s [192.0.2.1] ttl 5s")
		want(t, c, "h.example", "0s [192.0.2.1] ttl 5s")
		wantAsked(t, below, 2)
		time.Sleep(time.Second)
		synctest.Wait()
		want(t, c, "h.example", "0s [192.0.2.2] ttl 59s")
		wantStats(t, c, CacheStats{Hits: 4, Misses: 1, Refreshes: 1, Entries: 1})
	})
}

// TestCacheRefreshesLate has the answers expire while new ones are under way: who asks then waits for those.
func TestCacheRefreshesLate(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: time.Minute}}, []step{{addrs: "192.0.2.2", ttl: time.Minute, wait: 10 * time.Second}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(58 * time.Second)
		report(t.Context(), c, "h.example")
		time.Sleep(2 * time.Second)
		want(t, c, "h.example", "8s [192.0.2.2] ttl 1m0s")
		wantStats(t, c, CacheStats{Hits: 1, Misses: 1, Shared: 1, Refreshes: 1, Entries: 1})
	})
}

func TestCacheRefreshFails(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: time.Minute}}, []step{{err: errMine}}, []step{{addrs: "192.0.2.2", ttl: time.Minute}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(56 * time.Second)
		for range 3 {
			report(t.Context(), c, "h.example")
			synctest.Wait()
		}
		wantAsked(t, below, 2)
		want(t, c, "h.example", "0s [192.0.2.1] ttl 4s")
		time.Sleep(4 * time.Second)
		want(t, c, "h.example", "0s [192.0.2.2] ttl 1m0s") // the failure is not held against it
		wantStats(t, c, CacheStats{Hits: 4, Misses: 2, Refreshes: 1, Failures: 1, Entries: 1})
	})
}

// TestCacheRefreshOfShortLives has entries whose life is not much longer than the time before their end: they are not renewed all the time.
func TestCacheRefreshOfShortLives(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: 2 * time.Second}})
	inCache(t, CacheConfig{MinTTL: -1}, below, func(t *testing.T, c *Cache) {
		for range 20 { // 2 s
			report(t.Context(), c, "h.example")
			time.Sleep(100 * time.Millisecond)
		}
		wantAsked(t, below, 2)
	})
}

func TestCacheServesStale(t *testing.T) {
	good := []step{{addrs: "192.0.2.1", ttl: time.Minute}}
	fails := []step{{err: errMine, wait: time.Second}}
	slow := []step{{addrs: "192.0.2.2", ttl: time.Minute, wait: 5 * time.Second}}
	cfg := CacheConfig{ServeStale: time.Hour, RefreshBefore: -1}
	below := script(good, fails)
	inCache(t, cfg, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(2 * time.Minute)
		want(t, c, "h.example", "1s [192.0.2.1] ttl 1ns")
		want(t, c, "h.example", "0s [192.0.2.1] ttl 1ns") // the failure is known
		wantAsked(t, below, 2)
		time.Sleep(10 * time.Second)
		want(t, c, "h.example", "1s [192.0.2.1] ttl 1ns")
		wantAsked(t, below, 3)
		wantStats(t, c, CacheStats{Stale: 3, Misses: 3, Failures: 2, Entries: 1})
		time.Sleep(time.Hour)
		wantUnknown(t, c, "h.example", errMine)
	})
	below = script(good, slow)
	inCache(t, cfg, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(2 * time.Minute)
		want(t, c, "h.example", "1.8s [192.0.2.1] ttl 1ns")
		time.Sleep(2 * time.Second)
		want(t, c, "h.example", "1.2s [192.0.2.2] ttl 1m0s")
		wantAsked(t, below, 2)
		want(t, c, "h.example", "0s [192.0.2.2] ttl 55s")
	})
	// A first address within the time is worth waiting for the rest.
	below = script(good, []step{{alpn: []string{"h2"}}, {addrs: "192.0.2.2", wait: time.Second}, {addrs: "192.0.2.3", wait: 9 * time.Second}})
	inCache(t, cfg, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(2 * time.Minute)
		want(t, c, "h.example", "1s [] [h2]; 1s [192.0.2.2]; 10s [192.0.2.3]")
	})
	// A name that is gone is gone.
	below = script(good, []step{{err: notFound("h.example")}}, []step{{err: errMine}})
	inCache(t, cfg, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(2 * time.Minute)
		want(t, c, "h.example", "0s unknown host h.example: lookup h.example: no such host")
		time.Sleep(10 * time.Second)
		wantUnknown(t, c, "h.example", errMine)
	})
	below = script(good, fails)
	inCache(t, CacheConfig{RefreshBefore: -1}, below, func(t *testing.T, c *Cache) { // it is not on by itself
		report(t.Context(), c, "h.example")
		time.Sleep(time.Minute)
		wantUnknown(t, c, "h.example", errMine)
	})
	below = script(good, []step{{err: notFound("h.example")}}, fails)
	cfg.FailureTTL = -1
	inCache(t, cfg, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		time.Sleep(2 * time.Minute)
		wantUnknown(t, c, "h.example", nil)
		wantUnknown(t, c, "h.example", errMine)
	})
}

func TestCacheEvicts(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: 300 * time.Second}})
	inCache(t, CacheConfig{MaxEntries: 3}, below, func(t *testing.T, c *Cache) {
		ask := func(hosts ...string) {
			for _, h := range hosts {
				report(t.Context(), c, h)
			}
		}
		ask("a", "b", "c", "d", "e")
		wantStats(t, c, CacheStats{Misses: 5, Entries: 5})
		ask("a")
		ask("f")
		wantStats(t, c, CacheStats{Hits: 1, Misses: 6, Evictions: 3, Entries: 3})
		ask("e", "a", "f") // those that were asked for latest are still there
		wantAsked(t, below, 6)
		time.Sleep(200 * time.Second)
		ask("g", "h")
		time.Sleep(101 * time.Second) // a, e and f have expired
		ask("g", "i")
		wantStats(t, c, CacheStats{Hits: 5, Misses: 9, Evictions: 6, Entries: 3})
		ask("g", "h", "i")
		wantAsked(t, below, 9)
	})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		for i := range 2000 {
			report(t.Context(), c, fmt.Sprintf("h%d.example", i))
			if i == 1998 {
				wantStats(t, c, CacheStats{Misses: 1999, Entries: 1999})
			}
		}
		wantStats(t, c, CacheStats{Misses: 2000, Evictions: 1000, Entries: 1000})
	})
}

func TestCacheTimesOut(t *testing.T) {
	never := script([]step{{addrs: "192.0.2.1", wait: 1000 * time.Hour}})
	inCache(t, CacheConfig{}, never, func(t *testing.T, c *Cache) {
		want(t, c, "h.example", "30s unknown host h.example: context deadline exceeded")
	})
	inCache(t, CacheConfig{Timeout: -1}, never, func(t *testing.T, c *Cache) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, errMine)
		defer cancel()
		if got := report(ctx, c, "h.example"); got != "1h0m0s mine" {
			t.Error(got)
		}
	})
}

func TestCacheFlush(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", wait: time.Second}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		report(t.Context(), c, "h.example")
		c.Flush()
		var all sync.WaitGroup
		all.Go(func() { want(t, c, "h.example", "1s [192.0.2.1]") })
		time.Sleep(500 * time.Millisecond)
		c.Flush()
		want(t, c, "h.example", "1s [192.0.2.1]") // it does not join what was begun before
		all.Wait()
		wantStats(t, c, CacheStats{Misses: 3, Entries: 1})
	})
}

func TestCacheCloses(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1"}, {addrs: "192.0.2.2", wait: time.Hour}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		var all sync.WaitGroup
		all.Go(func() {
			want(t, c, "h.example", "0s [192.0.2.1]; 1s okdns: the cache is closed: use of closed network connection")
		})
		time.Sleep(time.Second)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if len(below.ended) != 1 {
			t.Error("Close did not wait for the look-up")
		}
		all.Wait()
		for _, err := range c.Lookup(t.Context(), "h.example") {
			if !errors.Is(err, ErrCacheClosed) || !errors.Is(err, net.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
		c.Close()
	})
}

func TestCacheCatchesPanics(t *testing.T) {
	below := script([]step{{panics: "mine"}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		want(t, c, "h.example", "0s unknown host h.example: panic: mine")
	})
}

func TestCacheAnswersAreCopies(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", alpn: []string{"h2"}}})
	inCache(t, CacheConfig{}, below, func(t *testing.T, c *Cache) {
		for range 3 {
			for a, err := range c.Lookup(t.Context(), "h.example") {
				if err != nil || !slices.Equal(a.Addrs, addrs("192.0.2.1")) || a.ALPN[0] != "h2" {
					t.Errorf("%v %v", a, err)
				}
				a.Addrs[0], a.ALPN[0] = addrs("::1")[0], "spoiled"
			}
		}
	})
}

// TestCacheOfNothing asks the system by default.
func TestCacheOfNothing(t *testing.T) {
	if c := NewCache(CacheConfig{}); c.cfg.DNS != okhttp.DNS(System{}) {
		t.Errorf("DNS %v", c.cfg.DNS)
	}
}

// TestCacheUnderLoad runs everything at once, for the race detector.
func TestCacheUnderLoad(t *testing.T) {
	below := script([]step{{addrs: "192.0.2.1", ttl: 1, wait: 1}, {addrs: "192.0.2.2", wait: 1}}, []step{{err: errMine, wait: 1}}, []step{{addrs: "192.0.2.1", ttl: 1, wait: 3}})
	inCache(t, CacheConfig{MinTTL: -1, UnknownTTL: 5, FailureTTL: 2, MaxEntries: 4, ServeStale: 3}, below, func(t *testing.T, c *Cache) {
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				for j := range 200 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(j%5))
					report(ctx, c, fmt.Sprintf("h%d", (i*j)%11))
					cancel()
					if j%50 == 49 && i == 0 {
						c.Flush()
					}
				}
			})
		}
		all.Wait()
		if s := c.Stats(); s.Entries > 8 {
			t.Errorf("%d entries, want 8 at the most", s.Entries)
		}
	})
}
