package okhttp_test

import (
	"errors"
	"fmt"

	"github.com/okhttp-go/ok/okhttp"
)

func ExampleParseURL() {
	u, err := okhttp.ParseURL("HTTPS://Bücher.example:443/a/../päge?q=1&q=2#top")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(u)
	fmt.Println(u.Host(), u.Port(), u.PathSegments())
	// Output:
	// https://xn--bcher-kva.example/p%C3%A4ge?q=1&q=2#top
	// xn--bcher-kva.example 443 [päge]
}

func ExampleParseURL_error() {
	_, err := okhttp.ParseURL("http://bob:secret@example.com:65536/?token=secret")
	fmt.Println(err)

	var urlError *okhttp.URLError
	fmt.Println(errors.As(err, &urlError), urlError.Part)
	// Output:
	// okhttp: invalid URL port: "65536" in http://██@example.com:65536/...
	// true port
}

func ExampleURL_Resolve() {
	base, _ := okhttp.ParseURL("https://example.com/docs/intro.html?lang=en#top")
	for _, ref := range []string{"guide.html", "../images/", "//cdn.example.com/x", "?lang=de", "mailto:a@example.com"} {
		u, err := base.Resolve(ref)
		fmt.Println(u, err)
	}
	// Output:
	// https://example.com/docs/guide.html <nil>
	// https://example.com/images/ <nil>
	// https://cdn.example.com/x <nil>
	// https://example.com/docs/intro.html?lang=de <nil>
	//  okhttp: expected URL scheme 'http' or 'https' but was 'mailto' in ██@example.com
}

func ExampleURL_Edit() {
	u, _ := okhttp.ParseURL("https://api.example.com/v1/users?page=3")
	next, err := u.Edit().
		AddPathSegment("a/b c").
		SetQuery("page", "4").
		AddQuery("sort", "name & age").
		Build()
	fmt.Println(next, err)
	// Output: https://api.example.com/v1/users/a%2Fb%20c?page=4&sort=name%20%26%20age <nil>
}

func ExampleURLBuilder() {
	u, err := new(okhttp.URLBuilder).Scheme("http").Host("::1").Port(8080).AddPathSegments("a/b/").Build()
	fmt.Println(u, err)

	_, err = new(okhttp.URLBuilder).Scheme("http").Host("example.com").Port(70000).AddPathSegment("x").Build()
	fmt.Println(err)
	// Output:
	// http://[::1]:8080/a/b/ <nil>
	// okhttp: unexpected port: 70000
}

func ExampleURL_Query() {
	u, _ := okhttp.ParseURL("https://example.com/?tag=go&tag=http&debug")
	for name, value := range u.QueryAll() {
		fmt.Printf("%s=%q\n", name, value)
	}
	_, debug := u.Query("debug")
	fmt.Println(debug)
	// Output:
	// tag="go"
	// tag="http"
	// debug=""
	// true
}

func ExampleURL_TopPrivateDomain() {
	u, _ := okhttp.ParseURL("https://www.google.co.uk/maps")
	fmt.Println(u.TopPrivateDomain())
	// Output: google.co.uk true
}

func ExampleURL_Redacted() {
	u, _ := okhttp.ParseURL("https://bob:secret@example.com:8443/reset?token=secret")
	fmt.Println(u.Redacted())
	// Output: https://example.com:8443/...
}
