//go:build unix

package okhttp

import (
	"net"
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

// peek looks at what a read would find, without waiting and without taking it.
func peek(c net.Conn) peekResult {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return peekUnknown
	}
	rc, err := sc.SyscallConn()
	if err != nil {
		return peekEnded
	}
	result := peekUnknown
	err = rc.Control(func(fd uintptr) {
		var b [1]byte
		for {
			n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			switch {
			case err == syscall.EINTR:
				continue
			case err == syscall.EAGAIN:
				result = peekSilent
			case err != nil || n == 0:
				result = peekEnded
			default:
				result = peekBytes
			}
			return
		}
	})
	if err != nil {
		return peekEnded
	}
	return result
}
