package okio

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// An interrupted read fails at once and takes nothing; after Resume reading goes on. Interrupt may come before the read, during it, or after.
func TestInterrupt(t *testing.T) {
	for _, kind := range connKinds {
		if !kind.memory {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, y := kind.pair(t)
				a, b := NewSocket(x), NewSocket(y)
				to := TimeoutOf(a.Source())
				if !to.Interruptible() {
					t.Fatal("not interruptible")
				}
				reads := map[string]func() error{
					"ReadBuffer": func() error { _, err := a.Source().ReadBuffer(new(Buffer), 10); return err },
					"Read":       func() error { _, err := a.Source().(io.Reader).Read(make([]byte, 10)); return err },
				}
				for name, read := range reads {
					for _, limit := range []time.Duration{0, time.Minute} {
						to.SetLimit(limit)
						to.Interrupt()
						c := startClock()
						checkTimedOut(t, read())
						checkTimedOut(t, read())
						c.want(t, name, 0)
						to.Resume()
						time.AfterFunc(time.Second, to.Interrupt)
						c = startClock()
						checkTimedOut(t, read())
						c.want(t, name, time.Second)
						to.Resume()
						to.Resume()
						mustSinkWrite(t, b.Sink(), "hello")
						wantSource(t, a.Source(), "hello")
						to.Interrupt()
						to.Disarm()
						checkTimedOut(t, read())
						to.Resume()
						time.AfterFunc(time.Second, func() { mustSinkWrite(t, b.Sink(), "world") })
						wantSource(t, a.Source(), "world")
						if limit > 0 {
							c = startClock()
							checkTimedOut(t, read())
							c.want(t, name, limit)
						}
					}
				}
			})
		})
	}
}

// Streams that wait for nothing, and those that have limits of their own, say so.
func TestNotInterruptible(t *testing.T) {
	for name, to := range map[string]*Timeout{"none": TimeoutOf(new(Buffer)), "zero": new(Timeout), "pipe": TimeoutOf(NewPipe(1).Source())} {
		if to.Interruptible() {
			t.Errorf("%s: interruptible", name)
		}
		to.Interrupt()
		to.Resume()
	}
}

// A real descriptor, whose read is made by the poller, behaves the same.
func TestInterruptDescriptor(t *testing.T) {
	for _, kind := range connKinds {
		if kind.memory {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			x, y := kind.pair(t)
			a, b := NewSocket(x), NewSocket(y)
			to := TimeoutOf(a.Source())
			for range 50 {
				go to.Interrupt()
				_, err := a.Source().ReadBuffer(new(Buffer), 1)
				checkTimedOut(t, err)
				to.Resume()
				mustSinkWrite(t, b.Sink(), "x")
				wantSource(t, a.Source(), "x")
			}
		})
	}
}
