package servecli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okhttp"
)

// serveArgs are the arguments of serve.
type serveArgs struct {
	addr, certOut    string
	tls, h2c         bool
	verbose          bool
	seed             uint64
	seeded           bool
	path             string // "" for none
	stubs            []string
	record, recordTo string
	mode             record.Mode
	latency          bool
	admin, tokenFile string
	grace            time.Duration
}

func parseServe(args []string) (o serveArgs, err error) {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "")
	flags.BoolVar(&o.tls, "tls", false, "")
	flags.BoolVar(&o.h2c, "h2c", false, "")
	flags.StringVar(&o.certOut, "cert-out", "", "")
	flags.BoolVar(&o.verbose, "verbose", false, "")
	flags.Uint64Var(&o.seed, "seed", 0, "")
	flags.Func("stubs", "", func(path string) error {
		o.stubs = append(o.stubs, path)
		return nil
	})
	flags.StringVar(&o.record, "record", "", "")
	flags.StringVar(&o.recordTo, "record-to", "", "")
	modeName := ""
	flags.StringVar(&modeName, "record-mode", "", "")
	flags.BoolVar(&o.latency, "replay-latency", false, "")
	flags.StringVar(&o.admin, "admin", "", "")
	flags.StringVar(&o.tokenFile, "admin-token-file", "", "")
	flags.DurationVar(&o.grace, "grace", 5*time.Second, "")
	paths, err := parseFlags(flags, args)
	if err != nil {
		return o, err
	}
	flags.Visit(func(f *flag.Flag) { o.seeded = o.seeded || f.Name == "seed" })
	switch {
	case o.grace < 0:
		return o, usagef("serve: --grace %v: expected a duration of at least 0", o.grace)
	case len(paths) > 1, len(paths) == 0 && len(o.stubs) == 0 && o.record == "" && o.admin == "":
		return o, usagef("serve: expected one folder, script or stub file but got %d", len(paths))
	case len(paths) == 1 && o.record != "":
		return o, usagef("serve: expected PATH or --record but got both: stubs beside what is recorded are for --stubs")
	case o.certOut != "" && !o.tls:
		return o, usagef("serve: --cert-out needs --tls")
	case o.h2c && o.tls:
		return o, usagef("serve: --h2c is for cleartext, and --tls speaks HTTP/2 by itself")
	case o.recordTo != "" && o.record == "":
		return o, usagef("serve: --record-to needs --record")
	case modeName != "" && o.record == "":
		return o, usagef("serve: --record-mode needs --record")
	case (o.admin == "") != (o.tokenFile == ""):
		return o, usagef("serve: --admin and --admin-token-file need each other")
	}
	switch modeName {
	case "", "once":
		o.mode = record.Once
	case "always":
		o.mode = record.Always
	case "passthrough":
		if o.mode = record.PassThrough; o.recordTo != "" {
			return o, usagef("serve: --record-mode passthrough records nothing, but got --record-to")
		}
	default:
		return o, usagef("serve: --record-mode %q: expected once, always or passthrough", modeName)
	}
	for name, addr := range map[string]string{"addr": o.addr, "admin": o.admin} {
		if _, _, err := net.SplitHostPort(addr); err != nil && addr != "" {
			return o, usagef("serve: --%s %q: expected HOST:PORT", name, addr)
		}
	}
	if len(paths) == 1 {
		o.path = paths[0]
	}
	return o, nil
}

// answers are what a server has to say.
type answers struct {
	dispatcher mockserver.Dispatcher
	routes     *route.Routes // nil for none
	recorder   *record.Recorder
	bodies     bool // request bodies have a use
	closers    []io.Closer
}

func (a *answers) Close() error {
	var errs []error
	for _, c := range a.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// openAnswers reads all that a server answers with.
func openAnswers(ctx context.Context, o serveArgs, errOut io.Writer) (_ *answers, err error) {
	a := new(answers)
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	stubs := o.stubs
	if strings.HasSuffix(o.path, ".json") {
		stubs, o.path = append(stubs, o.path), ""
	}
	if len(stubs) > 0 || o.admin != "" {
		a.routes, a.bodies = new(route.Routes), true
		a.dispatcher = a.routes
	}
	for _, path := range stubs {
		list, err := stub.Load(path, &stub.Options{Latency: o.latency})
		if err != nil {
			return a, err
		}
		if len(list) == 0 {
			fmt.Fprintf(errOut, "mockserver: %s has no stubs\n", path)
		}
		if err := a.routes.Add(list...); err != nil {
			return a, err
		}
	}
	var last mockserver.Dispatcher
	switch {
	case o.path != "":
		opened, err := open(ctx, o.path)
		if err != nil {
			return a, err
		}
		a.closers, a.bodies = append(a.closers, opened), a.bodies || opened.echoes()
		last = opened
	case o.record != "":
		if a.recorder, err = openRecorder(o); err != nil {
			return a, err
		}
		a.closers, a.bodies = append(a.closers, a.recorder), true
		last = a.recorder
	}
	switch {
	case a.routes == nil:
		a.dispatcher = last
	case last != nil:
		a.routes.SetFallback(last)
	case o.verbose:
		a.dispatcher = &loud{a.routes, logger(o, errOut)}
	}
	return a, nil
}

func openRecorder(o serveArgs) (*record.Recorder, error) {
	c := record.Config{Origin: o.record, Mode: o.mode, Latency: o.latency}
	if o.recordTo != "" {
		if err := writable(o.recordTo); err != nil {
			return nil, fmt.Errorf("--record-to: %w", err)
		}
		var err error
		if c.Stubs, c.Dir, err = stub.Read(o.recordTo); err != nil {
			return nil, err
		}
	}
	return record.New(c)
}

// writable makes a folder, and fails if nothing could be saved there: in the end, what was recorded would be lost by that.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".mockserver-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// loud writes what no stub matches to the log.
type loud struct {
	*route.Routes
	log *slog.Logger
}

// Dispatch implements [mockserver.Dispatcher].
func (l *loud) Dispatch(ctx context.Context, r *mockserver.Request) mockserver.Response {
	resp := l.Routes.Dispatch(ctx, r)
	for _, m := range l.Unmatched() {
		if m.Request == r {
			l.log.Info("no stub matches", "report", m.String())
		}
	}
	return resp
}

// serve runs the server until ctx ends.
func serve(ctx context.Context, o serveArgs, out, errOut io.Writer) (err error) {
	a, err := openAnswers(ctx, o, errOut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	opts, err := options(o, a, errOut)
	if err != nil {
		return err
	}
	server, err := mockserver.Start(opts...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close(), a.save(o, errOut)) }()
	lines := fmt.Sprintf("listening on %s\n", server.URL("/"))
	if o.admin != "" {
		control, err := startAdmin(o, server, a.routes)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, control.Close()) }()
		lines += fmt.Sprintf("admin on %s\n", control.URL("/"))
	}
	if o.certOut != "" {
		if err := os.WriteFile(o.certOut, server.CertificatePEM(), 0o644); err != nil {
			return fmt.Errorf("writing the certificate: %w", err)
		}
	}
	if _, err := io.WriteString(out, lines); err != nil {
		return fmt.Errorf("writing the address: %w", err)
	}
	<-ctx.Done()
	return farewell(ctx, server, o.grace, errOut)
}

// farewell lets what is under way finish, for a time.
func farewell(ctx context.Context, server *mockserver.Server, grace time.Duration, errOut io.Writer) error {
	if grace == 0 {
		return server.Close()
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(errOut, "mockserver: what was not finished %v after the signal was broken off\n", grace)
		return nil // the deferred Close tells what is wrong beyond that
	}
	return err
}

// save keeps what was recorded, and says what was not.
func (a *answers) save(o serveArgs, errOut io.Writer) error {
	if a.recorder == nil || o.recordTo == "" {
		return nil
	}
	for _, why := range a.recorder.Skipped() {
		fmt.Fprintf(errOut, "mockserver: not recorded: %s\n", why)
	}
	return a.recorder.Save(o.recordTo)
}

func logger(o serveArgs, errOut io.Writer) *slog.Logger {
	level := slog.LevelError
	if o.verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(errOut, &slog.HandlerOptions{Level: level}))
}

func options(o serveArgs, a *answers, errOut io.Writer) ([]mockserver.Option, error) {
	kept := 0
	if o.admin != "" {
		kept = keptRequests
	}
	opts := []mockserver.Option{
		mockserver.WithAddr(o.addr), mockserver.WithDispatcher(a.dispatcher), mockserver.WithJournalLimit(kept),
		mockserver.WithLogger(logger(o, errOut)),
	}
	if !a.bodies {
		opts = append(opts, mockserver.WithBodyLimit(0))
	}
	if !o.seeded {
		o.seed = rand.Uint64()
		logger(o, errOut).Info("what is random follows", "seed", o.seed)
	}
	opts = append(opts, mockserver.WithSeed(o.seed))
	if o.h2c {
		opts = append(opts, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	}
	if o.tls {
		host, _, err := net.SplitHostPort(o.addr)
		if err != nil {
			return nil, err
		}
		opts = append(opts, mockserver.WithLocalhostTLS(host))
	}
	return opts, nil
}
