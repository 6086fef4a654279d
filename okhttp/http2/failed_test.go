package http2

import (
	"errors"
	"testing"
	"testing/synctest"
)

// TestWhenFailed: who asks is told of each early end, once, also if that came before, and of no other end.
func TestWhenFailed(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		var told []error
		listen := func(s *Stream) { s.WhenFailed(func(err error) { told = append(told, err) }) }
		read := func() { // what was sent; nobody waits for it
			t.Helper()
			p.send(AppendPing(nil, false, [8]byte{1}))
			p.want("PING 0 ACK")
		}
		want := func(what string, is func(error) bool) {
			t.Helper()
			if len(told) != 1 || !is(told[0]) {
				t.Errorf("%s: told of %v", what, told)
			}
			told = nil
		}
		s := p.opened(1, false)
		listen(s)
		p.send(AppendRSTStream(nil, 1, Cancel))
		read()
		want("reset amidst the request", func(err error) bool { return isReset(err, Cancel, true) && s.Err() == err })
		listen(s)
		want("asked later", func(err error) bool { return isReset(err, Cancel, true) })

		s = p.opened(3, true)
		listen(s)
		p.send(AppendRSTStream(nil, 3, Cancel))
		read()
		want("reset after the request", func(err error) bool { return isReset(err, Cancel, true) })

		s = p.opened(5, true)
		listen(s)
		s.WhenFailed(nil)
		p.send(AppendRSTStream(nil, 5, Cancel))
		s = p.opened(7, true)
		listen(s)
		if err := s.SendHead(200, nil, true); err != nil {
			t.Fatal(err)
		}
		p.want("HEADERS 7 END [\":status\" \"200\"]")
		read()
		if len(told) > 0 {
			t.Errorf("told of %v, after taking it back, or the whole response", told)
		}

		mine := errors.New("mine")
		s = p.opened(9, true)
		listen(s)
		s.Cancel(Cancel, mine)
		want("Cancel", func(err error) bool { return err == mine })

		s = p.opened(11, true)
		listen(s)
		p.conn.Close()
		synctest.Wait()
		want("the end of the connection", func(err error) bool { return err == s.Err() })
	})
}
