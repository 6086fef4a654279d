package examples

import (
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
)

func TestMissedFault(t *testing.T) {
	// #region missed
	server := mockserver.New(t) // a Strict one would fail the test
	server.Enqueue(mockserver.Reply(200).Text("unharmed").On(mockserver.RequestBody, mockserver.Reset{}))

	client := server.Client()
	resp, err := client.Get(t.Context(), server.URL("/")) // which has no body
	// …
	request, _ := server.TakeRequest(t.Context())
	for _, missed := range request.Missed {
		t.Log(missed) // Reset at RequestBody of the response 200 did not strike: the request has no content
	}
	// #endregion missed
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if said := strings.Join(server.Requests()[0].Missed, "; "); said != "Reset at RequestBody of the response 200 did not strike: the request has no content" {
		t.Error(said)
	}
}

func TestTableTennis(t *testing.T) {
	server := mockserver.New(t)
	// #region script
	script := new(mockserver.SocketScript).Expect("ping\n").Send("pong\n").Expect("bye\n")
	server.Enqueue(mockserver.Upgrade("table-tennis", script))
	// #endregion script
	conn, err := server.DialContext(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: table-tennis\r\n\r\nping\nbye\n")
	if err := script.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
