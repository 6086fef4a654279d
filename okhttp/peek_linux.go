//go:build linux && !386 && !s390x

package okhttp

import (
	"syscall"
	"unsafe"
)

// peekByte looks for a byte on a socket, without waiting. syscall.Recvfrom would do, but allocates room for the address of the sender, which was measured
// as two allocations a call. The system call does not block, so that the scheduler need not hear of it.
func peekByte(fd uintptr, b *[1]byte) (n int, err error) {
	got, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(b)), 1, syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(got), nil
}
