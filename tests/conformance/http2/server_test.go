package http2

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// serverReasons says, for each case in which the mock server does otherwise than h2spec expects, why.
var serverReasons = map[string]string{}

const serverResultsFile = "testdata/server-results.txt"

// TestServer puts h2spec before the mock server, in cleartext and over TLS. A failure needs a reason.
func TestServer(t *testing.T) {
	answer := mockserver.WithDispatcher(mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Text("content")
	}))
	clear := mockserver.New(t, answer, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	secure := mockserver.New(t, answer, mockserver.WithLocalhostTLS())
	var table strings.Builder
	for _, way := range []struct {
		name   string
		server *mockserver.Server
	}{{"in cleartext", clear}, {"over TLS", secure}} {
		results, err := RunServer(way.server.Addr().String(), way.server == secure)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "\n%s\n", tally(t, way.name, results, serverReasons))
	}
	compare(t, serverResultsFile, "the mock server before h2spec, strict, written by: go test -run TestServer -update\n"+table.String())
}

// tally counts the results, and wants a reason for each that is no pass.
func tally(t *testing.T, name string, results []Result, reasons map[string]string) string {
	t.Helper()
	var table strings.Builder
	passed := 0
	for _, r := range results {
		reason := reasons[r.ID]
		switch {
		case r.Outcome == Pass:
			passed++
		case reason == "":
			t.Errorf("%s: %s %s: %s (%s): without a reason", name, r.ID, r.Desc, r.Outcome, r.Detail)
		}
		fmt.Fprintf(&table, "%s %s: %s\n", r.ID, r.Desc, r.Outcome)
		if r.Outcome != Pass {
			fmt.Fprintf(&table, "  reason: %s\n", reason)
		}
	}
	return fmt.Sprintf("%s: %d of %d pass\n%s", name, passed, len(results), table.String())
}

// compare wants a file to say what was got.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("the results changed; look at the difference, then run with -update\n%s", got)
	}
}

// TestServerEngine checks that the engine finds what a server of another project does otherwise.
func TestServerEngine(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("content")) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	results, err := RunServer(server.Listener.Addr().String(), true)
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, r := range results {
		if r.Outcome == Pass {
			passed++
		}
	}
	if passed < 100 || passed == len(results) || len(results) != 146 {
		t.Errorf("net/http passes %d of %d, want it to fail a few of 146", passed, len(results))
	}
}
