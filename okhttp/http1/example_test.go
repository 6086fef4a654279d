package http1_test

import (
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okio"
)

// A response that came from anywhere, here from a buffer, is read as a client reads it.
func ExampleClientConn() {
	wire := okio.NewBufferString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
	sent := new(okio.Buffer)
	conn := http1.NewClientConn(wire, sent, http1.Limits{})
	if err := conn.WriteHead("GET", "/greeting", []string{"Host", "example.com"}); err != nil {
		fmt.Println(err)
		return
	}
	if err := conn.FinishRequest(); err != nil {
		fmt.Println(err)
		return
	}
	request, err := io.ReadAll(sent)
	fmt.Printf("%q %v\n", request, err)

	head, err := conn.ReadHead()
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := conn.Body()
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(body)
	fmt.Println(head.Status, string(text), err, conn.Reusable())
	// Output:
	// "GET /greeting HTTP/1.1\r\nHost: example.com\r\n\r\n" <nil>
	// 200 hello <nil> true
}
