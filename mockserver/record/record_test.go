package record_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// pair is an origin and a server that records it.
type pair struct {
	t        *testing.T
	origin   *mockserver.Server
	recorder *record.Recorder
	server   *mockserver.Server
}

// recording starts both on networks in memory.
func recording(t *testing.T, d mockserver.Dispatcher, c record.Config) *pair {
	t.Helper()
	p := &pair{t: t}
	if d != nil {
		p.origin = mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(d), mockserver.WithHost("origin.example"))
		client := okhttp.New(okhttp.WithDialer(p.origin), okhttp.WithDNS(nowhere))
		t.Cleanup(func() { client.Close() })
		c.Client = client
		c.Origin = p.origin.URL(c.Origin)
	}
	var err error
	if p.recorder, err = record.New(c); err != nil {
		t.Fatal(err)
	}
	p.server = mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(p.recorder))
	return p
}

// ask sends a request to the recording server and returns status, headers that the test looks at, and body.
func (p *pair) ask(method, path, body string, headers ...string) string {
	p.t.Helper()
	client := &http.Client{
		Transport:     &http.Transport{DialContext: p.server.DialContext, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, "http://here"+path, content)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return resp.Status + "|" + resp.Header.Get("Location") + "|" + string(text)
}

// nowhere resolves each name to an address, which the dialer does not use.
var nowhere = okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
})

func TestOnceAndReplay(t *testing.T) {
	origin := route.New(
		route.Route{Match: match.Request("GET /v1/users/{id}"), Func: func(_ context.Context, h route.Hit) mockserver.Response {
			return mockserver.Reply(200).Reason("Fine").Header("Content-Type", "application/json").Header("Date", "now").AddHeader("X", "1").AddHeader("X", "2").
				Text(fmt.Sprintf(`{"id": %s, "n": %d}`, h.Params["id"], h.Count))
		}},
		route.Route{Match: match.Request("POST /v1/orders"), Responses: []mockserver.Response{mockserver.Reply(201).Header("Location", "http://origin.example/elsewhere")}},
		route.Route{Match: match.Request("GET /v1/moved"), Func: func(_ context.Context, h route.Hit) mockserver.Response {
			return mockserver.Reply(302).Header("Location", "http://"+h.Request.Authority+"/v1/users/1?x=y")
		}},
		route.Route{Match: match.Request("GET /v1/binary"), Responses: []mockserver.Response{mockserver.Reply(200).Body([]byte{0xff, 0, 1})}},
		route.Route{Match: match.Request("GET /v1/trailers"), Responses: []mockserver.Response{mockserver.Reply(200).Text("x").Chunked().Trailer("T", "t")}},
		route.Route{Match: match.Method("HEAD"), Responses: []mockserver.Response{mockserver.Reply(200).Header("Content-Length", "7")}},
	)
	p := recording(t, origin, record.Config{Origin: "/v1"})
	type exchange struct{ method, path, body, want string }
	exchanges := []exchange{
		{"GET", "/users/7", "", `200 Fine||{"id": 7, "n": 0}`},
		{"GET", "/users/8", "", `200 Fine||{"id": 8, "n": 1}`},
		{"GET", "/users/7", "", `200 Fine||{"id": 7, "n": 0}`}, // from the record
		{"POST", "/orders", `{"a": 1}`, "201 OK|http://origin.example/elsewhere|"},
		{"POST", "/orders", `{"a": 1.0}`, "201 OK|http://origin.example/elsewhere|"},
		{"GET", "/moved", "", "302 Redirection|/users/1?x=y|"},
		{"GET", "/binary", "", "200 OK||\xff\x00\x01"},
		{"GET", "/trailers", "", "200 OK||x"},
		{"HEAD", "/head", "", "200 OK||"},
	}
	for _, x := range exchanges {
		if got := p.ask(x.method, x.path, x.body, "Content-Type", "application/json"); got != x.want {
			t.Errorf("%s %s: got %q, want %q", x.method, x.path, got, x.want)
		}
	}
	if n := p.origin.RequestCount(); n != 7 {
		t.Errorf("the origin was asked %d times", n)
	}
	if err := p.origin.Verify(match.All(match.Request("/v1/users/7"), match.Header("Accept-Encoding", match.Is("identity")), match.Host(match.HasPrefix("origin.example"))), mockserver.Once()); err != nil {
		t.Error(err)
	}
	dir := filepath.Join(t.TempDir(), "api")
	if err := p.recorder.Save(dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) != 7 || filepath.Base(names[0]) != "001-get-users-7.json" {
		t.Errorf("files %q, %v", names, err)
	}
	stubs, folder, err := stub.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	replay := recording(t, nil, record.Config{Mode: record.Replay, Stubs: stubs, Dir: folder})
	for _, x := range exchanges {
		if got := replay.ask(x.method, x.path, x.body, "Content-Type", "application/json"); got != x.want {
			t.Errorf("replayed %s %s: got %q, want %q", x.method, x.path, got, x.want)
		}
	}
	if got := replay.ask("GET", "/user/7", ""); !strings.Contains(got, "no route of 7 matches GET /user/7") || len(replay.recorder.Unmatched()) != 1 {
		t.Errorf("what was not recorded: %s", got)
	}
}

func TestAlwaysKeepsWhatChanges(t *testing.T) {
	p := recording(t, route.New(route.Route{Responses: []mockserver.Response{mockserver.Reply(200).Text("a"), mockserver.Reply(200).Text("a"), mockserver.Reply(503)}}), record.Config{Mode: record.Always})
	for _, want := range []string{"200 OK||a", "200 OK||a", "503 Server Error||", "503 Server Error||"} {
		if got := p.ask("GET", "/", ""); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	stubs := p.recorder.Stubs()
	if len(stubs) != 1 || len(stubs[0].Responses) != 2 || stubs[0].Responses[1].Status != 503 {
		t.Errorf("recorded %+v", stubs)
	}
	replay := recording(t, nil, record.Config{Mode: record.Replay, Stubs: stubs})
	if first, second := replay.ask("GET", "/", ""), replay.ask("GET", "/", ""); first != "200 OK||a" || second != "503 Server Error||" {
		t.Errorf("replayed %s, %s", first, second)
	}
}

func TestPassThrough(t *testing.T) {
	p := recording(t, route.New(route.Route{Responses: []mockserver.Response{mockserver.Reply(200).Text("a")}}), record.Config{Mode: record.PassThrough})
	if got := p.ask("GET", "/", ""); got != "200 OK||a" || len(p.recorder.Stubs()) != 0 {
		t.Errorf("got %s, recorded %v", got, p.recorder.Stubs())
	}
}

// TestSecretsAreNotKept looks for them in all that is saved.
func TestSecretsAreNotKept(t *testing.T) {
	const secret = "s3cr3t"
	p := recording(t, mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Header("Content-Type", "application/json").AddHeader("Set-Cookie", "sid="+secret+"; Path=/; HttpOnly").AddHeader("X-Session", secret).
			AddHeader("Location", "/next?token="+secret+"&a=b").Text(`{"user": {"Password": "` + secret + `", "list": [{"access_token": "` + secret + `"}]}, "pin": "` + secret + `", "ok": true}`)
	}), record.Config{RedactHeaders: []string{"X-Session"}, RedactFields: []string{"pin"}, MatchHeaders: []string{"Authorization", "X-Session", "X-Other", "Accept"}})
	got := p.ask("POST", "/login?api_key="+secret+"&b=1", `{"password": "`+secret+`", "name": "ann", "deep": [{"pin": "`+secret+`", "x": 1}]}`, "Content-Type", "application/json", "Authorization", "Bearer "+secret, "X-Session", secret, "Cookie", "sid="+secret, "Accept", "a/b")
	if strings.Count(got, secret) != 4 {
		t.Errorf("the client got %s", got)
	}
	p.ask("POST", "/form", "user=ann&password="+secret, "Content-Type", "application/x-www-form-urlencoded")
	dir := t.TempDir()
	if err := p.recorder.Save(dir); err != nil {
		t.Fatal(err)
	}
	all := ""
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += filepath.Base(name) + string(text)
	}
	if len(names) != 2 || strings.Contains(all, secret) {
		t.Errorf("%d files: %s", len(names), all)
	}
	for _, want := range []string{`"Set-Cookie": "sid=redacted; Path=/; HttpOnly"`, `"X-Session": "redacted"`, `/next?token=redacted&a=b`, `\"Password\":\"redacted\"`, `\"pin\":\"redacted\"`, `\"ok\":true`} {
		if !strings.Contains(all, want) {
			t.Errorf("lacks %s: %s", want, all)
		}
	}
	// Whoever replays may have other secrets, and no other values.
	stubs, _, err := stub.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	replay := recording(t, nil, record.Config{Mode: record.Replay, Stubs: stubs})
	again := []string{"Content-Type", "application/json", "Authorization", "Bearer x", "X-Session", "x", "Accept", "a/b"}
	if got := replay.ask("POST", "/login?b=1&api_key=x", `{"password": "x", "name": "ann", "deep": [{"pin": "", "x": 1}]}`, again...); !strings.HasPrefix(got, "200 ") {
		t.Errorf("replayed %s", got)
	}
	if got := replay.ask("POST", "/login?b=1&api_key=x", `{"password": "x", "name": "bob", "deep": [{"pin": "", "x": 1}]}`, again...); !strings.HasPrefix(got, "404 ") {
		t.Errorf("another name: %s", got)
	}
	if got := replay.ask("POST", "/login?b=2&api_key=x", `{"password": "x", "name": "ann", "deep": [{"pin": "", "x": 1}]}`, again...); !strings.HasPrefix(got, "404 ") {
		t.Errorf("another query: %s", got)
	}
	if got := replay.ask("POST", "/form", "password=x&user=ann", "Content-Type", "application/x-www-form-urlencoded"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("form: %s", got)
	}
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := recording(t, route.New(route.Route{Responses: []mockserver.Response{mockserver.Reply(200).HeadDelay(3 * time.Second)}}), record.Config{Latency: true})
		for range 2 {
			begun := time.Now()
			p.ask("GET", "/", "")
			if took := time.Since(begun); took != 3*time.Second {
				t.Errorf("took %v", took)
			}
		}
		if n := p.origin.RequestCount(); n != 1 {
			t.Errorf("the origin was asked %d times", n)
		}
	})
}

func TestLongBodies(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	p := recording(t, mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		if r.Target == "/long" {
			return mockserver.Reply(200).Text(long)
		}
		return mockserver.Reply(200).Text(long[:20_000])
	}), record.Config{MaxBody: 50_000})
	for range 2 {
		if got := p.ask("GET", "/long", ""); got != "200 OK||"+long {
			t.Errorf("got %d bytes", len(got))
		}
	}
	if skipped := p.recorder.Skipped(); len(p.recorder.Stubs()) != 0 || len(skipped) != 2 || skipped[0] != "GET /long: the body of the response is longer than what is recorded" {
		t.Errorf("skipped %q", skipped)
	}
	p.ask("GET", "/file", "")
	dir := t.TempDir()
	if err := p.recorder.Save(dir); err != nil {
		t.Fatal(err)
	}
	stubs, folder, err := stub.Read(dir)
	if err != nil || stubs[0].Responses[0].File != "001-get-file-1.body" {
		t.Fatalf("%+v, %v", stubs, err)
	}
	replay := recording(t, nil, record.Config{Mode: record.Replay, Stubs: stubs, Dir: folder})
	if got := replay.ask("GET", "/file", ""); got != "200 OK||"+long[:20_000] {
		t.Errorf("replayed %d bytes", len(got))
	}
}

func TestRequestsAtOnceAreKeptOnce(t *testing.T) {
	p := recording(t, route.New(route.Route{Responses: []mockserver.Response{mockserver.Reply(200).Text("a")}}), record.Config{})
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if got := p.ask("POST", "/", "\xff\x00", "Content-Type", "a/b"); got != "200 OK||a" {
				t.Errorf("got %s", got)
			}
		})
	}
	group.Wait()
	if stubs := p.recorder.Stubs(); len(stubs) != 1 || len(stubs[0].Responses) != 1 || string(*stubs[0].Request.Body.Base64) != "\xff\x00" {
		t.Errorf("recorded %+v", stubs)
	}
}

func TestOriginThatFails(t *testing.T) {
	p := recording(t, mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		if r.Target == "/torn" {
			return mockserver.Reply(200).Text("abcd").On(mockserver.ResponseBody, mockserver.CloseSocket{})
		}
		return mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.CloseSocket{})
	}), record.Config{})
	if got := p.ask("GET", "/none?token=s3cr3t", ""); !strings.HasPrefix(got, "502 Bad Gateway||the origin did not answer: ") || strings.Contains(got, "s3cr3t") {
		t.Errorf("got %s", got)
	}
	if got := p.ask("GET", "/torn", ""); got != "unexpected EOF" { // as the origin would tear it
		t.Errorf("got %s", got)
	}
	if skipped := p.recorder.Skipped(); len(p.recorder.Stubs()) != 0 || len(skipped) != 1 || !strings.HasPrefix(skipped[0], "GET /torn: the body of the response broke off after 2 bytes: ") {
		t.Errorf("recorded %v, skipped %q", p.recorder.Stubs(), skipped)
	}
	resp := p.recorder.Dispatch(t.Context(), &mockserver.Request{Method: "CONNECT", Target: "a:443", Proto: "HTTP/1.1"})
	if resp.Code() != 501 {
		t.Errorf("CONNECT: %d", resp.Code())
	}
	resp = p.recorder.Dispatch(t.Context(), &mockserver.Request{Method: "POST", Target: "/", Proto: "HTTP/1.1", Body: []byte("a"), BodySize: 2})
	if resp.Code() != 413 {
		t.Errorf("a body that was cut off: %d", resp.Code())
	}
}

func TestConfig(t *testing.T) {
	for _, tt := range []struct {
		c    record.Config
		want string
	}{
		{record.Config{}, "origin"}, {record.Config{Origin: "ftp://a"}, "origin"}, {record.Config{Origin: "http://a/?b"}, "no query"}, {record.Config{Mode: 9}, "Mode(9)"},
		{record.Config{Mode: record.Replay, Stubs: []stub.Stub{{Responses: []stub.Response{{File: "none"}}}}}, "none"},
	} {
		r, err := record.New(tt.c)
		if r != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.c, err, tt.want)
		}
	}
	r, err := record.New(record.Config{Origin: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Save(filepath.Join(t.TempDir(), "a", "b")), r.Close()); err != nil {
		t.Error(err)
	}
}
