package gather

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestEachYieldsAsTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("mine")
		began := time.Now()
		var got []Result[string]
		var at []time.Duration
		for r := range Each(t.Context(), 3, func(_ context.Context, i int) (string, error) {
			time.Sleep(time.Duration(3-i) * time.Second)
			if i == 1 {
				return "", failure
			}
			return "value", nil
		}) {
			got, at = append(got, r), append(at, time.Since(began))
		}
		want := []Result[string]{{2, "value", nil}, {1, "", failure}, {0, "value", nil}}
		for i := range want {
			if got[i] != want[i] || at[i] != time.Duration(i+1)*time.Second {
				t.Errorf("%d: %v after %v, want %v after %d s", i, got[i], at[i], want[i], i+1)
			}
		}
	})
}

func TestEachEndsThoseThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := 0
		for range Each(t.Context(), 2, func(ctx context.Context, i int) (int, error) {
			if i == 0 {
				return 0, nil
			}
			<-ctx.Done()
			time.Sleep(time.Second) // it takes its time, and is waited for
			ended++
			return 0, ctx.Err()
		}) {
			break
		}
		if ended != 1 {
			t.Errorf("%d had ended when the loop was left, want 1", ended)
		}
	})
}

func TestEachCatchesPanics(t *testing.T) {
	for r := range Each(t.Context(), 1, func(context.Context, int) (int, error) { panic("mine") }) {
		if r.Err == nil || r.Err.Error() != "panic: mine" {
			t.Errorf("error %v", r.Err)
		}
	}
}
