package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	barsWidth = 10 // of each bar, in columns
	barsName  = 18
)

// bars draws a line for each of several downloads, over and over, below everything else that is written. It is the writer of that: lines that are finished
// stay above those that go on.
type bars struct {
	mu     sync.Mutex
	w      io.Writer
	now    func() time.Time
	active []*progress
	lines  int // that are on the screen, to be drawn over
	drawn  time.Time
}

func newBars(w io.Writer, now func() time.Time) *bars { return &bars{w: w, now: now, drawn: now()} }

// begin adds a line.
func (b *bars) begin(file string, total int64) *progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := newProgress(b.w, total, b.now)
	p.among, p.name = b, shortened(filepath.Base(file), barsName)
	b.active = append(b.active, p)
	b.draw("")
	return p
}

func (b *bars) add(p *progress, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.done += int64(n)
	if b.now().Sub(b.drawn) >= progressEvery {
		b.draw("")
	}
}

// finish leaves a line where it is.
func (b *bars) finish(p *progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.active = slices.DeleteFunc(b.active, func(x *progress) bool { return x == p })
	b.draw(b.line(p))
}

// Write implements [io.Writer]: what is written goes above the lines.
func (b *bars) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.active) == 0 && b.lines == 0 {
		return b.w.Write(p)
	}
	b.draw(string(bytes.TrimSuffix(p, []byte("\n"))))
	return len(p), nil
}

// draw writes a text, unless it is empty, and below it the lines, over those that were there. The lock is held.
func (b *bars) draw(above string) {
	var s strings.Builder
	if b.lines > 0 {
		fmt.Fprintf(&s, "\x1b[%dA\r\x1b[J", b.lines) // up to the first line, and everything below is gone
	}
	if above != "" {
		s.WriteString(above + "\n")
	}
	for _, p := range b.active {
		s.WriteString(b.line(p) + "\n")
	}
	b.lines, b.drawn = len(b.active), b.now()
	io.WriteString(b.w, s.String())
}

func (b *bars) line(p *progress) string {
	return fmt.Sprintf("%-*s %s", barsName, p.name, p.line(b.now().Sub(p.began)))
}

// shortened is a name within a number of columns, as far as those are characters.
func shortened(name string, most int) string {
	text := []rune(printable(name))
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most-1]) + "…"
}
