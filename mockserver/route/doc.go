// Package route answers requests by what they are.
//
//	routes := route.New(
//		route.Route{Match: match.Request("GET /users/{id}"), Responses: []mockserver.Response{mockserver.Reply(200).Text("ann")}},
//		route.Route{Match: match.Method("POST"), Responses: []mockserver.Response{mockserver.Reply(503), mockserver.Reply(201)}},
//	)
//	server := mockserver.New(t, mockserver.WithDispatcher(routes))
//
// The first route that matches answers, in the order of their priority and then of their addition. A route has one response or several, one after
// another, of which the last repeats; or a function. It can be limited in number, to a state of a scenario, and to a time.
//
// What no route matches gets 404 with a report of the closest routes and how they differ, and is found in [Routes.Unmatched].
//
// # Scenarios
//
// A scenario is a name with a state, which is [Started] at first. A route with a Scenario answers only in its State, and sets the state Next. That
// happens once for each request, when it is matched and so before a client can see anything of the response, be that a fault or not: a client that tries
// again at once meets the next state.
//
// # When it is decided
//
// A request is matched when its head was read, unless a route that fits its head looks at its body too. What a response says of the time before that,
// effects at mockserver.RequestBody for example, holds only for routes that are decided by the head. An effect at mockserver.RequestStart that is
// for connections, such as mockserver.Stall, strikes those that match.Connection or match.Everything match; with a matcher that looks at the request ([match.AtAccept]) it could not, which is an error.
//
// # Concurrency
//
// All methods of [Routes] may be called at any time by any goroutine. One mutex guards the routes and states; matchers and functions run without it.
package route
