package route_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

func Example() {
	routes := route.New(
		route.Route{Match: match.Request("GET /tea"), Responses: []mockserver.Response{mockserver.Reply(503), mockserver.Reply(200).Text("hot")}},
		route.Route{Match: match.All(match.Request("POST /orders"), match.Header("Content-Type", match.Contains("json"))), Responses: []mockserver.Response{mockserver.Reply(201)}},
	)
	server, err := mockserver.Start(mockserver.WithDispatcher(routes))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	show := func(resp *http.Response, err error) {
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		fmt.Println(resp.StatusCode, strings.TrimSpace(string(text)), err)
	}
	show(http.Get(server.URL("/tea")))
	show(http.Get(server.URL("/tea")))
	show(http.Post(server.URL("/orders"), "text/plain", strings.NewReader("tea")))
	// Output:
	// 503  <nil>
	// 200 hot <nil>
	// 404 no route of 2 matches POST /orders HTTP/1.1
	//   close: POST /orders and header Content-Type one with "json"
	//     header Content-Type: expected one with "json" but it was "text/plain"
	//   close: GET /tea
	//     method: expected GET but it was "POST"
	//     path: expected /tea but it was "/orders" <nil>
}
