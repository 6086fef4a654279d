package okio

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A peer that stops reading: the limit of a write is that of the write, however much the connection took meanwhile and whatever deadline an
// earlier write left behind.
func TestSocketStalledWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalled := false
		c := &scriptConn{}
		c.write = func(p []byte) (int, error) {
			if !stalled {
				return len(p), nil
			}
			time.Sleep(time.Until(c.writeDeadlines[len(c.writeDeadlines)-1]))
			return 1, os.ErrDeadlineExceeded // the last byte that had room
		}
		s := NewSocket(c)
		s.(*netSocket).sink.vectored = true // as a TCP connection, which goes on after a timeout
		TimeoutOf(s.Sink()).SetLimit(time.Second)
		mustSinkWrite(t, s.Sink(), "arms the deadline")
		time.Sleep(400 * time.Millisecond)
		stalled = true
		var b Buffer
		_, _ = b.WriteString("does not go through")
		began := time.Now()
		checkTimeout(t, s.Sink().WriteBuffer(&b, b.Len()), "okio: write timeout after 1s")
		if took := time.Since(began); took != time.Second {
			t.Errorf("the write took %v, its limit is 1s", took)
		}
		if b.Len() != int64(len("does not go through"))-2 {
			t.Errorf("%d bytes are left", b.Len())
		}
	})
}
