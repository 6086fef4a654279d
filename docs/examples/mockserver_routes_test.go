package examples

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okhttp"
)

// call returns the status and the body of a response.
func call(t *testing.T, method, url, contentType, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// #region routes
func TestShop(t *testing.T) {
	routes := route.New(
		route.Route{
			Match: match.Request("GET /items/{id}"),
			Responses: []mockserver.Response{
				mockserver.Reply(200).Header("Content-Type", "application/json").Text(`{"name": "tea"}`),
			},
		},
		route.Route{ // fails twice, and then works
			Match:     match.All(match.Request("POST /orders"), match.JSONSubset(`{"item": "tea"}`)),
			Responses: []mockserver.Response{mockserver.Reply(503), mockserver.Reply(503), mockserver.Reply(201)},
		},
	)
	server := mockserver.New(t, mockserver.WithDispatcher(routes))
	// #endregion routes
	if status, _ := call(t, "GET", server.URL("/items/7"), "", ""); status != 200 {
		t.Errorf("status %d", status)
	}
	for _, want := range []int{503, 503, 201} {
		if status, _ := call(t, "POST", server.URL("/orders"), "application/json", `{"item": "tea", "n": 1}`); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	_, report := call(t, "POST", server.URL("/orders"), "application/json", `{"item": "tee"}`)
	if !strings.Contains(report, `body at $.item: expected "tea" but it was "tee"`) {
		t.Error(report)
	}
}

// #region used
func TestNothingIsLeftOut(t *testing.T) {
	routes := route.New(
		route.Route{
			Name:      "list",
			Match:     match.Request("GET /orders"),
			Responses: []mockserver.Response{mockserver.Reply(200).Text("[]")},
		},
		route.Route{
			Name:      "create",
			Match:     match.Request("POST /orders"),
			Responses: []mockserver.Response{mockserver.Reply(201)},
		},
	)
	server := mockserver.New(t, mockserver.AllRoutesUsed(), mockserver.WithDispatcher(routes))
	// #endregion used
	for method, want := range map[string]int{"GET": 200, "POST": 201} {
		if status, _ := call(t, method, server.URL("/orders"), "", ""); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	if unused := routes.Unused(); len(unused) > 0 {
		t.Errorf("unused: %q", unused)
	}
}

func TestParams(t *testing.T) {
	// #region func
	routes := new(route.Routes)
	files := match.Path("/users/{id}/files/{name...}")
	routes.OnFunc(files, func(_ context.Context, h route.Hit) mockserver.Response {
		return mockserver.Reply(200).Text(h.Params["name"] + " of " + h.Params["id"])
	})
	// #endregion func
	server := mockserver.New(t, mockserver.WithDispatcher(routes))
	if _, text := call(t, "GET", server.URL("/users/7/files/a/b.txt"), "", ""); text != "a/b.txt of 7" {
		t.Error(text)
	}
}

func TestScenario(t *testing.T) {
	// #region scenario
	routes := route.New(
		route.Route{
			Match: match.Request("POST /login"), Scenario: "session", State: route.Started, Next: "in",
			Responses: []mockserver.Response{mockserver.Reply(204)},
		},
		route.Route{
			Match:    match.Request("GET /me"),
			Scenario: "session", State: "in",
			Responses: []mockserver.Response{mockserver.Reply(200).Text("ann")},
		},
		route.Route{Match: match.Request("GET /me"), Responses: []mockserver.Response{mockserver.Reply(401)}},
	)
	// #endregion scenario
	server := mockserver.New(t, mockserver.WithDispatcher(routes))
	for _, step := range []struct {
		method, path string
		want         int
	}{{"GET", "/me", 401}, {"POST", "/login", 204}, {"GET", "/me", 200}} {
		if status, _ := call(t, step.method, server.URL(step.path), "", ""); status != step.want {
			t.Errorf("%s: status %d, want %d", step.path, status, step.want)
		}
	}
}

// #region verify
func TestOrdersOnce(t *testing.T) {
	routes := route.New(route.Route{Responses: []mockserver.Response{mockserver.Reply(200)}})
	server := mockserver.New(t, mockserver.WithDispatcher(routes))
	orderTea(t, server.URL("/orders")) // the code under test

	tea := match.All(match.Request("POST /orders"), match.JSONPath("$.item", match.Is("tea")))
	server.Verify(tea, mockserver.Once())
	server.Verify(match.Request("/payments"), mockserver.Never())
	server.Verify(match.Request("POST /log"), mockserver.AtLeast(1).Within(5*time.Second)) // it comes when it likes
}

// #endregion verify

func orderTea(t *testing.T, url string) {
	call(t, "POST", url, "application/json", `{"item": "tea"}`)
	go func() {
		resp, err := http.Post(strings.Replace(url, "/orders", "/log", 1), "text/plain", strings.NewReader("ordered"))
		if err == nil {
			resp.Body.Close()
		}
	}()
}

func TestHTTPHandler(t *testing.T) {
	// #region handler
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello "+r.PathValue("name"))
	})
	server := mockserver.New(t, mockserver.WithLocalhostTLS(), mockserver.WithDispatcher(mockserver.Handler(mux)))
	// #endregion handler
	client := okhttp.New(okhttp.WithTLSConfig(server.ClientTLSConfig()))
	defer client.Close()
	resp, err := client.Get(t.Context(), server.URL("/hello/you"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "hello you" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestStubFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "users.json"), []byte(`{
		"request": {"method": "GET", "path": "/users/{id}"},
		"response": {"template": true, "body": "user {{.Param \"id\"}}", "delay": {"from": "1ms", "to": "3ms"}}
	}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// #region stubs
	routes, err := stub.Load(dir, nil)
	if err != nil {
		t.Fatal(err) // with file, line and key of each fault
	}
	server := mockserver.New(t, mockserver.WithDispatcher(route.New(routes...)))
	// #endregion stubs
	if _, text := call(t, "GET", server.URL("/users/7"), "", ""); text != "user 7" {
		t.Error(text)
	}
}

func TestRecording(t *testing.T) {
	origin := mockserver.New(t)
	origin.Enqueue(mockserver.Reply(200).Text("from the origin"))
	dir := t.TempDir()
	// #region record
	recorder, err := record.New(record.Config{Origin: origin.URL("/"), RedactFields: []string{"pin"}})
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Close()
	server := mockserver.New(t, mockserver.WithDispatcher(recorder))
	for range 2 { // the second one is answered from the record
		if _, text := call(t, "GET", server.URL("/a"), "", ""); text != "from the origin" {
			t.Error(text)
		}
	}
	if err := recorder.Save(dir); err != nil {
		t.Fatal(err)
	}
	// #endregion record
	// #region replay
	stubs, files, err := stub.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	replay, err := record.New(record.Config{Mode: record.Replay, Stubs: stubs, Dir: files, Latency: true})
	// #endregion replay
	if err != nil {
		t.Fatal(err)
	}
	again := mockserver.New(t, mockserver.WithDispatcher(replay))
	if _, text := call(t, "GET", again.URL("/a"), "", ""); text != "from the origin" {
		t.Error(text)
	}
}
