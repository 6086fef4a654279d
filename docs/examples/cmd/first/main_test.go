package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
)

// What the page shows is the whole program.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	args := os.Args
	os.Args = []string{"first", server.URL}
	defer func() { os.Args = args }()
	main()
	// Output: 200 http/1.1 hello
}
