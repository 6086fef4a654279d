// Package memo keeps what was found out about a request for as long as somebody asks about it, so that matchers do not decode and parse a body each for themselves.
//
// CONCURRENCY: all functions are safe for concurrent use. What is kept is shared, and must not be changed.
package memo

import "sync"

// A note is what is known of one subject.
type note struct {
	holders int // guarded by mu of the package
	once    sync.Mutex
	known   map[any]any
	weight  int
	parts   []func() // release what is kept of parts of the subject; guarded by mu of the package
}

var (
	mu    sync.Mutex
	notes = map[any]*note{}
)

// Hold has what is found out about a subject, which is a pointer and does not change meanwhile, kept until release is called, once.
func Hold(subject any) (release func()) {
	mu.Lock()
	defer mu.Unlock()
	n := notes[subject]
	if n == nil {
		n = new(note)
		notes[subject] = n
	}
	n.holders++
	return func() {
		mu.Lock()
		n.holders--
		last := n.holders == 0
		if last {
			delete(notes, subject)
		}
		mu.Unlock()
		if last {
			for _, release := range n.parts { // nobody else finds the note any more
				release()
			}
		}
	}
}

// Within has what is found out about a part of a subject kept as long as the subject is held; not at all if it is not.
func Within(subject, part any) {
	release := Hold(part)
	mu.Lock()
	n := notes[subject]
	if n != nil {
		n.parts = append(n.parts, release)
	}
	mu.Unlock()
	if n == nil {
		release()
	}
}

func of(subject any) *note {
	mu.Lock()
	defer mu.Unlock()
	return notes[subject]
}

// Of returns what find returns, which is asked once for a kind of a subject that is held, and each time for others. weight is how many bytes were looked at.
func Of[T any](subject, kind any, find func() (found T, weight int)) T {
	n := of(subject)
	if n == nil {
		found, _ := find()
		return found
	}
	for {
		n.once.Lock()
		if found, ok := n.known[kind]; ok {
			n.once.Unlock()
			return found.(T)
		}
		n.once.Unlock()
		found, weight := find() // which may ask for another kind
		n.once.Lock()
		if n.known == nil {
			n.known = map[any]any{}
		}
		if _, ok := n.known[kind]; !ok {
			n.known[kind] = found
			n.weight = max(n.weight, weight)
		}
		n.once.Unlock()
	}
}

// Weight returns the size of the largest content that was looked at for a subject that is held.
func Weight(subject any) int {
	n := of(subject)
	if n == nil {
		return 0
	}
	n.once.Lock()
	defer n.once.Unlock()
	return n.weight
}
