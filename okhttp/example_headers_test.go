package okhttp_test

import (
	"fmt"

	"github.com/okhttp-go/ok/okhttp"
)

func ExampleNewHeaders() {
	h, err := okhttp.NewHeaders("Accept", "text/html", "Accept", "text/plain", "Authorization", "Bearer secret")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Get("accept"))
	last, _ := h.Last("accept")
	fmt.Println(last)
	fmt.Print(h)
	// Output:
	// text/html
	// text/plain
	// Accept: text/html
	// Accept: text/plain
	// Authorization: ██
}

func ExampleNewHeaders_error() {
	_, err := okhttp.NewHeaders("X-Name", "two\r\nlines")
	fmt.Println(err)
	_, err = okhttp.NewHeaders("Cookie", "secret\n")
	fmt.Println(err)
	// Output:
	// okhttp: unexpected char 0x0d at 3 in X-Name value
	// okhttp: unexpected char 0x0a at 6 in Cookie value
}

func ExampleHeaders_With() {
	h, _ := okhttp.NewHeaders("A", "1", "B", "2", "a", "3")
	changed, _ := h.With("A", "4")
	fmt.Print(changed)
	// Output:
	// B: 2
	// A: 4
}

// A request never changes: With makes another one.
func ExampleRequest_With() {
	first, err := okhttp.NewRequest("GET", "https://example.com/tea?page=1", okhttp.Header("Accept", "text/plain"))
	if err != nil {
		fmt.Println(err)
		return
	}
	next, err := first.URL().Edit().SetQuery("page", "2").Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := first.With(okhttp.WithURL(next), okhttp.WithMethod("HEAD"), okhttp.WithHeaders(first.Headers().Without("Accept")))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range []*okhttp.Request{first, second} {
		fmt.Println(r.Method(), r.URL(), r.Headers().Len())
	}
	// Output:
	// GET https://example.com/tea?page=1 1
	// HEAD https://example.com/tea?page=2 0
}
