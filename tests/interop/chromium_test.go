//go:build unix

package interop

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// browse opens a page in a headless Chromium that stays until the test ends, or skips the test where there is none.
func browse(t *testing.T, url string, flags ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	chromium := program(t, "chromium")
	// Not t.TempDir: processes of the browser that outlive its first one still write their profile when they are killed.
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--no-proxy-server", "--remote-debugging-port=0", "--user-data-dir=" + profile}, flags...)
	cmd := exec.Command(chromium, append(args, url)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		// Killed processes may still be about to end. What they leave in the meantime is removed with the rest, at the latest by the system.
		for end := time.Now().Add(10 * time.Second); os.RemoveAll(profile) != nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		}
	})
}

// browsing is how long a test waits for what a page reports.
func browsing(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// hears takes what a page says it heard, the first time.
func hears(heard chan<- string) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		select {
		case heard <- string(text):
		default:
		}
	}
}
