package coding

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/tests/golden"
)

const (
	vectorsFile = "testdata/vectors.json.gz"
	resultsFile = "testdata/results.txt"
)

// codings are those that are decoded, with how many of their cases are scored.
var codings = []struct {
	name   string
	scored int
	policy int
}{{"gzip", 24, 4}, {"deflate", 4, 1}, {"zstd", 12, 1}, {"br", 49, 1}}

// TestConformance decides each case. All scored ones must be right, apart from those that are known not to be, and each of the others needs a reason.
func TestConformance(t *testing.T) {
	var scores, table strings.Builder
	used := map[string]bool{}
	for _, coding := range codings {
		cases, err := Load(vectorsFile, coding.name)
		if err != nil {
			t.Fatal(err)
		}
		scored, right, policy := 0, 0, 0
		for _, c := range cases {
			o := Run(c, decoders[c.Coding])
			name := c.Coding + " " + c.ID
			fmt.Fprintf(&table, "\n%s (%s)\n  %s\n", name, c.Expect, o.Got)
			if known[name] != "" && o.Wrong != "" {
				used[name] = true
				fmt.Fprintf(&table, "  wrong: %s\n  known: %s\n", o.Wrong, known[name])
			} else if o.Wrong != "" {
				t.Errorf("%s: %s: %s", name, o.Got, o.Wrong)
				fmt.Fprintf(&table, "  wrong: %s\n", o.Wrong)
			}
			if c.Expect == "policy" {
				policy++
				used[name] = true
				if reasons[name] == "" {
					t.Errorf("%s: %s: decided without a reason", name, o.Got)
				}
				fmt.Fprintf(&table, "  reason: %s\n", reasons[name])
				continue
			}
			scored++
			if o.Wrong == "" {
				right++
			}
		}
		if scored != coding.scored || policy != coding.policy {
			t.Errorf("%s: %d scored cases and %d others, want %d and %d", coding.name, scored, policy, coding.scored, coding.policy)
		}
		fmt.Fprintf(&scores, "%s: %d of %d\n", coding.name, right, scored)
	}
	for name := range reasons {
		if !used[name] {
			t.Errorf("%s: has a reason but is not for us to decide", name)
		}
	}
	for name := range known {
		if !used[name] {
			t.Errorf("%s: is right now", name)
		}
	}
	got := "Content codings as they are decoded, written by: go test -run TestConformance -update\n\n" + scores.String() + table.String()
	golden.Compare(t, resultsFile, got)
}

// TestEngine checks that the engine tells wrong decoders from right ones.
func TestEngine(t *testing.T) {
	cases, err := Load(vectorsFile, "gzip")
	if err != nil {
		t.Fatal(err)
	}
	right := func(decode Decoder) (n int) {
		for _, c := range cases {
			if c.Expect != "policy" && Run(c, decode).Wrong == "" {
				n++
			}
		}
		return n
	}
	for _, tt := range []struct {
		name   string
		decode Decoder
		want   int
	}{
		{"refuses all", func(io.Reader) (io.Reader, error) { return nil, errors.New("no") }, 12},
		{"accepts all as nothing", func(r io.Reader) (io.Reader, error) { return bytes.NewReader(nil), nil }, 1},
		{"hands on what it reads", func(r io.Reader) (io.Reader, error) { return r, nil }, 0},
		{"compress/gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }, 24},
		{"compress/gzip, one member", func(r io.Reader) (io.Reader, error) {
			z, err := gzip.NewReader(r)
			if err == nil {
				z.Multistream(false)
			}
			return z, err
		}, 23},
		{"depends on the cut", func(r io.Reader) (io.Reader, error) {
			if _, whole := r.(*reader); whole {
				return gzip.NewReader(r)
			}
			return nil, errors.New("only whole inputs")
		}, 1}, // the bomb is too long to be cut
	} {
		if got := right(tt.decode); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
