package script

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// times are what scripts took, at the same time as others.
type times struct {
	mu   sync.Mutex
	list []spent
}

type spent struct {
	name string
	time time.Duration
}

// start begins to count, which the function that it returns ends.
func (t *times) start(name string) (end func()) {
	began := time.Now()
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.list = append(t.list, spent{name, time.Since(began)})
	}
}

// slowest names the n slowest.
func (t *times) slowest(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortFunc(t.list, func(a, b spent) int { return int(b.time - a.time) })
	var texts []string
	for _, s := range t.list[:min(n, len(t.list))] {
		texts = append(texts, fmt.Sprintf("%s %v", s.name, s.time.Round(time.Millisecond)))
	}
	return strings.Join(texts, ", ")
}
