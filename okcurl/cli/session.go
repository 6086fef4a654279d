package cli

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
	"github.com/okhttp-go/ok/okhttp/okhar"
	"github.com/okhttp-go/ok/okio"
)

// session is one run over all URLs.
type session struct {
	o        *options
	in       io.Reader
	out, err io.Writer
	screen   bool // err is a terminal
	client   *okhttp.Client
	doh      *okhttp.Client // that asks the resolver, nil without one
	body     *okhttp.Body   // that every URL gets, nil if there is none, or each has its own
	query    []byte         // of --url-query and --get

	// nil unless asked for
	cache     *okcache.Cache
	verbose   *verbose
	frames    *frameLog
	events    okhttp.EventListenerFactory
	recorder  *okhar.Recorder
	jar       *cookies
	throttler *okio.Throttler
	bars      *bars

	ends []func() // at the end of the run
}

// newSession reads what the options name and makes the client.
func newSession(o *options, in io.Reader, out, err io.Writer) (*session, error) {
	if failed := o.check(); failed != nil {
		return nil, failed
	}
	s := &session{o: o, in: in, out: out, err: err, screen: isTerminal(err), throttler: o.throttle()}
	if o.parallel { // what several write at the same time stays whole, a piece at a time
		s.out, s.err = &sharedWriter{w: out}, &sharedWriter{w: err}
	}
	failed := o.readHeaders(in)
	if failed != nil {
		return nil, failed
	}
	if s.body, failed = o.body(in); failed != nil {
		return nil, failed
	}
	if s.query, failed = o.wholeQuery(in); failed != nil {
		return nil, failed
	}
	if o.writeOut, failed = writeOutFormat(o.writeOut, in); failed != nil {
		return nil, failed
	}
	if s.jar, failed = o.jar(); failed != nil {
		return nil, failed
	}
	s.observe()
	settings, failed := s.settings()
	if failed != nil {
		s.close()
		return nil, failed
	}
	s.client = okhttp.New(settings...)
	return s, nil
}

// observe sets up what tells of the calls.
func (s *session) observe() {
	if s.o.frames {
		s.frames = &frameLog{w: s.err}
		s.err = s.frames
	}
	if s.o.verbose {
		s.verbose = newVerbose(s.err, s.o.insecure)
	}
	if s.o.events {
		s.events = okhttp.LogEvents(slog.New(&eventLines{w: s.err}))
	}
	if s.o.har != "" {
		s.recorder = okhar.New(&okhar.Config{RedactHeaders: s.o.harRedact, RedactQuery: s.o.harRedact})
	}
}

// settings are those of the client.
func (s *session) settings() ([]okhttp.Option, error) {
	o := s.o
	tlsConfig, err := o.tlsConfig(o.insecure, s.keyLog())
	if err != nil {
		return nil, err
	}
	settings := append(o.timeouts(), okhttp.WithFollowRedirects(o.location), okhttp.WithTLSConfig(tlsConfig), okhttp.WithProtocols(o.protocols))
	if o.maxTime != unset {
		settings = append(settings, okhttp.WithCallTimeout(o.maxTime))
	}
	selector, err := o.proxies()
	if err != nil {
		return nil, err
	}
	if o.cacheDir != "" {
		if s.cache, err = s.openCache(); err != nil {
			return nil, err
		}
		settings = append(settings, okhttp.WithCache(s.cache))
	}
	names, err := s.resolver(selector) // which may stand in front of the cache
	if err != nil {
		return nil, err
	}
	settings = append(append(settings, okhttp.WithProxySelector(selector)), names...)
	if o.compressed {
		settings = append(settings, okhttp.WithInterceptor(compression()))
	}
	if !o.compressed {
		settings = append(settings, okhttp.WithInterceptor(identity{}))
	}
	if s.frames != nil {
		settings = append(settings, okhttp.WithHTTP2(okhttp.HTTP2Config{Frames: s.frames.line}))
	}
	if o.pinner != nil {
		settings = append(settings, okhttp.WithCertificatePinner(o.pinner))
	}
	if s.jar != nil {
		settings = append(settings, okhttp.WithCookieJar(s.jar))
	}
	return settings, nil
}

func (s *session) close() {
	if s.client != nil {
		s.client.Close()
	}
	if s.cache != nil {
		s.cache.Close() // what could not be stored is no failure
	}
	if s.frames != nil {
		s.frames.end()
	}
	if s.doh != nil {
		s.doh.Close()
	}
	for _, end := range s.ends {
		end()
	}
}

// patience is the limit of a wait where a body is sent. What was handed to the kernel may be megabytes, which a slow link or server needs its time for: it takes
// nothing more meanwhile, or after the end says nothing, and is not silent for all that.
const patience = time.Minute

// timeouts are the limits of single operations.
func (o *options) timeouts() (settings []okhttp.Option) {
	if o.connectTimeout != unset {
		settings = append(settings, okhttp.WithConnectTimeout(o.connectTimeout))
	}
	wait := o.readTimeout
	if sends := len(o.data) > 0 && !o.get || len(o.form) > 0 || len(o.uploads) > 0; sends && wait == unset {
		wait = patience
	}
	if wait != unset {
		settings = append(settings, okhttp.WithReadTimeout(wait), okhttp.WithWriteTimeout(wait))
	}
	return settings
}

// run fetches the URLs, and writes what was collected on the way. The exit code is that of the last failure.
func (s *session) run(ctx context.Context) int {
	fetch := s.runInTurn
	if s.o.parallel {
		fetch = s.runTogether
	}
	code := fetch(ctx)
	for _, save := range []func() *failure{s.saveCookies, s.saveArchive} {
		if f := save(); f != nil {
			s.complain(f)
			code = f.code
		}
	}
	return code
}

func (s *session) runInTurn(ctx context.Context) int {
	code := successful
	for i, text := range s.o.urls {
		t := &transfer{session: s, measure: measure{n: i}}
		f := t.run(ctx, text, s.o.outputOf(i))
		if f == nil {
			continue
		}
		code = f.code
		s.complain(t.about(f))
		if s.o.failEarly || ctx.Err() != nil || f.text == "" {
			break // asked to, interrupted, or nobody reads
		}
	}
	return code
}

// complain prints a failure unless it is to be silent.
func (s *session) complain(f *failure) {
	if f.text != "" && (!s.o.silent || s.o.showError) {
		report(s.err, f)
	}
}

// saveArchive writes what --har recorded.
func (s *session) saveArchive() *failure {
	if s.recorder == nil {
		return nil
	}
	f, err := os.Create(s.o.har)
	if err == nil {
		_, err = s.recorder.WriteTo(f)
		if end := f.Close(); err == nil {
			err = end
		}
	}
	if err != nil {
		return &failure{exitWrite, "cannot write the archive: " + pathText(err)}
	}
	return nil
}

// sharedWriter is written to by several goroutines.
type sharedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *sharedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}
