package http2

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

func TestServerPush(t *testing.T) {
	head := RequestHead{Method: "GET", Path: "/style", Authority: "server.test", Scheme: "https"}
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer(Setting{SettingMaxConcurrentStreams, 1})
		s := p.opened(1, true)
		pushed, err := s.Push(head, []string{"Accept", "text/css"})
		if err != nil || pushed.ID() != 2 {
			t.Fatalf("pushed %v, %v", pushed, err)
		}
		if _, err := s.Push(head, nil); err != ErrTooManyStreams {
			t.Errorf("a second one: %v", err)
		}
		p.want(`PUSH_PROMISE 1 2 [":method" "GET" ":path" "/style"`)
		if err := pushed.SendHead(200, nil, false); err != nil {
			t.Fatal(err)
		}
		if err := write(pushed, "css"); err != nil {
			t.Fatal(err)
		}
		if err := pushed.Sink().Close(); err != nil {
			t.Fatal(err)
		}
		p.want("HEADERS 2")
		p.want("DATA 2")
		p.want("DATA 2")
		if pushed, err = s.Push(head, nil); err != nil || pushed.ID() != 4 {
			t.Fatalf("pushed %v, %v", pushed, err)
		}
		p.want("PUSH_PROMISE 1")
		p.send(AppendRSTStream(nil, 4, Cancel))
		time.Sleep(10 * quietTime) // until somebody reads
		if err := write(pushed, "css"); !isReset(err, Cancel, true) {
			t.Errorf("sending what is not wanted: %v", err)
		}
		if err := s.SendHead(200, nil, true); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Push(head, nil); err == nil {
			t.Error("pushed along a stream that is finished")
		}
	})
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer(Setting{SettingEnablePush, 0})
		if _, err := p.opened(1, true).Push(head, nil); err != ErrPushDisabled {
			t.Errorf("pushed to one who does not want it: %v", err)
		}
	})
}

// TestPushBothRoles lets a server of this package push to its client.
func TestPushBothRoles(t *testing.T) {
	log := &pushLog{}
	synctest.Test(t, func(t *testing.T) {
		a, b := okio.ConnPair(1 << 16)
		client, server := NewClient(a, Config{Push: log}), NewServer(b, Config{})
		defer client.Close()
		defer server.Close()
		done := make(chan error, 1)
		go func() {
			s, _, _, err := server.Accept(time.Time{})
			var pushed *Stream
			if err == nil {
				pushed, err = s.Push(RequestHead{Method: "GET", Path: "/a", Authority: "a", Scheme: "http"}, nil)
			}
			if err == nil {
				err = s.SendHead(200, nil, true)
			}
			if err == nil {
				err = pushed.SendHead(200, []string{"x", "y"}, false)
			}
			if err == nil {
				err = pushed.SendTrailers([]string{"z", "1"})
			}
			done <- err
		}()
		s, err := client.Open(RequestHead{Method: "GET", Path: "/", Authority: "a", Scheme: "http"}, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		client.Flush()
		if _, _, err := s.ReadHead(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, want := strings.Join(log.lines, "\n"), "request 2 GET\nheaders 2 [\":status\" \"200\" \"x\" \"y\"] false\nheaders 2 [\"z\" \"1\"] true"; got != want {
			t.Errorf("told:\n%s\nwant:\n%s", got, want)
		}
	})
}

func TestLeave(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		p.opened(1, true)
		p.conn.Leave()
		p.conn.Leave()
		p.want("GOAWAY 0 2147483647 NO_ERROR")
		p.want("PING")
		p.opened(3, true) // it was under way
		p.send(AppendPing(nil, true, leavingPing))
		p.want("GOAWAY 0 3 NO_ERROR")
		p.send(AppendPing(nil, true, leavingPing))
		p.headers(5, true, request("GET")...)
		p.wantNothing()
		p.conn.GoAwayAfter(1, EnhanceYourCalm, "calm")
		p.want("GOAWAY 0 1 ENHANCE_YOUR_CALM")
		p.conn.GoAwayAfter(3, NoError, "") // it cannot be raised again
		p.want("GOAWAY 0 1 NO_ERROR")
	})
}

func TestServerSettings(t *testing.T) {
	inBubble(t, true, Config{MaxConcurrentStreams: 2}, func(t *testing.T, p *tester) {
		p.greetServer()
		old := p.opened(1, false)
		p.conn.SendSettings(Setting{SettingMaxConcurrentStreams, 1}, Setting{SettingInitialWindowSize, 10}, Setting{SettingMaxFrameSize, 1 << 15})
		p.want("SETTINGS 0")
		p.data(1, false, strings.Repeat("x", 1000)) // it may not have seen the settings
		p.opened(3, true).Cancel(Cancel, errClosed)
		p.want("RST_STREAM 3")
		p.send(AppendSettingsAck(nil))
		p.headers(5, true, request("GET")...)
		p.want("RST_STREAM 5 REFUSED_STREAM")
		p.data(1, true, strings.Repeat("x", 20000)) // one frame
		if got, err := text(old); len(got) != 21000 || err != nil {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
	})
}

func TestInject(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		s := p.opened(1, true)
		p.conn.Inject(AppendPing(nil, false, [8]byte{7}))
		p.want("PING")
		if err := s.SendFields([]string{":status", "200", "x", "a\x00b"}, true); err != nil {
			t.Fatal(err)
		}
		if got := p.want("HEADERS 1"); !strings.Contains(got, "a\\x00b") && !strings.Contains(got, "a\x00b") {
			t.Errorf("got %q", got)
		}
	})
}
