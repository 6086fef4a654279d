package examples

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oklog"
)

func Example_cookbookTiming() {
	ctx := context.Background()
	// #region timing
	timing := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		start := time.Now()
		resp, err := chain.Proceed(ctx, chain.Request())
		if err != nil {
			return nil, err
		}
		log.Printf("%s in %v", resp, time.Since(start))
		return resp, nil
	})
	client := okhttp.New(okhttp.WithInterceptor(timing)) // once a call; WithNetworkInterceptor: once an exchange
	// #endregion timing
	defer client.Close()
	resp, err := client.Get(ctx, server.URL+"/hello")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200
}

func Example_cookbookGzipRequests() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	ctx := context.Background()
	// #region gzip
	gzip := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req := chain.Request()
		if req.Body() == nil || req.Headers().Get("Content-Encoding") != "" {
			return chain.Proceed(ctx, req)
		}
		packed, err := req.With(
			okhttp.Header("Content-Encoding", "gzip"),
			okhttp.WithBody(okhttp.Gzipped(req.Body())))
		if err != nil {
			return nil, err
		}
		return chain.Proceed(ctx, packed)
	})
	client := okhttp.New(okhttp.WithInterceptor(gzip))
	// #endregion gzip
	defer client.Close()
	resp, err := client.Post(ctx, s.URL("/"), okhttp.Text(strings.Repeat("x", 100_000)))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	r, _ := s.TryTakeRequest()
	fmt.Println(r.Headers.Get("Content-Encoding"), len(r.Body) < 1000)
	// Output: gzip true
}

func Example_cookbookRewriteCacheHeaders() {
	s := scripted(mockserver.Reply(200).Header("Cache-Control", "no-store").Header("Pragma", "no-cache"))
	defer s.Close()
	ctx := context.Background()
	// #region cacheheaders
	// Only where the server's headers are wrong: who rewrites them may serve what is not true any more.
	rewrite := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		resp, err := chain.Proceed(ctx, chain.Request())
		if err != nil {
			return nil, err
		}
		headers, err := resp.Headers().Without("Pragma").With("Cache-Control", "max-age=60")
		if err != nil {
			return nil, err
		}
		return resp.With(okhttp.ResponseHeaders(headers)), nil
	})
	client := okhttp.New(okhttp.WithNetworkInterceptor(rewrite)) // between the cache and the network
	// #endregion cacheheaders
	defer client.Close()
	resp, err := client.Get(ctx, s.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Printf("%q %q\n", resp.Headers().Get("Cache-Control"), resp.Headers().Get("Pragma"))
	// Output: "max-age=60" ""
}

func Example_cookbookHeaderForAll() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	ctx := context.Background()
	// #region headerforall
	named := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req, err := chain.Request().With(okhttp.Header("User-Agent", "cookbook/1"))
		if err != nil {
			return nil, err
		}
		return chain.Proceed(ctx, req)
	})
	client := okhttp.New(okhttp.WithInterceptor(named))
	// #endregion headerforall
	defer client.Close()
	resp, err := client.Get(ctx, s.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	r, _ := s.TryTakeRequest()
	fmt.Println(r.Headers.Get("User-Agent"))
	// Output: cookbook/1
}

func Example_cookbookPrintEvents() {
	s := scripted(mockserver.Reply(200).Text("hello"))
	defer s.Close()
	ctx := context.Background()
	// #region printevents
	client := okhttp.New(okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
		start := time.Now() // of this call
		say := func(what string) { log.Printf("%8v %s", time.Since(start).Round(time.Microsecond), what) }
		return &okhttp.EventListener{
			CallStart:            func(okhttp.CallStart) { say("call start") },
			DNSStart:             func(okhttp.DNSEvent) { say("dns start") },
			DNSEnd:               func(okhttp.DNSEvent) { say("dns end") },
			ConnectStart:         func(okhttp.ConnectEvent) { say("connect start") },
			ConnectEnd:           func(okhttp.ConnectEvent) { say("connect end") },
			ConnectionAcquired:   func(okhttp.ConnectionEvent) { say("connection acquired") },
			ResponseHeadersStart: func(*okhttp.Call) { say("first byte") },
			ResponseBodyEnd:      func(e okhttp.BodyEnd) { say(fmt.Sprint(e.Bytes, " bytes of body")) },
			CallEnd:              func(okhttp.CallEnd) { say("call end") },
			CallFailed:           func(f okhttp.Failure) { say("call failed: " + f.Err.Error()) },
		}
	}))
	// #endregion printevents
	defer client.Close()
	resp, err := client.Get(ctx, s.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: hello <nil>
}

func Example_cookbookLogging() {
	ctx := context.Background()
	printed := 0
	print := func(line string) { printed++ }
	// #region logging
	// print is a function such as log.Println.
	logging := oklog.New(print, &oklog.Config{Level: oklog.Headers, RedactQuery: []string{"token"}})
	client := okhttp.New(okhttp.WithNetworkInterceptor(logging))
	// #endregion logging
	defer client.Close()
	resp, err := client.Get(ctx, server.URL+"/hello?token=s3cret")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(printed > 4)
	// Output: true
}

func Example_cookbookIdempotencyKey() {
	s := scripted(mockserver.Reply(503), mockserver.Reply(200))
	defer s.Close()
	ctx := context.Background()
	// #region idempotencykey
	// An application interceptor runs once a call, so that all tries of one order have one key.
	once := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req := chain.Request()
		if req.Method() != "POST" || req.Headers().Get("Idempotency-Key") != "" {
			return chain.Proceed(ctx, req)
		}
		keyed, err := req.With(okhttp.Header("Idempotency-Key", rand.Text()))
		if err != nil {
			return nil, err
		}
		return chain.Proceed(ctx, keyed)
	})
	client := okhttp.New(okhttp.WithInterceptor(once), okhttp.WithRetryPolicy(okhttp.RetryPolicy{
		MaxAttempts: 3, BaseDelay: time.Millisecond,
	}))
	// #endregion idempotencykey
	defer client.Close()
	resp, err := client.Post(ctx, s.URL("/orders"), okhttp.Text("one tea"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	first, _ := s.TryTakeRequest()
	second, _ := s.TryTakeRequest()
	fmt.Println(resp.Status, first.Headers.Get("Idempotency-Key") == second.Headers.Get("Idempotency-Key"))
	// Output: 200 true
}
