package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
)

// TestMain is the command itself where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("OKCURL_TEST_AS_COMMAND") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "OKCURL_TEST_AS_COMMAND=1")
	return cmd
}

func exitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

func TestCommand(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer s.Close()
	cmd := command(t, "-d", "@-", s.URL)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader([]byte("hello")), &out, &errs
	if code := exitCode(cmd.Run()); code != 0 || out.String() != "hello" || errs.Len() != 0 {
		t.Errorf("exit %d, %q, %q", code, out.String(), errs.String())
	}
	out.Reset()
	cmd = command(t, "--nope")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if code := exitCode(cmd.Run()); code != 2 || out.Len() != 0 || errs.String() != "okcurl: (2) unknown option --nope; try okcurl --help\n" {
		t.Errorf("exit %d, %q, %q", code, out.String(), errs.String())
	}
}

// TestClosedOutput stops reading standard output, whose failure would end the process by SIGPIPE if the command did not see to that.
func TestClosedOutput(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	cmd := command(t, s.URL)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1000)); err != nil {
		t.Error(err)
	}
	out.Close()
	if code := exitCode(cmd.Wait()); code != 23 || errs.Len() != 0 {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}
