package examples

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// open counts how often a body is opened.
func open(n *int, content string) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) {
		*n++
		return io.NopCloser(strings.NewReader(content)), nil
	}
}

func Example_sensitiveHeaders() {
	elsewhere := scripted(mockserver.Reply(200))
	defer elsewhere.Close()
	s := scripted(mockserver.Reply(302).Header("Location", elsewhere.URL("/new")))
	defer s.Close()
	url := s.URL("/old")
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region sensitive
	req, err := okhttp.NewRequest("GET", url,
		okhttp.Header("Authorization", "Bearer secret"), // never crosses origins
		okhttp.Header("X-Api-Key", "secret"))            // unless named, this would
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req, okhttp.WithSensitiveHeaders("X-Api-Key"))
	// #endregion sensitive
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	arrived, err := elsewhere.TakeRequest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q %q\n", arrived.Headers.Get("Authorization"), arrived.Headers.Get("X-Api-Key"))
	// Output: "" ""
}

func Example_redirectedPost() {
	s := scripted(mockserver.Reply(302).Header("Location", "/receipt"), mockserver.Reply(200))
	defer s.Close()
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	resp, err := client.Post(ctx, s.URL("/orders"), okhttp.Text("tea"))
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	for range 2 {
		r, err := s.TakeRequest(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q %q\n", r.Method, r.Headers.Get("Content-Type"), r.Headers.Get("Content-Length"))
	}
	// Output:
	// POST "text/plain; charset=utf-8" "3"
	// GET "" ""
}

func Example_authenticator() {
	s := scripted(
		mockserver.Reply(401).Header("WWW-Authenticate", `Basic realm="staff", charset="UTF-8"`),
		mockserver.Reply(200).Text("come in"))
	defer s.Close()
	url := s.URL("/")
	ctx := context.Background()
	// #region authenticator
	login := okhttp.AuthenticatorFunc(func(
		ctx context.Context, _ *okhttp.Route, resp *okhttp.Response,
	) (*okhttp.Request, error) {
		if resp.Request().Headers().Get("Authorization") != "" {
			return nil, nil // these credentials were refused: the 401 is the answer
		}
		for _, c := range resp.Challenges() {
			if !strings.EqualFold(c.Scheme, "Basic") || c.Realm() != "staff" {
				continue
			}
			credentials, err := okhttp.BasicCredentials("jesse", "geheim", c.Charset())
			if err != nil {
				return nil, err
			}
			return resp.Request().With(okhttp.Header("Authorization", credentials))
		}
		return nil, nil
	})
	client := okhttp.New(okhttp.WithAuthenticator(login))
	// #endregion authenticator
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Status, text, err, resp.Prior().Status)
	// Output: 200 come in <nil> 401
}

func Example_retryPolicy() {
	s := scripted(mockserver.Reply(503).Header("Retry-After", "0"), mockserver.Reply(503), mockserver.Reply(200))
	defer s.Close()
	url := s.URL("/")
	ctx := context.Background()
	// #region retrypolicy
	client := okhttp.New(okhttp.WithRetryPolicy(okhttp.RetryPolicy{
		MaxAttempts: 4,
		BaseDelay:   10 * time.Millisecond, // doubles each time, where the server does not say
		MaxDelay:    5 * time.Second,       // a server that asks for more gets no second request
	}))
	// #endregion retrypolicy
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Status, s.RequestCount())
	// Output: 200 3
}

func Example_upgrade() {
	url := server.URL + "/shout"
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region upgrade
	req, err := okhttp.NewRequest("GET", url, okhttp.Upgrade("shout"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close() // closes both directions
	socket, ok := resp.Socket()
	if !ok {
		log.Fatalf("the server answered %d and stays with HTTP", resp.Status)
	}
	out := okio.NewBufferedSink(socket.Sink())
	out.WriteString("is anybody there?\n")
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
	line, err := okio.NewBufferedSource(socket.Source()).ReadLine()
	fmt.Println(resp.Status, line, err)
	// #endregion upgrade

	// Output: 101 IS ANYBODY THERE? <nil>
}
