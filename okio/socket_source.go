package okio

import (
	"io"
	"net"
)

// socketSource is the receiving side of a netSocket.
type socketSource struct {
	socketLimit
	socket  *netSocket
	raw     *rawReader // nil where it does not exist
	shut    func() error
	pending error // came together with bytes, to be reported by the next read
}

func (s *socketSource) init(socket *netSocket, c net.Conn) {
	s.socket = socket
	s.socketLimit.init(c.SetReadDeadline)
	s.raw = newRawReader(c)
	if half, ok := c.(interface{ CloseRead() error }); ok {
		s.shut = half.CloseRead
	}
}

func (s *socketSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkCount(max); err != nil || max == 0 {
		return 0, err
	}
	if err := s.ready(); err != nil {
		return 0, err
	}
	for range emptyReads {
		var n int
		var err error
		if s.raw != nil {
			n, err = s.raw.read(dst, max)
		} else {
			n, err = s.fill(dst, max)
		}
		if n > 0 || err != nil && !s.early(err) {
			n, err = s.finish(n, err)
			return int64(n), err
		}
	}
	return 0, io.ErrNoProgress
}

// fill reads into room that was taken beforehand.
func (s *socketSource) fill(dst *Buffer, max int64) (int, error) {
	seg := dst.room(1)
	room := seg.data[seg.limit:]
	if int64(len(room)) > max {
		room = room[:max]
	}
	n, err := s.read(room)
	dst.grow(seg, n)
	return n, err
}

// read reads once and does not believe a count that cannot be.
func (s *socketSource) read(p []byte) (int, error) {
	n, err := s.socket.conn.Read(p)
	if n < 0 || n > len(p) {
		return 0, countErr(s.socket.conn, "Read", n, len(p))
	}
	return n, err
}

// Read reads straight into p.
func (s *socketSource) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := s.ready(); err != nil {
		return 0, err
	}
	n, err := s.read(p)
	if n == 0 && err != nil && s.early(err) {
		n, err = s.read(p)
	}
	return s.finish(n, err)
}

// ready finds out whether a read can be made and sees to its deadline. A read that timed out took nothing and can be made again.
func (s *socketSource) ready() error {
	if err := s.socket.check(closedSource); err != nil {
		return err
	}
	if err := s.pending; err != nil {
		s.pending = nil
		return s.socket.failure("read", &s.socketLimit, err)
	}
	s.start()
	if err := s.begin(false); err != nil {
		return s.socket.failure("read", &s.socketLimit, err)
	}
	return nil
}

// finish separates bytes from errors: those that come together are reported one after the other.
func (s *socketSource) finish(n int, err error) (int, error) {
	if n > 0 {
		s.pending = err
		return n, nil
	}
	if err != nil {
		err = s.socket.failure("read", &s.socketLimit, err)
	}
	return 0, err
}

// Close drops what comes in from now on. Both sides closed, the connection is.
func (s *socketSource) Close() error { return s.socket.closeSide(closedSource, s.shut) }
