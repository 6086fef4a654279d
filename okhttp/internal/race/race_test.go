package race

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

func TestFind(t *testing.T) {
	sequential := -time.Second
	for _, test := range []struct {
		name     string
		ways     []*way
		stagger  time.Duration
		end      time.Duration // of the context; 0 is never
		fatal    string
		vague    bool
		want     string // events on Find's goroutine
		discards string
		workers  int
	}{
		{
			name:    "the first never answers",
			ways:    []*way{{name: "a", takes: never}, {name: "b", takes: 10 * ms}},
			want:    "0s a: start, 250ms b: start, 260ms a: lost, 260ms a: deferred last, 260ms b: finish, 260ms b: found",
			workers: 2,
		},
		{
			name:    "the first fails with nothing else in flight",
			ways:    []*way{{name: "a", takes: 10 * ms, refused: true}, {name: "b", takes: 10 * ms}},
			want:    "0s a: start, 10ms a refused, 10ms b: start, 20ms b: finish, 20ms b: found",
			workers: 1,
		},
		{
			name: "failures with others in flight keep the spacing",
			ways: []*way{{name: "a", takes: 510 * ms, refused: true}, {name: "b", takes: 270 * ms, refused: true},
				{name: "c", takes: 30 * ms, refused: true}, {name: "d", takes: never}, {name: "e", takes: 5 * ms}},
			want: "0s a: start, 250ms b: start, 500ms c: start, 510ms a refused, 520ms b refused, 530ms c refused, 530ms d: start, " +
				"780ms e: start, 785ms d: lost, 785ms d: deferred last, 785ms e: finish, 785ms e: found",
			workers: 5,
		},
		{
			name: "a ready plan ends what is in flight",
			ways: []*way{{name: "a", takes: never}, {name: "b", takes: never}, {name: "c", ready: true}},
			want: "0s a: start, 250ms b: start, 500ms c: finish, 500ms a: lost, 500ms b: lost, 500ms c: found",
			// Copies of a and b are not deferred: the search is over.
			workers: 2,
		},
		{
			name: "losers are planned again when the winner breaks",
			ways: []*way{{name: "a", takes: never, again: &way{name: "a again", takes: 5 * ms}},
				{name: "b", takes: 10 * ms, finish: 40 * ms, broken: true}},
			want: "0s a: start, 250ms b: start, 260ms a: lost, 260ms a again: deferred last, 260ms b: finish, 300ms b broken, " +
				"300ms a again: start, 305ms a again: finish, 305ms a again: found",
			workers: 2,
		},
		{
			name:    "all fail",
			ways:    []*way{{name: "a", takes: 300 * ms, refused: true}, {name: "b", takes: 20 * ms, refused: true}},
			want:    "0s a: start, 250ms b: start, 270ms b refused, 300ms a refused, 300ms b refused",
			workers: 2,
		},
		{
			name:    "an unreachable family",
			ways:    []*way{{name: "six", refused: true}, {name: "four", takes: ms}},
			want:    "0s six: start, 0s six refused, 0s four: start, 1ms four: finish, 1ms four: found",
			workers: 1,
		},
		{
			name:    "one after another, into a black hole",
			ways:    []*way{{name: "a", takes: 10 * time.Second, refused: true}, {name: "b", takes: 10 * ms}},
			stagger: sequential,
			end:     5 * time.Second,
			want:    "0s a: start, 5s a interrupted, 5s end of the call",
		},
		{
			name:    "one after another",
			ways:    []*way{{name: "a", takes: 10 * time.Second, refused: true}, {name: "b", takes: 10 * ms}},
			stagger: sequential,
			want:    "0s a: start, 10s a refused, 10s b: start, 10.01s b: finish, 10.01s b: found",
		},
		{
			name: "one after another, with another way offered by a failure",
			ways: []*way{{name: "a", broken: true, instead: &way{name: "older TLS", takes: ms}}, {name: "b"}},
			want: "0s a: start, 0s a: finish, 0s a broken, 0s older TLS: deferred first, 0s older TLS: start, " +
				"1ms older TLS: finish, 1ms older TLS: found",
			stagger: sequential,
		},
		{
			name: "one after another, with a late address",
			ways: []*way{{name: "a", refused: true}, {name: "b", at: 30 * ms}},
			want: "0s a: start, 0s a refused, 30ms b: start, 30ms b: finish, 30ms b: found", stagger: sequential,
		},
		{
			name: "a proxy without an address",
			ways: []*way{{name: "b", unknown: true}, {name: "a", takes: ms}},
			want: "0s b: unknown, 0s a: start, 1ms a: finish, 1ms a: found",
		},
		{
			name: "failures of planning keep the spacing, and their place among the failures",
			ways: []*way{{name: "a", takes: 600 * ms, refused: true}, {name: "b", unknown: true}, {name: "c", ready: true, broken: true},
				{name: "d", takes: ms, refused: true}},
			want: "0s a: start, 250ms b: unknown, 500ms c: finish, 500ms c broken, 600ms a refused, 600ms d: start, 601ms d refused, " +
				"601ms b unknown",
			workers: 1,
		},
		{
			name: "a single plan needs no worker",
			ways: []*way{{name: "a", takes: time.Second}},
			want: "0s a: start, 1s a: finish, 1s a: found",
		},
		{
			name: "nothing to try",
			want: "0s no way to the server: the planner had nothing to try",
		},
		{
			name: "what is offered without a failure is none",
			ways: []*way{{name: "a", instead: &way{name: "second tunnel", broken: true}}},
			want: "0s a: start, 0s a: finish, 0s second tunnel: deferred first, 0s second tunnel: start, 0s second tunnel: finish, " +
				"0s second tunnel broken, 0s second tunnel broken",
		},
		{
			name: "what is offered comes before losers",
			ways: []*way{{name: "a", takes: never}, {name: "b", takes: ms, broken: true, instead: &way{name: "older TLS", takes: never}}},
			want: "0s a: start, 250ms b: start, 251ms a: lost, 251ms a: deferred last, 251ms b: finish, 251ms b broken, " +
				"251ms older TLS: deferred first, 251ms older TLS: start, 501ms a: start, 900ms older TLS: given up, 900ms a: given up, " +
				"900ms end of the call",
			end:     900 * ms,
			workers: 4,
		},
		{
			name: "what a ready plan offers keeps the spacing, and the others fly on",
			ways: []*way{{name: "a", takes: never}, {name: "b", ready: true, instead: &way{name: "c", takes: ms}}},
			want: "0s a: start, 250ms b: finish, 250ms c: deferred first, 500ms c: start, 501ms a: lost, 501ms a: deferred last, " +
				"501ms c: finish, 501ms c: found",
			workers: 2,
		},
		{
			name: "nothing is there yet",
			ways: []*way{{name: "a", at: 70 * ms, takes: ms}},
			want: "70ms a: start, 71ms a: finish, 71ms a: found",
		},
		{
			name: "an address that comes early keeps the spacing",
			ways: []*way{{name: "a", takes: never}, {name: "b", at: 100 * ms}},
			want: "0s a: start, 250ms b: start, 250ms a: lost, 250ms a: deferred last, 250ms b: finish, 250ms b: found", workers: 2,
		},
		{
			name: "an address that comes late starts at once",
			ways: []*way{{name: "a", takes: never}, {name: "b", at: 260 * ms, takes: ms}},
			want: "0s a: start, 260ms b: start, 261ms a: lost, 261ms a: deferred last, 261ms b: finish, 261ms b: found", workers: 2,
		},
		{
			name: "the first answers before the second is known",
			ways: []*way{{name: "a", takes: 300 * ms}, {name: "b", at: time.Second}},
			want: "0s a: start, 300ms a: finish, 300ms a: found", workers: 1,
		},
		{
			name: "the first fails before the second is known",
			ways: []*way{{name: "a", takes: 300 * ms, refused: true}, {name: "b", at: time.Second}},
			want: "0s a: start, 300ms a refused, 1s b: start, 1s b: finish, 1s b: found", workers: 1,
		},
		{
			name: "a loser is tried before an address that is not known yet",
			ways: []*way{{name: "a", takes: 400 * ms, again: &way{name: "a again", takes: ms}}, {name: "b", takes: ms, broken: true},
				{name: "c", at: time.Minute}},
			want: "0s a: start, 250ms b: start, 251ms a: lost, 251ms a again: deferred last, 251ms b: finish, 251ms b broken, " +
				"251ms a again: start, 252ms a again: finish, 252ms a again: found",
			workers: 3,
		},
		{
			name: "the planner waits in vain",
			ways: []*way{{name: "a", takes: 10 * ms, refused: true}, {name: "b", at: 400 * ms, vain: true}},
			want: "0s a: start, 10ms a refused, 400ms a refused", workers: 1,
		},
		{
			name: "without anything in flight an address that comes early starts at once",
			ways: []*way{{name: "a", takes: 10 * ms, refused: true}, {name: "b", at: 100 * ms}},
			want: "0s a: start, 10ms a refused, 100ms b: start, 100ms b: finish, 100ms b: found", workers: 1,
		},
		{
			name: "a planner that promises too much", vague: true,
			ways: []*way{{name: "a", takes: 10 * ms, refused: true}, {name: "b", broken: true, instead: &way{name: "c", takes: 300 * ms, refused: true}}},
			want: "0s a: start, 10ms a refused, 10ms b: start, 10ms b: finish, 10ms b broken, 10ms c: deferred first, 10ms c: start, " +
				"310ms c refused, 310ms a refused",
			workers: 3,
		},
		{
			name: "what has connected comes before another start",
			ways: []*way{{name: "a", takes: 600 * ms}, {name: "b", ready: true, finish: 500 * ms, broken: true}, {name: "c"}},
			want: "0s a: start, 250ms b: finish, 750ms b broken, 750ms a: finish, 750ms a: found", workers: 1,
		},
		{
			name: "a loser that connects nevertheless",
			ways: []*way{{name: "a", takes: never, stubborn: time.Second, opens: true}, {name: "b", takes: 10 * ms}},
			want: "0s a: start, 250ms b: start, 260ms a: lost, 260ms a: deferred last, 260ms b: finish, 260ms b: found", workers: 2,
			discards: "1.26s a",
		},
		{
			name: "two connect while the planner blocks",
			ways: []*way{{name: "a", takes: 600 * ms}, {name: "b", takes: 400 * ms}, {name: "c", blocks: time.Second, takes: never}},
			want: "0s a: start, 250ms b: start, 1.5s c: start, 1.5s b: lost, 1.5s b: deferred last, 1.5s c: lost, 1.5s c: deferred last, " +
				"1.5s a: finish, 1.5s a: found",
			workers:  3,
			discards: "1.5s b",
		},
		{
			name: "a loser without a copy",
			ways: []*way{{name: "a", takes: never, again: nothing}, {name: "b", broken: true}},
			want: "0s a: start, 250ms b: start, 250ms a: lost, 250ms b: finish, 250ms b broken, 250ms b broken", workers: 2,
		},
		{
			name: "the time of a start counts, not that of the question",
			ways: []*way{{name: "a", takes: never}, {name: "b", blocks: 100 * ms, takes: never}, {name: "c"}},
			want: "0s a: start, 350ms b: start, 600ms c: start, 600ms a: lost, 600ms a: deferred last, 600ms b: lost, 600ms b: deferred last, " +
				"600ms c: finish, 600ms c: found",
			workers: 3,
		},
		{
			name: "another spacing", stagger: 100 * ms,
			ways: []*way{{name: "a", takes: never}, {name: "b", takes: 10 * ms}},
			want: "0s a: start, 100ms b: start, 110ms a: lost, 110ms a: deferred last, 110ms b: finish, 110ms b: found", workers: 2,
		},
		{
			name: "the context ends while plans connect",
			ways: []*way{{name: "a", takes: 10 * ms, refused: true}, {name: "b", takes: never}, {name: "c", takes: never, opens: true}},
			want: "0s a: start, 10ms a refused, 10ms b: start, 260ms c: start, 1s b: given up, 1s c: given up, 1s end of the call",
			end:  time.Second, workers: 3, discards: "1s c",
		},
		{
			name: "the context ends while the planner blocks",
			ways: []*way{{name: "a", takes: never}, {name: "b", blocks: time.Minute}},
			want: "0s a: start, 1s b: planning interrupted, 1s a: given up, 1s end of the call", end: time.Second, workers: 1,
		},
		{
			name: "the context ends while nothing is there yet",
			ways: []*way{{name: "a", at: time.Minute}},
			want: "1s end of the call", end: time.Second,
		},
		{
			name: "the context ends while the winner is finished",
			ways: []*way{{name: "a", takes: ms, finish: time.Minute, instead: &way{name: "b"}}},
			want: "0s a: start, 1ms a: finish, 1s a broken, 1s b: deferred first, 1s end of the call", end: time.Second,
		},
		{
			name: "the context ends while the single plan connects, which succeeds",
			ways: []*way{{name: "a", takes: never, opens: true}},
			want: "0s a: start, 1s a: given up, 1s end of the call", end: time.Second, discards: "1s a",
		},
		{
			name: "a fatal failure to connect", fatal: "b refused",
			ways: []*way{{name: "a", takes: 10 * ms, refused: true}, {name: "b", takes: 300 * ms, refused: true}, {name: "c", takes: never},
				{name: "d"}},
			want: "0s a: start, 10ms a refused, 10ms b: start, 260ms c: start, 310ms b refused, 310ms c: lost, 310ms b refused", workers: 3,
		},
		{
			name: "a fatal failure to finish", fatal: "a broken",
			ways: []*way{{name: "a", broken: true}, {name: "b"}},
			want: "0s a: start, 0s a: finish, 0s a broken, 0s a broken", workers: 1,
		},
		{
			name: "a fatal failure that the end of the context caused", fatal: "a interrupted",
			ways: []*way{{name: "b", refused: true}, {name: "a", takes: never}},
			want: "0s b: start, 0s b refused, 0s a: start, 1s a interrupted, 1s end of the call", end: time.Second, workers: 1,
		},
		{
			name: "a fatal failure of planning", fatal: "b unknown",
			ways: []*way{{name: "a", takes: never}, {name: "b", unknown: true}, {name: "c"}},
			want: "0s a: start, 250ms b: unknown, 250ms a: lost, 250ms b unknown", workers: 1,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{todo: test.ways, stagger: test.stagger, fatal: test.fatal, vague: test.vague}
			end := test.end
			if end == 0 {
				end = never
			}
			w.find(t, end)
			if got := strings.Join(w.log, ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if got := strings.Join(w.discards, ", "); got != test.discards {
				t.Errorf("discarded %q, want %q", got, test.discards)
			}
			if w.workers != test.workers {
				t.Errorf("%d workers, want %d", w.workers, test.workers)
			}
		})
	}
}

// The first failure is what a search is about, and the others are data in their order.
func TestFailure(t *testing.T) {
	w := &world{todo: []*way{{name: "a", takes: 300 * ms, refused: true}, {name: "b", takes: 20 * ms, refused: true}, {name: "c", unknown: true}}}
	_, failure := w.find(t, never)
	if got, want := fmt.Sprint(failure.First, failure.Others), "b refused [a refused c unknown]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if errors.Unwrap(failure) != failure.First || failure.Error() != "b refused" {
		t.Errorf("%v unwraps to %v", failure, errors.Unwrap(failure))
	}
}

// A context that has ended leads to nothing being planned or started.
func TestEndedBefore(t *testing.T) {
	w := &world{todo: []*way{{name: "a"}, {name: "b"}}}
	_, failure := w.find(t, 0)
	if failure == nil || failure.First != errEnd || len(failure.Others) > 0 || w.calls > 0 {
		t.Errorf("got %v after %d calls", failure, w.calls)
	}
}

// A plan that takes a connection from a pool is finished even if the context ended while it was planned, because the connection needs an owner. One
// that would have to be connected is left.
func TestEndedWhilePlanned(t *testing.T) {
	for _, ready := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := &solo{next: func() { cancel(errEnd) }, ready: ready}
		got, failure := Find(ctx, p, Config{})
		calls := strings.Join(p.calls, " ")
		if ready && (got != Plan(p) || failure != nil || calls != "finish") {
			t.Errorf("ready: %v, %v after %q", got, failure, calls)
		}
		if !ready && (got != nil || failure.First != errEnd || calls != "") {
			t.Errorf("not ready: %v, %v after %q", got, failure, calls)
		}
	}
}

// ending is a context that has ended once a plan has connected, although its channel does not tell so yet.
type ending struct {
	context.Context
	ended atomic.Bool
}

func (e *ending) Done() <-chan struct{} { return nil }
func (e *ending) Err() error {
	if e.ended.Load() {
		return errEnd
	}
	return nil
}

// A plan that connects just when the context ends is not finished.
func TestEndedWhenConnected(t *testing.T) {
	for _, alone := range []bool{true, false} {
		ctx := &ending{Context: t.Context()}
		p := &solo{connected: func() { ctx.ended.Store(true) }, more: !alone}
		got, failure := Find(ctx, p, Config{})
		if calls := strings.Join(p.calls, " "); got != nil || failure.First != errEnd || calls != "discard failed" {
			t.Errorf("alone: %v: %v, %v after %q", alone, got, failure, calls)
		}
	}
}

// Without Config.Go, workers are plain goroutines.
func TestPlainGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, ctx: t.Context(), stagger: defaultStagger, begin: time.Now()}
		w.todo = []*way{{name: "a", takes: never}, {name: "b", takes: ms}}
		found, failure := Find(w.ctx, w, Config{})
		if failure != nil || found.(*plan).name != "b" || w.now() != 251*ms {
			t.Errorf("at %v: %v, %v", w.now(), found, failure)
		}
		synctest.Wait()
		w.check(found.(*plan), failure)
	})
}

// solo is a planner with one plan, which is itself.
type solo struct {
	next, connected func()
	more            bool // it pretends to have more
	ready           bool
	taken           bool
	calls           []string
}

func (s *solo) Next(context.Context) (Plan, <-chan struct{}, error) {
	if s.taken = true; s.next != nil {
		s.next()
	}
	return s, nil, nil
}

func (s *solo) Connect(context.Context) error {
	if s.connected != nil {
		s.connected()
	}
	return nil
}

func (s *solo) More() bool      { return s.more || !s.taken }
func (s *solo) DeferFirst(Plan) {}
func (s *solo) DeferLast(Plan)  {}
func (s *solo) Ready() bool     { return s.ready }
func (s *solo) Start()          {}
func (s *solo) Failed(error)    { s.calls = append(s.calls, "failed") }
func (s *solo) Finish(context.Context) (Plan, error) {
	s.calls = append(s.calls, "finish")
	return nil, nil
}
func (s *solo) Discard()    { s.calls = append(s.calls, "discard") }
func (s *solo) Again() Plan { return nil }

// Whatever method panics, what is in flight is told to end, and nothing stays open.
func TestPanics(t *testing.T) {
	for _, script := range []struct {
		ways []*way
		last string
	}{
		{[]*way{{name: "a", takes: 600 * ms}, {name: "b", ready: true, broken: true}, {name: "c", takes: never, opens: true}}, "600ms a: found"},
		{[]*way{{name: "a", takes: never}, {name: "b", takes: 10 * ms, broken: true, instead: &way{name: "c"}}}, "260ms c: found"},
		{[]*way{{name: "a", takes: never, opens: true}, {name: "b", takes: never}, {name: "c", ready: true}}, "500ms c: found"},
		{[]*way{{name: "a", unknown: true}, {name: "b", at: time.Second, refused: true}}, "1s a unknown"},
	} {
		whole := &world{todo: script.ways}
		whole.find(t, never)
		if got := whole.log[len(whole.log)-1]; got != script.last {
			t.Errorf("the script ends with %q, want %q", got, script.last)
		}
		for n := 1; n <= whole.calls; n++ {
			w := &world{todo: script.ways, panicAt: n}
			// How often More is asked depends on when a worker runs, so the last call may not come.
			if found, failure := w.find(t, never); w.calls >= n && (found != nil || failure != nil) {
				t.Errorf("call %d: a panic is lost", n)
			}
		}
	}
}
