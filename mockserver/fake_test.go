package mockserver_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// failing is the test of a server under test, whose failures are looked at.
type failing struct {
	testing.TB
	mu       sync.Mutex
	failures []string
	logs     []string
	failed   bool
	skipped  bool
	over     bool
}

// lock is for each call of the server's.
func (f *failing) lock() (unlock func()) {
	f.mu.Lock()
	if f.over {
		f.TB.Error("the server speaks to a test that is over")
	}
	return f.mu.Unlock
}

func (f *failing) Helper() { f.lock()() }

func (f *failing) Error(args ...any) {
	defer f.lock()()
	f.failed = true
	f.failures = append(f.failures, fmt.Sprint(args...))
}

func (f *failing) Fail() {
	defer f.lock()()
	f.failed = true
}

func (f *failing) Log(args ...any) {
	defer f.lock()()
	f.logs = append(f.logs, fmt.Sprint(args...))
}

func (f *failing) Logf(format string, args ...any) { f.Log(fmt.Sprintf(format, args...)) }

func (f *failing) Failed() bool {
	defer f.lock()()
	return f.failed
}

func (f *failing) Skipped() bool {
	defer f.lock()()
	return f.skipped
}

// take returns the failures so far, and forgets them.
func (f *failing) take() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := strings.Join(f.failures, "; ")
	f.failures = nil
	return text
}

// logged returns what was logged, and forgets it.
func (f *failing) logged() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := strings.Join(f.logs, "; ")
	f.logs = nil
	return text
}

// cleaned is a test whose end is in the hands of another. Nothing may be said to it after that.
type cleaned struct {
	failing
	cleanups []func()
}

func newCleaned(t *testing.T) *cleaned { return &cleaned{failing: failing{TB: t}} }

func (c *cleaned) Cleanup(f func()) { c.cleanups = append(c.cleanups, f) }

// end ends the test as package testing does: what was to be called last first, and what comes to be added meanwhile too.
func (c *cleaned) end() {
	for len(c.cleanups) > 0 {
		last := len(c.cleanups) - 1
		f := c.cleanups[last]
		c.cleanups = c.cleanups[:last]
		f()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}
