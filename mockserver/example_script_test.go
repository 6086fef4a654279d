package mockserver_test

import (
	"context"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/mockserver"
)

// A client talks with a server over a connection that was upgraded.
func ExampleSocketScript() {
	server, err := mockserver.Start()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	script := new(mockserver.SocketScript).Expect("ping\n").Send("pong\n").Expect("bye\n").ExpectEnd()
	server.Enqueue(mockserver.Upgrade("table-tennis", script))

	conn, err := server.DialContext(context.Background(), "tcp", "")
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: table-tennis\r\n\r\nping\nbye\n?")
	fmt.Println(script.Wait(context.Background()))
	// Output: mockserver: socket script: step 3, ExpectEnd: got more: "?"
}
