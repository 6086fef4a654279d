package http2

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Padding is nobody's content, and is credited all the same (RFC 9113 section 6.1).
func TestServerPadding(t *testing.T) {
	inBubble(t, true, Config{MaxStreamWindow: defaultWindow}, func(t *testing.T, p *tester) {
		p.greetServer()
		block := append(append([]byte{3}, p.encode(request("POST")...)...), 0, 0, 0)
		p.send(append(FrameHeader{len(block), FrameHeaders, FlagEndHeaders | FlagPadded, 1}.Append(nil), block...))
		s := p.accept()
		padded := "\xffx" + strings.Repeat("\x00", 255)
		for range 200 { // 200 bytes of content and 51,200 of padding
			p.send(append(FrameHeader{len(padded), FrameData, FlagPadded, 1}.Append(nil), padded...))
		}
		p.data(1, true, "")
		if got, err := text(s); got != strings.Repeat("x", 200) || err != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if s.room < defaultWindow/2 {
			t.Errorf("%d bytes may be sent, want the padding credited", s.room)
		}
		p.conn.Flush()
		p.want("WINDOW_UPDATE 1")
		ended := p.accepting()
		p.send(append(FrameHeader{3, FrameHeaders, FlagEndHeaders | FlagPadded, 3}.Append(nil), 3, 0, 0))
		p.wantEnd(ProtocolErrorCode)
		<-ended
	})
}

// Content waits for both windows, and both grow back as it is read (RFC 9113 section 6.9).
func TestServerFlowControl(t *testing.T) {
	inBubble(t, true, Config{MaxStreamWindow: defaultWindow}, func(t *testing.T, p *tester) {
		p.greetServer(Setting{SettingInitialWindowSize, 5})
		s := p.opened(1, false)
		done := make(chan error)
		go func() { done <- errors.Join(s.SendHead(200, nil, false), write(s, "abcdefghijkl"), s.Sink().Close()) }()
		p.want("HEADERS 1")
		p.want(`DATA 1 "abcde"`)
		p.wantNothing()
		p.send(AppendSettings(nil, Setting{SettingInitialWindowSize, 8}))
		for range 2 { // in whichever order
			h, payload, err := p.frame()
			got := p.describe(h, payload)
			if err != nil || got != "SETTINGS 0 ACK" && got != `DATA 1 "fgh"` {
				t.Errorf("%s, %v", got, err)
			}
		}
		p.send(AppendWindowUpdate(nil, 1, 100))
		p.want(`DATA 1 "ijkl"`)
		p.want(`DATA 1 END ""`)
		if err := <-done; err != nil {
			t.Error(err)
		}

		piece := strings.Repeat("x", 1<<14)
		for range 3 {
			p.data(1, false, piece)
		}
		var b okio.Buffer
		for b.Len() < 3<<14 {
			if _, err := s.Source().ReadBuffer(&b, 1<<20); err != nil {
				t.Fatal(err)
			}
		}
		p.want("WINDOW_UPDATE 1")
		p.want("WINDOW_UPDATE 1")
		ended := p.accepting()
		for range 5 { // beyond the window, unread
			p.data(1, false, piece)
		}
		p.want("RST_STREAM 1 FLOW_CONTROL_ERROR")
		p.send(AppendWindowUpdate(nil, 0, maxWindow))
		p.wantEnd(FlowControlError)
		if err := <-ended; !isConnectionError(err, FlowControlError) {
			t.Error(err)
		}
	})
}

// A handler that reads nothing does not stop the others, and holds no more than its share.
func TestServerUnread(t *testing.T) {
	inBubble(t, true, Config{MaxUnread: 1 << 16}, func(t *testing.T, p *tester) {
		p.greetServer()
		ended := p.accepting()
		p.headers(1, false, request("POST")...)
		go func() {
			piece := strings.Repeat("x", 1<<14)
			for range 5 {
				p.data(1, false, piece)
			}
		}()
		p.want("RST_STREAM 1 ENHANCE_YOUR_CALM")
		if held := p.conn.unread; held > 1<<16 {
			t.Errorf("%d bytes are held", held)
		}
		p.conn.Close()
		<-ended
	})
}

func TestServerCloseReleases(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		s := p.opened(1, false)
		done := make(chan error, 2)
		go func() {
			_, err := text(s)
			done <- err
		}()
		ended := p.accepting()
		synctest.Wait()
		p.conn.Close()
		if err := <-done; err == nil || err == io.EOF {
			t.Errorf("reading: %v", err)
		}
		if err := <-ended; err == nil {
			t.Error("Accept without an error")
		}
		p.want("GOAWAY 0 1 NO_ERROR")
	})
}

// A client may give its request up once the response has begun. What it announced does not matter then, and the response arrives whole.
func TestRequestGivenUpForTheResponse(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		p.headers(1, false, append(request("POST"), "content-length", "5")...)
		s, _, _, err := p.conn.Accept(time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SendHead(413, nil, false); err != nil {
			t.Fatal(err)
		}
		p.want("HEADERS 1")
		p.data(1, true, "")
		time.Sleep(time.Second)
		var b okio.Buffer
		b.WriteString("no")
		if err := s.Sink().WriteBuffer(&b, b.Len()); err != nil {
			t.Fatal(err)
		}
		if err := s.Sink().Close(); err != nil {
			t.Fatal(err)
		}
		p.want(`DATA 1 "no"`)
		p.want("DATA 1 END")
	})
}
