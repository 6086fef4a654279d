package stub_test

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// An answer depends on what came before: there is no tea before there is an order.
func ExampleScenario() {
	stubs, err := stub.Parse("tea.json", []byte(`[
  {"request": {"path": "/order"}, "response": {"status": 201}, "scenario": {"name": "tea", "then": "ordered"}},
  {"request": {"path": "/tea"}, "response": {"body": "hot"}, "scenario": {"name": "tea", "when": "ordered"}},
  {"request": {"path": "/tea"}, "response": {"status": 404}, "priority": 1}
]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	serve(stubs, "/tea", "/order", "/tea")
	// Output:
	// /tea 404 "" <nil>
	// /order 201 "" <nil>
	// /tea 200 "hot" <nil>
}

// A body comes in pieces over a time, as over a slow line.
func ExampleDribble() {
	body := "drip drop"
	serve([]stub.Stub{{Responses: []stub.Response{{Body: &body, Dribble: &stub.Dribble{Pieces: 3, Over: stub.Duration(3 * time.Millisecond)}}}}}, "/")
	// Output: / 200 "drip drop" <nil>
}

// What is expected of requests can stand in a file too.
func ExampleParseVerification() {
	matcher, times, err := stub.ParseVerification("expected.json", []byte(`{"request": {"method": "GET", "path": "/tea"}, "exactly": 2}`))
	fmt.Println(matcher, "-", times, err)
	// Output: method GET and path /tea - exactly 2 requests <nil>
}

// serve answers with stubs, and shows what GETs of paths bring.
func serve(stubs []stub.Stub, paths ...string) {
	routes, err := stub.Routes(nil, stubs...)
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := mockserver.Start(mockserver.WithDispatcher(route.New(routes...)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	for _, path := range paths {
		resp, err := http.Get(server.URL(path))
		if err != nil {
			fmt.Println(err)
			return
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Printf("%s %d %q %v\n", path, resp.StatusCode, text, err)
	}
}
