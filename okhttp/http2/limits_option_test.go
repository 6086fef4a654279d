package http2

import (
	"strings"
	"testing"
	"testing/synctest"
)

// Each limit against abuse can be set: what is within it passes, and one more ends the connection with an error that names it.
func TestLimitsAreOptions(t *testing.T) {
	const most = 5
	for name, tt := range map[string]struct {
		cfg  Config
		one  func(p *tester, i int)
		want string
		used int // by the greeting: settings carry nothing
	}{
		"empty frames": {Config{MaxEmptyFrames: most}, func(p *tester, _ int) { p.Write(AppendPriority(nil, 1, 0, false, 1)) }, "more than 5 frames that carry nothing", 1},
		"resets": {Config{MaxResets: most}, func(p *tester, i int) {
			id := uint32(2*i + 1)
			p.headers(id, true, request("GET")...)
			p.Write(AppendRSTStream(nil, id, Cancel))
		}, "more than 5 streams were opened and reset", 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, true, tt.cfg, func(t *testing.T, p *tester) {
				p.greetServer()
				ended := p.accepting()
				for i := range most - tt.used {
					tt.one(p, i)
				}
				p.settle()
				if err := p.conn.Err(); err != nil {
					t.Fatalf("it ended within the limit: %v", err)
				}
				tt.one(p, most)
				p.wantEnd(EnhanceYourCalm)
				if err := <-ended; err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %s", err, tt.want)
				}
			})
		})
	}
	t.Run("answers", func(t *testing.T) {
		inStuckBubble(t, Config{MaxAnswers: most}, func(t *testing.T, p *tester, _ *Stream, _ <-chan error) {
			synctest.Wait()      // the socket is full
			for range most - 1 { // and the settings of the peer wait to be acknowledged
				p.Write(AppendPing(nil, false, [8]byte{1}))
			}
			synctest.Wait()
			if err := p.conn.Err(); err != nil {
				t.Fatalf("it ended within the limit: %v", err)
			}
			for range 2 {
				p.Write(AppendPing(nil, false, [8]byte{1}))
			}
			synctest.Wait()
			if err := p.conn.Err(); err == nil || !strings.Contains(err.Error(), "more than 5 answers wait for the peer") {
				t.Errorf("the connection: %v", err)
			}
		})
	})
}
