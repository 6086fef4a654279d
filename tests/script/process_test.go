package script

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// process is a command that runs while the script goes on, and whose output the script awaits line by line.
type process struct {
	cmd      *exec.Cmd
	lines    *bufio.Reader
	out, err bytes.Buffer
}

// processes are those that a script started, by their names.
type processes map[string]*process

type processesKey struct{}

func running(ts *testscript.TestScript, name string) *process {
	p := ts.Value(processesKey{}).(processes)[name]
	if p == nil {
		ts.Fatalf("nothing was started as %s", name)
	}
	return p
}

// starts NAME COMMAND ARG... runs a command beside the script, which "says" waits for and "ends" awaits the end of.
func starts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: starts NAME COMMAND ARG...")
	}
	p := &process{cmd: exec.Command(args[1], args[2:]...)}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = ts.MkAbs("."), append(os.Environ(), raceEnv()), &p.err
	out, err := p.cmd.StdoutPipe()
	ts.Check(err)
	p.lines = bufio.NewReader(out)
	ts.Check(p.cmd.Start())
	ts.Value(processesKey{}).(processes)[args[0]] = p
	ts.Defer(func() {
		if p.cmd.ProcessState == nil {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	})
}

// says NAME REGEXP waits for a line of the output of that command.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: says NAME REGEXP")
	}
	p := running(ts, args[0])
	want, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	defer p.guard()()
	for {
		line, err := p.lines.ReadString('\n')
		p.out.WriteString(line)
		if want.MatchString(line) {
			return
		}
		if err != nil {
			ts.Fatalf("says: %s said no line like %s: %v\noutput:\n%s\nerrors:\n%s", args[0], want, err, &p.out, &p.err)
		}
	}
}

// ends NAME CODE waits for the end of that command, with that exit code. What it printed is then in the files NAME.out and NAME.err.
func ends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ends NAME CODE")
	}
	p := running(ts, args[0])
	defer p.guard()()
	_, err := p.lines.WriteTo(&p.out)
	ts.Check(err)
	if err := p.cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		ts.Fatalf("ends: %v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".out"), p.out.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".err"), p.err.Bytes(), 0o666))
	if got := strconv.Itoa(p.cmd.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("%s: exit code %s, want %s\noutput:\n%s\nerrors:\n%s", args[0], got, args[1], &p.out, &p.err)
	}
}

// guard kills a process that is not done in time, so that nobody waits for ever. What it returns calls that off.
func (p *process) guard() func() {
	timer := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	return func() { timer.Stop() }
}
