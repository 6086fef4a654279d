package record_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/record"
)

// saved records one exchange and returns the files that it becomes.
func saved(t *testing.T, resp mockserver.Response, method, path, body string, headers ...string) string {
	t.Helper()
	p := recording(t, mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response { return resp }), record.Config{MatchHeaders: []string{"Referer"}})
	p.ask(method, path, body, headers...)
	dir := t.TempDir()
	if err := p.recorder.Save(dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("nothing was saved: %v, %v", p.recorder.Skipped(), err)
	}
	all := strings.Join(names, "\n")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// TestSecretsOfResponses looks for a secret in what is kept of a response, and for what has to stay.
func TestSecretsOfResponses(t *testing.T) {
	header := func(name, value string) mockserver.Response { return mockserver.Reply(200).Header(name, value) }
	text := func(kind, body string) mockserver.Response { return header("Content-Type", kind).Text(body) }
	for _, tt := range []struct {
		resp mockserver.Response
		want string
	}{
		{header("Location", "https://a.example/#access_token=s3cr3t&x=y"), "https://a.example/#access_token=redacted&x=y"}, // OAuth's implicit flow
		{header("Location", "https://a.example/?a=b#id_token=s3cr3t"), "https://a.example/?a=b#id_token=redacted"},
		{header("Location", "https://ann:s3cr3t@a.example/"), "https://ann:redacted@a.example/"},
		{header("Location", "/?access%5Ftoken=s3cr3t"), "/?access%5Ftoken=redacted"},
		{header("Content-Location", "/x?token=s3cr3t"), "/x?token=redacted"},
		{header("Link", "</x?token=s3cr3t>; rel=next"), "</x?token=redacted>; rel=next"},
		{header("Refresh", "5; url=/x?token=s3cr3t"), "5; url=/x?token=redacted"},
		{mockserver.Reply(200).Chunked().Text("x").Trailer("Set-Cookie", "a=s3cr3t; Path=/"), "a=redacted; Path=/"},
		{text("application/json", "\xef\xbb\xbf"+`{"token": "s3cr3t"}`), `{\"token\":\"redacted\"}`},
		{text("application/json", `{"accessToken": "s3cr3t", "Api-Key": 5}`), `{\"Api-Key\":\"redacted\",\"accessToken\":\"redacted\"}`},
		{text("application/json", `{"next": "https://a.example/?a=b&access_token=s3cr3t", "list": ["/?sig=s3cr3t"]}`), `https://a.example/?a=b&access_token=redacted`},
		{text("application/json", `{"token": "s3cr3t",}`), `{\"token\": \"redacted\",}`},
		{text("application/x-ndjson", "{\"a\": {\"secret\": [\"s3cr3t\"]}}\n{\"b\": 1}\n"), `{\"a\":{\"secret\":\"redacted\"}}\n{\"b\": 1}\n`},
		{text("text/event-stream", "data: {\"token\": {\"a\": \"s3cr3t\"}}\r\n\r\n"), `data: {\"token\":\"redacted\"}\r\n\r\n`},
		{text("text/plain", "access_token=s3cr3t&scope=x"), "access_token=redacted&scope=x"},
		{text("text/html", "<a href='?a=b'><script>;token=next()</script>"), "<script>;token=next()"}, // would break
		{header("ETag", `"token=5"`), "ETag"},
		{header("Content-Type", "application/json").Body([]byte("{\"token\": \"s3cr3t\xff\"}")), base64.StdEncoding.EncodeToString([]byte(`{"token":"redacted"}`))},
	} {
		if all := saved(t, tt.resp, "GET", "/", ""); strings.Contains(all, "s3cr3t") || !strings.Contains(all, tt.want) {
			t.Errorf("want %s in\n%s", tt.want, all)
		}
	}
}

// TestSecretsOfRequests looks for one in what a stub matches.
func TestSecretsOfRequests(t *testing.T) {
	for _, tt := range []struct{ path, kind, body, want string }{
		{"/", "text/plain;charset=UTF-8", `{"password": "s3cr3t", "a": 1}`, `"jsonSubset"`}, // as fetch sends it
		{"/", "text/plain", `{"a": 1}`, `"text": "{\"a\": 1}"`},
		{"/", "", "user=ann&password=s3cr3t", `"target": "/"`},
		{"/", "text/plain", "user=ann&password=s3cr3t", `"target": "/"`},
		{"/", "application/json", `{"password": "s3cr3t",}`, `"target": "/"`},
		{"/", "application/json", strings.Repeat("[", 1100) + `{"password": "s3cr3t"}` + strings.Repeat("]", 1100), `"target": "/"`},
		{"/", "application/json", `{"hook": "https://a.example/?token=s3cr3t", "b": 2}`, `"b": 2`},
		{"/", "application/json", `["https://a.example/?token=s3cr3t"]`, `"regexp": "\\[(?:`},
		{"/", "application/x-ndjson", "{\"password\": \"s3cr3t\"}\n{\"a\": 1}\n", `"target": "/"`},
		{"/", "application/json", "{\"token\": \"s3cr3t\xff\"}", `"jsonSubset"`},
		{"/", "application/x-www-form-urlencoded", "user%5Bpassword%5D=s3cr3t&user[name]=ann", `"user[name]": "ann"`},
		{"/", multipart("x"), parts("x", "password", "s3cr3t"), `"target": "/"`},
		{"/?user[password]=s3cr3t&a=b", "", "", `"a": "b"`},
		{"/?next=%2Fx%3Ftoken%3Ds3cr3t&a=b", "", "", `"a": "b"`},
		{"/?a=b;token=s3cr3t", "", "", `"regexp": "/\\?[^&]*(?:&[^&]*){0}"`},
	} {
		headers := []string{"Referer", "https://a.example/?sig=s3cr3t"}
		if tt.kind != "" {
			headers = append(headers, "Content-Type", tt.kind)
		}
		if all := saved(t, mockserver.Reply(200), "POST", tt.path, tt.body, headers...); strings.Contains(all, "s3cr3t") || !strings.Contains(all, tt.want) {
			t.Errorf("%s %q: want %s in\n%s", tt.path, tt.body, tt.want, all)
		}
	}
}
