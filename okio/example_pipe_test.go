package okio_test

import (
	"fmt"

	"github.com/okhttp-go/ok/okio"
)

// What one goroutine writes another one reads, with at most 16 bytes between them.
func ExamplePipe() {
	p := okio.NewPipe(16)
	go func() {
		message := okio.NewBufferString("more than fits into the pipe at once")
		if err := p.Sink().WriteBuffer(message, message.Len()); err != nil {
			fmt.Println(err)
		}
		_ = p.Sink().Close()
	}()

	var b okio.Buffer
	for {
		if _, err := p.Source().ReadBuffer(&b, 16); err != nil {
			fmt.Println(err)
			break
		}
	}
	text, _ := b.ReadText(b.Len())
	fmt.Println(text)
	// Output:
	// EOF
	// more than fits into the pipe at once
}

// Fold replaces the reading side by a sink: here by a buffer, which takes what the pipe holds and everything after.
func ExamplePipe_Fold() {
	p := okio.NewPipe(16)
	before, after := okio.NewBufferString("before, "), okio.NewBufferString("and after")
	_ = p.Sink().WriteBuffer(before, before.Len())

	var target okio.Buffer
	if err := p.Fold(&target); err != nil {
		fmt.Println(err)
	}
	_ = p.Sink().WriteBuffer(after, after.Len())
	text, _ := target.ReadText(target.Len())
	fmt.Println(text)
	// Output: before, and after
}
