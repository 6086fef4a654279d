package stub_test

import (
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// What a file says of settings, tunnels and pushes is a response that can be scripted, and is written as it was read; faults have their keys.
func TestHTTP2OfFiles(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"settings": {"MAX_CONCURRENT_STREAMS": 1}}`, ""},
		{`{"inTunnel": true}`, ""},
		{`{"pushes": [{"path": "/a.css", "headers": {"Accept": "text/css"}, "response": {"status": 201, "body": "a"}}, {"method": "HEAD", "path": "/b"}]}`, ""},
		{`{"settings": {"NONE": 1}}`, "m:1: response.settings.NONE: expected the name of a setting"},
		{`{"pushes": [{"method": "POST", "path": "/"}]}`, `m:1: response: Push("POST"): expected GET or HEAD`},
		{`{"pushes": [{"path": "x"}]}`, `m:1: response: Push("x"): expected a path`},
		{`{"pushes": [{"path": "/", "response": {"file": "x"}}]}`, "m:1: response.pushes[0].response: file: not in what is pushed"},
		{`{"pushes": [{"path": "/", "response": {"pushes": [{"path": "/"}]}}]}`, "m:1: response.pushes[0].response: pushes: not in what is pushed"},
		{`{"pushes": [{"paht": "/"}]}`, "m:1: response.pushes[0].paht: unknown key"},
	} {
		stubs, err := stub.Parse("m", []byte(`{"response": `+tt.text+`}`))
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s:\ngot  %v\nwant %s", tt.text, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		text, err := stub.Marshal(stubs...)
		if err != nil {
			t.Fatal(err)
		}
		compact := strings.Join(strings.Fields(string(text)), "")
		if _, err := stub.Parse("m", text); err != nil || !strings.Contains(compact, strings.ReplaceAll(tt.text, " ", "")) && !strings.Contains(tt.text, "HEAD") {
			t.Errorf("%s was written as %s, %v", tt.text, compact, err)
		}
		if _, err := stub.Routes(nil, stubs...); err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
	}
}
