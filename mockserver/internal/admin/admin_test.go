package admin_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/admin"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/okio"
)

const token = "0123456789abcdef"

// ask sends a request with the token and returns status and body.
func ask(t *testing.T, s *mockserver.Server, method, path, body, authorization string, headers ...string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: s.DialContext, DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := client.Do(req)
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

func started(t *testing.T, dir string) (server, control *mockserver.Server) {
	t.Helper()
	routes := route.New()
	server = mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(routes))
	d, err := admin.New(admin.Config{Server: server, Routes: routes, Dir: dir, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return server, mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(d), mockserver.WithBodyLimit(admin.MaxBody))
}

func TestToken(t *testing.T) {
	_, control := started(t, "")
	for _, authorization := range []string{"", token, "Bearer", "Bearer " + token + "x", "Bearer " + token[:15], "Basic " + token, "Bearer  " + token} {
		for _, method := range []string{"GET", "POST"} {
			if status, text := ask(t, control, method, "/requests", "", authorization); status != 401 || strings.Contains(text, token) {
				t.Errorf("%s with %q: %d %s", method, authorization, status, text)
			}
		}
	}
	if status, text := ask(t, control, "GET", "/", "", "bearer "+token); status != 200 || !strings.Contains(text, "/requests") {
		t.Errorf("%d %s", status, text)
	}
	if _, err := admin.New(admin.Config{Token: "short"}); err == nil {
		t.Error("a token that can be guessed")
	}
}

// A name that leads to this machine by a trick of DNS is none of it, even with the token.
func TestHost(t *testing.T) {
	_, control := started(t, "")
	for host, want := range map[string]int{
		"localhost": 200, "localhost:80": 200, "LOCALHOST": 200, "127.0.0.1": 200, "127.1.2.3:99": 200, "[::1]": 200, "[::1]:8080": 200,
		"evil.test": 421, "localhost.evil.test": 421, "127.0.0.1.evil.test": 421, "10.0.0.1": 421, "0.0.0.0": 421, "[::2]": 421,
	} {
		if status, text := ask(t, control, "GET", "/requests", "", "Bearer "+token, "Host", host); status != want {
			t.Errorf("host %s: %d %s", host, status, text)
		}
	}
}

func TestInterface(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("file"), 0o644); err != nil {
		t.Fatal(err)
	}
	server, control := started(t, dir)
	do := func(method, path, body string, status int, want string) {
		t.Helper()
		got, text := ask(t, control, method, path, body, "Bearer "+token)
		if got != status || !strings.Contains(text, want) {
			t.Errorf("%s %s: %d %s\nwant %d %s", method, path, got, text, status, want)
		}
	}
	do("POST", "/stubs", `[{"name": "a", "request": {"path": "/a"}, "response": {"status": 201}, "scenario": {"name": "s", "then": "two"}}, {"name": "f", "request": {"path": "/f"}, "response": {"file": "a.txt"}}]`, 201, `"added": 2`)
	do("POST", "/stubs", `{"response": {"stauts": 1}}`, 422, "body:1: response.stauts: unknown key")
	do("POST", "/stubs", `{"response": {"file": "none"}}`, 422, "file none")
	if status, _ := ask(t, server, "POST", "/a?x=1&api_key=s3cret", "hi", "Bearer s3cret", "Cookie", "a=s3cret"); status != 201 {
		t.Errorf("status %d", status)
	}
	if status, text := ask(t, server, "GET", "/f", "", ""); status != 200 || text != "file" {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := ask(t, server, "GET", "/none", "\xff", ""); status != 404 {
		t.Errorf("status %d", status)
	}
	_, text := ask(t, control, "GET", "/requests", "", "Bearer "+token)
	var j admin.Journal
	if err := json.Unmarshal([]byte(text), &j); err != nil || j.Count != 3 || len(j.Requests) != 3 || j.Requests[0].Body != "hi" || j.Requests[2].Base64 != "/w==" {
		t.Errorf("%v: %s", err, text)
	}
	if strings.Contains(text, "s3cret") || !strings.Contains(text, "(13 bytes, hidden)") {
		t.Errorf("shows secrets: %s", text)
	}
	if line := j.Requests[0].String(); !strings.HasSuffix(line, " POST /a?x=1&api_key=redacted HTTP/1.1 (connection 0, request 0, body of 2 bytes)") {
		t.Error(line)
	}
	do("GET", "/requests?limit=1", "", 200, `"/none"`)
	do("GET", "/requests?limit=x", "", 400, "expected a number")
	do("GET", "/unmatched", "", 200, "no route of 2 matches GET /none")
	do("GET", "/routes", "", 200, "\"name\": \"a\",\n    \"uses\": 1")
	do("GET", "/scenarios", "", 200, `"s": "two"`)
	do("PUT", "/scenarios/s", `{"state": "three"}`, 200, `"s": "three"`)
	do("PUT", "/scenarios/s", `{}`, 400, "expected")
	do("POST", "/verify", `{"request": {"path": "/a"}, "exactly": 1}`, 200, `"matched": 1`)
	do("POST", "/verify", `{"request": {"path": "/a"}, "exactly": 2}`, 409, "expected exactly 2 requests that match path /a but got 1")
	do("POST", "/verify", `{"request": {"path": "/a"}, "atLeast": 1, "atMost": 3}`, 200, "matched")
	do("POST", "/verify", `{"request": {"path": "a"}}`, 400, "body:1: request.path: ")
	do("POST", "/verify", `{"request": {}, "exactly": 1, "atMost": 2}`, 400, "exactly, or atLeast and atMost")
	do("DELETE", "/stubs?name=a", "", 204, "")
	do("DELETE", "/stubs?name=a", "", 404, "no stubs of the name")
	do("POST", "/reset", "", 204, "")
	do("GET", "/unmatched", "", 200, "[]")
	do("DELETE", "/requests", "", 204, "")
	do("GET", "/requests", "", 200, `"requests": []`)
	do("GET", "/nope", "", 404, "no route")
}

func TestFilesNeedAFolder(t *testing.T) {
	_, control := started(t, "")
	if status, text := ask(t, control, "POST", "/stubs", `{"response": {"file": "admin.go"}}`, "Bearer "+token); status != 422 || !strings.Contains(text, "no folder of files") {
		t.Errorf("%d %s", status, text)
	}
}

func TestPrintable(t *testing.T) {
	if got := admin.Printable("a\x1b[2J\tb\u009bc☺"); got != `a\x1b[2J`+"\t"+`b\x9bc☺` {
		t.Errorf("got %q", got)
	}
}
