//go:build unix

package okhttp

import (
	"net"
	"sync"
	"syscall"
)

// peekResult is what a look at an idle socket shows.
type peekResult uint8

const (
	peekUnknown peekResult = iota // this kind of connection cannot be looked at
	peekSilent                    // open, and nothing to read
	peekBytes                     // something to read
	peekEnded                     // closed by the peer, or broken
)

// prober looks at an idle socket. What it needs is made once for a connection: it looks before every exchange. Calls that share a connection over HTTP/2 may
// look at the same time.
type prober struct {
	raw    syscall.RawConn
	mu     sync.Mutex // of what is below
	look   func(fd uintptr)
	result peekResult
	buf    [1]byte
}

// newProber returns nil if this kind of connection cannot be looked at.
func newProber(c net.Conn) *prober {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil // closed already: using it will say so
	}
	p := &prober{raw: raw}
	p.look = func(fd uintptr) {
		for {
			n, err := peekByte(fd, &p.buf)
			switch {
			case err == syscall.EINTR:
				continue
			case err == syscall.EAGAIN:
				p.result = peekSilent
			case err != nil || n == 0:
				p.result = peekEnded
			default:
				p.result = peekBytes
			}
			return
		}
	}
	return p
}

// peek looks at what a read would find, without waiting and without taking it.
func (p *prober) peek() peekResult {
	if p == nil {
		return peekUnknown
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.raw.Control(p.look); err != nil {
		return peekEnded
	}
	return p.result
}
