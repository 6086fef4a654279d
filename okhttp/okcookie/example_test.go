package okcookie_test

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcookie"
)

// A jar goes wherever an [http.CookieJar] does, and can be looked into.
func Example() {
	jar := okcookie.New(nil)
	_ = http.Client{Jar: jar}

	u := &url.URL{Scheme: "https", Host: "www.example.com", Path: "/login"}
	resp := &http.Response{Header: http.Header{"Set-Cookie": {"sid=31d4; Path=/; Secure; HttpOnly", "lang=en; Domain=example.com"}}}
	jar.SetCookies(u, resp.Cookies())
	for e := range jar.All() {
		fmt.Println(e.Name, e.Domain, e.HostOnly, e.Path)
	}
	// Output:
	// sid www.example.com true /
	// lang example.com false /
}

func ExampleJar_SetCookie() {
	u, err := okhttp.ParseURL("http://shop.example.co.uk/")
	if err != nil {
		log.Fatal(err)
	}
	_, err = okcookie.New(nil).SetCookie(u, "track=1; Domain=co.uk")
	fmt.Println(err)
	var rejected *okcookie.RejectError
	fmt.Println(errors.As(err, &rejected) && rejected.Reason == okcookie.ReasonPublicSuffix)
	// Output:
	// okcookie: cookie "track": domain "co.uk" is a public suffix
	// true
}

func ExampleJar_Save() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "cookies.json")

	jar := okcookie.New(&okcookie.Options{SaveSession: true})
	if err := jar.Put(okcookie.Cookie{Name: "token", Value: "t0p", Domain: "example.com", Secure: true}); err != nil {
		log.Fatal(err)
	}
	if err := jar.Save(path); err != nil {
		log.Fatal(err)
	}

	next := okcookie.New(nil)
	if err := next.Load(path); err != nil {
		log.Fatal(err)
	}
	for e := range next.All() {
		fmt.Println(e.Cookie)
	}
	// Output: token=t0p; domain=example.com; path=/; secure
}

// What curl -c wrote, a program takes, and what it saves, curl -b sends.
func ExampleJar_LoadNetscape() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "cookies.txt")
	const text = "# Netscape HTTP Cookie File\n" +
		"#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\tsid\t31d4\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}

	jar := okcookie.New(&okcookie.Options{SaveSession: true})
	if err := jar.LoadNetscape(path); err != nil {
		log.Fatal(err)
	}
	for e := range jar.All() {
		fmt.Println(e.Cookie)
	}
	if err := jar.SaveNetscape(path); err != nil {
		log.Fatal(err)
	}
	// Output: sid=31d4; domain=example.com; path=/; secure; httponly
}

// Lines that are no cookie do not keep a program from the others.
func ExampleParseNetscape() {
	const text = ".example.com\tTRUE\t/\tFALSE\t0\ta\t1\n" +
		"example.com FALSE / FALSE 0 b 2\n" + // spaces
		"example.com\tFALSE\t/\tFALSE\t0\tc\t3\n"
	jar := okcookie.New(nil)
	for c, err := range okcookie.ParseNetscape(strings.NewReader(text)) {
		if err == nil {
			err = jar.Put(c)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(jar.Len())
	// Output:
	// okcookie: line 2: expected 7 fields between tabs, got 1
	// 2
}

func ExampleParseSetCookie() {
	u, err := okhttp.ParseURL("https://example.com/docs/page")
	if err != nil {
		log.Fatal(err)
	}
	c, err := okcookie.ParseSetCookie(u, "theme=dark; Max-Age=0; SameSite=Lax")
	fmt.Println(c, err)
	fmt.Println(c.Path, c.HostOnly, c.IsSession())
	// Output:
	// theme=dark; max-age=0; path=/docs; samesite=Lax <nil>
	// /docs true false
}
