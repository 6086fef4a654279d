package memo_test

import (
	"testing"

	"github.com/okhttp-go/ok/mockserver/internal/memo"
)

func TestOf(t *testing.T) {
	subject, asked := new(int), 0
	find := func() (int, int) {
		asked++
		return asked, 10 * asked
	}
	if memo.Of(subject, "k", find) != 1 || memo.Of(subject, "k", find) != 2 || memo.Weight(subject) != 0 {
		t.Error("something is kept that nobody holds")
	}
	first, second := memo.Hold(subject), memo.Hold(subject)
	for range 2 {
		if got := memo.Of(subject, "k", find); got != 3 || memo.Weight(subject) != 30 {
			t.Errorf("got %d, weight %d", got, memo.Weight(subject))
		}
		first()
		first = func() {}
	}
	second()
	if got := memo.Of(subject, "k", find); got != 4 {
		t.Errorf("after release: %d", got)
	}
}

func TestWithin(t *testing.T) {
	subject, part, asked := new(int), new(int), 0
	find := func() (int, int) {
		asked++
		return asked, 0
	}
	memo.Within(subject, part)
	want := func(step string, n int) {
		t.Helper()
		if got := memo.Of(part, "k", find); got != n {
			t.Errorf("%s: asked %d times, want %d", step, got, n)
		}
	}
	want("of what nobody holds", 1)
	want("of what nobody holds, again", 2)
	release := memo.Hold(subject)
	memo.Within(subject, part)
	want("held", 3)
	want("held, again", 3)
	release()
	want("released", 4)
}
