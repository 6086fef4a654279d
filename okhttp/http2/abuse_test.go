package http2

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Streams that are opened and reset at once cost the server more than the client (CVE-2023-44487).
func TestRapidReset(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		ended := p.accepting()
		for id := uint32(1); id <= 2*maxResets+1; id += 2 {
			p.headers(id, true, request("GET")...)
			p.send(AppendRSTStream(nil, id, Cancel))
		}
		p.wantEnd(EnhanceYourCalm)
		if err := <-ended; !isConnectionError(err, EnhanceYourCalm) {
			t.Error(err)
		}
	})
}

// The same by frames that make the server reset (CVE-2025-8671).
func TestMadeYouReset(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		ended := p.accepting()
		for id := uint32(1); id <= 2*maxResets+1; id += 2 {
			p.headers(id, true, request("GET")...)
			p.send(AppendWindowUpdate(nil, id, 0))
		}
		p.wantEnd(EnhanceYourCalm)
		<-ended
	})
}

// Who resets now and then, and lets other streams end, may go on for ever.
func TestResetsAreForgiven(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		for id := uint32(1); id < 8*maxResets; id += 4 {
			s := p.opened(id, true)
			if err := s.SendHead(204, nil, true); err != nil {
				t.Fatal(err)
			}
			p.want("HEADERS")
			p.opened(id+2, true)
			p.send(AppendRSTStream(nil, id+2, Cancel))
		}
	})
}

// So may who resets everything, but takes the time for it.
func TestSlowResetsAreForgiven(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		for id := uint32(1); id < 8*maxResets; id += 2 {
			p.opened(id, true)
			p.send(AppendRSTStream(nil, id, Cancel))
			time.Sleep(forgiveTime)
		}
	})
}

// Headers without an end (CVE-2024-27316).
func TestContinuationFlood(t *testing.T) {
	for _, tt := range []struct {
		name     string
		fragment func(p *tester) []byte
		frames   int
		code     ErrorCode
	}{
		{"empty", func(*tester) []byte { return nil }, maxEmpty + 1, EnhanceYourCalm},
		{"with fields", func(p *tester) []byte { return p.encode("name", "value") }, 1 << 16, EnhanceYourCalm},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
				p.greetServer()
				ended := p.accepting()
				p.send(FrameHeader{0, FrameHeaders, 0, 1}.Append(nil))
				go func() {
					for range tt.frames {
						fragment := tt.fragment(p)
						if _, err := p.Write(append(FrameHeader{len(fragment), FrameContinuation, 0, 1}.Append(nil), fragment...)); err != nil {
							return
						}
					}
				}()
				err := <-ended
				var e *ConnectionError
				if !errors.As(err, &e) {
					t.Fatalf("%v, want an error of the connection", err)
				}
				t.Log(err)
			})
		})
	}
}

// Frames that carry nothing, in a short time.
func TestEmptyFlood(t *testing.T) {
	for _, tt := range []struct {
		name  string
		frame []byte
	}{
		{"SETTINGS", AppendSettings(nil)},
		{"PRIORITY", AppendPriority(nil, 3, 0, false, 1)},
		{"empty DATA", AppendDataHeader(nil, 1, 0, false)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
				p.greetServer()
				ended := p.accepting()
				p.headers(1, false, request("POST")...)
				go func() {
					for range maxEmpty + 10 {
						if _, err := p.Write(tt.frame); err != nil {
							return
						}
					}
				}()
				if err := <-ended; !isConnectionError(err, EnhanceYourCalm) {
					t.Error(err)
				}
			})
		})
	}
}

// A peer that makes the server answer and takes no answer, however slowly, fills no memory.
func TestAnswersNotTaken(t *testing.T) {
	for _, tt := range []struct {
		name  string
		frame func(i int) []byte
	}{
		{"SETTINGS", func(int) []byte { return AppendSettings(nil, Setting{SettingInitialWindowSize, 1}) }},
		{"PING", func(int) []byte { return AppendPing(nil, false, [8]byte{}) }},
		{"refused streams", func(i int) []byte { // with an empty block, which lacks everything
			return AppendHeaders(nil, uint32(2*i+1), nil, true, minMaxFrame)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := okio.ConnPair(256) // takes the greeting, and little more
				p := &tester{t: t, Conn: b, conn: NewServer(a, Config{})}
				defer b.Close()
				defer p.conn.Close()
				ended := p.accepting()
				p.send([]byte(ClientPreface))
				p.send(AppendSettings(nil))
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					for i := range 10 * maxControl {
						if i%500 == 0 {
							time.Sleep(emptyTime + time.Second)
						}
						if _, err := b.Write(tt.frame(i)); err != nil {
							return
						}
					}
				}()
				if err := <-ended; !isConnectionError(err, EnhanceYourCalm) {
					t.Error(err)
				}
				if held := p.conn.out.Len(); held > 64*maxControl {
					t.Errorf("%d bytes wait to be sent", held)
				}
				<-sent // it may be asleep
			})
		})
	}
}
