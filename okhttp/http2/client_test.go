package http2

import (
	"errors"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// The first test shows how the others read.
func TestExchange(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		p.headers(3, false, ":status", "103", "link", "x")
		p.headers(3, false, ":status", "200", "content-length", "5")
		p.data(3, false, "he")
		p.data(3, true, "llo")
		for _, want := range [][]string{{":status", "103", "link", "x"}, {":status", "200", "content-length", "5"}} {
			if got, last, err := s.ReadHead(); err != nil || last || !slices.Equal(got, want) {
				t.Errorf("head %q, %v, %v, want %q", got, last, err, want)
			}
		}
		if got, err := text(s); got != "hello" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if p.conn.streams[3] != nil {
			t.Error("the stream is still there")
		}
		p.wantNothing()
	})
}

func TestUpload(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(false)
		var b okio.Buffer
		b.WriteString("content")
		if err := s.Sink().WriteBuffer(&b, b.Len()); err != nil {
			t.Fatal(err)
		}
		p.want(`DATA 3 "content"`)
		if err := s.SendTrailers([]string{"digest", "x"}); err != nil {
			t.Fatal(err)
		}
		p.want(`HEADERS 3 END ["digest" "x"]`)
		p.headers(3, true, ":status", "204")
		if got, last, err := s.ReadHead(); err != nil || !last || got[1] != "204" {
			t.Errorf("head %q, %v, %v", got, last, err)
		}
	})
}

// Fact 78: content waits for the stream's window and for that of the connection.
func TestSendWindows(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingInitialWindowSize, 0})
		s := p.open(false)
		done := make(chan error)
		go func() {
			var b okio.Buffer
			b.WriteString("abcdefghi")
			done <- s.Sink().WriteBuffer(&b, b.Len())
		}()
		p.wantNothing()
		p.send(AppendWindowUpdate(nil, 0, 100))
		p.wantNothing()
		p.send(AppendWindowUpdate(nil, 3, 5))
		p.want(`DATA 3 "abcde"`)
		p.wantNothing()
		p.send(AppendWindowUpdate(nil, 3, 5))
		p.want(`DATA 3 "fghi"`)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A read that runs out of time harms nothing; the peer is asked whether it is there.
func TestReadLimit(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		s.SetLimits(3*time.Second, 0, time.Time{})
		start := time.Now()
		if _, _, err := s.ReadHead(); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		p.want("PING 0")
		if !p.conn.Usable() {
			t.Error("not usable before the answer is due")
		}
		time.Sleep(time.Second)
		if p.conn.Usable() {
			t.Error("usable without an answer")
		}
		p.send(AppendPing(nil, true, degradedPing))
		p.headers(3, true, ":status", "200")
		if _, _, err := s.ReadHead(); err != nil {
			t.Error(err)
		}
		if !p.conn.Usable() {
			t.Error("not usable after the answer")
		}
	})
}

// Cancel frees who reads for all, and the next in line takes over.
func TestCancelWhileLeading(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		first, second := p.open(true), p.open(true)
		failed := make(chan error, 2)
		read := func(s *Stream) {
			_, _, err := s.ReadHead()
			failed <- err
		}
		go read(first)
		synctest.Wait()
		go read(second)
		synctest.Wait()
		cause := errors.New("not wanted any more")
		first.Cancel(Cancel, cause)
		if err := <-failed; err != cause {
			t.Errorf("error %v", err)
		}
		p.want("RST_STREAM 3 CANCEL")
		p.headers(5, true, ":status", "200")
		if err := <-failed; err != nil {
			t.Errorf("error %v of the other", err)
		}
	})
}

// While nobody waits, pings are answered and a goodbye is noticed.
func TestQuietConnection(t *testing.T) {
	changed := make(chan struct{}, 10)
	inBubble(t, false, Config{Changed: func() { changed <- struct{}{} }}, func(t *testing.T, p *tester) {
		p.greetClient()
		p.send(AppendPing(nil, false, [8]byte{7}))
		p.want("PING 0 ACK [7 0 0 0 0 0 0 0]")
		p.send(AppendGoAway(nil, 0, NoError, nil))
		time.Sleep(time.Second)
		if p.conn.Usable() || len(changed) == 0 {
			t.Error("the goodbye went unnoticed")
		}
		if _, err := p.conn.Open(getRequest, nil, true); !errors.As(err, new(*GoAwayError)) {
			t.Errorf("error %v", err)
		}
	})
}

func TestGoAwayEndsLaterStreams(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		first, second := p.open(true), p.open(true)
		p.send(AppendGoAway(nil, 3, NoError, []byte("bye")))
		p.headers(3, true, ":status", "200")
		var e *GoAwayError
		if _, _, err := second.ReadHead(); !errors.As(err, &e) || e.LastStream != 3 {
			t.Errorf("error %v", err)
		}
		if _, _, err := first.ReadHead(); err != nil {
			t.Errorf("error %v of a stream that goes on", err)
		}
	})
}

func TestStreamLimit(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient(Setting{SettingMaxConcurrentStreams, 1})
		s := p.open(true)
		if _, err := p.conn.Open(getRequest, nil, true); err != ErrTooManyStreams {
			t.Errorf("error %v", err)
		}
		p.headers(3, true, ":status", "200")
		if _, _, err := s.ReadHead(); err != nil {
			t.Error(err)
		}
		p.open(true)
	})
}

// Streams that were opened before the peer's limit was known are told apart: the ones within it, and those too many.
func TestCrowded(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		var early []*Stream
		for range 4 {
			s, err := p.conn.Open(getRequest, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			early = append(early, s)
			if len(early) == 1 {
				early[0].Cancel(Cancel, errClosed) // makes room for another
			}
		}
		for _, s := range early {
			if s.Crowded() {
				t.Errorf("stream %d is one too many, of which nothing is known", s.ID())
			}
		}
		go p.conn.Flush()
		p.send(AppendSettings(nil, Setting{SettingMaxConcurrentStreams, 2}))
		time.Sleep(time.Second)
		for i, want := range []bool{false, false, false, true} {
			if got := early[i].Crowded(); got != want {
				t.Errorf("stream %d: one too many is %v, want %v", early[i].ID(), got, want)
			}
		}
		early[1].Cancel(Cancel, errClosed)
		early[2].Cancel(Cancel, errClosed)
		s, err := p.conn.Open(getRequest, nil, true)
		if err != nil || s.Crowded() {
			t.Errorf("a stream within the limit: %v", err)
		}
	})
}

// Fact 72: an interval of 500 ms and a mute peer end the connection after one second, with one ping.
func TestPingInterval(t *testing.T) {
	inBubble(t, false, Config{PingInterval: 500 * time.Millisecond}, func(t *testing.T, p *tester) {
		start := time.Now()
		p.greetClient()
		s := p.open(true)
		_, _, err := s.ReadHead()
		if got := time.Since(start); err == nil || got != time.Second {
			t.Errorf("%v after %v, want a failure after 1 s", err, got)
		}
		p.want("PING 0")
		p.wantEnd(ProtocolErrorCode)
	})
}

// The window of a stream is given back as it is read, and grows while the reader keeps up.
func TestReceiveWindow(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		p.headers(3, false, ":status", "200")
		if _, _, err := s.ReadHead(); err != nil {
			t.Fatal(err)
		}
		chunk := string(make([]byte, minMaxFrame))
		read := func() {
			var b okio.Buffer
			for got := int64(0); got < minMaxFrame; {
				n, err := s.Source().ReadBuffer(&b, minMaxFrame)
				if err != nil {
					t.Fatal(err)
				}
				got += n
			}
		}
		for range 15 {
			p.data(3, false, chunk)
			read()
		}
		p.wantNothing()
		p.data(3, false, chunk)
		read()
		p.want("WINDOW_UPDATE 3 1310720") // a quarter of a mebibyte was read, and the window is doubled
	})
}
