package route_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

func serve(t *testing.T, d mockserver.Dispatcher, opts ...mockserver.Option) *mockserver.Server {
	t.Helper()
	return mockserver.New(t, append(opts, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(d))...)
}

// ask sends a request on a connection of its own and returns all that comes, with · for line ends. The request has to end the connection.
func ask(t *testing.T, s *mockserver.Server, request string) string {
	t.Helper()
	conn, err := s.DialContext(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if !strings.Contains(request, "··") {
		request += " HTTP/1.1·Host: h·Connection: close··"
	}
	_, _ = io.WriteString(conn, strings.ReplaceAll(request, "·", "\r\n")) // a connection that was reset shows below
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	text, err := io.ReadAll(conn)
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		t.Errorf("%s: no end after %q", request, text)
	}
	return strings.ReplaceAll(string(text), "\r\n", "·")
}

// status asks and returns the status.
func status(t *testing.T, s *mockserver.Server, request string) string {
	t.Helper()
	words := strings.Fields(ask(t, s, request))
	if len(words) < 2 {
		return "none"
	}
	return words[1]
}

func reply(status int) []mockserver.Response { return []mockserver.Response{mockserver.Reply(status)} }

func TestOrder(t *testing.T) {
	routes := route.New(
		route.Route{Match: match.Path("/a"), Responses: reply(201)},
		route.Route{Match: match.Path("/a"), Responses: reply(202)},
		route.Route{Match: match.Request("POST /a"), Responses: reply(203), Priority: -1},
		route.Route{Responses: reply(204), Priority: 10},
		route.Route{Match: match.Path("/seq"), Responses: []mockserver.Response{mockserver.Reply(201), mockserver.Reply(202)}},
		route.Route{Name: "twice", Match: match.Path("/twice"), Responses: reply(205), Times: 2},
		route.Route{Match: match.All(match.Path("/body"), match.JSONSubset(`{"a":1}`)), Responses: reply(206)},
	)
	s := serve(t, routes)
	for _, tt := range []struct{ request, want string }{
		{"GET /a", "201"}, {"POST /a", "203"}, {"GET /other", "204"},
		{"GET /seq", "201"}, {"GET /seq", "202"}, {"GET /seq", "202"},
		{"GET /twice", "205"}, {"GET /twice", "205"}, {"GET /twice", "204"},
		{"POST /body HTTP/1.1·Connection: close·Content-Length: 13··{\"a\":1,\"b\":2}", "206"},
		{"POST /body HTTP/1.1·Connection: close·Content-Length: 7··{\"a\":2}", "204"},
	} {
		if got := status(t, s, tt.request); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.request, got, tt.want)
		}
	}
	if n := routes.Count("twice"); n != 2 {
		t.Errorf("used %d times", n)
	}
	if !routes.Remove("twice") || routes.Remove("twice") {
		t.Error("Remove")
	}
	routes.Reset()
	if got := status(t, s, "GET /seq"); got != "201" {
		t.Errorf("after Reset: %s", got)
	}
	routes.On(match.Path("/late"), mockserver.Reply(207))
	if got := status(t, s, "GET /late"); got != "207" {
		t.Errorf("a late route: %s", got)
	}
	if list := routes.Status(); len(list) != 7 || list[0] != (route.Status{Name: "POST /a"}) || list[6].Name != "any request" {
		t.Errorf("routes %+v", list)
	}
}

// TestMiss is fact 62 of the specification.
func TestMiss(t *testing.T) {
	routes := route.New(
		route.Route{Name: "create", Match: match.All(match.Request("POST /users"), match.Header("Accept", match.Is("application/json"))), Responses: reply(201)},
		route.Route{Match: match.Request("GET /orders"), Responses: reply(200)},
		route.Route{Match: match.Request("GET /a/long/way/off"), Responses: reply(200)},
		route.Route{Match: match.Request("GET /other/things"), Responses: reply(200)},
		route.Route{Match: match.Request("GET /user"), Scenario: "s", State: "x", Responses: reply(200)},
	)
	s := serve(t, routes)
	got := ask(t, s, "POST /user HTTP/1.1·Connection: close·Accept: text/json··")
	want := "no route of 5 matches POST /user HTTP/1.1\n" +
		"  close: GET /user\n    method: expected GET but it was \"POST\"\n    scenario s: expected state x but it was Started\n" +
		"  close: \"create\" (POST /users and header Accept \"application/json\")\n" +
		"    path: expected /users but it was \"/user\"\n    header Accept: expected \"application/json\" but it was \"text/json\"\n" +
		"  close: GET /orders\n"
	if !strings.HasPrefix(got, "HTTP/1.1 404 Not Found·") || !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if misses := routes.Unmatched(); len(misses) != 1 || misses[0].Request.Target != "/user" || len(misses[0].Nearest) != 3 {
		t.Errorf("unmatched: %v", misses)
	}
	queue := new(mockserver.Queue)
	queue.Enqueue(mockserver.Reply(299))
	routes.SetFallback(queue)
	if got := status(t, s, "GET /x"); got != "299" || len(routes.Unmatched()) != 1 {
		t.Errorf("fallback: %s, unmatched %v", got, routes.Unmatched())
	}
	routes.SetFallback(nil)
	for range 150 {
		routes.Dispatch(t.Context(), &mockserver.Request{Method: "GET", Target: "/x", Proto: "HTTP/1.1"})
	}
	if n := len(routes.Unmatched()); n != 100 {
		t.Errorf("%d unmatched are kept", n)
	}
}

// TestStrict has a request that no route matches fail the test of a strict server, unless a fallback answers.
func TestStrict(t *testing.T) {
	routes := route.New(route.Route{Name: "orders", Match: match.Request("GET /orders"), Responses: reply(200)})
	for strict, want := range map[bool]int{true: 1, false: 0} {
		fake := &reporter{TB: t}
		opts := []mockserver.Option{mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(routes)}
		if strict {
			opts = append(opts, mockserver.Strict())
		}
		s := mockserver.New(fake, opts...)
		if got := status(t, s, "GET /orders") + status(t, s, "GET /order"); got != "200404" {
			t.Errorf("answered %s", got)
		}
		routes.SetFallback(mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response { return mockserver.Reply(204) }))
		if got := status(t, s, "GET /order"); got != "204" {
			t.Errorf("the fallback answered %s", got)
		}
		routes.SetFallback(nil)
		for range 3 {
			if _, err := s.TakeRequest(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if list := fake.reports(); len(list) != want || want > 0 && !strings.Contains(list[0], "mockserver: no route of 1 matches GET /order HTTP/1.1\n  close: \"orders\" (GET /orders)") {
			t.Errorf("strict %v: reported %q", strict, list)
		}
	}
}

// reporter is a test whose failures are looked at.
type reporter struct {
	testing.TB
	mu   sync.Mutex
	list []string
}

func (r *reporter) Error(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, fmt.Sprint(args...))
}

func (r *reporter) reports() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}

func TestFuncAndParams(t *testing.T) {
	routes := new(route.Routes)
	routes.OnFunc(match.All(match.Method("PUT"), match.Path("/users/{id}/{rest...}")), func(ctx context.Context, h route.Hit) mockserver.Response {
		return mockserver.Reply(200).Text(fmt.Sprint(h.Params["id"], " ", h.Params["rest"], " ", h.Count, " ", string(h.Request.Body)))
	})
	s := serve(t, routes)
	for n := range 2 {
		got := ask(t, s, "PUT /users/7/a/b HTTP/1.1·Connection: close·Content-Length: 2·Expect: 100-continue··hi")
		if want := fmt.Sprintf("··7 a/b %d hi", n); !strings.HasPrefix(got, "HTTP/1.1 100 Informational··HTTP/1.1 200 OK·") || !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestScenario(t *testing.T) {
	routes := route.New(
		route.Route{Match: match.Request("POST /cart"), Scenario: "cart", State: route.Started, Next: "full", Responses: reply(201)},
		route.Route{Match: match.Request("POST /cart"), Scenario: "cart", State: "full", Responses: reply(409)},
		route.Route{Match: match.Request("GET /cart"), Scenario: "cart", State: "full", Responses: reply(200)},
		route.Route{Match: match.Request("GET /cart"), Scenario: "cart", Responses: reply(204)},
	)
	s := serve(t, routes)
	for _, tt := range []struct{ request, want string }{{"GET /cart", "204"}, {"POST /cart", "201"}, {"GET /cart", "200"}, {"POST /cart", "409"}} {
		if got := status(t, s, tt.request); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.request, got, tt.want)
		}
	}
	if state := routes.State("cart"); state != "full" || routes.State("other") != route.Started {
		t.Errorf("state %s", state)
	}
	routes.SetState("cart", "")
	routes.SetState("other", "x")
	if all := fmt.Sprint(routes.States()); all != "map[cart:Started other:x]" {
		t.Errorf("states %s", all)
	}
	if got := status(t, s, "GET /cart"); got != "204" {
		t.Errorf("after SetState: %s", got)
	}
}

// TestScenarioMovesOnceForEachFault has clients that try again at once meet the next state, at whatever moment the fault strikes.
func TestScenarioMovesOnceForEachFault(t *testing.T) {
	half := mockserver.Reply(200).Text("abcd")
	for _, tt := range []struct {
		name   string
		first  mockserver.Response
		status string // what the first request gets
	}{
		{"request start, connection", half.On(mockserver.RequestStart, mockserver.CloseSocket{}), "none"},
		{"request start, stream", half.On(mockserver.RequestStart, mockserver.CloseStream{Code: http2.RefusedStream}), "none"},
		{"request body", half.On(mockserver.RequestBody, mockserver.Reset{}), "none"},
		{"response start", half.On(mockserver.ResponseStart, mockserver.CloseSocket{}), "none"},
		{"response body", half.On(mockserver.ResponseBody, mockserver.CloseSocket{}), "200"},
		{"response end", half.On(mockserver.ResponseEnd, mockserver.ShutdownConnection{}), "200"},
		{"no fault", half, "200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			routes := route.New(
				route.Route{Scenario: "s", State: route.Started, Next: "second", Responses: []mockserver.Response{tt.first}},
				route.Route{Scenario: "s", State: "second", Next: "third", Responses: reply(202)},
				route.Route{Scenario: "s", State: "third", Responses: reply(203)},
			)
			s := serve(t, routes)
			const post = "POST /a HTTP/1.1·Connection: close·Content-Length: 4··body"
			for i, want := range []string{tt.status, "202", "203"} {
				if got := status(t, s, post); got != want {
					t.Errorf("request %d: %s, want %s", i, got, want)
				}
			}
		})
	}
}

func TestPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		routes := route.New(
			route.Route{Until: 5 * time.Second, Responses: reply(503)},
			route.Route{After: 5 * time.Second, Until: 10 * time.Second, Responses: reply(200)},
		)
		s := serve(t, routes)
		time.Sleep(time.Hour) // time is counted from the first request on
		for _, want := range []string{"503", "503", "200", "200", "404"} {
			if got := status(t, s, "GET /"); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			time.Sleep(2500 * time.Millisecond)
		}
		if miss := routes.Unmatched()[0].String(); !strings.Contains(miss, "time: expected before 5s but it was 10s") {
			t.Error(miss)
		}
		routes.Reset()
		if got := status(t, s, "GET /"); got != "503" {
			t.Errorf("after Reset: %s", got)
		}
	})
}

func TestEarlyParts(t *testing.T) {
	routes := route.New(
		route.Route{Match: match.Path("/skip"), Responses: []mockserver.Response{mockserver.Reply(200).SkipRequestBody()}},
		route.Route{Match: match.Path("/refuse"), Responses: reply(413)},
		route.Route{Match: match.Path("/hint"), Responses: []mockserver.Response{mockserver.Reply(200).Informational(103, "Link", "</a>")}},
		route.Route{Match: match.Path("/plain"), Responses: reply(200)},
		route.Route{Match: match.All(match.Path("/late"), match.Body(match.Is("no"))), Responses: reply(200)},
	)
	s := serve(t, routes)
	for _, tt := range []struct{ path, want string }{
		{"/skip", "HTTP/1.1 200 OK·"}, {"/refuse", "HTTP/1.1 413 Client Error·"}, {"/hint", "HTTP/1.1 103 Informational·Link: </a>··HTTP/1.1 200"},
		{"/plain", "HTTP/1.1 100 Informational··HTTP/1.1 200"}, {"/late", "HTTP/1.1 100 Informational··HTTP/1.1 404"}, {"/none", "HTTP/1.1 100 Informational··HTTP/1.1 404"},
	} {
		if got := ask(t, s, "POST "+tt.path+" HTTP/1.1·Connection: close·Content-Length: 2·Expect: 100-continue··hi"); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestConnectionRoutes(t *testing.T) {
	routes := route.New(
		route.Route{Match: match.Connection(1), Responses: []mockserver.Response{mockserver.Reply(200).On(mockserver.RequestStart, mockserver.Reset{})}, Times: 1},
		route.Route{Match: match.Request("GET /"), Responses: reply(200)},
	)
	s := serve(t, routes)
	for i, want := range []string{"200", "none", "200"} {
		if got := status(t, s, "GET /"); got != want {
			t.Errorf("connection %d: %s, want %s", i, got, want)
		}
	}
}

func TestInvalidRoutes(t *testing.T) {
	for _, tt := range []struct {
		r    route.Route
		want string
	}{
		{route.Route{Name: "a", Match: match.Path("x"), Responses: reply(200)}, `"a" (path x): path "x": expected it to begin with /`},
		{route.Route{}, "expected responses or a function"},
		{route.Route{Responses: reply(200), Func: func(context.Context, route.Hit) mockserver.Response { return mockserver.Response{} }}, "got both"},
		{route.Route{Responses: reply(99)}, "status 99"},
		{route.Route{Responses: reply(200), Times: -1}, "-1 in Times"},
		{route.Route{Responses: reply(200), Next: "x"}, "expected a Scenario"},
		{route.Route{Responses: reply(200), After: 2, Until: 1}, "expected a time"},
	} {
		routes := route.New(route.Route{Responses: reply(200)}, tt.r)
		if err := routes.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.r, err, tt.want)
		}
		resp := routes.Dispatch(t.Context(), &mockserver.Request{Method: "GET", Target: "/"})
		if resp.Err() == nil {
			t.Errorf("%+v: an invalid route hides", tt.r)
		}
		if _, ok := routes.Decide(&mockserver.Request{Method: "GET", Target: "/"}); ok {
			t.Errorf("%+v: an invalid route decides", tt.r)
		}
	}
}

// TestConcurrentRequestsUseARouteOnce has many requests at once for a route that answers a few of them, and for states that each is passed once.
func TestConcurrentRequestsUseARouteOnce(t *testing.T) {
	const steps = 20
	routes := route.New(route.Route{Match: match.Path("/few"), Responses: reply(201), Times: 10}, route.Route{Match: match.Path("/few"), Responses: reply(202)})
	for i := range steps {
		state := fmt.Sprint(i)
		if i == 0 {
			state = route.Started
		}
		if err := routes.Add(route.Route{Match: match.Path("/step"), Scenario: "s", State: state, Next: fmt.Sprint(i + 1), Responses: reply(300 + i)}); err != nil {
			t.Fatal(err)
		}
	}
	var few atomic.Int32
	var seen sync.Map
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			resp, ok := routes.Decide(&mockserver.Request{Method: "GET", Target: "/few"})
			if ok && resp.Code() == 201 {
				few.Add(1)
			}
			if resp, ok := routes.Decide(&mockserver.Request{Method: "GET", Target: "/step"}); ok {
				if _, twice := seen.LoadOrStore(resp.Code(), true); twice {
					t.Errorf("state of %d was passed twice", resp.Code())
				}
			}
		})
	}
	group.Wait()
	passed := 0
	seen.Range(func(any, any) bool { passed++; return true })
	if few.Load() != 10 || passed != steps || routes.State("s") != fmt.Sprint(steps) {
		t.Errorf("used %d times, passed %d states to %s", few.Load(), passed, routes.State("s"))
	}
}

// TestOverHTTP2 refuses one stream, which uses the route up. The client sends it again.
func TestOverHTTP2(t *testing.T) {
	routes := route.New(
		route.Route{Match: match.Proto("HTTP/2"), Times: 1, Responses: []mockserver.Response{mockserver.Reply(200).On(mockserver.RequestStart, mockserver.CloseStream{Code: http2.RefusedStream})}},
		route.Route{Match: match.Proto("HTTP/2"), Responses: []mockserver.Response{mockserver.Reply(200).Text("second")}},
	)
	s := serve(t, routes, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	client := okhttp.New(okhttp.WithDialer(s), okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
	defer client.Close()
	resp, err := client.Get(t.Context(), s.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "second" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if n := s.RequestCount(); n != 2 {
		t.Errorf("%d requests", n)
	}
}
