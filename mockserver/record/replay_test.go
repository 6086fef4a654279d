package record_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/stub"
)

func multipart(boundary string) string { return "multipart/form-data; boundary=" + boundary }

func parts(boundary, name, value string) string {
	return fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n--%[1]s--\r\n", boundary, name, value)
}

// TestReplayTellsRequestsApart has requests that differ in one thing answered by their own responses, while they are recorded and when they are replayed; the
// secrets in them may differ.
func TestReplayTellsRequestsApart(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	type request struct{ path, kind, body string }
	for _, tt := range []struct {
		one, another request
		same         bool
	}{
		{request{body: `{"token":"t","op":"read"}`}, request{body: `{"token":"t","op":"read","id":7}`}, false},
		{request{body: `{"token":"t","op":"read"}`}, request{body: `{"op":"read","delete":true}`}, false},
		{request{body: `{"token":"t","op":"read"}`}, request{body: `{"token":"other","op":"read"}`}, true},
		{request{body: `{"a":[{"secret":1},{"secret":"2"}],"b":null}`}, request{body: `{"a":[{"secret":"\""},{"secret":null}],"b":null}`}, true},
		{request{body: `{"a":[{"secret":1},{"secret":"2"}]}`}, request{body: `{"a":[{"secret":1},{"secret":"2"},{"secret":3}]}`}, false},
		{request{body: `{"token":"t","n":{"a":1}}`}, request{body: `{ "n": {"a": 1}, "token": 5 }`}, true},
		{request{body: `{"it's a \"token":"t","n":1}`}, request{body: `{"n":1,"it's a \"token":"u"}`}, true},
		{request{body: `{"a'\"\\":{"token":"t"},"n":1}`}, request{body: `{"n":1,"a'\"\\":{"token":"u"}}`}, true},
		{request{body: `["/?token=a","b"]`}, request{body: `["/?token=a","c"]`}, false},
		{request{body: `{"a":1,"b":[1,2]}`}, request{body: `{ "b": [1, 2], "a": 1.0 }`, kind: "application/json"}, true},
		{request{kind: form, body: "a=1"}, request{kind: form, body: "a=1&b=2"}, false},
		{request{kind: form, body: "a=1&b=2"}, request{kind: form, body: "b=%32&a=1"}, true},
		{request{kind: form, body: "id=1&id=2"}, request{kind: form, body: "id=1&id=3"}, false},
		{request{kind: form, body: "password=x&id=1&id=2"}, request{kind: form, body: "password=y&id=1&id=2"}, true},
		{request{kind: form, body: "password=x&a=1"}, request{kind: form, body: "password=y&a=1&b=2"}, false},
		{request{path: "?token=x&page=1"}, request{path: "?token=x&page=1&size=9"}, false},
		{request{path: "?token=x&page=1"}, request{path: "?page=1&token=y"}, true},
		{request{path: "?token=x&page=1"}, request{path: "?page=1"}, false},
		{request{}, request{body: "hello"}, false},
		{request{kind: form}, request{kind: form, body: "a=1"}, false},
		{request{}, request{}, true},
		{request{kind: multipart("a"), body: parts("a", "name", "ann")}, request{kind: multipart("b"), body: parts("b", "name", "ann")}, true},
		{request{kind: multipart("a"), body: parts("a", "name", "ann")}, request{kind: multipart("b"), body: parts("b", "name", "bob")}, false},
	} {
		t.Run(fmt.Sprintf("%v and %v", tt.one, tt.another), func(t *testing.T) {
			var asked atomic.Int32
			p := recording(t, mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
				return mockserver.Reply(200).Text(fmt.Sprint("answer ", asked.Add(1)))
			}), record.Config{})
			check := func(phase string, p *pair, r request, want string) {
				t.Helper()
				var headers []string
				if r.kind != "" {
					headers = []string{"Content-Type", r.kind}
				}
				if got := p.ask("POST", "/"+r.path, r.body, headers...); !strings.HasSuffix(got, want) {
					t.Errorf("%s: %+v was answered with %q, want %s", phase, r, got, want)
				}
			}
			second := "answer 2"
			if tt.same {
				second = "answer 1"
			}
			check("recording", p, tt.one, "answer 1")
			check("recording", p, tt.another, second)
			dir := t.TempDir()
			if err := p.recorder.Save(dir); err != nil {
				t.Fatal(err)
			}
			stubs, _, err := stub.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			replay := recording(t, nil, record.Config{Mode: record.Replay, Stubs: stubs})
			check("replay", replay, tt.another, second)
			check("replay", replay, tt.one, "answer 1")
		})
	}
}
