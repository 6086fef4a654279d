package examples

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

func Example_networkInterceptor() {
	s := scripted(mockserver.Reply(301).Header("Location", "/new"), mockserver.Reply(200))
	defer s.Close()
	url := s.URL("/old")
	ctx := context.Background()
	// #region network
	wire := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req := chain.Request() // as it goes out
		conn, _ := chain.Connection()
		resp, err := chain.Proceed(ctx, req)
		if err == nil {
			fmt.Println(req.URL().EncodedPath(), req.Headers().Get("Accept-Encoding"), conn.Protocol(), resp.Status)
		}
		return resp, err
	})
	client := okhttp.New(okhttp.WithNetworkInterceptor(wire))
	// #endregion network
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	// Output:
	// /old gzip http/1.1 301
	// /new gzip http/1.1 200
}

func Example_chainWith() {
	s := scripted(mockserver.Reply(200).HeadDelay(100 * time.Millisecond))
	defer s.Close()
	url := s.URL("/reports/2026")
	ctx := context.Background()
	// #region chainwith
	patience := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		if strings.HasPrefix(chain.Request().URL().EncodedPath(), "/reports/") {
			chain = chain.With(okhttp.WithReadTimeout(time.Minute))
		}
		return chain.Proceed(ctx, chain.Request())
	})
	client := okhttp.New(okhttp.WithReadTimeout(20*time.Millisecond), okhttp.WithInterceptor(patience))
	// #endregion chainwith
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200
}

func Example_answeringInterceptor() {
	ctx := context.Background()
	// #region answer
	offline := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		body := okio.NewBufferString("nobody is at home")
		return okhttp.NewResponse(chain.Request(), 503, okhttp.ResponseBodyFrom("text/plain", body.Len(), body)), nil
	})
	client := okhttp.New(okhttp.WithInterceptor(offline))
	// #endregion answer
	defer client.Close()
	resp, err := client.Get(ctx, "https://example.com/")
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Status, text, err)
	// Output: 503 nobody is at home <nil>
}

// #region middleware

// signed is a middleware for net/http, as tracing libraries have them.
func signed(next http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("X-Signature", "…")
		return next.RoundTrip(r)
	})
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// #endregion middleware

func Example_fromMiddleware() {
	url := server.URL + "/hello"
	ctx := context.Background()
	// #region frommiddleware
	client := okhttp.New(okhttp.WithInterceptor(okhttp.FromMiddleware(signed)))
	// #endregion frommiddleware
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Request().Headers().Get("X-Signature"))
	// Output: …
}
