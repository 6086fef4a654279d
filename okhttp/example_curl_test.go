package okhttp_test

import (
	"fmt"

	"github.com/okhttp-go/ok/okhttp"
)

func ExampleRequest_Curl() {
	req, err := okhttp.NewRequest("PUT", "https://example.com/notes/1",
		okhttp.Header("Accept", "application/json"),
		okhttp.WithBody(okhttp.Text("it's done")))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(req.Curl())
	// Output:
	// curl 'https://example.com/notes/1' \
	//   -X 'PUT' \
	//   -H 'Accept: application/json' \
	//   -H 'Content-Type: text/plain; charset=utf-8' \
	//   --data 'it'\''s done'
}
