package http1_test

import (
	"fmt"
	"io"
	"strings"

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

// The server's side of a connection, here between two buffers: a request is read, and answered in chunks with a trailer.
func ExampleServerConn() {
	wire := okio.NewBufferString("POST /greeting HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\nTE: trailers\r\n\r\ntea")
	sent := new(okio.Buffer)
	conn := http1.NewServerConn(wire, sent, http1.Limits{})
	if err := answer(conn); err != nil {
		fmt.Println(err)
		return
	}
	response, err := io.ReadAll(sent)
	fmt.Printf("%s%v\n", strings.ReplaceAll(string(response), "\r\n", "\n"), err)
	fmt.Println(conn.Reusable())
	_, err = conn.ReadRequest() // nothing came after it
	fmt.Println(err)
	// Output:
	// POST /greeting tea true
	// HTTP/1.1 200 OK
	// Transfer-Encoding: chunked
	//
	// 3
	// hot
	// 0
	// Brewed: 4 minutes
	//
	// <nil>
	// true
	// EOF
}

func answer(conn *http1.ServerConn) error {
	head, err := conn.ReadRequest()
	if err != nil {
		return err
	}
	body, err := conn.Body()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	fmt.Println(head.Method, head.Target, string(text), http1.HasToken(head.Fields, "te", "trailers"))
	if err := conn.WriteHead(200, "OK", []string{"Transfer-Encoding", "chunked"}); err != nil {
		return err
	}
	content, err := conn.ResponseBody(http1.Chunked)
	if err != nil {
		return err
	}
	if _, err := content.Write([]byte("hot")); err != nil {
		return err
	}
	if err := content.CloseWithTrailers([]string{"Brewed", "4 minutes"}); err != nil {
		return err
	}
	return conn.FinishResponse()
}
