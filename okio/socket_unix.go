//go:build unix

package okio

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// rawReader reads from a descriptor and takes a segment only for as long as the read lasts, which does not block: a
// connection that waits for data holds no memory.
type rawReader struct {
	conn  net.Conn
	raw   syscall.RawConn
	ready func(fd uintptr) bool // the method try, bound once

	// Parameters and results of the read under way.
	dst *Buffer
	max int64
	n   int
	err error
}

// newRawReader returns nil if c is not a stream of the operating system.
func newRawReader(c net.Conn) *rawReader {
	if !isStreamSocket(c) {
		return nil
	}
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil // closed already; reading will say so
	}
	r := &rawReader{conn: c, raw: raw}
	r.ready = r.try
	return r
}

// read moves 1..max bytes to the end of dst, waiting for them under the connection's read deadline.
func (r *rawReader) read(dst *Buffer, max int64) (int, error) {
	r.dst, r.max, r.n, r.err = dst, max, 0, nil
	err := r.raw.Read(r.ready)
	r.dst = nil
	if err != nil || r.err != nil {
		return 0, r.failure(err)
	}
	if r.n == 0 {
		return 0, io.EOF
	}
	return r.n, nil
}

// failure names what failed as Read of the connection would: err is of the deadline or of closing. It is apart from read so that a goroutine that waits there needs little stack.
func (r *rawReader) failure(err error) error {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		op.Op = "read" // it is new and ours
	}
	if err != nil {
		return err
	}
	return &net.OpError{
		Op: "read", Net: r.conn.LocalAddr().Network(), Source: r.conn.LocalAddr(), Addr: r.conn.RemoteAddr(),
		Err: os.NewSyscallError("read", r.err),
	}
}

// try reads once; false means that nothing is there yet and asks to be called again when there is.
func (r *rawReader) try(fd uintptr) bool {
	seg := r.dst.room(1)
	room := seg.data[seg.limit:]
	if int64(len(room)) > r.max {
		room = room[:r.max]
	}
	n, err := syscall.Read(int(fd), room)
	for err == syscall.EINTR {
		n, err = syscall.Read(int(fd), room)
	}
	r.n, r.err = max(n, 0), err
	r.dst.grow(seg, r.n) // gives the segment back if nothing came
	return err != syscall.EAGAIN
}
