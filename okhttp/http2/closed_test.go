package http2

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// What was under way when a stream was cancelled harms nothing, however many were, and gives its room back.
func TestFramesUnderWayAfterCancel(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		const n = 300
		var streams []*Stream
		for range n {
			streams = append(streams, p.open(true))
		}
		for _, s := range streams {
			s.Cancel(Cancel, errors.New("not wanted any more"))
		}
		for _, s := range streams {
			p.want(fmt.Sprintf("RST_STREAM %d CANCEL", s.ID()))
		}
		last := p.open(true)
		for _, s := range streams {
			p.headers(s.ID(), false, ":status", "200")
			p.data(s.ID(), true, "content")
			p.send(AppendWindowUpdate(nil, s.ID(), 1))
			p.send(AppendRSTStream(nil, s.ID(), InternalError))
		}
		p.headers(last.ID(), true, ":status", "200")
		if _, _, err := last.ReadHead(); err != nil {
			t.Fatal(err)
		}
		if c := p.conn; c.uncredited != n*len("content") || c.unread != 0 || len(c.streams) != 0 {
			t.Errorf("%d bytes to be credited, %d unread, %d streams", c.uncredited, c.unread, len(c.streams))
		}
	})
}

// An old stream can be reset when so many were that it is not known of each.
func TestResetOfAnOldStream(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		old := p.open(true)
		for range 200 {
			s := p.open(true)
			s.Cancel(Cancel, errors.New("not wanted any more"))
			p.want("RST_STREAM")
		}
		old.Cancel(Cancel, errors.New("not wanted any more"))
		p.want("RST_STREAM 3 CANCEL")
	})
}

// RFC 9113 section 5.1: what may come for a stream that is idle, and for one that came to its good end.
func TestFramesOfNoOpenStream(t *testing.T) {
	block := func(p *tester) []byte { return p.encode(":status", "200") }
	for _, test := range []struct {
		name   string
		stream uint32
		frames func(p *tester, stream uint32) []byte
		code   ErrorCode
		fine   bool
	}{
		{"DATA", 41, func(_ *tester, id uint32) []byte { return AppendDataHeader(nil, id, 0, true) }, ProtocolErrorCode, false},
		{"DATA", 3, func(_ *tester, id uint32) []byte { return AppendDataHeader(nil, id, 0, true) }, StreamClosed, false},
		{"HEADERS", 41, func(p *tester, id uint32) []byte { return AppendHeaders(nil, id, block(p), true, 0) }, ProtocolErrorCode, false},
		{"HEADERS of the server's", 2, func(p *tester, id uint32) []byte { return AppendHeaders(nil, id, block(p), true, 0) }, ProtocolErrorCode, false},
		{"HEADERS", 3, func(p *tester, id uint32) []byte { return AppendHeaders(nil, id, block(p), true, 0) }, StreamClosed, false},
		{"RST_STREAM", 41, func(_ *tester, id uint32) []byte { return AppendRSTStream(nil, id, Cancel) }, ProtocolErrorCode, false},
		{"RST_STREAM", 3, func(_ *tester, id uint32) []byte { return AppendRSTStream(nil, id, Cancel) }, 0, true},
		{"WINDOW_UPDATE", 41, func(_ *tester, id uint32) []byte { return AppendWindowUpdate(nil, id, 1) }, ProtocolErrorCode, false},
		{"WINDOW_UPDATE", 3, func(_ *tester, id uint32) []byte { return AppendWindowUpdate(nil, id, 1) }, 0, true},
		{"WINDOW_UPDATE of 0", 41, func(_ *tester, id uint32) []byte { return AppendWindowUpdate(nil, id, 0) }, ProtocolErrorCode, false},
		{"PRIORITY", 41, func(_ *tester, id uint32) []byte { return AppendPriority(nil, id, 0, false, 1) }, 0, true},
		{"PRIORITY", 3, func(_ *tester, id uint32) []byte { return AppendPriority(nil, id, 0, false, 1) }, 0, true},
	} {
		t.Run(fmt.Sprintf("%s on %d", test.name, test.stream), func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				s := p.open(true)
				p.headers(3, true, ":status", "204")
				if _, _, err := s.ReadHead(); err != nil {
					t.Fatal(err)
				}
				p.send(test.frames(p, test.stream))
				if !test.fine {
					p.wantEnd(test.code)
					return
				}
				other := p.open(true)
				p.headers(other.ID(), true, ":status", "204")
				if _, _, err := other.ReadHead(); err != nil {
					t.Error(err)
				}
				p.wantNothing()
			})
		})
	}
}

// Section 5.1: after the end of the response the request may go on, and then only the stream is at fault.
func TestFramesAfterTheEnd(t *testing.T) {
	for name, frames := range map[string]func(p *tester){
		"DATA":    func(p *tester) { p.data(3, false, "more") },
		"HEADERS": func(p *tester) { p.headers(3, true, "a", "b") },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				s := p.open(false)
				p.headers(3, false, ":status", "200")
				p.data(3, true, "all")
				frames(p)
				p.want("RST_STREAM 3 STREAM_CLOSED")
				if _, _, err := s.ReadHead(); err != nil {
					t.Error(err)
				}
				if got, err := text(s); got != "all" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
				var e *StreamError
				if err := <-sending(s, 1); !errors.As(err, &e) || e.Code != StreamClosed {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

// Fact 80: a whole response stays readable when the server resets the stream since it does not want the rest of the request.
func TestResetAfterTheResponse(t *testing.T) {
	for _, code := range []ErrorCode{NoError, Cancel, InternalError} {
		t.Run(code.String(), func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient(Setting{SettingInitialWindowSize, 0})
				s := p.open(false)
				sent := sending(s, 100)
				p.headers(3, false, ":status", "413", "content-length", "3")
				p.data(3, true, "all")
				p.send(AppendRSTStream(nil, 3, code))
				if err := <-sent; !isReset(err, code, true) {
					t.Errorf("error %v of the request", err)
				}
				if _, last, err := s.ReadHead(); last || err != nil {
					t.Error(last, err)
				}
				if got, err := text(s); got != "all" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
				p.wantNothing()
			})
		})
	}
}

// Section 10.5: content that came before a reset is delivered, and then the reset.
func TestResetWithinTheResponse(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		p.headers(3, false, ":status", "200")
		p.data(3, false, "half")
		p.send(AppendRSTStream(nil, 3, InternalError))
		synctest.Wait()
		if _, _, err := s.ReadHead(); err != nil {
			t.Error(err)
		}
		if got, err := text(s); got != "half" || !isReset(err, InternalError, true) {
			t.Errorf("%q, %v", got, err)
		}
		if trailers, err := s.Trailers(); trailers != nil || !isReset(err, InternalError, true) {
			t.Errorf("trailers %q, %v", trailers, err)
		}
		p.wantNothing() // a reset is not answered
	})
}

// All streams end with what ended the connection, and content that came is delivered first.
func TestConnectionDies(t *testing.T) {
	for name, test := range map[string]struct {
		die  func(p *tester)
		text string
	}{
		"end":             {func(p *tester) { p.Close() }, "the peer closed the connection"},
		"end in a frame":  {func(p *tester) { p.send(AppendDataHeader(nil, 3, 5, true)); p.Close() }, "inside a frame"},
		"end in a header": {func(p *tester) { p.send([]byte{0, 0, 1}); p.Close() }, "the peer closed the connection"},
		"reset":           {func(p *tester) { p.Conn.(interface{ Reset() error }).Reset() }, "connection reset"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				first, second, third := p.open(true), p.open(true), p.open(false)
				p.headers(3, false, ":status", "200")
				p.data(3, false, "half")
				if _, _, err := first.ReadHead(); err != nil {
					t.Fatal(err)
				}
				errs := make(chan error, 2)
				go func() {
					_, _, err := second.ReadHead()
					errs <- err
				}()
				go func() {
					_, _, err := third.ReadHead()
					errs <- err
				}()
				synctest.Wait()
				test.die(p)
				for range 2 {
					if err := <-errs; err == nil || !strings.Contains(err.Error(), test.text) {
						t.Errorf("error %v, want %s", err, test.text)
					}
				}
				if got, err := text(first); got != "half" || err == nil || !strings.Contains(err.Error(), test.text) {
					t.Errorf("%q, %v", got, err)
				}
				if p.conn.Usable() || p.conn.Closing() == nil {
					t.Error("it is usable")
				}
			})
		})
	}
}
