// Package admin is the interface by which a running server is looked at and changed over HTTP: what came, which routes there are, the states of
// scenarios. All of it needs a token.
package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// MaxBody is how long a request to the interface may be.
const MaxBody = 16 << 20

// help is what GET / answers.
const help = `GET    /requests[?limit=N]     the requests that came, the newest last
DELETE /requests               forget them
GET    /unmatched              reports of the requests that no route matched
GET    /routes                 the routes in their order, and how often each answered
POST   /stubs                  add the stubs of the body, a stub file
DELETE /stubs?name=NAME        remove the stubs of that name
GET    /scenarios              the states
PUT    /scenarios/NAME         set a state: {"state": "…"}
POST   /reset                  states, uses and times of routes begin anew
POST   /verify                 {"request": {…}, "exactly": N} or "atLeast" and "atMost": 200, or 409 with a report
`

// Config says what the interface is for.
type Config struct {
	Server *mockserver.Server
	Routes *route.Routes // nil if the server has none
	Dir    string        // of files that added stubs name; "" if they may name none
	Token  string
}

// New returns what answers the requests to the interface.
func New(c Config) (mockserver.Dispatcher, error) {
	if len(c.Token) < 16 {
		return nil, errors.New("expected a token of at least 16 bytes")
	}
	a := &api{Config: c, token: sha256.Sum256([]byte(c.Token)), routes: new(route.Routes)}
	a.on("GET /", func(route.Hit) mockserver.Response { return text(200, help) })
	a.on("GET /requests", a.requests)
	a.on("DELETE /requests", func(route.Hit) mockserver.Response {
		c.Server.ForgetRequests()
		return mockserver.Reply(204).Reason("No Content")
	})
	if c.Routes != nil {
		a.on("GET /unmatched", a.unmatched)
		a.on("GET /routes", a.listRoutes)
		a.on("POST /stubs", a.add)
		a.on("DELETE /stubs", a.remove)
		a.on("GET /scenarios", func(route.Hit) mockserver.Response { return answer(200, c.Routes.States()) })
		a.on("PUT /scenarios/{name}", a.setState)
		a.on("POST /reset", func(route.Hit) mockserver.Response {
			c.Routes.Reset()
			return mockserver.Reply(204).Reason("No Content")
		})
	}
	a.on("POST /verify", a.verify)
	return a, a.routes.Err()
}

type api struct {
	Config
	token  [sha256.Size]byte
	routes *route.Routes
}

func (a *api) on(request string, f func(route.Hit) mockserver.Response) {
	a.routes.OnFunc(match.Request(request), func(_ context.Context, h route.Hit) mockserver.Response { return f(h) })
}

// allowed compares digests, so that neither the contents nor the length of the token show in the time it takes.
func (a *api) allowed(r *mockserver.Request) bool {
	scheme, token, _ := strings.Cut(r.Headers.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(given[:], a.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// local reports whether a request names this machine. A page whose own name was made to lead here (DNS rebinding) sends that name.
func local(r *mockserver.Request) bool {
	u, err := r.URL()
	if err != nil {
		return false
	}
	host := strings.Trim(u.Host(), "[]")
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// Decide implements [mockserver.Decider]: who has no token, or asks for another host, is sent away before a body is read.
func (a *api) Decide(r *mockserver.Request) (mockserver.Response, bool) {
	if !local(r) {
		return text(421, "expected localhost or a loopback address as the host\n").SkipRequestBody(), true
	}
	if a.allowed(r) {
		return mockserver.Response{}, false
	}
	return text(401, "expected the token of the server as Authorization: Bearer\n").Header("WWW-Authenticate", "Bearer").SkipRequestBody(), true
}

// Dispatch implements [mockserver.Dispatcher].
func (a *api) Dispatch(ctx context.Context, r *mockserver.Request) mockserver.Response {
	if resp, away := a.Decide(r); away {
		return resp
	}
	if r.BodySize > int64(len(r.Body)) {
		return text(413, fmt.Sprintf("expected at most %d bytes\n", MaxBody))
	}
	return a.routes.Dispatch(ctx, r)
}

func text(status int, s string) mockserver.Response {
	return mockserver.Reply(status).Header("Content-Type", "text/plain; charset=utf-8").Header("Cache-Control", "no-store").Text(s)
}

func answer(status int, v any) mockserver.Response {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return text(500, err.Error()+"\n")
	}
	return mockserver.Reply(status).Header("Content-Type", "application/json").Header("Cache-Control", "no-store").Body(append(body, '\n'))
}

func query(r *mockserver.Request, name string) string {
	u, err := url.ParseRequestURI(r.Target)
	if err != nil {
		return ""
	}
	return u.Query().Get(name)
}

func (a *api) requests(h route.Hit) mockserver.Response {
	list := a.Server.Requests()
	if given := query(h.Request, "limit"); given != "" {
		limit, err := strconv.Atoi(given)
		if err != nil || limit < 0 {
			return text(400, fmt.Sprintf("limit %q: expected a number\n", given))
		}
		list = list[max(len(list)-limit, 0):]
	}
	j := Journal{Count: a.Server.RequestCount(), Requests: []Entry{}}
	for _, r := range list {
		j.Requests = append(j.Requests, entryOf(r))
	}
	return answer(200, j)
}

func (a *api) unmatched(route.Hit) mockserver.Response {
	list := []string{}
	for _, m := range a.Routes.Unmatched() {
		list = append(list, m.String())
	}
	return answer(200, list)
}

func (a *api) listRoutes(route.Hit) mockserver.Response {
	type line struct {
		Name string `json:"name"`
		Uses int    `json:"uses"`
	}
	list := []line{}
	for _, s := range a.Routes.Status() {
		list = append(list, line{s.Name, s.Uses})
	}
	return answer(200, list)
}

func (a *api) add(h route.Hit) mockserver.Response {
	stubs, err := stub.Parse("body", h.Request.Body)
	if err == nil && a.Dir == "" {
		for _, s := range stubs {
			for _, r := range s.Responses {
				if r.File != "" {
					err = fmt.Errorf("file %q: the server has no folder of files", r.File)
				}
			}
		}
	}
	var routes []route.Route
	if err == nil {
		routes, err = stub.Routes(&stub.Options{Dir: a.Dir}, stubs...)
	}
	if err == nil {
		err = a.Routes.Add(routes...)
	}
	if err != nil {
		return text(422, err.Error()+"\n")
	}
	return answer(201, map[string]int{"added": len(routes)})
}

func (a *api) remove(h route.Hit) mockserver.Response {
	name := query(h.Request, "name")
	if name == "" || !a.Routes.Remove(name) {
		return text(404, fmt.Sprintf("no stubs of the name %q\n", name))
	}
	return mockserver.Reply(204).Reason("No Content")
}

func (a *api) setState(h route.Hit) mockserver.Response {
	var body struct {
		State *string `json:"state"`
	}
	if err := json.Unmarshal(h.Request.Body, &body); err != nil || body.State == nil {
		return text(400, "expected {\"state\": \"…\"}\n")
	}
	a.Routes.SetState(h.Params["name"], *body.State)
	return answer(200, a.Routes.States())
}

func (a *api) verify(h route.Hit) mockserver.Response {
	m, times, err := stub.ParseVerification("body", h.Request.Body)
	if err != nil {
		return text(400, err.Error()+"\n")
	}
	if err := a.Server.Check(m, times); err != nil {
		return text(409, err.Error()+"\n")
	}
	return answer(200, map[string]int{"matched": len(a.Server.FindRequests(m))})
}
