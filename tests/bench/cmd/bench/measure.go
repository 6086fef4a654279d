package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/okhttp-go/ok/tests/bench"
)

type peer struct {
	name    string
	sess    bench.Session
	lr      bench.LoadRunner
	workers []bench.Session
	wsc     []bench.WSConn
	sse     bench.SSE
	samples []bench.Sample
}

// open makes the peers that can do the case.
func open(s string, c rowCase) (peers []*peer) {
	re, not := regexp.MustCompile(*only), regexp.MustCompile(*except)
	for _, n := range bench.Names() {
		if !re.MatchString(n) || not.MatchString(n) {
			continue
		}
		p := &peer{name: n}
		ok, err := p.open(bench.Lookup(n), c)
		if err != nil {
			log.Printf("%s/%s %s: open: %v", s, c.name, n, err)
		}
		if !ok || err != nil {
			p.close()
			continue
		}
		peers = append(peers, p)
	}
	return peers
}

// open reports whether the adapter can do the case, and has what it needs for that made.
func (p *peer) open(a any, c rowCase) (bool, error) {
	switch {
	case c.ws != nil:
		w, ok := a.(bench.WS)
		if !ok {
			return false, nil
		}
		for range c.load.Conc {
			k, err := w.DialWS(context.Background(), *c.ws)
			if err != nil {
				return true, err
			}
			p.wsc = append(p.wsc, k)
		}
		return true, nil
	case c.sse > 0:
		w, ok := a.(bench.SSE)
		p.sse = w
		return ok, nil
	}
	w, ok := a.(bench.HTTP)
	if !ok {
		return false, nil
	}
	var err error
	if p.sess, err = w.Open(c.cfg); err != nil {
		return !errors.Is(err, bench.ErrUnsupported), ignore(err, bench.ErrUnsupported)
	}
	p.lr, _ = p.sess.(bench.LoadRunner)
	if _, ok := p.sess.(bench.Uploader); !ok && c.load.Upload > 0 && p.lr == nil {
		return false, nil
	}
	for range c.load.Conc {
		k := p.sess
		if pw, ok := p.sess.(bench.PerWorker); ok {
			if k, err = pw.Worker(); err != nil {
				return true, err
			}
		}
		p.workers = append(p.workers, k)
	}
	return true, nil
}

func ignore(err, target error) error {
	if errors.Is(err, target) {
		return nil
	}
	return err
}

func (p *peer) close() {
	for _, w := range p.workers {
		if w != p.sess {
			w.Close()
		}
	}
	if p.sess != nil {
		p.sess.Close()
	}
	for _, w := range p.wsc {
		w.Close()
	}
}

// warmUp is an adapter that needs longer than others to get going.
type warmUp interface{ WarmUp() time.Duration }

// warm reports whether the peer does the case at all.
func (p *peer) warm(s string, c rowCase) bool {
	if c.load.MaxOps == 0 {
		c.load.Duration = min(*dur, 150*time.Millisecond)
	}
	if a, ok := bench.Lookup(p.name).(warmUp); ok {
		c.load.Duration = a.WarmUp()
		if c.load.MaxOps > 0 { // fixed-count case: repeat it until the warm-up time is over
			for t := time.Now(); time.Since(t) < c.load.Duration; {
				if one(p, c, true).Err != "" {
					break
				}
			}
		}
	}
	sm := one(p, c, true)
	if sm.Err != "" && sm.Err != bench.ErrUnsupported.Error() {
		log.Printf("%s/%s %s: %s", s, c.name, p.name, sm.Err)
	}
	return sm.Err == ""
}

// runCase measures every peer that can do the case, in turns, and reports.
func runCase(s string, c rowCase) {
	var peers []*peer
	for _, p := range open(s, c) {
		defer p.close()
		if p.warm(s, c) {
			peers = append(peers, p)
		}
	}
	if len(peers) == 0 {
		return
	}
	for r := 0; r < *reps; r++ {
		for i := range peers {
			p := peers[(i+r)%len(peers)]
			p.samples = append(p.samples, one(p, c, false))
		}
	}
	report(s+*label, c, peers)
}

// expected is about how long runCase takes: what a run of a fixed number of operations takes is a guess for a machine of two processors.
func expected(s string, c rowCase) time.Duration {
	const between = 15 * time.Millisecond // garbage is collected before every run
	first, each := min(*dur, 150*time.Millisecond), *dur
	if c.load.MaxOps > 0 {
		each = 1500 * time.Millisecond // 1 GiB, or 64 MiB over a distance
		switch {
		case c.load.Want == 64<<20 && !strings.Contains(c.name, "rtt"), c.load.Upload > 0:
			each = 150 * time.Millisecond
		}
		first = each
	}
	var sum time.Duration
	for _, p := range open(s, c) {
		if a, ok := bench.Lookup(p.name).(warmUp); ok {
			sum += a.WarmUp()
		}
		sum += first + time.Duration(*reps)*(each+between)
		p.close()
	}
	return sum
}

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func status(key string) (n int64) {
	b, _ := os.ReadFile("/proc/self/status")
	if i := strings.Index(string(b), key+":"); i >= 0 {
		fmt.Sscan(string(b[i+len(key)+1:]), &n)
	}
	return n << 10
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { return len(p), nil }

func one(p *peer, c rowCase, warm bool) (sm bench.Sample) {
	runtime.GC()
	var rss0 int64
	if c.rss {
		debug.FreeOSMemory()
		os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
		rss0 = status("VmRSS")
	}
	if p.lr != nil {
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		c0 := cpu()
		sm, err := p.lr.RunLoad(context.Background(), c.load)
		c1 := cpu()
		runtime.ReadMemStats(&m1)
		if err != nil {
			sm.Err = err.Error()
			return sm
		}
		if sm.CPU == 0 {
			sm.CPU = c1 - c0
			sm.Mallocs = float64(m1.Mallocs-m0.Mallocs) / float64(sm.Ops)
			sm.Bytes = float64(m1.TotalAlloc-m0.TotalAlloc) / float64(sm.Ops)
			if c.rss {
				sm.PeakRSS = status("VmHWM") - rss0
			}
		}
		if c.load.Want > 0 && sm.BodyLen != c.load.Want {
			sm.Err = fmt.Sprintf("body %d, want %d", sm.BodyLen, c.load.Want)
		}
		return sm
	}
	n := c.load.Conc
	lats := make([][]time.Duration, n)
	for i := range lats {
		lats[i] = make([]time.Duration, 0, 200000/n)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var firstErr error
	var ops int64
	fail := func(err error) {
		mu.Lock()
		if firstErr == nil {
			firstErr = err
		}
		mu.Unlock()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	c0, t0 := cpu(), time.Now()
	end := t0.Add(c.load.Duration)
	batch := 1
	if c.ws != nil {
		switch {
		case len(c.msg) <= 1024:
			batch = 32
		case len(c.msg) <= 65536:
			batch = 4
		}
	}
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			wctx, wcancel := context.WithCancel(ctx) // cancellable, one per worker
			defer wcancel()
			lat := lats[i]
			var k int64
			for done := 0; ; {
				s := time.Now()
				if c.load.MaxOps > 0 {
					if done >= c.load.MaxOps {
						break
					}
				} else if !s.Before(end) {
					break
				}
				var got int64
				var err error
				switch {
				case c.ws != nil:
					err = p.wsc[i].Echo(c.msg, batch)
					got = c.load.Want
				case c.sse > 0:
					var ev int
					ev, _, err = p.sse.ReadSSE(wctx, c.load.URL, c.sse)
					if err == nil && ev != c.sse {
						err = fmt.Errorf("%d events, want %d", ev, c.sse)
					}
				case c.load.Upload > 0:
					err = p.workers[i].(bench.Uploader).Upload(wctx, c.load.URL, io.LimitReader(zeroReader{}, c.load.Upload), c.load.Upload)
				case *rtmo > 0:
					rctx, rcancel := context.WithTimeout(wctx, *rtmo)
					got, err = p.workers[i].Get(rctx, c.load.URL)
					rcancel()
				default:
					got, err = p.workers[i].Get(wctx, c.load.URL)
				}
				if err != nil {
					fail(err)
					break
				}
				if got != c.load.Want && c.sse == 0 {
					fail(fmt.Errorf("body %d, want %d", got, c.load.Want))
					break
				}
				done++
				k += int64(batch)
				if len(lat) < cap(lat) {
					lat = append(lat, time.Since(s)/time.Duration(batch))
				}
			}
			lats[i] = lat
			mu.Lock()
			ops += k
			mu.Unlock()
		}()
	}
	wg.Wait()
	sm.Elapsed = time.Since(t0)
	sm.CPU = cpu() - c0
	runtime.ReadMemStats(&m1)
	if c.rss {
		sm.PeakRSS = max(status("VmHWM")-rss0, 0)
	}
	if firstErr != nil {
		sm.Err = firstErr.Error()
		return
	}
	if c.sse > 0 {
		ops *= int64(c.sse)
	}
	sm.Ops = ops
	sm.BodyLen = c.load.Want + c.load.Upload
	sm.Mallocs = float64(m1.Mallocs-m0.Mallocs) / float64(ops)
	sm.Bytes = float64(m1.TotalAlloc-m0.TotalAlloc) / float64(ops)
	var all []time.Duration
	for _, l := range lats {
		all = append(all, l...)
	}
	sm.P50, sm.P99 = bench.Quantiles(all)
	return
}
