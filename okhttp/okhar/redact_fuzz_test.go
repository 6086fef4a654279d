package okhar

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzRedactJSON compares what is redacted in text with what is redacted in the value that the text stands for.
func FuzzRedactJSON(f *testing.F) {
	for _, seed := range []string{
		`{"token":"a","b":[1,{"pass\u0077ord":{"x":"}"}}]}`, `{"a":"\"token\":","sig" : -1.5e3 , "token":[[],"]"]}`, `[{"jwt":null},{"jwt":true}]`, `{"token":`, `{"token":"\`, `"token":1`,
	} {
		f.Add(seed)
	}
	r := newRedactor(&Config{})
	f.Fuzz(func(t *testing.T, text string) {
		got := r.body(text, "application/json")
		if again := r.body(got, "application/json"); again != got {
			t.Errorf("%q: %q, and again %q", text, got, again)
		}
		r.body(text, "multipart/form-data; boundary=b")
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil {
			return
		}
		if err := json.Unmarshal([]byte(got), &after); err != nil {
			t.Fatalf("%q: %q is no JSON: %v", text, got, err)
		}
		if want := hidden(&r, before); !reflect.DeepEqual(after, want) {
			t.Errorf("%q: %v, want %v", text, after, want)
		}
	})
}

// hidden replaces the members that are secrets.
func hidden(r *redactor, value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = hidden(r, value[i])
		}
	case map[string]any:
		for name := range value {
			if r.members[plain(name)] {
				value[name] = blocks
			} else {
				value[name] = hidden(r, value[name])
			}
		}
	}
	return value
}
