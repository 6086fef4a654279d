package stub_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

// A template reads JSON as matchers do: what is compressed decoded, and no more values than they compare.
func TestTemplateReadsJSONAsMatchersDo(t *testing.T) {
	s, _ := served(t, `{"response": {"template": true, "body": "{{json (.JSON \"$.a\")}}"}}`, nil)
	for _, tt := range []struct{ body, want string }{
		{`{"a": [1, 2]}`, "200 OK||[1,2]"},
		{`{"a": 5, "b": [` + strings.Repeat("1,", 1<<18) + "1]}", `200 OK||""`},
		{`{"a": "` + strings.Repeat("[", 1<<19) + `"}`, `200 OK||"[`},
		{`{"a"`, `200 OK||""`},
	} {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(tt.body)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, body := range []string{tt.body, b.String()} {
			var headers []string
			if body != tt.body {
				headers = []string{"Content-Encoding", "gzip"}
			}
			if got := ask(t, s, "POST", "/", body, headers...); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%.20s, %d bytes, %q: got %.100s, want %s", tt.body, len(body), headers, got, tt.want)
			}
		}
	}
}
