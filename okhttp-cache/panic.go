package okcache

import "fmt"

// A panicError is a panic of what is beneath the cache, on a goroutine of the cache: above that is nobody who could recover it, and the process would end.
type panicError struct {
	value any // nil if the goroutine was ended without one
}

func (e *panicError) Error() string {
	if e.value == nil {
		return "okcache: the exchange ended its goroutine"
	}
	return fmt.Sprintf("okcache: the exchange panicked: %v", e.value)
}
