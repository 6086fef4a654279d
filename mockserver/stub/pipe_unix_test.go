//go:build unix

package stub_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// Nobody waits for the other end of a pipe.
func TestPipes(t *testing.T) {
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	dir := folder(t, file{name: "a.json", text: `{"response": {"file": "b"}}`}, file{name: "b", do: pipe})
	if _, err := stub.Load(dir, nil); err == nil || !strings.HasSuffix(err.Error(), "a.json:1: response.file: file b: expected a regular file") {
		t.Error(err)
	}
	dir = folder(t, file{name: "a.json", do: pipe})
	if _, err := stub.Load(dir, nil); err == nil || !strings.Contains(err.Error(), "a.json: expected a regular file but it is none (p") {
		t.Error(err)
	}
}
