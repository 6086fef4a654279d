package http2

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// reading waits for the head of a stream in the background.
func reading(s *Stream) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, _, err := s.ReadHead()
		done <- err
	}()
	synctest.Wait()
	return done
}

// Whoever reads for all hands over, in whichever order the answers come.
func TestHandOver(t *testing.T) {
	for name, order := range map[string]func(i, n int) int{
		"first to last": func(i, _ int) int { return i },
		"last to first": func(i, n int) int { return n - 1 - i },
		"mixed":         func(i, n int) int { return i * 7 % n },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				const n = 50
				var streams []*Stream
				var done []<-chan error
				for range n {
					s := p.open(true)
					streams, done = append(streams, s), append(done, reading(s))
				}
				for i := range n {
					at := order(i, n)
					p.headers(streams[at].ID(), true, ":status", "200")
					if err := <-done[at]; err != nil {
						t.Fatal(err)
					}
				}
				if p.conn.waiting != 0 || p.conn.leader != nil {
					t.Errorf("%d wait, leader %v", p.conn.waiting, p.conn.leader)
				}
			})
		})
	}
}

// All that came in one piece is handed over, whoever reads it, and when that one has what it wanted.
func TestAnswersInOnePiece(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		var frames []byte
		var done []<-chan error
		for range 20 {
			s := p.open(true)
			done = append(done, reading(s))
			frames = append(frames, AppendHeaders(nil, s.ID(), p.encode(":status", "200", "a", fmt.Sprint(s.ID())), true, 0)...)
		}
		p.send(append(frames, 0, 0)) // and a part of the next frame
		for _, one := range done {
			if err := <-one; err != nil {
				t.Error(err)
			}
		}
		p.send([]byte{8, byte(FramePing), 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8})
		p.want("PING 0 ACK [1 2 3 4 5 6 7 8]")
	})
}

// Each has its own time limit, whether it reads for all or not.
func TestLimitsOfFollowers(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		limits := []time.Duration{5, 2, 9, 1, 0, 3, 7} // seconds; the first one leads
		began := time.Now()
		var done []<-chan error
		for _, limit := range limits {
			s := p.open(true)
			s.SetLimits(limit*time.Second, 0, time.Time{})
			done = append(done, reading(s))
		}
		for second := time.Duration(1); second < 10; second++ {
			time.Sleep(time.Until(began.Add(second*time.Second + 1)))
			for i, limit := range limits {
				over := limit != 0 && limit <= second
				select {
				case err := <-done[i]:
					if !over || limit != second || !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("limit of %d s: %v after %d s", limit, err, second)
					}
				default:
					if limit == second {
						t.Errorf("limit of %d s: nothing after %d s", limit, second)
					}
				}
			}
		}
		p.headers(11, true, ":status", "200")
		if err := <-done[4]; err != nil {
			t.Errorf("error %v without a limit", err)
		}
	})
}

// The deadline is for all waits, and one that has passed fails at once.
func TestDeadline(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		began := time.Now()
		s.SetLimits(time.Minute, 0, began.Add(2*time.Second))
		p.headers(3, false, ":status", "200")
		if err := <-reading(s); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := text(s); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			took(t, began, 2*time.Second)
		}
		s.SetLimits(0, 0, time.Time{})
		p.data(3, true, "late")
		if got, err := text(s); got != "late" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// Cancel, at each stage.
func TestCancelStages(t *testing.T) {
	cause := errors.New("not wanted any more")
	for name, stage := range map[string]func(p *tester) (*Stream, <-chan error){
		"reading the head for all": func(p *tester) (*Stream, <-chan error) {
			s := p.open(true)
			return s, reading(s)
		},
		"waiting for the head": func(p *tester) (*Stream, <-chan error) {
			reading(p.open(true))
			s := p.open(true)
			return s, reading(s)
		},
		"reading content": func(p *tester) (*Stream, <-chan error) {
			s := p.responding()
			done := make(chan error)
			go func() {
				_, err := text(s)
				done <- err
			}()
			synctest.Wait()
			return s, done
		},
		"waiting for room": func(p *tester) (*Stream, <-chan error) {
			s := p.open(false)
			done := sending(s, 1<<20)
			for range 4 {
				p.want("DATA 3")
			}
			return s, done
		},
		"waiting for room behind one that reads": func(p *tester) (*Stream, <-chan error) {
			reading(p.open(true))
			s := p.open(false)
			done := sending(s, 1<<20)
			for range 4 {
				p.want("DATA 5")
			}
			return s, done
		},
		"nothing": func(p *tester) (*Stream, <-chan error) {
			s := p.open(true)
			done := make(chan error)
			go func() {
				time.Sleep(time.Millisecond)
				_, _, err := s.ReadHead()
				done <- err
			}()
			return s, done
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				s, done := stage(p)
				s.Cancel(Cancel, cause)
				s.Cancel(InternalError, errClosed) // the first one counts
				if err := <-done; err != cause {
					t.Errorf("error %v", err)
				}
				p.want(fmt.Sprintf("RST_STREAM %d CANCEL", s.ID()))
				if err := s.Sink().Close(); err != cause && err != nil {
					t.Errorf("closing: %v", err)
				}
				p.wantNothing()
				other := p.open(true)
				p.headers(other.ID(), true, ":status", "200")
				if _, _, err := other.ReadHead(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A goodbye comes with words that are quoted and bounded; a second one may take more back.
func TestGoodbyes(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		first, second, third := p.open(true), p.open(true), p.open(true)
		p.send(AppendGoAway(nil, maxWindow, NoError, nil))
		p.settle()
		if first.Err() != nil || third.Err() != nil || p.conn.Usable() {
			t.Errorf("%v, %v, usable %v", first.Err(), third.Err(), p.conn.Usable())
		}
		p.send(AppendGoAway(nil, 5, EnhanceYourCalm, []byte("too\nmany \xff"+strings.Repeat("x", 1000))))
		p.settle()
		var e *GoAwayError
		if err := third.Err(); !errors.As(err, &e) || e.Code != EnhanceYourCalm || e.LastStream != 5 || len(e.Debug) > 300 || !strings.HasPrefix(e.Debug, `"too\nmany \xff`) {
			t.Errorf("error %v", err)
		}
		p.send(AppendGoAway(nil, 3, NoError, nil))
		p.settle()
		if err := second.Err(); !errors.As(err, &e) || e.LastStream != 3 {
			t.Errorf("error %v", err)
		}
		p.headers(3, true, ":status", "200")
		if err := <-reading(first); err != nil {
			t.Error(err)
		}
		if _, err := p.conn.Open(getRequest, nil, true); !errors.As(err, &e) {
			t.Errorf("opened after that: %v", err)
		}
		p.wantNothing()
	})
}

// Section 10.9: numbers of streams end at half of what there are.
func TestStreamNumbers(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		p.conn.nextID = 1<<30 - 1
		p.open(true)
		if _, err := p.conn.Open(getRequest, nil, true); err != errExhausted || p.conn.Closing() != errExhausted {
			t.Errorf("error %v", err)
		}
	})
}

// Pings of the interval go on while they are answered, whether or not anybody waits, and others are answered meanwhile.
func TestPingsAreAnswered(t *testing.T) {
	inBubble(t, false, Config{PingInterval: time.Second}, func(t *testing.T, p *tester) {
		p.greetClient()
		done := reading(p.open(true))
		for i := range 20 {
			if i == 10 {
				p.headers(3, true, ":status", "200")
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			}
			p.want("PING 0 [0 0 0 1")
			p.send(AppendPing(nil, true, intervalPing))
			p.settle()
		}
		p.want("PING 0 [0 0 0 1")
		began := time.Now()
		time.Sleep(2 * time.Second)
		if err := p.conn.Err(); err == nil || !strings.Contains(err.Error(), "did not receive an answer within 1s") {
			t.Errorf("error %v after %v", err, time.Since(began))
		}
	})
}

// One ping is under way however many streams run out of time.
func TestOneDegradedPing(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		for range 5 {
			s := p.open(true)
			s.SetLimits(time.Second, 0, time.Time{})
			if err := <-reading(s); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal(err)
			}
			if s.ID() == 3 {
				p.want("PING 0 [0 0 0 2")
			}
		}
		p.wantNothing()
	})
}
