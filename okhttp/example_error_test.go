package okhttp_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// An error says where the call stopped, and whether the server may have acted on the request.
func ExampleError() {
	client := okhttp.New(okhttp.WithDialer(new(okio.Network))) // where nobody listens
	defer client.Close()
	_, err := client.Post(context.Background(), "http://10.0.0.1/orders?key=secret", okhttp.Text("tea"))
	fmt.Println(err)

	var failure *okhttp.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Phase, failure.Route, "may have been sent:", failure.Sent)
	}
	fmt.Println(okhttp.SafeToRetry(err))
	// Output:
	// okhttp: POST http://10.0.0.1/...: connect (10.0.0.1:80): failed to connect to 10.0.0.1:80: dial tcp 10.0.0.1:80: connect: connection refused
	// connect 10.0.0.1:80 may have been sent: false
	// true
}
