package examples

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

func Example_okauthBasic() {
	s := scripted(
		mockserver.Reply(401).Header("WWW-Authenticate", `Basic realm="staff"`),
		mockserver.Reply(200).Text("come in"))
	defer s.Close()
	url := s.URL("/")
	ctx := context.Background()
	// #region basic
	api, err := okhttp.ParseURL(url)
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithAuthenticator(okauth.Basic("jesse", "geheim", okauth.OnlyFor(api))))
	defer client.Close()

	resp, err := client.Get(ctx, url)
	// #endregion basic
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Status, resp.Prior().Status)
	// Output: 200 401
}

func Example_okauthBearer() {
	s := scripted(mockserver.Reply(201))
	defer s.Close()
	url := s.URL("/upload")
	ctx := context.Background()
	// #region bearer
	tokens := okauth.Bearer(func(ctx context.Context) (string, error) {
		return "a-fresh-token", nil // asks whoever issues them
	})
	client := okhttp.New(
		okhttp.WithAuthenticator(tokens), // fetches another one when a server refuses it
		okhttp.WithNetworkInterceptor(tokens.Preemptive()))
	defer client.Close()

	resp, err := client.Post(ctx, url, okhttp.OneShot("text/plain", -1, strings.NewReader("said once")))
	// #endregion bearer
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	r, err := s.TakeRequest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, r.Headers.Get("Authorization"), string(r.Body))
	// Output: 201 Bearer a-fresh-token said once
}
