package match_test

import (
	"fmt"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
)

// order is a request that came.
func order(body string) *mockserver.Request {
	return &mockserver.Request{Method: "POST", Target: "/orders", Proto: "HTTP/1.1", Body: []byte(body), BodySize: int64(len(body))}
}

// A value is compared as JSON: blanks, and how a number is written, make no difference.
func ExampleJSONPathIs() {
	m := match.JSONPathIs("$.items[0]", `{"n": 1.0, "name": "tea"}`)
	for _, body := range []string{`{"items": [{"name":"tea","n":1}]}`, `{"items": [{"name":"tea","n":2}]}`} {
		fmt.Println(len(m.Match(order(body))) == 0)
	}
	// Output:
	// true
	// false
}

// The rules say what may differ.
func ExampleJSONWith() {
	m := match.JSONWith(`{"items": ["pot", "tea"]}`, match.JSONRules{ExtraMembers: true, ExtraElements: true, AnyOrder: true})
	fmt.Println(len(m.Match(order(`{"items": ["tea", "milk", "pot"], "gift": true}`))) == 0)
	// Output: true
}

// Whatever is not that: here, requests that are no orders of tea.
func ExampleNot() {
	m := match.Not(match.All(match.Request("POST /orders"), match.JSONSubset(`{"item": "tea"}`)))
	for _, body := range []string{`{"item": "tea"}`, `{"item": "pot"}`} {
		fmt.Println(body, len(m.Match(order(body))) == 0)
	}
	// Output:
	// {"item": "tea"} false
	// {"item": "pot"} true
}

// One of several is enough, and a function can look at what has no words here.
func ExampleAny() {
	m := match.Any(match.Method("PUT"), match.Func("with a small body", func(r *mockserver.Request) bool { return r.BodySize < 100 }))
	fmt.Println(len(m.Match(order("{}"))) == 0)
	fmt.Println(m)
	// Output:
	// true
	// method PUT or with a small body
}

// A matcher of wrong arguments says so, and matches nothing.
func ExampleErr() {
	m := match.Header("Accept", match.Regexp("json("))
	fmt.Println(match.Err(m) != nil, len(m.Match(order(""))) == 0)
	// Output: true false
}
