package mockserver_test

import (
	"fmt"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// printer is a test that prints why it fails, so that examples can show it.
type printer struct {
	testing.TB
	failed  bool
	cleanup []func()
}

func (p *printer) Helper()          {}
func (p *printer) Cleanup(f func()) { p.cleanup = append(p.cleanup, f) }
func (p *printer) Failed() bool     { return p.failed }
func (p *printer) Skipped() bool    { return false }
func (p *printer) Error(args ...any) {
	p.failed = true
	fmt.Println(args...)
}

// run is what package testing does with a test.
func run(test func(t testing.TB)) {
	p := new(printer)
	test(p)
	for len(p.cleanup) > 0 {
		last := len(p.cleanup) - 1
		f := p.cleanup[last]
		p.cleanup = p.cleanup[:last]
		f()
	}
}

// The client under test asks once where the script has two responses, and nobody looks at what it asked.
func ExampleStrict() {
	run(func(t testing.TB) {
		server := mockserver.New(t, mockserver.Strict())
		server.Enqueue(mockserver.Reply(200).Text("tea"), mockserver.Reply(200).Text("more tea"))
		show(server, "/tea")
	})
	// Output:
	// 200 "tea" <nil>
	// mockserver: 1 response was enqueued and not used: 200
	// mockserver: 1 request was not taken: GET /tea HTTP/1.1 (connection 0, request 0, body of 0 bytes)
}

// A route that no request came to fails the test.
func ExampleAllRoutesUsed() {
	run(func(t testing.TB) {
		server := mockserver.New(t, mockserver.AllRoutesUsed(), mockserver.WithDispatcher(route.New(
			route.Route{Match: match.Request("GET /tea"), Responses: []mockserver.Response{mockserver.Reply(200).Text("hot")}},
			route.Route{Match: match.Request("GET /coffee"), Responses: []mockserver.Response{mockserver.Reply(200).Text("hotter")}},
		)))
		show(server, "/tea")
	})
	// Output:
	// 200 "hot" <nil>
	// mockserver: 1 route was never used:
	//   GET /coffee
}

// A server that is scripted and given to others before it listens.
func ExampleNewUnstarted() {
	run(func(t testing.TB) {
		server := mockserver.NewUnstarted(t)
		server.Enqueue(mockserver.Reply(200).Text("ready"))
		fmt.Println(server.Addr())
		if err := server.Start(""); err != nil {
			t.Error(err)
			return
		}
		show(server, "/")
	})
	// Output:
	// <nil>
	// 200 "ready" <nil>
}

// A response that cannot be sent fails the test when it is enqueued.
func ExampleResponse_Err() {
	fmt.Println(mockserver.Reply(200).Header("no name", "x").Err())
	fmt.Println(mockserver.Reply(200).Header("X-Name", "x").Err())
	// Output:
	// mockserver: okhttp: unexpected char 0x20 at 2 in header name: "no name"
	// <nil>
}

// The fault would cut the request body short, of which there is none.
func ExampleStrict_missed() {
	run(func(t testing.TB) {
		server := mockserver.New(t, mockserver.Strict())
		server.Enqueue(mockserver.Reply(200).Text("tea").On(mockserver.RequestBody, mockserver.CloseSocket{}))
		show(server, "/tea")
		server.TryTakeRequest()
	})
	// Output:
	// 200 "tea" <nil>
	// mockserver: 1 scripted fault never struck: CloseSocket at RequestBody of the response 200 did not strike: the request has no content; in answer to GET /tea HTTP/1.1 (connection 0, request 0, body of 0 bytes)
}
