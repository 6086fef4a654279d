package oksse_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/okhttp-go/ok/okhttp-sse"
)

func ExampleDecoder() {
	d := oksse.NewDecoder(strings.NewReader("event: add\ndata: first\ndata: second\n\ndata: third\n\n"), nil)
	for {
		e, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", e.Type, e.Data)
	}
	// Output:
	// add "first\nsecond"
	// message "third"
}

func ExampleEncoder() {
	e := oksse.NewEncoder(os.Stdout)
	_ = e.Comment(" prices")
	_ = e.Encode(oksse.Event{ID: "7", Type: "price", Data: "first line\nsecond line"})
	// Output:
	// : prices
	//
	// id: 7
	// event: price
	// data: first line
	// data: second line
}

func ExampleDecoder_All() {
	for e, err := range oksse.NewDecoder(strings.NewReader("data: one\n\nid: 7\ndata: two\n\n"), nil).All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q %s\n", e.ID, e.Data)
	}
	// Output:
	// "" one
	// "7" two
}

// OkHttp has no type where the stream names none, and forgets an id without data.
func ExampleMode() {
	const text = "id: 1\n\ndata: x\n\n"
	for _, mode := range []oksse.Mode{oksse.Standard, oksse.OkHttp} {
		e, err := oksse.NewDecoder(strings.NewReader(text), &oksse.DecoderConfig{Mode: mode}).Next()
		fmt.Printf("%q %q %v\n", e.ID, e.Type, err)
	}
	// Output:
	// "1" "message" <nil>
	// "" "" <nil>
}

func ExampleEventTooLargeError() {
	d := oksse.NewDecoder(strings.NewReader("data: 0123456789\n\n"), &oksse.DecoderConfig{MaxEventBytes: 8})
	_, err := d.Next()
	large, ok := errors.AsType[*oksse.EventTooLargeError](err)
	fmt.Println(ok, large.Limit)
	// Output: true 8
}

// Events can be written to a buffer, for whoever sends it.
func ExampleAppendEvent() {
	wire, err := oksse.AppendEvent(nil, oksse.Event{Type: "tick", Data: "1"})
	fmt.Printf("%q %v\n", wire, err)
	// An ID with a line end would be read as something else.
	_, err = oksse.AppendEvent(nil, oksse.Event{ID: "a\nb"})
	fmt.Println(err)
	// Output:
	// "event: tick\ndata: 1\n\n" <nil>
	// oksse: the field id of an event contains '\n' at 1
}

// What is printed has the form of a stream again.
func ExampleEncoder_Encode() {
	d := oksse.NewDecoder(strings.NewReader("id:1\rdata:a\r\rid\rdata:b\r\r"), nil)
	for e := range d.All() {
		_ = oksse.NewEncoder(os.Stdout).Encode(e)
	}
	// Output:
	// id: 1
	// data: a
	//
	// id
	// data: b
}
