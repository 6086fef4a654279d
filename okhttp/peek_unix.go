//go:build unix && (!linux || 386 || s390x)

package okhttp

import "syscall"

// peekByte looks for a byte on a socket, without waiting.
func peekByte(fd uintptr, b *[1]byte) (n int, err error) {
	n, _, err = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return n, err
}
