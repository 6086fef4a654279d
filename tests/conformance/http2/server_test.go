package http2

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/okhttp-go/ok/mockserver/servecli"
	"github.com/okhttp-go/ok/tests/golden"
)

// serverReasons says, for each case in which the mock server does otherwise than h2spec expects, why.
var serverReasons = map[string]string{}

const serverResultsFile = "testdata/server-results.txt"

// serveVariable is set for a process that is the command mockserver.
const serveVariable = "CONFORMANCE_MOCKSERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(servecli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// started runs "mockserver serve" as a user does, and returns the address that it says it listens on.
func started(t *testing.T, flag string) (addr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "site.mock")
	if err := os.WriteFile(script, []byte("* /*\n  body \"content\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "serve", flag, script)
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	text, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	u, parsed := url.Parse(text)
	if err != nil || !ok || parsed != nil {
		t.Fatalf("first line %q, %v", line, err)
	}
	return u.Host
}

// TestServer puts h2spec before the mock server as its command starts it, in cleartext and over TLS. A failure needs a reason.
func TestServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the server is ended by SIGTERM, which Windows does not have")
	}
	var table strings.Builder
	for _, way := range []struct{ name, flag string }{{"in cleartext", "--h2c"}, {"over TLS", "--tls"}} {
		results, err := RunServer(started(t, way.flag), way.flag == "--tls")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "\n%s\n", tally(t, way.name, results, serverReasons))
	}
	golden.Compare(t, serverResultsFile, "the mock server before h2spec, strict, written by: go test -run TestServer -update\n"+table.String())
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
