package servecli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

const usage = `usage:
  mockserver serve [FLAG...] [PATH]
        serve the files of a folder, or what a script or a stub file says
  mockserver import [--out DIR] PATH...
        turn mappings of WireMock, files or folders, into stub files
  mockserver journal --token-file FILE [--unmatched | --json] [--limit N] [--forget] URL
        show the requests that came to a server with --admin
  mockserver version
  mockserver help

flags of serve:
  --addr HOST:PORT   where to listen (default 127.0.0.1:0, a free port)
  --tls              serve HTTPS with a certificate made for localhost, HTTP/2 and HTTP/1.1 by ALPN
  --h2c              serve HTTP/2 in cleartext to clients that begin with it (prior knowledge), and HTTP/1.1 to others
  --cert-out FILE    write what clients must trust, in PEM; needs --tls
  --verbose          log each request to the error output, with what is close to those that no stub matches
  --stubs PATH       answer with a stub file, or those of a folder, before PATH does; may be repeated
  --seed N           choose the same at random as another run with that number
  --record ORIGIN    forward what nothing else answers to another server, and record what it says
  --record-to DIR    where to save that when the server ends; what is there is answered without asking again
  --record-mode MODE once asks for what was not recorded, always asks each time and records answers that differ one after another, passthrough
                     asks each time and records nothing (default once)
  --replay-latency   let recorded responses take the time that they took
  --grace DURATION   how long requests under way may go on after a signal; 0 breaks them off (default 5s)
  --admin HOST:PORT  let the server be looked at and changed, on a loopback address
  --admin-token-file FILE
                     the token for that; made with a random one if there is no such file

The first line of output is "listening on URL", with --admin the second one is "admin on URL". SIGTERM and SIGINT end the server
once what is under way is finished, or after --grace; a second signal ends it at once.
The formats: go doc github.com/okhttp-go/ok/mockserver/servecli for scripts, go doc github.com/okhttp-go/ok/mockserver/stub for stub files.
`

// Main runs the command with its arguments, the program's name excluded, and returns the exit status: 0, 1 for a failure, 2 for arguments that
// were not understood. Under serve it returns once the process gets SIGTERM or SIGINT and the requests under way are answered. It reads nothing
// from in. It may run several times at once.
func Main(args []string, in io.Reader, out, err io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return run(ctx, args, out, err)
}

// A usageError is a fault of the arguments.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// run is Main until ctx ends.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	err := command(ctx, args, out, errOut)
	var wrong *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(errOut, "mockserver: %v\n%s", err, usage)
		return 2
	}
	fmt.Fprintf(errOut, "mockserver: %v\n", err)
	return 1
}

func command(ctx context.Context, args []string, out, errOut io.Writer) error {
	if len(args) == 0 {
		return usagef("expected a command")
	}
	switch args[0] {
	case "serve":
		o, err := parseServe(args[1:])
		if errors.Is(err, flag.ErrHelp) {
			return help(out)
		}
		if err != nil {
			return err
		}
		return serve(ctx, o, out, errOut)
	case "import":
		return withHelp(importMappings(args[1:], out), out)
	case "journal":
		return withHelp(journal(ctx, args[1:], out), out)
	case "version", "--version":
		_, err := fmt.Fprintf(out, "mockserver %s\n", okhttp.Version)
		return err
	case "help", "--help", "-help", "-h":
		return help(out)
	}
	return usagef("unknown command %q: expected serve, import, journal, version or help", args[0])
}

// withHelp turns the wish for help into help.
func withHelp(err error, out io.Writer) error {
	if errors.Is(err, flag.ErrHelp) {
		return help(out)
	}
	return err
}

func help(out io.Writer) error {
	_, err := io.WriteString(out, usage)
	return err
}

// answerer is a folder or a script.
type answerer interface {
	mockserver.Peeker
	io.Closer
	echoes() bool // request bodies have a use
}

// open takes path for what it is.
func open(ctx context.Context, path string) (answerer, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return openFolder(path)
	case info.Mode().IsRegular():
		return openScript(path)
	case info.Mode()&os.ModeNamedPipe != 0: // mkfifo, or <(…) of a shell: read to its end
		return openPipe(ctx, path)
	}
	return nil, fmt.Errorf("%s: expected a folder, a script or a pipe with one, but it is none of them (%v)", path, info.Mode().Type())
}

// parseFlags takes flags before and behind other arguments, which it returns.
func parseFlags(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard)
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, usagef("%s: %v", flags.Name(), err)
		}
		left := flags.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if used := len(args) - len(left); used > 0 && args[used-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// continueIfExpected is the early answer to a request that waits for permission to send its body (RFC 9110 section 10.1.1).
func continueIfExpected(r *mockserver.Request) mockserver.Response {
	resp := mockserver.Reply(200)
	if expects(r) {
		return resp.Continue()
	}
	return resp
}
