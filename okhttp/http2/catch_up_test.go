package http2

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// openUnseen opens a stream, and leaves what was sent unread.
func (p *tester) openUnseen() *Stream {
	p.t.Helper()
	s, err := p.conn.Open(RequestHead{Method: "GET", Scheme: "http", Authority: "server.test", Path: "/"}, nil, true)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// justUsed has a call made that reads for itself, so that nobody reads when it is over. No time passes.
func (p *tester) justUsed() *Stream {
	p.t.Helper()
	s := p.openUnseen()
	done := reading(s)
	p.send(AppendSettingsAck(AppendSettings(nil)))
	p.headers(s.ID(), true, ":status", "200")
	if err := <-done; err != nil {
		p.t.Fatal(err)
	}
	return s
}

// TestCatchUp has a goodbye come in the moment after a call, when nobody reads: it is known after a look, without time passing, and not before.
func TestCatchUp(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		s := p.justUsed()
		if p.conn.Attended() {
			t.Fatal("somebody reads at once")
		}
		begun := time.Now()
		if p.conn.CatchUp(time.Millisecond) || !p.conn.Usable() || time.Since(begun) != time.Millisecond {
			t.Errorf("nothing came, in %v", time.Since(begun))
		}
		goodbye := AppendGoAway(nil, s.ID(), NoError, nil)
		p.send(goodbye[:5])
		if !p.conn.CatchUp(time.Millisecond) || !p.conn.Usable() {
			t.Error("a part of a frame came, and says nothing")
		}
		p.send(goodbye[5:])
		if synctest.Wait(); !p.conn.Usable() {
			t.Error("the goodbye was read by itself")
		}
		if begun = time.Now(); !p.conn.CatchUp(time.Millisecond) || p.conn.Usable() || time.Since(begun) != 0 {
			t.Errorf("the goodbye came, in %v: %v", time.Since(begun), p.conn.Closing())
		}
		if away := (*GoAwayError)(nil); !errors.As(p.conn.Closing(), &away) || s.Err() != nil {
			t.Errorf("closing %v, stream %v", p.conn.Closing(), s.Err())
		}
		time.Sleep(10 * quietTime)
		if !p.conn.Attended() || p.conn.CatchUp(time.Millisecond) {
			t.Error("nobody reads after a while")
		}
	})
}

// TestCatchUpBesideOthers looks while nobody reads, and others come meanwhile: they read when the look is over.
func TestCatchUpBesideOthers(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.justUsed()
		looked := make(chan bool)
		go func() { looked <- p.conn.CatchUp(time.Millisecond) }()
		synctest.Wait()
		if !p.conn.Attended() {
			t.Error("who looks does not read")
		}
		second := p.openUnseen()
		done := reading(second)
		if <-looked {
			t.Error("something came")
		}
		p.headers(second.ID(), true, ":status", "200")
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestCatchUpWithTheEnd of the connection.
func TestCatchUpWithTheEnd(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.justUsed()
		p.Close()
		if p.conn.CatchUp(time.Millisecond) || p.conn.Usable() || p.conn.Err() == nil {
			t.Errorf("the end is not known: %v", p.conn.Err())
		}
	})
}
