package okws_test

import (
	"context"
	"fmt"
	"log"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

func ExampleNewWebSocket() {
	server := echoServer()
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okws.NewRequest(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	ws, err := okws.NewWebSocket(context.Background(), client, req, okws.Listener{
		OnOpen: func(_ *okws.WebSocket, resp *okhttp.Response) { fmt.Println("open", resp.Status) },
		OnMessage: func(ws *okws.WebSocket, kind okws.Type, data []byte) {
			fmt.Println(kind, string(data))
			_ = ws.Close(okws.CodeNormal, "that is all")
		},
		OnClosing: func(_ *okws.WebSocket, code okws.Code, _ string) { fmt.Println("closing", int(code)) },
		OnClosed:  func(_ *okws.WebSocket, code okws.Code, _ string) { fmt.Println("closed", int(code)) },
		OnFailure: func(_ *okws.WebSocket, err error, _ *okhttp.Response) { fmt.Println("failed", err) },
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	ws.SendText("queued before it is connected")
	<-ws.Done()
	// Output:
	// open 101
	// text queued before it is connected
	// closing 1000
	// closed 1000
}

func ExampleWebSocket_SendContext() {
	server := echoServer()
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okws.NewRequest(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	ws, err := okws.NewWebSocket(ctx, client, req, okws.Listener{}, &okws.Config{QueueLimit: 64 << 10, EchoClose: true})
	if err != nil {
		log.Fatal(err)
	}
	for range 100 { // waits whenever 64 KiB are queued
		if err := ws.SendContext(ctx, okws.Binary, make([]byte, 10<<10), nil); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(ws.Flush(ctx), ws.QueueSize())
	_ = ws.Close(okws.CodeNormal, "")
	<-ws.Done()
	// Output: <nil> 0
}
