package okws_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// echoServer sends back what comes.
func echoServer() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := okws.Accept(w, r, nil)
		if err != nil {
			return // the client was answered
		}
		defer conn.CloseNow()
		ctx := context.Background()
		for m, err := range conn.Messages(ctx) {
			if err != nil || conn.Write(ctx, m.Type, m.Data) != nil {
				return
			}
		}
	}))
}

// dial connects to a server.
func dial(server *httptest.Server, cfg *okws.Config) (conn *okws.Conn, end func()) {
	client := okhttp.New()
	conn, err := okws.Dial(context.Background(), client, server.URL, cfg)
	if err != nil {
		log.Fatal(err)
	}
	return conn, func() {
		conn.CloseNow()
		client.Close()
		server.Close()
	}
}

func ExampleDial() {
	server := echoServer()
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	ctx := context.Background()
	conn, err := okws.Dial(ctx, client, server.URL, &okws.Config{PingInterval: 30 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.CloseNow()
	if err := conn.WriteText(ctx, "hello"); err != nil {
		log.Fatal(err)
	}
	kind, data, err := conn.Read(ctx)
	fmt.Println(kind, string(data), err)
	fmt.Println(conn.Close(okws.CodeNormal, "that is all"))
	// Output:
	// text hello <nil>
	// <nil>
}

func ExampleDialRequest() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked by", r.Header.Get("Origin"))
		http.Error(w, "not today", http.StatusForbidden)
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	req, err := okws.NewRequest("ws"+strings.TrimPrefix(server.URL, "http"), okhttp.Header("Origin", "https://app.example.com"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = okws.DialRequest(context.Background(), client, req, nil)
	if refused, ok := errors.AsType[*okws.HandshakeError](err); ok {
		text, _ := refused.Response.Body.Text()
		fmt.Print(refused.Response.Status, " ", text)
	}
	// Output:
	// asked by https://app.example.com
	// 403 not today
}

func ExampleAccept() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := okws.Accept(w, r, &okws.AcceptConfig{
			Config:  okws.Config{Subprotocols: []string{"clock.v2", "clock.v1"}},
			Origins: []string{"https://*.example.com"},
		})
		if err != nil {
			return // the client was answered
		}
		defer conn.CloseNow()
		_ = conn.WriteText(r.Context(), "you speak "+conn.Subprotocol())
		_ = conn.Close(okws.CodeNormal, "")
	}))
	conn, end := dial(server, &okws.Config{Subprotocols: []string{"clock.v1"}})
	defer end()
	for m, err := range conn.Messages(context.Background()) {
		fmt.Println(m.Text(), err)
	}
	// Output: you speak clock.v1 <nil>
}

func ExampleConn_Read() {
	conn, end := dial(echoServer(), nil)
	defer end()

	// The end of a Read's context ends that call alone.
	brief, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, _, err := conn.Read(brief)
	fmt.Println(err)

	_ = conn.WriteText(context.Background(), "still connected")
	_, data, err := conn.Read(context.Background())
	fmt.Println(string(data), err)
	// Output:
	// context deadline exceeded
	// still connected <nil>
}

func ExampleConn_NextWriter() {
	conn, end := dial(echoServer(), nil)
	defer end()
	ctx := context.Background()

	go func() {
		w, err := conn.NextWriter(ctx, okws.Text)
		if err != nil {
			log.Fatal(err)
		}
		for i := range 3 {
			fmt.Fprintf(w, "line %d\n", i) // goes out in fragments, however long it becomes
		}
		_ = w.Close()
	}()
	_, r, err := conn.NextReader(ctx)
	if err != nil {
		log.Fatal(err)
	}
	_, _ = io.Copy(os.Stdout, r)
	// Output:
	// line 0
	// line 1
	// line 2
}

func ExampleConn_Ping() {
	conn, end := dial(echoServer(), nil)
	defer end()
	go conn.Discard(context.Background()) // somebody has to read: pongs too are noticed only then

	took, err := conn.Ping(context.Background())
	fmt.Println(took > 0, err, conn.RoundTrip() == took)
	// Output: true <nil> true
}

func ExampleConn_NetConn() {
	conn, end := dial(echoServer(), nil)
	defer end()

	stream := conn.NetConn(okws.Binary) // a net.Conn, for protocols that are made for one
	_ = stream.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprint(stream, "GET x\r\n")
	line := make([]byte, 7)
	_, err := io.ReadFull(stream, line)
	fmt.Printf("%q %v\n", line, err)
	// Output: "GET x\r\n" <nil>
}

func ExampleConn_Bind() {
	conn, end := dial(echoServer(), nil)
	defer end()

	ctx, stop := context.WithCancelCause(context.Background())
	if _, err := conn.Bind(ctx, okws.CodeGoingAway); err != nil {
		log.Fatal(err)
	}
	stop(errors.New("the program ends")) // the server is told 1001
	<-conn.Done()
	fmt.Println(conn.Err())
	// Output: the program ends
}

func ExampleCloseError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := okws.Accept(w, r, nil); err == nil {
			_ = conn.Close(4001, "no such room")
		}
	}))
	conn, end := dial(server, nil)
	defer end()
	_, _, err := conn.Read(context.Background())
	if closed, ok := errors.AsType[*okws.CloseError](err); ok {
		fmt.Println(int(closed.Code), closed.Reason)
	}
	// Output: 4001 no such room
}

func ExampleProtocolError() {
	conn, end := dial(echoServer(), &okws.Config{MaxMessage: 1000})
	defer end()
	_ = conn.Write(context.Background(), okws.Binary, make([]byte, 2000)) // and it comes back
	_, _, err := conn.Read(context.Background())
	if broken, ok := errors.AsType[*okws.ProtocolError](err); ok {
		fmt.Println(broken.Code == okws.CodeTooBig, errors.Is(conn.Err(), err))
	}
	// Output: true true
}

func ExampleCompression() {
	var sent int64
	conn, end := dial(echoServer(), &okws.Config{
		Compression: okws.Compression{AllWithContext: true}, // what is said again and again takes a few bytes
		OnFrame: func(f okws.Frame) {
			if f.Sent {
				sent += f.Length
			}
		},
	})
	defer end()
	event := bytes.Repeat([]byte(`{"symbol":"OK","price":100}`), 4)
	for range 100 {
		if err := conn.Write(context.Background(), okws.Text, event); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(conn.Compressed(), sent < 100*int64(len(event))/10)
	// Output: true true
}
