package servecli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

const usage = `usage:
  mockserver serve [--addr HOST:PORT] [--tls | --h2c] [--cert-out FILE] [--verbose] PATH
        serve the files of a folder, or what a script says
  mockserver version
  mockserver help

flags of serve:
  --addr HOST:PORT   where to listen (default 127.0.0.1:0, a free port)
  --tls              serve HTTPS with a certificate made for localhost, HTTP/2 and HTTP/1.1 by ALPN
  --h2c              serve HTTP/2 in cleartext to clients that begin with it (prior knowledge), and HTTP/1.1 to others
  --cert-out FILE    write what clients must trust, in PEM; needs --tls
  --verbose          log each request to the error output

The first line of output is "listening on URL". SIGTERM and SIGINT end the server.
The format of scripts: go doc github.com/okhttp-go/ok/mockserver/servecli
`

// Main runs the command with its arguments, the program's name excluded, and returns the exit status: 0, 1 for a failure, 2 for
// arguments that were not understood. It serves until the process gets SIGTERM or SIGINT. Nothing is read from in.
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
	case "version", "--version":
		_, err := fmt.Fprintf(out, "mockserver %s\n", okhttp.Version)
		return err
	case "help", "--help", "-help", "-h":
		return help(out)
	}
	return usagef("unknown command %q: expected serve, version or help", args[0])
}

func help(out io.Writer) error {
	_, err := io.WriteString(out, usage)
	return err
}

// serveArgs are the arguments of serve.
type serveArgs struct {
	addr    string
	tls     bool
	h2c     bool
	certOut string
	verbose bool
	path    string
}

// parseServe takes flags before and after the path.
func parseServe(args []string) (o serveArgs, err error) {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "")
	flags.BoolVar(&o.tls, "tls", false, "")
	flags.BoolVar(&o.h2c, "h2c", false, "")
	flags.StringVar(&o.certOut, "cert-out", "", "")
	flags.BoolVar(&o.verbose, "verbose", false, "")
	var paths []string
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return o, err
		} else if err != nil {
			return o, usagef("serve: %v", err)
		}
		rest := flags.Args()
		if len(rest) == 0 {
			break
		}
		if used := len(args) - len(rest); used > 0 && args[used-1] == "--" {
			paths = append(paths, rest...)
			break
		}
		paths, args = append(paths, rest[0]), rest[1:]
	}
	switch {
	case len(paths) != 1:
		return o, usagef("serve: expected one folder or script but got %d", len(paths))
	case o.certOut != "" && !o.tls:
		return o, usagef("serve: --cert-out needs --tls")
	case o.h2c && o.tls:
		return o, usagef("serve: --h2c is for cleartext, and --tls speaks HTTP/2 by itself")
	}
	if _, _, err := net.SplitHostPort(o.addr); err != nil {
		return o, usagef("serve: --addr %q: expected HOST:PORT", o.addr)
	}
	o.path = paths[0]
	return o, nil
}

// serve runs the server until ctx ends.
func serve(ctx context.Context, o serveArgs, out, errOut io.Writer) (err error) {
	answers, err := open(o.path)
	if err != nil {
		return err
	}
	defer answers.Close()
	opts := []mockserver.Option{
		mockserver.WithAddr(o.addr),
		mockserver.WithDispatcher(answers),
		mockserver.WithJournalLimit(0),
	}
	if !answers.echoes() {
		opts = append(opts, mockserver.WithBodyLimit(0))
	}
	if o.verbose {
		opts = append(opts, mockserver.WithLogger(slog.New(slog.NewTextHandler(errOut, nil))))
	} else {
		opts = append(opts, mockserver.WithLogger(slog.New(slog.NewTextHandler(errOut, &slog.HandlerOptions{Level: slog.LevelError}))))
	}
	if o.h2c {
		opts = append(opts, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	}
	if o.tls {
		host, _, err := net.SplitHostPort(o.addr)
		if err != nil {
			return err
		}
		opts = append(opts, mockserver.WithLocalhostTLS(host))
	}
	server, err := mockserver.Start(opts...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if o.certOut != "" {
		if err := os.WriteFile(o.certOut, server.CertificatePEM(), 0o644); err != nil {
			return fmt.Errorf("writing the certificate: %w", err)
		}
	}
	if _, err := fmt.Fprintf(out, "listening on %s\n", server.URL("/")); err != nil {
		return fmt.Errorf("writing the address: %w", err)
	}
	<-ctx.Done()
	return nil
}

// answerer is a folder or a script.
type answerer interface {
	mockserver.Peeker
	io.Closer
	echoes() bool // request bodies have a use
}

// open takes path for what it is.
func open(path string) (answerer, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return openFolder(path)
	case info.Mode().IsRegular():
		return openScript(path)
	}
	return nil, fmt.Errorf("%s: expected a folder or a script but it is neither", path)
}

// continueIfExpected is the early answer to a request that waits for permission to send its body (RFC 9110 section 10.1.1).
func continueIfExpected(r *mockserver.Request) mockserver.Response {
	resp := mockserver.Reply(200)
	if expects(r) {
		return resp.Continue()
	}
	return resp
}
