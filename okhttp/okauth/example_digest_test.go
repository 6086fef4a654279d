package okauth_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

// Digest is asked once for a nonce; with the interceptor the calls after that answer beforehand, in one round trip each.
func ExampleDigest() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ") // a real server checks the rest
		fmt.Printf("server got %q\n", scheme)
		if scheme != "Digest" {
			w.Header().Set("WWW-Authenticate", `Digest realm="pride rock", nonce="7ypf", qop="auth", algorithm=SHA-256`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()

	digest := okauth.Digest("mufasa", "Circle of Life")
	client := okhttp.New(okhttp.WithAuthenticator(digest), okhttp.WithNetworkInterceptor(digest.Preemptive()))
	defer client.Close()
	for range 2 {
		resp, err := client.Get(context.Background(), server.URL)
		if err != nil {
			log.Fatal(err)
		}
		_ = resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// server got ""
	// server got "Digest"
	// 200
	// server got "Digest"
	// 200
}

// A client that can do several schemes takes the first of the server's that it can.
func ExampleFirstOf() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if scheme == "" {
			w.Header().Add("WWW-Authenticate", "Negotiate")
			w.Header().Add("WWW-Authenticate", `Digest realm="pride rock", nonce="7ypf", qop="auth"`)
			w.Header().Add("WWW-Authenticate", `Basic realm="pride rock"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, scheme)
	}))
	defer server.Close()

	const user, password = "mufasa", "Circle of Life"
	auth := okauth.FirstOf(okauth.Basic(user, password), okauth.Digest(user, password))
	client := okhttp.New(okhttp.WithAuthenticator(auth))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: Digest <nil>
}

// Credentials go to the origins that are listed, and never to where a redirect leads otherwise.
func ExampleOnlyFor() {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _, ok := r.BasicAuth()
		fmt.Fprint(w, "credentials: ", ok)
	})
	other := httptest.NewServer(echo)
	defer other.Close()
	pages := http.NewServeMux()
	pages.Handle("/", echo)
	pages.Handle("/away", http.RedirectHandler(other.URL, http.StatusFound))
	server := httptest.NewServer(pages)
	defer server.Close()
	origin, err := okhttp.ParseURL(server.URL)
	if err != nil {
		log.Fatal(err)
	}

	basic := okauth.Basic("Aladdin", "open sesame", okauth.OnlyFor(origin))
	client := okhttp.New(okhttp.WithAuthenticator(basic), okhttp.WithNetworkInterceptor(basic.Preemptive()))
	defer client.Close()
	for _, path := range []string{"/", "/away"} {
		resp, err := client.Get(context.Background(), server.URL+path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(resp.Body.Text())
	}
	// Output:
	// credentials: true <nil>
	// credentials: false <nil>
}

// Authenticators do not show what they know, however they are printed.
func ExampleBearerAuth() {
	bearer := okauth.Bearer(func(context.Context) (string, error) { return "s3cret", nil })
	fmt.Printf("%v %+v %#v %s\n", bearer, bearer, bearer, bearer.Scheme())
	// Output: okauth.Bearer okauth.Bearer okauth.Bearer Bearer
}

// The same authenticators answer proxies, which ask with 407.
func ExampleDigestAuth() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if scheme, _, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " "); scheme != "Digest" {
			w.Header().Set("Proxy-Authenticate", `Digest realm="pride rock", nonce="7ypf", qop="auth"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		fmt.Fprint(w, "proxied ", r.URL)
	}))
	defer server.Close()
	proxy, err := okhttp.ParseProxy(server.URL)
	if err != nil {
		log.Fatal(err)
	}

	client := okhttp.New(okhttp.WithProxy(proxy), okhttp.WithProxyAuthenticator(okauth.Digest("mufasa", "Circle of Life")))
	defer client.Close()
	resp, err := client.Get(context.Background(), "http://example.com/")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: proxied http://example.com/ <nil>
}
