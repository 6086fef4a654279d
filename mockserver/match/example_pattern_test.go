package match_test

import (
	"fmt"

	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okhttp"
)

// Values are described by patterns, which can be put together.
func ExampleEither() {
	json := match.Header("Accept", match.Either(match.IsFold("application/json"), match.HasSuffix("+json")))
	untraced := match.Header("Traceparent", match.Absent())
	r := order("")
	for _, accept := range []string{"Application/JSON", "application/problem+json", "text/html"} {
		r.Headers, _ = okhttp.NewHeaders("Accept", accept)
		fmt.Println(accept, len(match.All(json, untraced).Match(r)) == 0)
	}
	fmt.Println(untraced)
	// Output:
	// Application/JSON true
	// application/problem+json true
	// text/html false
	// header Traceparent none
}

// A request in words of its own: where it goes, what it asks, and who asks.
func ExamplePath() {
	m := match.All(
		match.Path("/orders/{id}"),
		match.Query("page", match.Regexp("[0-9]+")),
		match.Host(match.Is("shop.test")),
		match.Cookie("session", match.Present()),
		match.BasicAuth("ada", "secret"),
	)
	r := order("")
	r.Target, r.Authority = "/orders/7?page=two", "shop.test"
	r.Headers, _ = okhttp.NewHeaders("Cookie", "session=abc", "Authorization", "Basic YWRhOnNlY3JldA==")
	for _, mismatch := range m.Match(r) {
		fmt.Println(mismatch)
	}
	// Output:
	// query page: expected one like /[0-9]+/ but it was "two"
}
