//go:build unix

package okio

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// As long as nothing can be read, no segment is taken.
func TestSocketHoldsNoSegmentWhileIdle(t *testing.T) {
	for _, kind := range connKinds[:2] {
		t.Run(kind.name, func(t *testing.T) {
			x, y := kind.pair(t)
			source := NewSocket(x).Source().(*socketSource)
			if source.raw == nil {
				t.Fatal("not read through the descriptor")
			}
			var dst Buffer
			source.raw.dst, source.raw.max = &dst, 10
			try := func() (ready bool) {
				if err := source.raw.raw.Control(func(fd uintptr) { ready = source.raw.try(fd) }); err != nil {
					t.Fatal(err)
				}
				return ready
			}
			if try() || dst.head != nil {
				t.Errorf("a read of an idle connection ended or left a segment: %v", dst.head)
			}
			mustWrite(t, y, "data")
			for !try() { // the system may need a moment to carry it over
			}
			if content(&dst) != "data" {
				t.Errorf("read %q", content(&dst))
			}
		})
	}
}

// Errors of reading through the descriptor look as those of net.Conn.Read do.
func TestSocketReadErrorsAreNamed(t *testing.T) {
	tests := []struct {
		name string
		act  func(s Socket, own, peer net.Conn)
		want error
	}{
		{"reset", func(_ Socket, _, peer net.Conn) { _ = peer.(*net.TCPConn).SetLinger(0); _ = peer.Close() }, syscall.ECONNRESET},
		{"closed", func(_ Socket, own, _ net.Conn) { _ = own.Close() }, net.ErrClosed},
		{"too late", func(s Socket, _, _ net.Conn) { TimeoutOf(s.Source()).SetDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			own, peer := tcpPair(t)
			s := NewSocket(own)
			tt.act(s, own, peer)
			var op *net.OpError
			_, err := s.Source().ReadBuffer(new(Buffer), 1)
			if !errors.As(err, &op) || op.Op != "read" || op.Net != "tcp" || op.Addr.String() != own.RemoteAddr().String() {
				t.Errorf("error %#v", err)
			}
			wantErr(t, "read", err, tt.want)
		})
	}
}
