package httpcache

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
	"github.com/okhttp-go/ok/tests/golden"
)

var only = flag.String("only", "", "the case to run, with what goes over the wire")

// beyond is a cache that does all it can.
var beyond = okcache.Config{
	RFC9111: true, Variants: true, Ranges: true, Collapse: true, StaleWhileRevalidate: true, StaleIfError: true, StaleIfErrorFor: time.Hour,
}

// TestCacheTests runs the cases that are for private caches, with the cache as it is by default and with everything switched on. testdata/results.txt has what
// is missed, and docs/cache/conformance.md why.
func TestCacheTests(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute")
	}
	suites, err := Load("testdata/cache-tests.json")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/results.txt"
	want := golden.Read(t, file)
	var got string
	for range 2 { // a case that waits for seconds may meet a bad moment
		if got = report(t, suites); *only != "" || got == want {
			return
		}
	}
	golden.Compare(t, file, got)
}

// report runs the cases and lists what was missed.
func report(t *testing.T, suites []Suite) string {
	var b strings.Builder
	for _, run := range []struct {
		name   string
		config okcache.Config
	}{{"default", okcache.Config{}}, {"everything on", beyond}} {
		cache := okcache.New(okcache.NewMemoryStore(100<<20), run.config)
		client := okhttp.New(okhttp.WithCache(cache))
		o := Options{Private: true, Only: *only}
		if o.Only != "" {
			o.Trace = os.Stdout
		}
		results, err := Run(suites, client.RoundTripper(), o)
		if err != nil {
			t.Fatal(err)
		}
		client.Close()
		cache.Close()
		n := Count(results)
		fmt.Fprintf(&b, "%s: required %d of %d, optimal %d of %d\n", run.name, n["required"][Pass], total(n["required"]), n["optimal"][Pass], total(n["optimal"]))
		b.WriteString(missed(results))
	}
	return b.String()
}

func total(outcomes map[string]int) (n int) {
	for _, m := range outcomes {
		n += m
	}
	return n
}

// missed lists the cases that did not pass.
func missed(results map[string]Result) string {
	var lines []string
	for id, r := range results {
		if r.Kind != "check" && r.Outcome != Pass {
			lines = append(lines, fmt.Sprintf("\t%-8s %-15s %s\n", r.Kind, r.Outcome, id))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestEngine checks that the engine tells a cache from none.
func TestEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	suites, err := Load("testdata/cache-tests.json")
	if err != nil {
		t.Fatal(err)
	}
	client := okhttp.New()
	defer client.Close()
	results, err := Run(suites, client.RoundTripper(), Options{Private: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := Count(results); len(results) != 300 || n["required"][Pass] != 22 && n["required"][Pass] > 30 || n["optimal"][Pass] != 0 {
		t.Errorf("%d cases without a cache: %v", len(results), n)
	}
}
