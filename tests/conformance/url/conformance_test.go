package url

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/tests/golden"
)

const resultsFile = "testdata/results.txt"

// runAll runs every suite.
func runAll(t *testing.T) []Result {
	t.Helper()
	const dir = "testdata"
	web, other, err := URLTestData(dir, OkHTTP)
	if err != nil {
		t.Fatal(err)
	}
	results := []Result{web, other}
	for _, run := range []func() (Result, error){
		func() (Result, error) { return Setters(dir, OkHTTP) },
		func() (Result, error) { return ToASCII(dir, "toascii.json", OkHTTP) },
		func() (Result, error) { return ToASCII(dir, "IdnaTestV2.json", OkHTTP) },
		func() (Result, error) { return PercentEncoding(dir, OkHTTP) },
		func() (Result, error) { return OkHttpList(dir, OkHTTP) },
		func() (Result, error) { return ToASCII(dir, "okhttp-toascii.json", OkHTTP) },
	} {
		r, err := run()
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	return results
}

// report is the text of the results file. Every deviation needs a reason.
func report(t *testing.T, results []Result) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("Scores of okhttp.URL, written by: go test -run TestConformance -update\n\n")
	for _, r := range results {
		fmt.Fprintf(&b, "%-36s %4d of %4d\n", r.Suite, r.Pass, r.Total)
	}
	for _, r := range results {
		for _, f := range r.Fails {
			reason := reasonFor(r.Suite, f.Case)
			if reason == "" {
				t.Errorf("%s: %s: want %s, got %s: a deviation without a reason", r.Suite, f.Case, f.Want, f.Got)
			}
			fmt.Fprintf(&b, "\n%s: %s\n  want   %s\n  got    %s\n  reason %s\n", r.Suite, f.Case, f.Want, f.Got, reason)
		}
	}
	return b.String()
}

func TestConformance(t *testing.T) {
	got := report(t, runAll(t))
	golden.Compare(t, resultsFile, got)
}

// TestEngine checks that the engine tells a wrong subject from a right one.
func TestEngine(t *testing.T) {
	refuseAll := Subject{
		Parse: func(string, string) (Parts, error) { return Parts{}, os.ErrInvalid },
		Set:   func(string, string, string) (Parts, error) { return Parts{}, os.ErrInvalid },
	}
	acceptAll := Subject{
		Parse: func(input, base string) (Parts, error) { return Parts{Href: input}, nil },
		Set:   func(href, attribute, value string) (Parts, error) { return Parts{Href: href}, nil },
	}
	const dir = "testdata"
	for name, s := range map[string]Subject{"refuse": refuseAll, "accept": acceptAll} {
		web, other, err := URLTestData(dir, s)
		if err != nil {
			t.Fatal(err)
		}
		setters, err := Setters(dir, s)
		if err != nil {
			t.Fatal(err)
		}
		if web.Total != 446 || other.Total != 445 {
			t.Errorf("%s: %d web and %d other cases, want 446 and 445", name, web.Total, other.Total)
		}
		if web.Pass > web.Total/2 {
			t.Errorf("%s: passes %d of %d", name, web.Pass, web.Total)
		}
		if name == "refuse" && (other.Pass != other.Total || setters.Pass != 0) {
			t.Errorf("refuse: other %d of %d, setters %d", other.Pass, other.Total, setters.Pass)
		}
		if name == "accept" && other.Pass != 0 {
			t.Errorf("accept: other %d, want 0", other.Pass)
		}
	}
	if _, err := ToASCII(dir, "none.json", acceptAll); err == nil {
		t.Error("a missing file is not an error")
	}
}
