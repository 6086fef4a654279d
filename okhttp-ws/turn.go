package okws

import "context"

// A turn lets one goroutine at a time do something that may block. It is a one-slot channel, so that who waits for it can give up.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// try takes the turn if nobody has it.
func (t turn) try() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

// take waits for the turn until ctx ends, or until done is closed, which it reports as no error.
func (t turn) take(ctx context.Context, done <-chan struct{}) (ok bool, err error) {
	select {
	case t <- struct{}{}:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-done:
		return false, nil
	}
}

func (t turn) give() { <-t }
