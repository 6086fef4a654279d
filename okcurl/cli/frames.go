package cli

import (
	"io"
	"sync"
)

// frameLog writes to standard error from whatever goroutine a frame is sent or received on.
type frameLog struct {
	mu   sync.Mutex
	w    io.Writer
	over bool
}

func (l *frameLog) line(text string) { io.WriteString(l, text+"\n") }

// Write implements [io.Writer].
func (l *frameLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return len(p), nil
	}
	return l.w.Write(p)
}

// end lets nothing be written any more: connections that were closed may have something to say after that.
func (l *frameLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}
