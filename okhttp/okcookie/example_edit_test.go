package okcookie_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcookie"
)

// A program can put cookies of its own into a jar, look through it, and take them out again.
func ExampleJar_Put() {
	jar := okcookie.New(nil)
	session := okcookie.Cookie{Name: "session", Value: "42", Domain: "example.com", HostOnly: true, Path: "/", Secure: true}
	if err := jar.Put(session); err != nil {
		log.Fatal(err)
	}
	for entry := range jar.All() {
		fmt.Println(entry.Cookie)
	}
	fmt.Println(jar.Remove(session), jar.Len())
	// Output:
	// session=42; path=/; secure
	// true 0
}

// What cannot be a cookie is refused with the reason.
func ExampleNewCookie() {
	cookie, err := okcookie.NewCookie(okcookie.Cookie{Name: "lang", Value: "en", Domain: "Bücher.example"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cookie.Domain, cookie.Path)

	_, err = okcookie.NewCookie(okcookie.Cookie{Name: "lang", Value: "e;n", Domain: "example.com"})
	var refused *okcookie.RejectError
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason)
	}
	// Output:
	// xn--bcher-kva.example /
	// syntax
}

// A cookie is for the hosts and paths that it names, and a Secure one for https alone.
func ExampleCookie_Matches() {
	cookie := okcookie.Cookie{Name: "cart", Value: "7", Domain: "example.com", Path: "/shop", Secure: true}
	for _, s := range []string{"https://www.example.com/shop/tea", "http://example.com/shop", "https://example.com/", "https://example.org/shop"} {
		u, err := okhttp.ParseURL(s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s, cookie.Matches(u))
	}
	// Output:
	// https://www.example.com/shop/tea true
	// http://example.com/shop false
	// https://example.com/ false
	// https://example.org/shop false
}
