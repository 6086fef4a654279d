package okio

import (
	"context"
	"errors"
	"io"
	"testing"
)

func TestErrCanceled(t *testing.T) {
	if !errors.Is(ErrCanceled, context.Canceled) {
		t.Error("ErrCanceled is not context.Canceled")
	}
	if errors.Is(ErrCanceled, context.DeadlineExceeded) {
		t.Error("ErrCanceled is too much")
	}
	if got := causeOrCanceled(nil); got != ErrCanceled {
		t.Errorf("no cause: %v", got)
	}
	if got := causeOrCanceled(io.ErrNoProgress); got != io.ErrNoProgress {
		t.Errorf("a cause: %v", got)
	}
}
