package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/okhttp-go/ok/okhttp"
)

// A tag gives a request a value of a type of one's own, which interceptors and listeners find again.
func ExampleTag() {
	type feature string
	req, err := okhttp.NewRequest("GET", "https://example.com/", okhttp.Tag(feature("search")))
	if err != nil {
		log.Fatal(err)
	}
	f, ok := okhttp.RequestTag[feature](req)
	fmt.Println(f, ok)
	_, ok = okhttp.RequestTag[string](req) // another type
	fmt.Println(ok)
	// Output:
	// search true
	// false
}

// A tag of a call is for that call alone; its request, which others may use too, does not change.
func ExampleSetTag() {
	type attempt int
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", "https://example.com/", okhttp.Tag(attempt(1)))
	if err != nil {
		log.Fatal(err)
	}
	call := client.NewCall(req)
	okhttp.SetTag(call, attempt(2))
	ofCall, _ := okhttp.TagOf[attempt](call)
	ofClone, _ := okhttp.TagOf[attempt](call.Clone())
	fmt.Println(ofCall, ofClone)
	// Output: 2 1
}

// Whoever needs the number of a call first draws it, and all others get the same.
func ExampleTagOrCompute() {
	type number int64
	var last atomic.Int64
	numberOf := func(c *okhttp.Call) number {
		return okhttp.TagOrCompute(c, func() number { return number(last.Add(1)) })
	}
	client := okhttp.New(
		okhttp.WithEventListener(func(c *okhttp.Call) *okhttp.EventListener {
			return &okhttp.EventListener{CallEnd: func(okhttp.CallEnd) { fmt.Println("call", numberOf(c), "is over") }}
		}),
		okhttp.WithInterceptor(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			fmt.Println("call", numberOf(chain.Call()))
			return okhttp.NewResponse(chain.Request(), 204), nil
		})),
	)
	defer client.Close()
	for range 2 {
		resp, err := client.Get(context.Background(), "https://example.com/")
		if err != nil {
			log.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	// Output:
	// call 1
	// call 1 is over
	// call 2
	// call 2 is over
}
