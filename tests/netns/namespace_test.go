//go:build linux

package netns

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inside is set in the environment of a test that runs in its namespace.
const inside = "OK_TESTS_IN_NAMESPACE"

// program finds a program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/sbin"} { // of the administrator, and not always searched
		if path = filepath.Join(dir, name); exec.Command(path, "-V").Run() == nil {
			return path
		}
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// inNamespace runs the rest of a test in a network namespace of its own, which is a process of its own: the test calls it first, and returns if it
// reports false.
func inNamespace(t *testing.T) bool {
	t.Helper()
	program(t, "ip")
	program(t, "nft")
	if os.Getenv(inside) != "" {
		return true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.WaitDelay = 10 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if uid := os.Getuid(); uid != 0 { // who is root in a user namespace of one's own may
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Skipf("a network namespace cannot be made here: %v", err)
	}
	err = cmd.Wait()
	switch text := out.String(); {
	case err != nil:
		t.Errorf("in the namespace: %v\n%s", err, text)
	case strings.Contains(text, "--- SKIP: "+t.Name()+" "):
		t.Skip(text)
	default:
		t.Log("in the namespace:\n" + text)
	}
	return false
}

// network sets the namespace up: with these addresses, and these rules for packets that arrive at them.
func network(t *testing.T, addrs []string, rules ...string) {
	t.Helper()
	if err := run(t, "", "ip", "link", "set", "lo", "up"); err != nil {
		t.Skip(err)
	}
	for _, a := range addrs {
		args := []string{"addr", "add", a + "/32", "dev", "lo"}
		if strings.Contains(a, ":") {
			args = []string{"-6", "addr", "add", a + "/128", "dev", "lo", "nodad"}
		}
		if err := run(t, "", "ip", args...); err != nil {
			t.Skip(err)
		}
		reachable(t, a)
	}
	ruleset := "table inet test {\n\tchain arriving {\n\t\ttype filter hook input priority 0;\n\t\t" + strings.Join(rules, "\n\t\t") + "\n\t}\n}\n"
	if err := run(t, ruleset, "nft", "-f", "-"); err != nil {
		t.Skip(err) // a kernel without nftables
	}
}

// reachable waits until nobody but the port refuses a connection to an address: the kernel adds the route in its own time, and says until then, and at times once
// more, that the network is unreachable.
func reachable(t *testing.T, addr string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("tcp", net.JoinHostPort(addr, "9"))
		if err == nil {
			conn.Close()
			t.Fatalf("%s: something listens in a namespace that is new", addr)
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %v", addr, err)
		}
	}
}

func run(t *testing.T, input, name string, args ...string) error {
	cmd := exec.CommandContext(t.Context(), program(t, name), args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// best repeats a measurement until it is within its limit, a bounded number of times, and returns the least.
func best(t *testing.T, limit time.Duration, measure func() (time.Duration, error)) time.Duration {
	t.Helper()
	var least time.Duration
	for range 20 {
		took, err := measure()
		if err != nil {
			t.Fatal(err)
		}
		if least = min(cmp.Or(least, took), took); least <= limit {
			break
		}
	}
	if least > limit {
		t.Errorf("took %v at best, want at most %v", least, limit)
	}
	return least
}

// punctual measures something that waits, less the time by which a bare timer was late meanwhile: on a busy machine that can be more than what is
// measured.
func punctual(waits time.Duration, measure func() (time.Duration, error)) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		late := make(chan time.Duration, 1)
		go func() {
			start := time.Now()
			time.Sleep(waits)
			late <- time.Since(start) - waits
		}()
		took, err := measure()
		return max(took-<-late, min(took, waits)), err
	}
}

// failed reports what a call that should have failed did, nil if it did fail with one of the errors.
func failed(err error, want ...error) error {
	for _, w := range want {
		if errors.Is(err, w) {
			return nil
		}
	}
	return fmt.Errorf("error %v, want %v", err, want)
}
