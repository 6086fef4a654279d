package servecli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A script comes from a pipe too, as of a shell's <(…), and its faults are named by their lines.
func TestScriptFromPipe(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"GET /hello\n  body hello\n", ""},
		{"GET /hello\n  dance\n", ":2: "},
		{strings.Repeat("#\n", 9<<20), "at most 16777216 bytes"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		wrote := make(chan error, 1)
		go func() {
			_, err := w.WriteString(tt.text)
			wrote <- errors.Join(err, w.Close())
		}()
		opened, err := open(t.Context(), fmt.Sprintf("/dev/fd/%d", r.Fd()))
		if err == nil {
			err = opened.Close()
		}
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.20q: got %v, want %q", tt.text, err, tt.want)
		}
		r.Close() // the writer may be amidst what is too much
		if err := <-wrote; err != nil && !errors.Is(err, syscall.EPIPE) {
			t.Error(err)
		}
	}
}

// A command that waits for the writer of a pipe can be ended.
func TestPipeWithoutWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(ctx, path); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "before the script was there") {
		t.Errorf("got %v", err)
	}
	w, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader, which is there or comes, and lets it go
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
}
