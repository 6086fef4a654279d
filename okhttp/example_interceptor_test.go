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

// An application interceptor runs once a call: here it adds a header to each request and grants some calls more time.
func ExampleInterceptor() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("X-Client"), " asked for ", r.URL)
	}))
	defer server.Close()

	name := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req, err := chain.Request().With(okhttp.Header("X-Client", "shop/1.0"))
		if err != nil {
			return nil, err
		}
		if req.URL().EncodedPath() == "/report" {
			chain = chain.With(okhttp.WithReadTimeout(time.Minute))
		}
		return chain.Proceed(ctx, req)
	})
	client := okhttp.New(okhttp.WithInterceptor(name))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL+"/report")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: shop/1.0 asked for /report <nil>
}

// A network interceptor runs for each request that is sent, and knows the connection.
func ExampleWithNetworkInterceptor() {
	pages := http.NewServeMux()
	pages.Handle("/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
	server := httptest.NewServer(pages)
	defer server.Close()

	tell := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		resp, err := chain.Proceed(ctx, chain.Request())
		if err == nil {
			conn, _ := chain.Connection()
			fmt.Println(chain.Request().URL().EncodedPath(), resp.Status, "over", conn.Protocol())
		}
		return resp, err
	})
	client := okhttp.New(okhttp.WithNetworkInterceptor(tell))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL+"/old")
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	// Output:
	// /old 301 over http/1.1
	// /new 404 over http/1.1
}

// An interceptor can answer by itself, without a network.
func ExampleNewResponse() {
	maintenance := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		return okhttp.NewResponse(chain.Request(), 503, okhttp.ResponseStatus(503, "Closed for Today")), nil
	})
	client := okhttp.New(okhttp.WithInterceptor(maintenance))
	defer client.Close()
	resp, err := client.Get(context.Background(), "https://example.com/")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, resp.Message)
	// Output: 503 Closed for Today
}

// What was written for net/http serves here too.
func ExampleFromMiddleware() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	count := 0
	counted := func(next http.RoundTripper) http.RoundTripper {
		return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
			count++
			return next.RoundTrip(r)
		})
	}
	client := okhttp.New(okhttp.WithInterceptor(okhttp.FromMiddleware(counted)))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	fmt.Println(count, resp.Status)
	// Output: 1 404
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
