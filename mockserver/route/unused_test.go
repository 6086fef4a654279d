package route_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/okio"
)

// ending is a test of a server whose end is in the hands of another.
type ending struct {
	reporter
	cleanups        []func()
	failed, skipped bool
}

func (e *ending) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }
func (e *ending) Failed() bool     { return e.failed }
func (e *ending) Skipped() bool    { return e.skipped }

// end ends the test and returns what it failed with.
func (e *ending) end() []string {
	for _, f := range e.cleanups {
		f()
	}
	return e.reports()
}

func unused(t *testing.T, routes *route.Routes, want ...string) {
	t.Helper()
	if got := routes.Unused(); fmt.Sprint(got) != fmt.Sprint(want) || len(got) != len(want) {
		t.Errorf("unused %q\nwant   %q", got, want)
	}
}

func TestUnused(t *testing.T) {
	routes := route.New(
		route.Route{Name: "late", Priority: 5, Match: match.Request("GET /late"), Responses: reply(200)},
		route.Route{Match: match.Path("/head"), Responses: reply(200)},
		route.Route{Match: match.All(match.Path("/body"), match.Body(match.Is("hi"))), Responses: reply(200)},
		route.Route{Name: "func", Match: match.Path("/func"), Func: func(context.Context, route.Hit) mockserver.Response { return mockserver.Reply(200) }},
		route.Route{Match: match.Path("/cart"), Scenario: "cart", State: route.Started, Next: "full", Responses: reply(200)},
		route.Route{Match: match.Path("/cart"), Scenario: "cart", State: "full", Responses: reply(200), Source: "cart.json:7"},
		route.Route{Match: match.Path("/several"), Responses: []mockserver.Response{mockserver.Reply(200), mockserver.Reply(201)}},
	)
	all := []string{`"late" (GET /late)`, "path /head", `path /body and body "hi"`, `"func" (path /func)`, "path /cart in state Started of scenario cart",
		"path /cart in state full of scenario cart of cart.json:7", "path /several"}
	unused(t, routes, all...)
	if s := serve(t, routes); status(t, s, "GET /none") != "404" {
		t.Error("a request that nobody matches has an answer")
	}
	for _, r := range routes.Status() {
		routes.Peek(&mockserver.Request{Method: "GET", Target: strings.TrimPrefix(r.Name, "path ")})
	}
	unused(t, routes, all...) // to be looked at is no use

	s := serve(t, routes)
	for i, request := range []string{"GET /late", "GET /head", "POST /body HTTP/1.1·Connection: close·Content-Length: 2··hi", "GET /func", "GET /cart", "GET /cart", "GET /several"} {
		if got := status(t, s, request); got != "200" {
			t.Errorf("%s: %s", request, got)
		}
		unused(t, routes, all[i+1:]...)
	}
	routes.Reset()
	unused(t, routes) // what was used stays so
	routes.On(match.Path("/more"), mockserver.Reply(200))
	unused(t, routes, "path /more")
	if err := routes.Add(route.Route{Name: "gone", Match: match.Path("/gone"), Responses: reply(200)}); err != nil {
		t.Fatal(err)
	}
	unused(t, routes, "path /more", `"gone" (path /gone)`)
	routes.Remove("gone")
	unused(t, routes, "path /more")
}

// TestUnusedOfFallbacks goes down the chain, as far as the parts can tell.
func TestUnusedOfFallbacks(t *testing.T) {
	last := route.New(route.Route{Match: match.Path("/last"), Responses: reply(200)})
	middle := route.New(route.Route{Match: match.Path("/middle"), Responses: reply(200)})
	first := route.New(route.Route{Match: match.Path("/first"), Responses: reply(200)})
	middle.SetFallback(last)
	first.SetFallback(middle)
	unused(t, first, "path /first", "path /middle", "path /last")
	s := serve(t, first)
	for i, path := range []string{"/last", "/first", "/middle"} {
		if got := status(t, s, "GET "+path); got != "200" {
			t.Errorf("%s: %s", path, got)
		}
		unused(t, first, [][]string{{"path /first", "path /middle"}, {"path /middle"}, nil}[i]...)
	}
	middle.SetFallback(new(mockserver.Queue))
	first.SetFallback(mockserver.DispatcherFunc(middle.Dispatch))
	unused(t, first)
}

// around is a dispatcher that embeds one that can tell.
type around struct{ *route.Routes }

func TestAllRoutesUsed(t *testing.T) {
	two := func() *route.Routes {
		return route.New(route.Route{Name: "a", Match: match.Path("/a"), Responses: reply(200)}, route.Route{Name: "b", Match: match.Path("/b"), Responses: reply(200)})
	}
	const cannot = "mockserver: AllRoutesUsed: a dispatcher of type mockserver.DispatcherFunc cannot tell what was not used: expected one with a method Unused() []string"
	for _, tt := range []struct {
		name string
		use  func(tb *ending, s *mockserver.Server, get func(path string))
		want string
	}{
		{"none used", func(_ *ending, s *mockserver.Server, _ func(string)) { s.SetDispatcher(two()) },
			"mockserver: 2 routes were never used:\n  \"a\" (path /a)\n  \"b\" (path /b)"},
		{"one used", func(_ *ending, s *mockserver.Server, get func(string)) { s.SetDispatcher(two()); get("/b") },
			"mockserver: 1 route was never used:\n  \"a\" (path /a)"},
		{"all used", func(_ *ending, s *mockserver.Server, get func(string)) {
			s.SetDispatcher(two())
			get("/a")
			get("/b")
			get("/b")
		}, ""},
		{"all used, then reset", func(_ *ending, s *mockserver.Server, get func(string)) {
			routes := two()
			s.SetDispatcher(routes)
			get("/a")
			routes.Reset()
			get("/b")
			routes.Reset()
		}, ""},
		{"wrapped", func(_ *ending, s *mockserver.Server, get func(string)) { s.SetDispatcher(around{two()}); get("/a") },
			"mockserver: 1 route was never used:\n  \"b\" (path /b)"},
		{"hidden", func(_ *ending, s *mockserver.Server, get func(string)) {
			s.SetDispatcher(mockserver.DispatcherFunc(two().Dispatch))
			get("/a")
		}, cannot},
		{"the queue", func(_ *ending, s *mockserver.Server, get func(string)) { s.Enqueue(mockserver.Reply(200)); get("/a") }, ""},
		{"replaced before any request", func(_ *ending, s *mockserver.Server, get func(string)) {
			s.SetDispatcher(two())
			s.SetDispatcher(mockserver.DispatcherFunc(two().Dispatch))
			s.SetDispatcher(around{route.New(route.Route{Responses: reply(200)})})
			get("/")
		}, ""},
		{"replaced after a request", func(_ *ending, s *mockserver.Server, get func(string)) {
			first, second := two(), two()
			s.SetDispatcher(first)
			get("/a")
			s.SetDispatcher(second)
			get("/b")
			s.SetDispatcher(nil)
		}, "mockserver: 2 routes were never used:\n  \"b\" (path /b)\n  \"a\" (path /a)"},
		{"replaced for a while", func(_ *ending, s *mockserver.Server, get func(string)) {
			routes := two()
			s.SetDispatcher(routes)
			get("/a")
			s.SetDispatcher(mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response { return mockserver.Reply(503) }))
			get("/a")
			s.SetDispatcher(routes)
			get("/a")
		}, "mockserver: 1 route was never used:\n  \"b\" (path /b)"},
		{"closed by hand", func(_ *ending, s *mockserver.Server, get func(string)) { s.SetDispatcher(two()); get("/a"); s.Close() },
			"mockserver: 1 route was never used:\n  \"b\" (path /b)"},
		{"failed before", func(tb *ending, s *mockserver.Server, _ func(string)) { s.SetDispatcher(two()); tb.failed = true }, "mockserver: 2 routes were never used"},
		{"skipped", func(tb *ending, s *mockserver.Server, _ func(string)) { s.SetDispatcher(two()); tb.skipped = true }, ""},
		{"many", func(_ *ending, s *mockserver.Server, _ func(string)) {
			routes := new(route.Routes)
			for range 60 {
				routes.On(match.Path("/x"), mockserver.Reply(200))
			}
			s.SetDispatcher(routes)
		}, "mockserver: 60 routes were never used:" + strings.Repeat("\n  path /x", 50) + "\n  and 10 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := &ending{reporter: reporter{TB: t}}
			s := mockserver.New(tb, mockserver.WithNetwork(new(okio.Network)), mockserver.AllRoutesUsed())
			tt.use(tb, s, func(path string) { status(t, s, "GET "+path) })
			if got := strings.Join(tb.end(), "; "); got != tt.want {
				t.Errorf("failed with %q\nwant        %q", got, tt.want)
			}
		})
	}
}

// TestRoutesOfSubtests are used by several tests within one.
func TestRoutesOfSubtests(t *testing.T) {
	tb := &ending{reporter: reporter{TB: t}}
	t.Run("parent", func(t *testing.T) {
		routes := route.New(route.Route{Match: match.Path("/0"), Responses: reply(200)}, route.Route{Match: match.Path("/1"), Responses: reply(200)}, route.Route{Match: match.Path("/2"), Responses: reply(200)})
		s := mockserver.New(tb, mockserver.WithNetwork(new(okio.Network)), mockserver.AllRoutesUsed(), mockserver.WithDispatcher(routes))
		for i := range 2 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				if got := status(t, s, fmt.Sprint("GET /", i)); got != "200" {
					t.Error(got)
				}
			})
		}
	})
	if got := strings.Join(tb.end(), "; "); got != "mockserver: 1 route was never used:\n  path /2" {
		t.Errorf("failed with %q", got)
	}
}
