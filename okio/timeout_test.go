package okio

import (
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

func TestTimeoutNext(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name     string
		limit    time.Duration
		deadline time.Time
		want     time.Time
		ok       bool
	}{
		{"nothing set", 0, time.Time{}, time.Time{}, false},
		{"negative limit is none", -time.Second, time.Time{}, time.Time{}, false},
		{"limit", time.Second, time.Time{}, now.Add(time.Second), true},
		{"deadline", 0, now.Add(3 * time.Second), now.Add(3 * time.Second), true},
		{"deadline in the past", 0, now.Add(-time.Second), now.Add(-time.Second), true},
		{"limit is earlier", time.Second, now.Add(3 * time.Second), now.Add(time.Second), true},
		{"deadline is earlier", 5 * time.Second, now.Add(3 * time.Second), now.Add(3 * time.Second), true},
		{"past deadline beats limit", time.Second, now.Add(-time.Hour), now.Add(-time.Hour), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var to Timeout
			to.SetLimit(tt.limit)
			to.SetDeadline(tt.deadline)
			at, ok := to.Next(now)
			if !at.Equal(tt.want) || ok != tt.ok {
				t.Errorf("Next = %v, %v; want %v, %v", at, ok, tt.want, tt.ok)
			}
			if got := to.Limit(); got != max(tt.limit, 0) {
				t.Errorf("Limit = %v", got)
			}
			if got := to.Deadline(); !got.Equal(tt.deadline) {
				t.Errorf("Deadline = %v", got)
			}
		})
	}
}

// Fact 109.
func TestTimeoutIntersect(t *testing.T) {
	const short, long = 500 * time.Millisecond, 1500 * time.Millisecond
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct{ own, other, want time.Duration }{
		{short, long, short}, {long, short, short}, {short, 0, short}, {0, short, short}, {0, 0, 0},
	} {
		instant := func(d time.Duration) time.Time {
			if d == 0 {
				return time.Time{}
			}
			return base.Add(d)
		}
		var own, other Timeout
		own.SetLimit(tt.own)
		own.SetDeadline(instant(tt.own))
		other.SetLimit(tt.other)
		other.SetDeadline(instant(tt.other))
		restore := own.Intersect(&other)
		if own.Limit() != tt.want || !own.Deadline().Equal(instant(tt.want)) {
			t.Errorf("%v with %v: %v, %v", tt.own, tt.other, own.Limit(), own.Deadline())
		}
		if other.Limit() != tt.other || !other.Deadline().Equal(instant(tt.other)) {
			t.Errorf("%v with %v changed the other", tt.own, tt.other)
		}
		restore()
		if own.Limit() != tt.own || !own.Deadline().Equal(instant(tt.own)) {
			t.Errorf("%v with %v: not restored: %v, %v", tt.own, tt.other, own.Limit(), own.Deadline())
		}
	}
}

type nilTimeout struct{}

func (nilTimeout) Timeout() *Timeout { return nil }

func TestTimeoutOfIsNeverNil(t *testing.T) {
	p := NewPipe(1)
	if got := TimeoutOf(p.Source()); got != p.Source().(Limited).Timeout() {
		t.Error("not the stream's own Timeout")
	}
	if TimeoutOf(p.Source()) == TimeoutOf(p.Sink()) {
		t.Error("both sides of a pipe share one Timeout")
	}
	for _, stream := range []any{nil, 7, new(Buffer), nilTimeout{}} {
		got := TimeoutOf(stream)
		if got == nil {
			t.Fatalf("TimeoutOf(%T) = nil", stream)
		}
		got.SetLimit(time.Second)
		got.SetDeadline(time.Now())
		if at, ok := got.Next(time.Now()); ok || !at.IsZero() || got.Limit() != 0 || !got.Deadline().IsZero() {
			t.Errorf("TimeoutOf(%T) took a limit", stream)
		}
	}
}

// The race detector is the judge.
func TestSharedTimeoutIsOnlyRead(t *testing.T) {
	var own Timeout
	own.SetLimit(time.Second)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			shared := TimeoutOf(nil)
			shared.SetLimit(time.Second)
			shared.SetDeadline(time.Now())
			shared.Intersect(&own)()
			if shared.Limit() != 0 {
				t.Error("the shared Timeout took a limit")
			}
		})
	}
	wg.Wait()
}

func TestTimeoutError(t *testing.T) {
	now := time.Now()
	cause := &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	tests := []struct {
		limit    time.Duration
		deadline time.Time
		want     string
	}{
		{10 * time.Second, time.Time{}, "okio: read timeout after 10s"},
		{10 * time.Second, now.Add(time.Hour), "okio: read timeout after 10s"},
		{10 * time.Second, now, "okio: read timeout: deadline reached"},
		{0, now, "okio: read timeout: deadline reached"},
	}
	for _, tt := range tests {
		to := Timeout{limit: tt.limit, deadline: tt.deadline}
		at, _ := to.Next(now)
		err := newTimeoutError("read", &to, at, cause)
		checkTimeout(t, err, tt.want)
		if op := (*net.OpError)(nil); !errors.As(err, &op) || op != cause {
			t.Errorf("%v lost its cause", err)
		}
	}
}

// checkTimeout requires a timeout error in every sense the documentation promises; an empty text matches any.
func checkTimeout(t *testing.T, err error, text string) {
	t.Helper()
	var netErr net.Error
	switch {
	case !errors.Is(err, os.ErrDeadlineExceeded):
		t.Errorf("error %v is not os.ErrDeadlineExceeded", err)
	case !errors.As(err, &netErr) || !netErr.Timeout():
		t.Errorf("error %v is no net.Error with Timeout", err)
	case text != "" && err.Error() != text:
		t.Errorf("error %q, want %q", err, text)
	}
}
