package examples

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

func Example_get() {
	url := server.URL + "/hello"
	ctx := context.Background()
	// #region get
	client := okhttp.New() // make one, share it
	defer client.Close()

	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text() // reads the body and closes it
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, resp.Headers().Get("Greeting"), text)
	// #endregion get

	// Output: 200 polite hello, gopher
}

func Example_post() {
	url := server.URL + "/orders"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region post
	body, err := okhttp.JSON(map[string]int{"apples": 3})
	if err != nil {
		log.Fatal(err)
	}
	req, err := okhttp.NewRequest("POST", url, okhttp.WithBody(body), okhttp.Header("X-Request-By", "docs"))
	if err != nil {
		log.Fatal(err) // a URL or header that cannot be
	}
	resp, err := client.Do(ctx, req, okhttp.WithCallTimeout(5*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	var order struct {
		ID int
		By string
	}
	if err := resp.Body.JSON(&order); err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, order)
	// #endregion post

	// Output: 201 {7 docs}
}

func Example_stream() {
	url := server.URL + "/hello"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region stream
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close() // always, unless Bytes, Text or JSON did it

	if _, err := resp.Body.WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// #endregion stream

	// Output: hello, gopher
}

func Example_options() {
	url := server.URL + "/old"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region options
	// For every call of a derived client, which shares the connections of the first.
	patient := client.With(okhttp.WithReadTimeout(time.Minute))

	// For one call.
	resp, err := patient.Get(ctx, url, okhttp.WithFollowRedirects(false))
	// #endregion options
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 301
}

func Example_interceptor() {
	url := server.URL + "/hello"
	ctx := context.Background()
	// #region interceptor
	timing := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req, err := chain.Request().With(okhttp.Header("X-Trace", "42"))
		if err != nil {
			return nil, err
		}
		start := time.Now()
		resp, err := chain.Proceed(ctx, req)
		if err == nil && time.Since(start) > time.Second {
			log.Printf("%s was slow", req.URL().Redacted())
		}
		return resp, err
	})
	client := okhttp.New(okhttp.WithInterceptor(timing))
	// #endregion interceptor
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Request().Headers().Get("X-Trace"))
	// Output: 42
}

func Example_redirect() {
	url := server.URL + "/old"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region redirect
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, resp.Request().URL().EncodedPath())
	fmt.Println(resp.Prior().Status, resp.Prior().Request().URL().EncodedPath())
	// #endregion redirect

	// Output:
	// 200 /hello
	// 301 /old
}

func Example_events() {
	url := server.URL + "/hello"
	ctx := context.Background()
	// #region events
	client := okhttp.New(okhttp.WithEventListener(func(call *okhttp.Call) *okhttp.EventListener {
		return &okhttp.EventListener{
			ConnectStart: func(okhttp.ConnectEvent) { fmt.Println("a new connection") },
			ResponseBodyEnd: func(e okhttp.BodyEnd) {
				fmt.Println(call.Request().Method(), "done")
			},
		}
	}))
	// #endregion events
	defer client.Close()
	for range 2 {
		resp, err := client.Get(ctx, url)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := resp.Body.Bytes(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// a new connection
	// GET done
	// GET done
}

func Example_errors() {
	url := server.URL + "/never"
	client := okhttp.New()
	defer client.Close()
	ctx := context.Background()
	// #region errors
	_, err := client.Get(ctx, url, okhttp.WithReadTimeout(20*time.Millisecond))

	var failed *okhttp.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Phase, "sent:", failed.Sent)
	}
	fmt.Println("timeout:", errors.Is(err, os.ErrDeadlineExceeded))
	fmt.Println("safe to retry:", okhttp.SafeToRetry(err))
	// #endregion errors

	// Output:
	// response-headers sent: true
	// timeout: true
	// safe to retry: false
}

func Example_cancel() {
	url := server.URL + "/never"
	client := okhttp.New()
	defer client.Close()
	// #region cancel
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)

	_, err := client.Get(ctx, url)
	fmt.Println(errors.Is(err, context.Canceled))
	// #endregion cancel

	// Output: true
}

func Example_roundTripper() {
	url := server.URL + "/hello"
	client := okhttp.New()
	defer client.Close()
	// #region roundtripper
	sdk := &http.Client{Transport: client.RoundTripper()} // for anything that takes an http.Client

	resp, err := sdk.Get(url)
	// #endregion roundtripper
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, resp.Header.Get("Greeting"))
	// Output: 200 OK polite
}

func Example_url() {
	// #region url
	base, err := okhttp.ParseURL("HTTP://Example.com:80/a/../b")
	if err != nil {
		log.Fatal(err)
	}
	next, err := base.Resolve("?q=1")
	if err != nil {
		log.Fatal(err)
	}
	built, err := next.Edit().AddPathSegment("tea & cake").SetQuery("q", "50 %").Build()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(base)
	fmt.Println(built)
	fmt.Println(built.Redacted())
	// #endregion url

	// Output:
	// http://example.com/b
	// http://example.com/b/tea%20&%20cake?q=50%20%25
	// http://example.com/...
}

func Example_badHeader() {
	// #region badheader
	_, err := okhttp.NewRequest("GET", "http://example.com/", okhttp.Header("X-Note", "one\r\nHost: evil"))

	fmt.Println(err != nil, strings.Contains(err.Error(), "X-Note"))
	// #endregion badheader

	// Output: true true
}
