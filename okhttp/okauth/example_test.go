package okauth_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

func ExampleBasic() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user == "Aladdin" && password == "open sesame" {
			_, _ = io.WriteString(w, "come in")
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="the cave"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	cave, err := okhttp.ParseURL(server.URL)
	if err != nil {
		log.Fatal(err)
	}

	client := okhttp.New(okhttp.WithAuthenticator(okauth.Basic("Aladdin", "open sesame", okauth.OnlyFor(cave))))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(resp.Status, text, err)
	// Output: 200 come in <nil>
}

// A token that a server no longer takes is fetched anew, once for all calls that need it.
func ExampleBearer() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("server got", r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") != "Bearer token-2" {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()

	fetched := 0
	bearer := okauth.Bearer(func(ctx context.Context) (string, error) { // of an OAuth server, for example
		fetched++
		return fmt.Sprintf("token-%d", fetched), nil
	})
	client := okhttp.New(okhttp.WithAuthenticator(bearer), okhttp.WithInterceptor(bearer.Preemptive()))
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
	// server got Bearer token-1
	// server got Bearer token-2
	// 200
	// server got Bearer token-2
	// 200
}
