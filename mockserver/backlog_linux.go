package mockserver

import (
	"net"
	"syscall"
)

// fullBacklog is more than the kernel allows, which takes the most that it does.
const fullBacklog = 1 << 16

// setBacklog changes how many connections wait on a listener for being accepted. One more than n does: the kernel refuses none for a queue of n.
func setBacklog(l net.Listener, n int) error {
	tcp, ok := l.(syscall.Conn)
	if !ok {
		return nil // in memory, where it is what it is
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = syscall.Listen(int(fd), n) }); err != nil {
		return err
	}
	return failed
}
