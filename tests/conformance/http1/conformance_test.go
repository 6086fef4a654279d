package http1

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/tests/golden"
)

const resultsFile = "testdata/results.txt"

// TestConformance decides each case. A difference from llhttp needs a reason.
func TestConformance(t *testing.T) {
	cases, err := Load("testdata/llhttp-responses.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 64 {
		t.Fatalf("%d cases, want 64", len(cases))
	}
	var table strings.Builder
	same := 0
	used := map[string]bool{}
	for _, c := range cases {
		o := Run(c, OkHTTP)
		fmt.Fprintf(&table, "\n%s\n  llhttp %s\n  okhttp %s\n", c.Name, strings.TrimSpace(c.Verdict+" "+c.Why), o.Got)
		if o.Different == "" {
			same++
			continue
		}
		reason := reasons[c.Name]
		used[c.Name] = true
		if reason == "" {
			t.Errorf("%s: %s (%s): a difference without a reason", c.Name, o.Different, o.Got)
		}
		fmt.Fprintf(&table, "  differs: %s\n  reason: %s\n", o.Different, reason)
	}
	for name := range reasons {
		if !used[name] {
			t.Errorf("%s: has a reason but does not differ", name)
		}
	}
	got := fmt.Sprintf("Responses of llhttp's tests as okhttp/http1 decides them, written by: go test -run TestConformance -update\n\n%d of %d as llhttp\n%s",
		same, len(cases), table.String())
	golden.Compare(t, resultsFile, got)
}

// TestEngine checks that the engine tells a wrong reader from a right one.
func TestEngine(t *testing.T) {
	cases, err := Load("testdata/llhttp-responses.json")
	if err != nil {
		t.Fatal(err)
	}
	count := func(read Reader) (n int) {
		for _, c := range cases {
			if Run(c, read).Different == "" {
				n++
			}
		}
		return n
	}
	all := count(func([]byte, bool) (Message, error) { return Message{}, nil })
	none := count(func([]byte, bool) (Message, error) { return Message{}, errors.New("no") })
	refused := 0
	for _, c := range cases {
		if c.Verdict != "accept" {
			refused++
		}
	}
	if all != 0 || none != refused {
		t.Errorf("a reader that accepts all gets %d, want 0; one that refuses all %d, want %d", all, none, refused)
	}
}
