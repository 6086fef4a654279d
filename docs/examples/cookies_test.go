package examples

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

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

func Example_netscapeCookies() {
	dir, err := os.MkdirTemp("", "cookies")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "cookies.txt")
	byCurl := "# Netscape HTTP Cookie File\n\n#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\tsession\t4711\n"
	if err := os.WriteFile(file, []byte(byCurl), 0o600); err != nil {
		log.Fatal(err)
	}
	// #region netscape
	jar := okcookie.New(&okcookie.Options{SaveSession: true})
	if err := jar.LoadNetscape(file); err != nil {
		log.Fatal(err)
	}
	for cookie := range jar.All() {
		fmt.Println(cookie.Name, cookie.Domain, cookie.HTTPOnly)
	}
	if err := jar.SaveNetscape(file); err != nil { // as a whole or not at all
		log.Fatal(err)
	}
	// #endregion netscape
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(text), "\n#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\tsession\t4711\n"))
	// Output:
	// session example.com true
	// true
}

func Example_lenientCookies() {
	file := strings.NewReader("example.com\tFALSE\t/\tFALSE\t0\ta\t1\nexample.com FALSE / FALSE 0 b 2\n")
	// #region lenient
	jar := okcookie.New(nil)
	for cookie, err := range okcookie.ParseNetscape(file) {
		if err == nil {
			err = jar.Put(cookie)
		}
		if err != nil {
			fmt.Println("left out:", err)
		}
	}
	// #endregion lenient
	fmt.Println(jar.Len())
	// Output:
	// left out: okcookie: line 2: expected 7 fields between tabs, got 1
	// 1
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
