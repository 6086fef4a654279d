package okio

import (
	"errors"
	"fmt"
	"io"
)

// A Source supplies bytes by moving them to the end of a caller's [Buffer].
//
// A Source is used by one goroutine at a time. Sources that can block implement [Limited].
type Source interface {
	// ReadBuffer moves 1..max bytes to the end of dst and returns their number, or returns 0, io.EOF when no byte is left,
	// or 0 and another error. It never returns a positive number together with an error. A max of 0 returns 0, nil without
	// touching the origin; a negative max is an error.
	ReadBuffer(dst *Buffer, max int64) (int64, error)

	// Close releases what the source holds. Closing twice is safe; reading afterwards fails with [ErrClosed].
	io.Closer
}

// A Sink takes bytes by removing them from the front of a caller's [Buffer].
//
// A Sink is used by one goroutine at a time. Sinks that can block implement [Limited].
type Sink interface {
	// WriteBuffer takes exactly n bytes from the front of src, or fails. After a failure src keeps the bytes that were
	// certainly not taken.
	WriteBuffer(src *Buffer, n int64) error

	// Flush pushes everything that was written to the final destination.
	Flush() error

	// Close pushes what is left and releases what the sink holds. Closing twice is safe; writing afterwards fails with
	// [ErrClosed].
	io.Closer
}

// ErrClosed is wrapped by the error of every operation on a stream that its user has closed.
var ErrClosed = errors.New("okio: stream closed")

var errSelfMove = errors.New("okio: a buffer cannot be moved into itself")

// emptyReads is how many reads in a row may deliver nothing, against the contract, before we give up.
const emptyReads = 100

// checkCount rejects the negative counts that come from data.
func checkCount(n int64) error {
	if n < 0 {
		return fmt.Errorf("okio: negative byte count %d", n)
	}
	return nil
}

// checkRead says why a source that may be closed does not begin to read up to max bytes. The count is looked at first, so
// that a wrong one is told whatever the state.
func checkRead(max int64, closed bool) error {
	if err := checkCount(max); err != nil {
		return err
	}
	if closed {
		return ErrClosed
	}
	return nil
}

// countErr reports a reader or writer of somebody else that claims an impossible count.
func countErr(stream any, method string, n, length int) error {
	return fmt.Errorf("okio: %T returned a count of %d from %s of %d bytes", stream, n, method, length)
}

// maxAllocation bounds what one call returns in one piece.
const maxAllocation = 1<<31 - 1

func checkAllocation(n int64) error {
	if n < 0 || n > maxAllocation {
		return fmt.Errorf("okio: byte count %d is not in 0..%d", n, maxAllocation)
	}
	return nil
}

// shortErr is the error of a demand that only have bytes were there to meet.
func shortErr(have int64) error {
	if have == 0 {
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}
