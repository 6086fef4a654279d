package okio_test

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Whatever wraps a stream that can block has the limits of that stream; others have none.
func ExampleLimited() {
	near, far := okio.SocketPair(0)
	defer far.Cancel(nil)
	defer near.Cancel(nil)
	s := okio.NewBufferedSource(okio.NewGzipSource(near.Source()))
	okio.TimeoutOf(s).SetLimit(time.Millisecond)
	_, err := s.ReadByte() // nothing ever comes
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))

	_, limited := any(new(okio.Buffer)).(okio.Limited)
	fmt.Println(limited)
	// Output:
	// true
	// false
}
