package okhar_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

// A recorder keeps the last exchanges within bounds; what was written can be forgotten.
func ExampleRecorder() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	recorder := okhar.New(&okhar.Config{MaxEntries: 2, MaxBody: -1}) // no bodies
	client := okhttp.New(okhttp.WithEventListener(recorder.Listen))
	defer client.Close()
	for _, path := range []string{"/first", "/second", "/third"} {
		resp, err := client.Get(context.Background(), server.URL+path)
		if err != nil {
			log.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	for range 2 {
		var archive bytes.Buffer
		if _, err := recorder.WriteTo(&archive); err != nil {
			log.Fatal(err)
		}
		text := archive.String()
		fmt.Println(strings.Contains(text, "/first"), strings.Contains(text, "/second"), strings.Contains(text, "/third"))
		recorder.Reset()
	}
	// Output:
	// false true true
	// false false false
}

// A recorder beside another listener.
func ExampleRecorder_Listen() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	recorder := okhar.New(nil)
	printer := &okhttp.EventListener{CallEnd: func(okhttp.CallEnd) { fmt.Println("the call is over") }}
	client := okhttp.New(
		okhttp.WithEventListener(func(call *okhttp.Call) *okhttp.EventListener { return okhttp.TeeEvents(recorder.Listen(call), printer) }),
		okhttp.WithNetworkInterceptor(recorder),
	)
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	size, err := recorder.WriteTo(io.Discard)
	fmt.Println(size > 0, err)
	// Output:
	// the call is over
	// true <nil>
}
