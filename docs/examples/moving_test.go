package examples

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

func Example_move() {
	// #region move
	var from, to okio.Buffer
	from.WriteString(strings.Repeat("x", 1<<20))

	// All of it: the segments change their owner, no byte is copied.
	if err := to.WriteBuffer(&from, from.Len()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(from.Len(), to.Len())
	// #endregion move

	// Output: 0 1048576
}

func Example_clone() {
	// #region clone
	b := okio.NewBufferString("shared, not copied")
	c := b.Clone() // both may be used by different goroutines from here

	b.Clear()
	text, _ := c.ReadText(c.Len())
	fmt.Println(text)
	// #endregion clone

	// Output: shared, not copied
}

func Example_standardIO() {
	// #region io
	// A Buffer is an io.Reader, an io.Writer and the rest of package io.
	var b okio.Buffer
	fmt.Fprintf(&b, "%d green bottles\n", 10)
	if _, err := io.Copy(os.Stdout, &b); err != nil {
		fmt.Println(err)
	}

	// And any reader or writer becomes a stream of segments.
	source := okio.NewBufferedSource(okio.FromReader(strings.NewReader("one\ntwo\n")))
	defer source.Close()
	line, _ := source.ReadLine()
	fmt.Println(line)
	// #endregion io

	// Output:
	// 10 green bottles
	// one
}

func Example_peek() {
	// #region peek
	source := okio.NewBufferedSource(okio.NewBufferString("HTTP/1.1 200 OK\r\n"))

	ahead := source.Peek() // reads on without consuming
	start, _ := ahead.ReadText(5)
	whole, _ := source.ReadLine()
	fmt.Printf("%q, then %q\n", start, whole)
	// #endregion peek

	// Output: "HTTP/", then "HTTP/1.1 200 OK"
}

func Example_sticky() {
	// #region sticky
	k := okio.NewBufferedSink(okio.ToWriter(os.Stdout))

	// The first error sticks, so a series of writes is checked once.
	k.WriteString("Content-Length: ")
	k.WriteDecimal(12)
	k.WriteString("\n")
	if err := k.Flush(); err != nil {
		fmt.Println(err)
	}
	// #endregion sticky

	// Output: Content-Length: 12
}
