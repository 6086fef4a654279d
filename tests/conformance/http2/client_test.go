package http2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/tests/golden"
)

// okhttpClient is the client of this project with prior knowledge. Its connections stay open until the test ends: many cases would be content
// with a client that closes for whatever reason.
func okhttpClient(t *testing.T) Client {
	client := okhttp.New(okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge), okhttp.WithProxy(okhttp.Direct))
	t.Cleanup(func() { client.Close() })
	return func(ctx context.Context, url string) error {
		resp, err := client.Get(ctx, url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
}

// clientReasons says, for each case in which okhttp does otherwise than h2spec expects, why.
var clientReasons = map[string]string{}

const clientResultsFile = "testdata/client-results.txt"

// TestClient puts okhttp before servers that break the rules. A failure needs a reason.
func TestClient(t *testing.T) {
	var table strings.Builder
	passed := 0
	results := Run(okhttpClient(t))
	used := map[string]bool{}
	for _, r := range results {
		fmt.Fprintf(&table, "\n%s %s\n  %s\n", r.ID, r.Desc, r.Outcome)
		if r.Outcome == Pass {
			passed++
			continue
		}
		used[r.ID] = true
		reason := clientReasons[r.ID]
		if reason == "" {
			t.Errorf("%s %s: %s (%s; the client: %v): without a reason", r.ID, r.Desc, r.Outcome, r.Detail, r.Err)
		}
		fmt.Fprintf(&table, "  reason: %s\n", reason)
	}
	for id := range clientReasons {
		if !used[id] {
			t.Errorf("%s: has a reason but passes", id)
		}
	}
	got := fmt.Sprintf("okhttp before the servers of h2spec's client cases, written by: go test -run TestClient -update\n\n%d of %d pass\n%s",
		passed, len(results), table.String())
	golden.Compare(t, clientResultsFile, got)
}

// netHTTP is the client of the standard library.
func netHTTP(ctx context.Context, url string) error {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &p}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// TestClientEngine checks that the engine tells a client that speaks HTTP/2, if not as h2spec wants it everywhere, from one that does not.
func TestClientEngine(t *testing.T) {
	count := func(do Client) map[Outcome]int {
		n := map[Outcome]int{}
		results := Run(do)
		for _, r := range results {
			n[r.Outcome]++
		}
		if len(results) != 57 {
			t.Errorf("%d cases, want 57", len(results))
		}
		return n
	}
	if n := count(func(context.Context, string) error { return errors.New("no") }); n[NoRequest] != 57 {
		t.Errorf("a client that does nothing: %v", n)
	}
	if n := count(http11); n[Pass] > 0 {
		t.Errorf("a client of HTTP/1.1: %v", n)
	}
	if n := count(netHTTP); n[Pass] < 45 || n[Fail] == 0 || n[Pass]+n[Fail] != 57 {
		t.Errorf("net/http: %v", n)
	}
}

// http11 sends a request that no case can take for HTTP/2.
func http11(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
