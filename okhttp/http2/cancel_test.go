package http2

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Content that was dropped because the stream was cancelled must not look like the end of a whole response.
func TestCancelWithinLastFrame(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		s, other := p.open(true), p.open(true)
		p.headers(3, false, ":status", "200")
		p.send(append(AppendDataHeader(nil, 3, 10, true), "01234"...))
		if _, _, err := s.ReadHead(); err != nil {
			t.Fatal(err)
		}
		var b okio.Buffer
		if n, err := s.Source().ReadBuffer(&b, 100); n != 5 || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
		cause := errors.New("not wanted any more")
		s.Cancel(Cancel, cause)
		p.want("RST_STREAM 3 CANCEL")
		p.send([]byte("56789"))
		p.headers(5, true, ":status", "200")
		if _, _, err := other.ReadHead(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n, err := s.Source().ReadBuffer(&b, 100); err != cause {
			t.Errorf("%d bytes, %v, want what it was cancelled with", n, err)
		}
		if p.conn.unread != 0 {
			t.Errorf("%d bytes count as unread", p.conn.unread)
		}
	})
}

// A context is watched once a wait has become long, so its end is noticed 10 ms after the beginning at the latest, or at once.
func TestContextsAreNoticed(t *testing.T) {
	for end, want := range map[time.Duration]time.Duration{0: 2 * slowTime, slowTime - 1: 2 * slowTime, 2*slowTime + 1: 2*slowTime + 1, time.Hour: time.Hour} {
		inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
			p.greetClient()
			cause := errors.New("over")
			ctx, cancel := context.WithTimeoutCause(context.Background(), end, cause)
			defer cancel()
			var s Stream
			s.Bind(ctx)
			began := time.Now()
			if err := s.Open(p.conn, getRequest, nil, true); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.ReadHead(); err != cause || time.Since(began) > want {
				t.Errorf("a context that ends after %v: %v, after %v", end, err, time.Since(began))
			}
		})
	}
}
