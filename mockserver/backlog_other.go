//go:build !linux

package mockserver

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

const fullBacklog = 1 << 16

// setBacklog is for kernels that drop what does not fit into the queue of a listener, whose length can be changed.
func setBacklog(l net.Listener, n int) error {
	if _, ok := l.(syscall.Conn); !ok || n > 0 {
		return nil
	}
	return fmt.Errorf("mockserver: Ignore on TCP: %w", errors.ErrUnsupported)
}
