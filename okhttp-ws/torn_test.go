package okws

import (
	"errors"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// After a write that failed in the middle of a frame nobody else writes, not even who has the turn before the connection has ended: the peer would take it for the rest of
// the frame.
func TestNothingFollowsTornFrame(t *testing.T) {
	for name, next := range map[string]func(c *Conn) error{
		"message": func(c *Conn) error { return c.writeMessage(Text, []byte("more"), false) },
		"close":   func(c *Conn) error { return c.writeClose(CodeNormal, "") },
		"farewell": func(c *Conn) error {
			c.writing.give()
			defer c.writing.try()
			if c.sendFarewell(CodeProtocolError) {
				return nil
			}
			return errTimeLimit
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a, b := okio.SocketPair(100)
				cut := &tearing{Socket: a}
				cut.sink = tearingSink{Sink: a.Sink()}
				set, err := (*Config)(nil).settings()
				must(t, err)
				c := newConn(cut, set, false, extensions{})
				defer c.CloseNow()
				defer b.Cancel(nil)
				c.writing.try()
				if err := c.writeMessage(Binary, make([]byte, 1000), false); err != errTimeLimit {
					t.Errorf("write: %v", err)
				}
				if err := next(c); err != errTimeLimit {
					t.Errorf("what follows: %v", err)
				}
				if cut.sink.after != 0 {
					t.Errorf("%d bytes followed a part of a frame", cut.sink.after)
				}
				c.writing.give()
			})
		})
	}
}

var errTimeLimit = errors.New("a time limit")

// tearing is a socket whose first write fails after a few bytes, and whose others do not.
type tearing struct {
	okio.Socket
	sink tearingSink
}

func (s *tearing) Sink() okio.Sink { return &s.sink }

type tearingSink struct {
	okio.Sink
	torn  bool
	after int64
}

func (s *tearingSink) WriteBuffer(src *okio.Buffer, n int64) error {
	if !s.torn {
		s.torn = true
		if err := s.Sink.WriteBuffer(src, 10); err != nil {
			return err
		}
		return errTimeLimit
	}
	s.after += n
	return src.Skip(n)
}

// A message longer than memory can be addressed is too big, whatever the limit.
func TestLongerThanAddressable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, h := end(t, true, &Config{MaxMessage: -1}, extensions{})
		go func() {
			_ = h.push(unhex(t, "0201 00")) // with it the next one makes more than an int64 can count
			_ = h.push(unhex(t, "807f7fffffffffffffff 00"))
		}()
		_, _, err := c.Read(t.Context())
		wantViolation(t, err, CodeTooBig, "message")
	})
}
