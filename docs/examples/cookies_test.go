package examples

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcookie"
)

func Example_cookies() {
	dir, err := os.MkdirTemp("", "cookies")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "cookies.json")
	s := scripted(
		mockserver.Reply(200).Header("Set-Cookie", "session=4711; Max-Age=3600; HttpOnly"),
		mockserver.Reply(200))
	defer s.Close()
	url := s.URL("/")
	ctx := context.Background()
	// #region cookies
	jar := okcookie.New(nil)
	if err := jar.Load(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithCookieJar(jar))
	defer client.Close()
	for range 2 {
		resp, err := client.Get(ctx, url)
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
	}
	for cookie := range jar.All() {
		fmt.Println(cookie.Name, cookie.HTTPOnly)
	}
	if err := jar.Save(file); err != nil { // the old file or the new one, whatever fails
		log.Fatal(err)
	}
	// #endregion cookies
	for range 2 {
		r, err := s.TakeRequest(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q\n", r.Headers.Get("Cookie"))
	}
	again := okcookie.New(nil)
	fmt.Println(again.Load(file), again.Len())
	// Output:
	// session true
	// ""
	// "session=4711"
	// <nil> 1
}

func Example_refusedCookie() {
	// #region refused
	jar := okcookie.New(nil)
	u, err := okhttp.ParseURL("http://shop.example.co.uk/")
	if err != nil {
		log.Fatal(err)
	}
	_, err = jar.SetCookie(u, "id=1; Domain=co.uk")
	var refused *okcookie.RejectError
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason)
	}
	// #endregion refused

	// Output: public-suffix
}
