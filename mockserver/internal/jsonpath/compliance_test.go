package jsonpath

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
)

// complianceCases is how many cases testdata/cts has: none is left out.
const complianceCases = 687

// TestCompliance runs the compliance test suite of the authors of RFC 9535, https://github.com/jsonpath-standard/jsonpath-compliance-test-suite.
func TestCompliance(t *testing.T) {
	text, err := os.ReadFile("testdata/cts/cts.json")
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests []struct {
			Name     string          `json:"name"`
			Selector string          `json:"selector"`
			Document json.RawMessage `json:"document"`
			Result   json.RawMessage `json:"result"`
			Results  json.RawMessage `json:"results"` // one of them, as members of objects have no order
			Invalid  bool            `json:"invalid_selector"`
		} `json:"tests"`
	}
	if err := json.Unmarshal(text, &suite); err != nil {
		t.Fatal(err)
	}
	if n := len(suite.Tests); n != complianceCases {
		t.Errorf("%d cases, want %d", n, complianceCases)
	}
	for _, tt := range suite.Tests {
		t.Run(tt.Name, func(t *testing.T) {
			p, err := Parse(tt.Selector)
			if (err != nil) != tt.Invalid {
				t.Fatalf("%q: %v, want it invalid: %v", tt.Selector, err, tt.Invalid)
			}
			if tt.Invalid {
				return
			}
			var want []string
			if tt.Result != nil {
				want = append(want, normal(t, tt.Result))
			} else {
				var list []json.RawMessage
				if err := json.Unmarshal(tt.Results, &list); err != nil {
					t.Fatal(err)
				}
				for _, one := range list {
					want = append(want, normal(t, one))
				}
			}
			value, err := jsonvalue.Parse(tt.Document)
			if err != nil {
				t.Fatal(err)
			}
			found, err := p.Select(value)
			if found == nil {
				found = []any{}
			}
			if got := jsonvalue.Text(found); err != nil || !slices.Contains(want, got) {
				t.Errorf("%q in %s:\ngot  %s, %v\nwant %q", tt.Selector, tt.Document, got, err, want)
			}
		})
	}
}

// normal is a value in the one way that it is written.
func normal(t *testing.T, text []byte) string {
	t.Helper()
	value, err := jsonvalue.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return jsonvalue.Text(value)
}
