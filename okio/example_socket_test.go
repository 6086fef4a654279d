package okio_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Each read has ten milliseconds, and nobody sends anything.
func ExampleTimeout() {
	a, _ := okio.SocketPair(0)
	okio.TimeoutOf(a.Source()).SetLimit(10 * time.Millisecond)

	var b okio.Buffer
	_, err := a.Source().ReadBuffer(&b, 100)
	fmt.Println(err)
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	// Output:
	// okio: read timeout after 10ms
	// true
}

// A read that would never end is freed by its context and reports why.
func ExampleBindContext() {
	ctx, cancel := context.WithCancelCause(context.Background())
	a, _ := okio.SocketPair(0)
	stop := okio.BindContext(ctx, a)

	go cancel(errors.New("the user has gone"))
	var b okio.Buffer
	_, err := a.Source().ReadBuffer(&b, 100)
	fmt.Println(err)
	fmt.Println("may be used again:", stop())
	// Output:
	// the user has gone
	// may be used again: false
}
