package match_test

import (
	"fmt"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
)

func ExampleAll() {
	m := match.All(match.Request("POST /orders/{shop}"), match.JSONSubset(`{"item": "tea"}`))
	r := &mockserver.Request{Method: "POST", Target: "/orders/7", Proto: "HTTP/1.1", Body: []byte(`{"item": "tee", "n": 1}`), BodySize: 23}
	for _, difference := range m.Match(r) {
		fmt.Println(difference)
	}
	fmt.Println(match.Params(m, r))
	// Output:
	// body at $.item: expected "tea" but it was "tee"
	// map[shop:7]
}

func ExamplePattern() {
	p := match.Both(match.HasPrefix("Bearer "), match.IsNot(match.HasSuffix("expired")))
	fmt.Println(p.Fits("Bearer 1", true), p.Fits("Bearer expired", true), p.Fits("", false))
	fmt.Println(p)
	// Output:
	// true false false
	// one that begins with "Bearer " and not one that ends with "expired"
}

func ExampleJSONPath() {
	m := match.JSONPath("$.items[?@.price < 10].name", match.Is("tea"))
	r := &mockserver.Request{Body: []byte(`{"items": [{"name": "tea", "price": 4.5}, {"name": "pot", "price": 30}]}`)}
	r.BodySize = int64(len(r.Body))
	fmt.Println(len(m.Match(r)) == 0)
	// Output: true
}
