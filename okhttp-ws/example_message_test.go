package okws_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okio"
)

// A message is encoded straight to the connection. What was flushed is with the peer before the message has ended.
func ExampleMessageWriter() {
	conn, end := dial(echoServer(), nil)
	defer end()
	ctx := context.Background()
	w, err := conn.NextWriter(ctx, okws.Text)
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(w)
	for _, number := range []int{1, 2, 3} {
		if err := errors.Join(out.Encode(map[string]int{"n": number}), w.Flush()); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil { // which ends the message
		log.Fatal(err)
	}
	kind, data, err := conn.Read(ctx)
	fmt.Printf("%v %q %v\n", kind, data, err)
	// Output: text "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n" <nil>
}

// The loop ends when the peer closes, with an error unless it said that all is well. The data of a message is valid until the next one comes.
func ExampleConn_Messages() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := okws.Accept(w, r, nil)
		if err != nil {
			return // the client was answered
		}
		defer conn.CloseNow()
		for _, line := range []string{"Ada", "Grace"} {
			if conn.WriteText(r.Context(), line) != nil {
				return
			}
		}
		_ = conn.Close(okws.CodeInternalError, "out of names")
	}))
	conn, end := dial(server, nil)
	defer end()
	for m, err := range conn.Messages(context.Background()) {
		fmt.Println(m.Text(), err)
	}
	// Output:
	// Ada <nil>
	// Grace <nil>
	//  okws: closed by the peer: 1011 "out of names"
}

// A queue that refuses what it has no room for leaves the web socket as it is; by default such a message ends it.
func ExampleQueuePolicy() {
	server := echoServer()
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okws.NewRequest(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	var echo string
	ws, err := okws.NewWebSocket(context.Background(), client, req, okws.Listener{
		OnMessage: func(ws *okws.WebSocket, _ okws.Type, data []byte) {
			echo = string(data)
			_ = ws.Close(okws.CodeNormal, "")
		},
	}, &okws.Config{QueueLimit: 10, QueueFull: okws.QueueRefuses, EchoClose: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"longer than the queue", "short"} {
		fmt.Println(text, ws.SendText(text))
	}
	<-ws.Done()
	fmt.Println("echo:", echo)
	// Output:
	// longer than the queue false
	// short true
	// echo: short
}

// A server that is not of net/http reads the headers of the handshake, sends those of its answer, and has a connection over its socket.
func ExampleNegotiate() {
	asked, err := okhttp.NewHeaders("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol", "chat, superchat")
	if err != nil {
		log.Fatal(err)
	}
	agreed, err := okws.Negotiate(asked, &okws.Config{Subprotocols: []string{"chat"}})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := agreed.Headers() // of the response with 101
	if err != nil {
		log.Fatal(err)
	}
	for name, value := range answer.All() {
		fmt.Printf("%s: %s\n", name, value)
	}
	near, far := okio.SocketPair(0)
	conn := agreed.Serve(near)
	defer conn.CloseNow()
	fmt.Println(conn.WriteText(context.Background(), "hi"))
	frame, err := okio.NewBufferedSource(far.Source()).ReadN(4)
	fmt.Printf("%x %v\n", frame, err)
	// Output:
	// Upgrade: websocket
	// Connection: Upgrade
	// Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
	// Sec-WebSocket-Protocol: chat
	// <nil>
	// 81026869 <nil>
}

// A peer that does not answer pings is dead, whatever TCP thinks of it.
func ExampleTimeoutError() {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := okws.Accept(w, r, nil); err == nil {
			<-stop // and reads nothing, so that no ping is answered
			conn.CloseNow()
		}
	}))
	conn, end := dial(server, &okws.Config{PingInterval: time.Millisecond})
	defer end()
	defer close(stop)
	_, _, err := conn.Read(context.Background())
	_, late := errors.AsType[*okws.TimeoutError](err)
	fmt.Println(late, errors.Is(err, os.ErrDeadlineExceeded))
	// Output: true true
}

// What cannot be right is not sent, and the connection goes on.
func ExampleArgumentError() {
	conn, end := dial(echoServer(), nil)
	defer end()
	err := conn.Close(okws.CodeNoStatus, "")
	_, wrong := errors.AsType[*okws.ArgumentError](err)
	fmt.Println(wrong, conn.Err())
	// Output: true <nil>
}

// A handshake that the server refused brings what it said instead.
func ExampleHandshakeError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := okws.Accept(w, r, &okws.AcceptConfig{Origins: []string{"https://app.example.com"}})
		fmt.Println("server:", err)
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okws.NewRequest(server.URL, okhttp.Header("Origin", "https://evil.example"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = okws.DialRequest(context.Background(), client, req, nil)
	if refused, ok := errors.AsType[*okws.HandshakeError](err); ok {
		text, err := refused.Response.Body.Text()
		fmt.Printf("client: %d %q %v\n", refused.Response.Status, text, err)
	}
	// Output:
	// server: okws: the origin "https://evil.example" may not connect
	// client: 403 "the origin \"https://evil.example\" may not connect\n" <nil>
}
