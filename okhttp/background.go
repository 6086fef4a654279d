package okhttp

import "sync"

// background is goroutines that resolve and connect, for whoever has to wait for their end. Unlike those of a WaitGroup they may start while
// somebody waits.
type background struct {
	mu      sync.Mutex
	running int
	quiet   chan struct{} // closed when there are none, if somebody waits for it
}

// spawn runs f on a goroutine.
func (b *background) spawn(f func()) {
	b.mu.Lock()
	b.running++
	b.mu.Unlock()
	go func() {
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.running--; b.running == 0 && b.quiet != nil {
				close(b.quiet)
				b.quiet = nil
			}
		}()
		f()
	}()
}

// settle waits until no such goroutine runs.
func (b *background) settle() {
	b.mu.Lock()
	if b.running == 0 {
		b.mu.Unlock()
		return
	}
	if b.quiet == nil {
		b.quiet = make(chan struct{})
	}
	quiet := b.quiet
	b.mu.Unlock()
	<-quiet
}
