package build

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// alone turns the workspace off, so that a module sees its own go.mod and nothing else, as its users do.
const alone = "GOWORK=off"

// A command is one child process in the making. The zero values run in the current directory with the current environment.
type command struct {
	dir string
	env []string // added to the environment; the last value of a name wins
	out io.Writer
}

// run streams the child's output to c.out (standard output when nil) and its errors to standard error.
func (c command) run(ctx context.Context, name string, args ...string) error {
	cmd := c.prepare(ctx, name, args)
	cmd.Stdout, cmd.Stderr = io.Writer(os.Stdout), os.Stderr
	if c.out != nil {
		cmd.Stdout = c.out
	}
	return named(cmd.Run(), name, args)
}

// quiet keeps everything the child prints and returns it; the text belongs to the error when there is one.
func (c command) quiet(ctx context.Context, name string, args ...string) (string, error) {
	cmd := c.prepare(ctx, name, args)
	var buf bytes.Buffer
	cmd.Stdout, cmd.Stderr = &buf, &buf
	err := cmd.Run()
	return strings.TrimRight(buf.String(), "\n"), named(err, name, args)
}

// output returns the child's standard output alone; its errors go to standard error.
func (c command) output(ctx context.Context, name string, args ...string) (string, error) {
	var buf bytes.Buffer
	c.out = &buf
	err := c.run(ctx, name, args...)
	return strings.TrimSpace(buf.String()), err
}

func (c command) prepare(ctx context.Context, name string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	return cmd
}

func named(err error, name string, args []string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("build: %s %s: %w", filepath.Base(name), strings.Join(args, " "), err)
}

// tool returns the path of a program of the Go distribution that is not a go subcommand, such as gofmt.
func tool(ctx context.Context, name string) (string, error) {
	goroot, err := command{}.output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	path := filepath.Join(goroot, "bin", name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return exec.LookPath(name)
}
