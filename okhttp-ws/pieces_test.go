package okws

import (
	"fmt"
	"slices"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// A message of 64 KiB is one write, header included; longer ones go out as they are masked.
func TestMessageInPieces(t *testing.T) {
	for _, tt := range []struct {
		size   int
		writes int
	}{{0, 1}, {125, 1}, {64 << 10, 1}, {64<<10 + 100, 1}, {256 << 10, 4}} {
		t.Run(fmt.Sprint(tt.size), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a, b := okio.SocketPair(100)
				defer b.Cancel(nil)
				counted := &counting{Socket: a}
				set, err := (*Config)(nil).settings()
				must(t, err)
				c := newConn(counted, set, true, extensions{})
				defer c.CloseNow()
				c.writing.try()
				must(t, c.writeMessage(Binary, make([]byte, tt.size), false))
				must(t, c.flush())
				c.writing.give()
				// A write of what was sent already is empty.
				sizes := slices.DeleteFunc(counted.sizes, func(n int64) bool { return n == 0 })
				if len(sizes) != tt.writes {
					t.Errorf("written %d, expected %d writes", sizes, tt.writes)
				}
			})
		})
	}
}

// counting is a socket that remembers how much was written each time.
type counting struct {
	okio.Socket
	sizes []int64
}

func (s *counting) Sink() okio.Sink { return countingSink{s.Socket.Sink(), s} }

type countingSink struct {
	okio.Sink
	socket *counting
}

func (s countingSink) WriteBuffer(src *okio.Buffer, n int64) error {
	s.socket.sizes = append(s.socket.sizes, n)
	return src.Skip(n)
}
