package oksse_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okhttp-sse"
	"github.com/okhttp-go/ok/okio"
)

// A line end in an ID would begin another field: nothing of the event is written.
func ExampleFieldError() {
	err := oksse.NewEncoder(io.Discard).Encode(oksse.Event{ID: "1\ndata: forged", Data: "real"})
	if field, ok := errors.AsType[*oksse.FieldError](err); ok {
		fmt.Println(field.Field, "-", field.Detail)
	}
	// Output: id - contains '\n' at 1
}

// A program that cannot keep its place does not go on: the loop ends.
func ExampleStoreError() {
	client, req, closeAll := serve(counting)
	defer closeAll()
	files := new(okio.FakeFileSystem) // in which there is no such directory
	store := oksse.FileStore(files, okio.ParsePath("/state/last-id"))
	for e, err := range oksse.NewStream(client, req, &oksse.Config{Store: store}).Events(context.Background()) {
		if failed, ok := errors.AsType[*oksse.StoreError](err); ok {
			fmt.Println("could not", failed.Op)
			break
		}
		fmt.Println(e.Data)
	}
	// Output:
	// one
	// could not save
}
