package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// A page shows code that it includes, which is compiled with this package. Only pages outside of the site cannot, and theirs are whole programs.
func TestProgramsInPages(t *testing.T) {
	for name, text := range pages(t) {
		for _, program := range blocks(text, "go") {
			if strings.HasPrefix(name, "docs/") {
				t.Errorf("%s has code of its own instead of including it:\n%s", name, program)
				continue
			}
			t.Run(name, func(t *testing.T) { runProgram(t, program) })
		}
	}
}

// runProgram runs a program with all of the internet behind one proxy.
func runProgram(t *testing.T, program string) {
	server := mockserver.New(t, mockserver.WithLocalhostTLS("example.com"), mockserver.WithHTTPProxy("", ""))
	server.Enqueue(mockserver.Reply(200).Text("hello"))
	dir := t.TempDir()
	file, ca, exe := filepath.Join(dir, "main.go"), filepath.Join(dir, "ca.pem"), filepath.Join(dir, "program.exe")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ca, server.CertificatePEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", exe, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux can a program be told whom to trust")
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "HTTPS_PROXY="+server.ProxyURL(), "HTTP_PROXY=", "NO_PROXY=", "SSL_CERT_FILE="+ca)
	out, err := cmd.CombinedOutput()
	want := "200 5\n"
	if _, comment, ok := strings.Cut(program, "\t// Output:\n"); ok { // as examples say it
		comment, _, _ = strings.Cut(comment, "}")
		want = strings.ReplaceAll(comment, "\t// ", "")
	}
	if err != nil || string(out) != want {
		t.Errorf("it printed %q, %v, want %q", out, err, want)
	}
}

// Stubs on the pages of mockserver are read as files are.
func TestStubsInPages(t *testing.T) {
	count := 0
	for name, text := range pages(t) {
		if !strings.HasPrefix(name, "docs/mockserver/") {
			continue
		}
		for _, block := range blocks(text, "json") {
			count++
			if _, err := stub.Parse(name, []byte(block)); err != nil {
				t.Error(err)
			}
		}
	}
	if count < 3 {
		t.Errorf("%d stubs were found, the pattern is wrong", count)
	}
}
