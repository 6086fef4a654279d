package okws

import (
	"runtime"
	"sync"
)

// A shelf keeps what is dear to make for who needs it next, as a [sync.Pool] does, but what was used last is used next, by whatever processor: a pool has one for each, and makes
// one anew when a goroutine has moved. What was not needed between two garbage collections is given up, so that nothing is held while nothing happens.
type shelf[T any] struct {
	mu      sync.Mutex
	free    []*T
	least   int  // how many were free all the time since the last collection
	watched bool // the next collection will be noticed
}

// take returns what was given back, or something new.
func (s *shelf[T]) take() *T {
	if x := s.tryTake(); x != nil {
		return x
	}
	return new(T)
}

// tryTake returns nil if there is nothing.
func (s *shelf[T]) tryTake() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free) - 1
	if n < 0 {
		return nil
	}
	x := s.free[n]
	s.free[n] = nil
	s.free = s.free[:n]
	s.least = min(s.least, n)
	return x
}

func (s *shelf[T]) give(x *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
	if !s.watched {
		s.watched, s.least = true, 0
		s.watch()
	}
}

// watch has the next collection noticed: it finds something of no use.
func (s *shelf[T]) watch() {
	runtime.AddCleanup(new([32]byte), (*shelf[T]).collected, s)
}

// collected gives up what was not needed since the collection before.
func (s *shelf[T]) collected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := copy(s.free, s.free[s.least:]) // what was used last is at the end
	clear(s.free[n:])
	s.free = s.free[:n]
	s.least = n
	if s.watched = n > 0; s.watched {
		s.watch()
	} else {
		s.free = nil
	}
}
