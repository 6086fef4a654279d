package okio

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// A peer that never reads: the limit of a write is that of the write, however much the kernel took before and whatever deadline an
// earlier write left.
func TestSocketStalledWrite(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	s := NewSocket(c)
	defer s.Cancel(nil)
	const limit = 300 * time.Millisecond
	TimeoutOf(s.Sink()).SetLimit(limit)
	var b Buffer
	var began time.Time
	for err == nil {
		_, _ = b.Write(make([]byte, 64<<10))
		began = time.Now()
		err = s.Sink().WriteBuffer(&b, b.Len())
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	if took := time.Since(began); took < limit || took > 3*limit/2+200*time.Millisecond {
		t.Errorf("the last write took %v, its limit is %v", took, limit)
	}
}
