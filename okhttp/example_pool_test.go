package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// A response holds its connection until its body is read or closed; then the connection waits in the pool for the next call.
func ExampleConnectionPool() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()

	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{MaxIdle: 100, KeepAlive: time.Minute})
	defer pool.Close()
	client := okhttp.New(okhttp.WithPool(pool))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", pool.Stats())
	_ = resp.Body.Close()
	fmt.Printf("%+v\n", pool.Stats())
	pool.EvictAll() // as after a change of networks
	fmt.Printf("%+v\n", pool.Stats())
	// Output:
	// {Connections:1 Idle:0 Streams:1}
	// {Connections:1 Idle:1 Streams:0}
	// {Connections:0 Idle:0 Streams:0}
}

// A listener of the pool sees connections from their making to their end, whichever call they serve.
func ExampleConnectionListener() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{Listener: &okhttp.ConnectionListener{
		ConnectEnd: func(e okhttp.ConnectionAttempt) { fmt.Println("connected over", e.Connection.Protocol()) },
		Acquired:   func(e okhttp.PoolEvent) { fmt.Println("taken by", e.Call.Request().Method()) },
		Idle:       func(okhttp.PoolEvent) { fmt.Println("idle") },
		Closed:     func(e okhttp.PoolEvent) { fmt.Println("closed:", e.Reason) },
	}})
	client := okhttp.New(okhttp.WithPool(pool))
	defer client.Close()
	for range 2 {
		resp, err := client.Get(context.Background(), server.URL)
		if err != nil {
			log.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	_ = pool.Close()
	// Output:
	// connected over http/1.1
	// taken by GET
	// idle
	// taken by GET
	// idle
	// closed: the pool was closed
}

// Connections can be open before the first call needs them.
func ExampleClient_Prewarm() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	origin, err := okhttp.ParseURL(server.URL)
	if err != nil {
		log.Fatal(err)
	}

	opened := make(chan bool, 2)
	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{Listener: &okhttp.ConnectionListener{
		ConnectEnd: func(e okhttp.ConnectionAttempt) { opened <- e.Call == nil }, // for no call
	}})
	defer pool.Close()
	client := okhttp.New(okhttp.WithPool(pool))
	defer client.Close()
	if err := client.Prewarm(origin, okhttp.AddressPolicy{MinConcurrentCalls: 2}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-opened, <-opened)
	// Output: true true
}
