package okio

import (
	"io"
	"net"
	"sync"
)

const (
	// socketPiece is the most that is written under one deadline: a link that is slow but moves gets this far in any limit
	// worth setting.
	socketPiece = 64 << 10

	// socketCrumb is how much more goes with a piece if that is all there is: 64 KiB with a header in front are to be one system call, and wake the peer once.
	socketCrumb = 4 << 10

	// socketVector is the most slices that one vectored write takes, four full segments and some crumbs.
	socketVector = 16

	// joinedChunk is what is written at once to a connection that cannot take several slices: a full TLS record.
	joinedChunk = segmentSize
)

// socketSink is the sending side of a netSocket.
type socketSink struct {
	socketLimit
	socket   *netSocket
	shut     func() error
	vectored bool
}

// A writeVector is the slices of one vectored write. They are pooled because net.Buffers escapes, and neither should a call allocate nor an idle socket hold them.
type writeVector struct {
	slices  [socketVector][]byte
	buffers net.Buffers
}

var writeVectors = sync.Pool{New: func() any { return new(writeVector) }}

func (k *socketSink) init(socket *netSocket, c net.Conn) {
	k.socket = socket
	k.socketLimit.init(c.SetWriteDeadline)
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		k.shut = half.CloseWrite
	}
	k.vectored = isStreamSocket(c)
}

// isStreamSocket reports whether c is a stream of the operating system itself, with nothing on top.
func isStreamSocket(c net.Conn) bool {
	switch c := c.(type) {
	case *net.TCPConn:
		return true
	case *net.UnixConn:
		return c.LocalAddr() != nil && c.LocalAddr().Network() == "unix"
	}
	return false
}

func (k *socketSink) WriteBuffer(src *Buffer, n int64) error {
	if err := checkTake(src, n); err != nil {
		return err
	}
	if err := k.Flush(); err != nil {
		return err
	}
	k.start()
	for n > 0 {
		piece := k.piece(n)
		// A stream socket that timed out tells what it took and goes on from there; TLS is broken by it.
		if err := k.begin(!k.vectored); err != nil {
			return k.socket.failure("write", &k.socketLimit, err)
		}
		n -= piece
		for piece > 0 {
			written, err := k.writePiece(src, piece)
			src.drop(written)
			piece -= written
			if err != nil && !k.early(err) {
				return k.socket.failure("write", &k.socketLimit, err)
			}
		}
	}
	return nil
}

// piece is how much of n bytes is written next, under one deadline.
func (k *socketSink) piece(n int64) int64 {
	switch {
	case !k.vectored:
		return min(n, joinedChunk)
	case n <= socketPiece+socketCrumb:
		return n
	}
	return socketPiece
}

// writePiece writes some of the first n bytes of src, at least one, and returns how many are to be dropped from it.
func (k *socketSink) writePiece(src *Buffer, n int64) (int64, error) {
	head := src.head
	switch {
	case int64(head.level()) >= n:
		return k.write(head.bytes()[:min(n, joinedChunk)])
	case k.vectored:
		return k.writeVector(src, n)
	case head.level() >= joinedChunk:
		return k.write(head.bytes()[:joinedChunk])
	}
	chunk := takeSegment()
	defer chunk.release()
	chunk.limit = copyPrefix(chunk.data[:min(n, joinedChunk)], head)
	return k.write(chunk.bytes())
}

// copyPrefix fills p from a ring that holds at least as much.
func copyPrefix(p []byte, s *segment) int {
	n := 0
	for n < len(p) {
		n += copy(p[n:], s.bytes())
		s = s.next
	}
	return n
}

func (k *socketSink) write(p []byte) (int64, error) {
	n, err := k.socket.conn.Write(p)
	if n < 0 || n > len(p) {
		return 0, countErr(k.socket.conn, "Write", n, len(p))
	}
	if n < len(p) && err == nil {
		err = io.ErrShortWrite
	}
	return int64(n), err
}

// writeVector writes several slices at once. It is for the standard library's own connections, whose counts are right.
func (k *socketSink) writeVector(src *Buffer, n int64) (int64, error) {
	v := writeVectors.Get().(*writeVector)
	defer writeVectors.Put(v)
	count := 0
	var total int64
	for s := src.head; total < n && count < len(v.slices); s = s.next {
		p := s.bytes()
		if left := n - total; int64(len(p)) > left {
			p = p[:left]
		}
		v.slices[count] = p
		count++
		total += int64(len(p))
	}
	v.buffers = v.slices[:count]
	written, err := v.buffers.WriteTo(k.socket.conn)
	clear(v.slices[:]) // no reference to pooled memory stays behind
	v.buffers = nil
	if written < total && err == nil {
		err = io.ErrShortWrite
	}
	return written, err
}

// Flush has nothing to push: it only reports whether the sink can still be used.
func (k *socketSink) Flush() error { return k.socket.check(closedSink) }

// Close sends the end to the peer. Both sides closed, the connection is.
func (k *socketSink) Close() error { return k.socket.closeSide(closedSink, k.shut) }
