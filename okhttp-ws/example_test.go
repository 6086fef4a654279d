package okws_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// echo is the server's side: a handler of net/http that sends back what comes.
func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := okws.Accept(w, r, nil)
	if err != nil {
		return // the client was answered
	}
	defer conn.CloseNow()
	for m, err := range conn.Messages(context.Background()) {
		if err != nil || conn.Write(context.Background(), m.Type, m.Data) != nil {
			return
		}
	}
}

func ExampleDial() {
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	ctx := context.Background()
	conn, err := okws.Dial(ctx, client, server.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.CloseNow()
	if err := conn.WriteText(ctx, "hello"); err != nil {
		fmt.Println(err)
		return
	}
	kind, data, err := conn.Read(ctx)
	fmt.Println(kind == okws.Text, string(data), err)
	fmt.Println(conn.Close(okws.CodeNormal, "enough"))
	// Output:
	// true hello <nil>
	// <nil>
}

func ExampleNewWebSocket() {
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	req, err := okws.NewRequest(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	ws, err := okws.NewWebSocket(context.Background(), client, req, okws.Listener{
		OnMessage: func(ws *okws.WebSocket, _ okws.Type, data []byte) {
			fmt.Println("message:", string(data))
			_ = ws.Close(okws.CodeNormal, "")
		},
		OnClosed:  func(_ *okws.WebSocket, code okws.Code, _ string) { fmt.Println("closed:", code) },
		OnFailure: func(_ *okws.WebSocket, err error, _ *okhttp.Response) { fmt.Println("failed:", err) },
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ws.SendText("queued before there is a connection")
	<-ws.Done()
	// Output:
	// message: queued before there is a connection
	// closed: 1000
}
