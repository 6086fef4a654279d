package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// A request to speak another protocol on the same connection; both sides of it are a socket.
func ExampleUpgrade() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", r.Header.Get("Upgrade"))
		line, _ := buffered.ReadString('\n')
		fmt.Fprint(conn, strings.ToUpper(line))
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	req, err := okhttp.NewRequest("GET", server.URL, okhttp.Upgrade("shout"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	socket, ok := resp.Socket()
	if !ok {
		log.Fatal("the server stays with HTTP: ", resp.Status)
	}
	out := okio.NewBufferedSink(socket.Sink())
	_, _ = out.WriteString("is anybody there?\n")
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
	line, err := okio.NewBufferedSource(socket.Source()).ReadLine()
	fmt.Println(resp.Status, line, err)
	// Output: 101 IS ANYBODY THERE? <nil>
}
