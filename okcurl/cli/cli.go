package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/okhttp-go/ok/okhttp"
)

// Main runs okcurl with the arguments after the command's name, and returns its exit code. It writes responses to out and everything else
// to err, and reads in only where an option says so. While it fetches, SIGINT cancels what is under way. It may run concurrently with
// itself.
func Main(args []string, in io.Reader, out, err io.Writer) int {
	o, failed := parse(args)
	if failed != nil {
		return report(err, failed)
	}
	if len(args) == 0 {
		writeHelp(err)
		return exitUsage
	}
	switch {
	case o.help:
		return printed(err, writeHelp(out))
	case o.version:
		return printed(err, writeVersion(out))
	}
	s, failed := newSession(o, in, out, err)
	if failed != nil {
		return report(err, failed)
	}
	defer s.close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// A second SIGINT ends the program even if it hangs in writing to someone who does not read.
	defer context.AfterFunc(ctx, stop)()
	return s.run(ctx)
}

// printed turns the outcome of printing into an exit code.
func printed(err io.Writer, failed error) int {
	if failed == nil {
		return successful
	}
	return report(err, (&destination{err: failed}).close())
}

// report prints a failure and returns its exit code.
func report(err io.Writer, failed error) int {
	f := classify(context.Background(), failed)
	if f.text != "" {
		fmt.Fprintf(err, "okcurl: (%d) %s\n", f.code, f.text)
	}
	return f.code
}

// session is one run over all URLs.
type session struct {
	o        *options
	out, err io.Writer
	screen   bool // err is a terminal
	client   *okhttp.Client
	doh      *okhttp.Client // that asks the resolver, nil without one
	body     *okhttp.Body
	verbose  *verbose  // nil unless asked for
	frames   *frameLog // the same
}

// newSession reads what the options name and makes the client.
func newSession(o *options, in io.Reader, out, err io.Writer) (*session, error) {
	if failed := o.check(); failed != nil {
		return nil, failed
	}
	s := &session{o: o, out: out, err: err, screen: isTerminal(err)}
	var failed error
	if s.body, failed = o.body(in); failed != nil {
		return nil, failed
	}
	if o.writeOut, failed = writeOutFormat(o.writeOut, in); failed != nil {
		return nil, failed
	}
	tlsConfig, failed := o.tlsConfig(o.insecure)
	if failed != nil {
		return nil, failed
	}
	settings := append(o.timeouts(), okhttp.WithFollowRedirects(o.location), okhttp.WithTLSConfig(tlsConfig))
	if o.maxTime != unset {
		settings = append(settings, okhttp.WithCallTimeout(o.maxTime))
	}
	ways, failed := o.proxies()
	if failed != nil {
		return nil, failed
	}
	settings = append(settings, ways...)
	names, failed := s.resolver()
	if failed != nil {
		return nil, failed
	}
	settings = append(settings, names...)
	if o.compressed {
		settings = append(settings, okhttp.WithInterceptor(compression()))
	}
	settings = append(settings, okhttp.WithProtocols(o.protocols))
	if o.frames {
		s.frames = &frameLog{w: err}
		s.err, err = s.frames, s.frames
		settings = append(settings, okhttp.WithHTTP2(okhttp.HTTP2Config{Frames: s.frames.line}))
	}
	if o.verbose {
		s.verbose = newVerbose(err, o.insecure)
	}
	s.client = okhttp.New(settings...)
	return s, nil
}

func (s *session) close() {
	s.client.Close()
	if s.frames != nil {
		s.frames.end()
	}
	if s.doh != nil {
		s.doh.Close()
	}
}

// timeouts are the limits of single operations.
func (o *options) timeouts() (settings []okhttp.Option) {
	if o.connectTimeout != unset {
		settings = append(settings, okhttp.WithConnectTimeout(o.connectTimeout))
	}
	if o.readTimeout != unset {
		settings = append(settings, okhttp.WithReadTimeout(o.readTimeout))
	}
	return settings
}

// run fetches the URLs in their order. The exit code is that of the last failure.
func (s *session) run(ctx context.Context) int {
	code := successful
	for i, text := range s.o.urls {
		t := &transfer{session: s}
		f := t.run(ctx, text, s.o.outputOf(i))
		if f == nil {
			continue
		}
		code = f.code
		if f.text != "" && (!s.o.silent || s.o.showError) {
			report(s.err, f)
		}
		if ctx.Err() != nil || f.text == "" {
			break // interrupted, or nobody reads
		}
	}
	return code
}
