//go:build unix

package script

import (
	"net"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// silent makes an address one that neither takes connections nor refuses them, as that of a machine that is gone is. The queue of a listener that nobody
// accepts from is full with the one connection that is made here; on Linux, whoever comes then waits.
func silent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: silent ADDR")
	}
	l, err := net.Listen("tcp", args[0])
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	raw, err := l.(*net.TCPListener).SyscallConn()
	ts.Check(err)
	ts.Check(raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), 0) }))
	ts.Check(err)
	c, err := net.Dial("tcp", args[0])
	ts.Check(err)
	ts.Defer(func() { c.Close() })
}
