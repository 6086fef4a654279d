// Package gather asks several questions at once, for the resolvers.
package gather

import (
	"context"
	"fmt"
	"iter"
	"sync"
)

// Result is what came of one question.
type Result[T any] struct {
	Index int // of the question
	Value T
	Err   error
}

// Each asks n questions at the same time and yields what comes of each one, as it comes. The context of those that still run ends when the
// loop is left, and they are waited for. A panic of ask is its error, because nobody else could handle it on its goroutine.
func Each[T any](ctx context.Context, n int, ask func(ctx context.Context, i int) (T, error)) iter.Seq[Result[T]] {
	return func(yield func(Result[T]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		results := make(chan Result[T], n) // with room for all, so that none waits for the loop
		var asked sync.WaitGroup
		defer asked.Wait()
		defer cancel()
		for i := range n {
			asked.Go(func() { results <- one(ctx, i, ask) })
		}
		for range n {
			if !yield(<-results) {
				return
			}
		}
	}
}

func one[T any](ctx context.Context, i int, ask func(ctx context.Context, i int) (T, error)) (r Result[T]) {
	r.Index = i
	defer func() {
		if v := recover(); v != nil {
			r.Err = fmt.Errorf("panic: %v", v)
		}
	}()
	r.Value, r.Err = ask(ctx, i)
	return r
}
