package examples

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// #region accept
func echoHandler(w http.ResponseWriter, r *http.Request) {
	conn, err := okws.Accept(w, r, &okws.AcceptConfig{Origins: []string{"*.example.com"}})
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

// #endregion accept

func Example_webSocket() {
	server := httptest.NewServer(http.HandlerFunc(echoHandler))
	defer server.Close()
	ctx, url := context.Background(), server.URL
	client := okhttp.New()
	defer client.Close()
	// #region dial
	conn, err := okws.Dial(ctx, client, url, &okws.Config{PingInterval: 30 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.CloseNow()
	if err := conn.WriteText(ctx, "hello"); err != nil {
		fmt.Println(err)
		return
	}
	_, data, err := conn.Read(ctx)
	fmt.Println(string(data), err)
	fmt.Println(conn.Close(okws.CodeNormal, ""))
	// #endregion dial

	// Output:
	// hello <nil>
	// <nil>
}

func Example_webSocketListener() {
	server := httptest.NewServer(http.HandlerFunc(echoHandler))
	defer server.Close()
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	req, err := okws.NewRequest(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	// #region listener
	ws, err := okws.NewWebSocket(ctx, client, req, okws.Listener{
		OnMessage: func(ws *okws.WebSocket, _ okws.Type, data []byte) {
			fmt.Println("message", string(data))
			_ = ws.Close(okws.CodeNormal, "enough")
		},
		OnClosed: func(_ *okws.WebSocket, code okws.Code, _ string) { fmt.Println("closed", code) },
		OnFailure: func(_ *okws.WebSocket, err error, _ *okhttp.Response) {
			fmt.Println("failed", err)
		},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ws.SendText("queued before it is connected")
	<-ws.Done()
	// #endregion listener

	// Output:
	// message queued before it is connected
	// closed 1000
}

func Example_webSocketMock() {
	client := okhttp.New()
	defer client.Close()
	// #region mockserver
	server, err := mockserver.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	server.Enqueue(mockserver.WebSocket(nil, func(ctx context.Context, conn *okws.Conn) {
		_ = conn.WriteText(ctx, "tick")
		_ = conn.Close(4001, "enough") // what the client is to make of it
	}))

	conn, err := okws.Dial(context.Background(), client, server.URL("/feed"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for m, err := range conn.Messages(context.Background()) {
		fmt.Println(m.Text(), err)
	}
	// #endregion mockserver

	// Output:
	// tick <nil>
	//  okws: closed by the peer: 4001 "enough"
}
