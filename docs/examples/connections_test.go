package examples

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

func Example_pool() {
	server, err := mockserver.Start()
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200))
	server.Enqueue(mockserver.Reply(200))
	// #region pool
	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{
		MaxIdle:   100,
		KeepAlive: time.Minute,
		Listener: &okhttp.ConnectionListener{
			ConnectEnd: func(okhttp.ConnectionAttempt) { fmt.Println("connected") },
			Acquired:   func(okhttp.PoolEvent) { fmt.Println("acquired") },
			Idle:       func(okhttp.PoolEvent) { fmt.Println("idle") },
			Closed:     func(e okhttp.PoolEvent) { fmt.Println("closed:", e.Reason) },
		},
	})
	defer pool.Close()
	one, other := okhttp.New(okhttp.WithPool(pool)), okhttp.New(okhttp.WithPool(pool))
	// #endregion pool
	defer one.Close()
	defer other.Close()
	for _, client := range []*okhttp.Client{one, other} {
		resp, err := client.Get(context.Background(), server.URL("/"))
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
	}
	// Output:
	// connected
	// acquired
	// idle
	// acquired
	// idle
	// closed: the pool was closed
}

func Example_prewarm() {
	server, err := mockserver.Start()
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200))
	warm := make(chan bool, 10)
	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{Listener: &okhttp.ConnectionListener{
		ConnectEnd: func(e okhttp.ConnectionAttempt) { warm <- e.Call == nil },
	}})
	defer pool.Close()
	client := okhttp.New(okhttp.WithPool(pool))
	defer client.Close()
	// #region prewarm
	origin, err := okhttp.ParseURL(server.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Prewarm(origin, okhttp.AddressPolicy{MinConcurrentCalls: 2}); err != nil {
		log.Fatal(err)
	}
	// #endregion prewarm
	fmt.Println(<-warm, <-warm)
	// Output: true true
}

func Example_pinning() {
	server, err := mockserver.Start(mockserver.WithTLS(oktls.Localhost().ServerConfig()))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	// #region pinning
	pins, err := okhttp.NewCertificatePinner("**.example.com", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if err != nil {
		log.Fatal(err)
	}
	pins, err = pins.With("localhost", "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=")
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithCertificatePinner(pins), okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()))
	// #endregion pinning
	defer client.Close()
	u, err := okhttp.ParseURL(server.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Get(context.Background(), fmt.Sprintf("https://localhost:%d/", u.Port()))
	fmt.Println(okhttp.SafeToRetry(err), pins.Pins("api.example.com"))
	// Output: true [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=]
}

func Example_connectionSpecs() {
	// #region specs
	// Old servers too, but never cleartext.
	legacy := okhttp.New(okhttp.WithConnectionSpecs(okhttp.ModernTLS, okhttp.CompatibleTLS))
	strict := okhttp.New(
		okhttp.WithConnectionSpecs(okhttp.RestrictedTLS, okhttp.Cleartext),
		okhttp.WithCleartext(func(host string) bool { return host == "localhost" }),
	)
	// #endregion specs
	defer legacy.Close()
	defer strict.Close()
	_, err := strict.Get(context.Background(), "http://example.com/")
	fmt.Println(err)
	// Output: okhttp: GET http://example.com/...: connect: cleartext communication is not enabled for example.com
}
