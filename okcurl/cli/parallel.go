package cli

import (
	"context"
	"sync"
	"time"
)

// runTogether fetches the URLs at the same time, as many as --parallel-max says. The exit code is that of the failure that came last.
func (s *session) runTogether(ctx context.Context) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		mu    sync.Mutex
		code  = successful
		group sync.WaitGroup
	)
	if !s.o.silent && !s.o.noBars && s.verbose == nil && s.screen && s.writesFiles() {
		s.bars = newBars(s.err, time.Now)
		s.err = s.bars
	}
	places := make(chan struct{}, s.o.parallelMax)
	for i, text := range s.o.urls {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-places }()
			t := &transfer{session: s, measure: measure{n: i}}
			f := t.run(ctx, text, s.o.outputOf(i))
			if f == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() != nil && f.code == exitInterrupted && code != successful {
				return // because of what has failed before
			}
			code = f.code
			s.complain(t.about(f))
			if s.o.failEarly || f.text == "" { // asked to, interrupted, or nobody reads
				stop()
			}
		})
	}
	group.Wait()
	return code
}

// writesFiles reports whether a response goes to a file.
func (s *session) writesFiles() bool {
	for i := range s.o.urls {
		if out := s.o.outputOf(i); out.remote || out.file != "" && out.file != "-" {
			return true
		}
	}
	return false
}
