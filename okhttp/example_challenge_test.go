package okhttp_test

import (
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

func ExampleResponse_Challenges() {
	req, err := okhttp.NewRequest("GET", "https://example.com/")
	if err != nil {
		fmt.Println(err)
		return
	}
	headers, err := okhttp.NewHeaders("WWW-Authenticate", `Negotiate, Basic realm="the \"shop\"", charset="UTF-8"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp := okhttp.NewResponse(req, 401, okhttp.ResponseHeaders(headers))

	for _, c := range resp.Challenges() {
		if !strings.EqualFold(c.Scheme, "Basic") {
			continue
		}
		credentials, err := okhttp.BasicCredentials("ann", "\u20ac", c.Charset())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Realm())
		fmt.Println(credentials)
	}
	// Output:
	// the "shop"
	// Basic YW5uOuKCrA==
}

func ExampleBasicCredentials() {
	fmt.Println(okhttp.BasicCredentials("Aladdin", "open sesame", ""))
	fmt.Println(okhttp.BasicCredentials("Aladdin", "\u20ac", ""))
	// Output:
	// Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ== <nil>
	//  okhttp: password contains a character that is not in ISO-8859-1
}
