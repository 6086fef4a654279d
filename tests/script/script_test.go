// Package script tests the commands okcurl and mockserver against each other, as a user runs them. Each .txtar file of this folder is a script
// of its own: what it shows stands at its top, then come the commands, then the files they work on. Besides the commands of testscript there are
// okcurl and mockserver, run as processes of their own, and:
//
//	serve NAME ARG...          starts "mockserver serve ARG..." and sets $NAME to the origin it listens on, without a slash at the end,
//	                           $NAME_ADDR to the host and port of that, and $NAME_PORT to the port; with --admin, $NAME_ADMIN to the interface
//	shutdown NAME              ends that server; what it logged is then in the file NAME.log. Servers left end with their script
//	exits CODE COMMAND ARG...  runs a command, which must end with that exit code
//	starts NAME COMMAND ARG... runs a command beside the script
//	says NAME REGEXP           waits for a line of what that command prints
//	ends NAME CODE             waits for its end, with that exit code; what it printed is then in the files NAME.out and NAME.err
//	wsserve NAME               starts a server for web sockets and sets $NAME to its ws URL; websocket_test.go says what it serves
//	proxy NAME USER:PASSWORD   starts a proxy that opens tunnels, and sets $NAME to its host and port
//	door NAME [ADDR]           sets $NAME to a host and port that lead to ADDR, which another "door NAME ADDR" changes, and without ADDR nowhere
//	silent ADDR                makes that host and port one that neither takes connections nor refuses them (Linux only)
//	pin NAME FILE              sets $NAME to the pin of the certificate in a file
//	refused NAME               sets $NAME to a host and port that refuse connections until the script is over
//	text NAME GOSTRING         sets $NAME to a quoted Go string, for characters that cannot stand in a script
//	header NAME FILE           sets $NAME to the Authorization header with the token in a file
//	fill FILE...               replaces variables in files, for scripts of a server that name another server
//
// With -v the slowest scripts are named at the end. Nothing bounds what a script takes, which other work on the machine decides as much as the script does.
//
// $VERSION is the version of the commands. $OKHTTP_CACHES has directories of caches that OkHttp wrote, which no script may change.
package script

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/okhttp-go/ok/mockserver/servecli"
	okcurl "github.com/okhttp-go/ok/okcurl/cli"
	"github.com/okhttp-go/ok/okhttp"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mockserver": func() { os.Exit(servecli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"okcurl": func() {
			signal.Ignore(syscall.SIGPIPE) // as the command's main does
			os.Exit(okcurl.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts end servers by SIGTERM, which Windows does not have")
	}
	times := &times{}
	t.Cleanup(func() { t.Logf("the slowest: %s", times.slowest(3)) }) // when all have ended
	testscript.Run(t, testscript.Params{
		Dir: ".",
		Setup: func(env *testscript.Env) error {
			env.Defer(times.start(env.T().(testing.TB).Name()))
			return setup(env)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":    serve,
			"starts":   starts,
			"says":     says,
			"ends":     ends,
			"wsserve":  wsserve,
			"proxy":    proxy,
			"door":     openDoor,
			"silent":   silent,
			"pin":      pin,
			"shutdown": shutdown,
			"exits":    exits,
			"refused":  refused,
			"text":     text,
			"fill":     fill,
			"header":   header,
		},
	})
}

// raceEnv spares each process the second that the race detector waits at its end by default.
func raceEnv() string {
	options := "atexit_sleep_ms=0"
	if own := os.Getenv("GORACE"); own != "" {
		options += " " + own
	}
	return "GORACE=" + options
}

func setup(env *testscript.Env) error {
	caches, err := filepath.Abs("../../okhttp-cache/testdata/okhttp")
	if err != nil {
		return err
	}
	env.Vars = append(env.Vars, raceEnv(), "VERSION="+okhttp.Version, "OKHTTP_CACHES="+caches)
	running := &servers{}
	env.Values[serversKey{}] = running
	env.Values[processesKey{}] = processes{}
	env.Values[doorsKey{}] = doors{}
	tb := env.T().(testing.TB)
	env.Defer(func() {
		for _, s := range running.list {
			if err := s.end(); err != nil {
				tb.Errorf("server %s: %v", s.name, err)
			}
		}
	})
	return nil
}

// exits is "exec" for programs whose exit code means something.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: expected a number, got %q", args[0])
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("exits: %v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// refused finds a port that nobody listens on and nobody can: the client's end of a connection that stays open.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: refused NAME")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	ts.Check(err)
	ts.Defer(func() { c.Close() })
	ts.Setenv(args[0], c.LocalAddr().String())
}

func text(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: text NAME GOSTRING")
	}
	value, err := strconv.Unquote(args[1])
	if err != nil {
		ts.Fatalf("text: expected a quoted Go string, got %s", args[1])
	}
	ts.Setenv(args[0], value)
}

func header(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: header NAME FILE")
	}
	ts.Setenv(args[0], "Authorization: Bearer "+strings.TrimSpace(ts.ReadFile(args[1])))
}

func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fill FILE...")
	}
	for _, name := range args {
		filled := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(filled), 0o666))
	}
}
