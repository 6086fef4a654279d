package script

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds what a server may take to start and to end, far above what it needs.
const patience = 30 * time.Second

// servers are those that a script has running.
type servers struct{ list []*server }

type serversKey struct{}

// server is a mockserver process. testscript's own background processes show their output only at their end, and the address is needed before.
type server struct {
	name    string
	cmd     *exec.Cmd
	out     *bufio.Reader
	log     bytes.Buffer
	verbose bool
	ended   bool
}

func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve NAME ARG...")
	}
	running := ts.Value(serversKey{}).(*servers)
	s := &server{name: args[0], verbose: slices.Contains(args, "--verbose")}
	s.cmd = exec.Command("mockserver", append([]string{"serve"}, args[1:]...)...)
	s.cmd.Dir = ts.MkAbs(".")
	s.cmd.Env = append(os.Environ(), raceEnv())
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	ts.Check(err)
	s.out = bufio.NewReader(out)
	ts.Check(s.cmd.Start())
	running.list = append(running.list, s)
	guard := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	line, err := s.out.ReadString('\n')
	guard.Stop()
	url, ok := strings.CutPrefix(strings.TrimSuffix(line, "/\n"), "listening on ")
	if err != nil || !ok {
		ts.Fatalf("serve %s: first line of output %q, %v, want the address; then it ended: %v", s.name, line, err, s.end())
	}
	if slices.Contains(args, "--admin") {
		line, err := s.out.ReadString('\n')
		control, ok := strings.CutPrefix(strings.TrimSuffix(line, "/\n"), "admin on ")
		if err != nil || !ok {
			ts.Fatalf("serve %s: second line of output %q, %v, want the address of the interface", s.name, line, err)
		}
		ts.Setenv(s.name+"_ADMIN", control)
	}
	ts.Setenv(s.name, url)
	addr := url[strings.Index(url, "://")+len("://"):]
	ts.Setenv(s.name+"_ADDR", addr)
	ts.Setenv(s.name+"_PORT", addr[strings.LastIndexByte(addr, ':')+1:])
}

func shutdown(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shutdown NAME")
	}
	running := ts.Value(serversKey{}).(*servers)
	i := slices.IndexFunc(running.list, func(s *server) bool { return s.name == args[0] && !s.ended })
	if i < 0 {
		ts.Fatalf("shutdown: no server %s", args[0])
	}
	s := running.list[i]
	ts.Check(s.end())
	ts.Check(os.WriteFile(ts.MkAbs(s.name+".log"), s.log.Bytes(), 0o666))
}

// end sends SIGTERM and returns what is wrong with how the server ended: an exit code other than 0, more output than the first line, or a log
// that nobody asked for.
func (s *server) end() error {
	if s.ended {
		return nil
	}
	s.ended = true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	guard := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	defer guard.Stop()
	rest, err := io.ReadAll(s.out)
	err = errors.Join(err, s.cmd.Wait())
	if len(rest) > 0 {
		err = errors.Join(err, fmt.Errorf("unexpected output %q", rest))
	}
	if (err != nil || !s.verbose) && s.log.Len() > 0 {
		err = errors.Join(err, fmt.Errorf("it logged:\n%s", s.log.Bytes()))
	}
	return err
}
