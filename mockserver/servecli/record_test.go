package servecli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestRecordModes(t *testing.T) {
	script := filepath.Join(write(t, map[string]string{"origin": "GET /n\n  body one\nthen\n  body two\n"}), "origin")
	for _, tt := range []struct {
		mode          []string
		live, replays string // what two requests get
	}{
		{nil, "one one", "one one"},
		{[]string{"--record-mode", "once"}, "one one", "one one"},
		{[]string{"--record-mode", "always"}, "one two", "one two"},
		{[]string{"--record-mode", "passthrough"}, "one two", ""},
	} {
		two := func(t *testing.T, url string) string {
			_, first, _ := strings.Cut(exchange(t, url, "GET /n"+end), "··")
			_, second, _ := strings.Cut(exchange(t, url, "GET /n"+end), "··")
			return first + " " + second
		}
		to := filepath.Join(t.TempDir(), "recorded")
		t.Run(strings.Join(tt.mode, " "), func(t *testing.T) {
			origin, _ := started(t, script)
			args := append([]string{"--record", origin}, tt.mode...)
			if tt.replays != "" {
				args = append(args, "--record-to", to)
			}
			url, _ := started(t, args...)
			if got := two(t, url); got != tt.live {
				t.Errorf("live: got %q, want %q", got, tt.live)
			}
		})
		if tt.replays != "" {
			url, _ := started(t, "--stubs", to)
			if got := two(t, url); got != tt.replays {
				t.Errorf("%q replays %q, want %q", tt.mode, got, tt.replays)
			}
		}
	}
}

// What was not recorded is said, with the reason, when the command ends.
func TestNotRecorded(t *testing.T) {
	var said *output
	t.Run("recording", func(t *testing.T) {
		var url string
		url, said = started(t, "--record", "http://127.0.0.1:1", "--record-to", filepath.Join(t.TempDir(), "recorded"))
		got := exchange(t, url, "GET /chat?token=s3cret HTTP/1.1·Host: a·Connection: close, upgrade·Upgrade: websocket··")
		if !strings.HasPrefix(got, "HTTP/1.1 501 Not Implemented·") {
			t.Errorf("got %q", got)
		}
	})
	if got := said.String(); got != "mockserver: not recorded: GET /chat: an upgrade to \"websocket\" is neither forwarded nor recorded\n" {
		t.Errorf("said %q", got)
	}
}

func TestFolderWithoutStubs(t *testing.T) {
	dir := t.TempDir()
	_, said := started(t, "--stubs", dir)
	if got := said.String(); got != "mockserver: "+dir+" has no stubs\n" {
		t.Errorf("said %q", got)
	}
}
