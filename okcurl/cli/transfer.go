package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

// transfer is the fetching of one URL.
type transfer struct {
	*session
	measure
	dest      *destination
	dump      *destination      // of --dump-header, nil without it
	asked     okhttp.URL        // what the command line says
	talks     bool              // over a web socket
	invited   bool              // what the server said may be different the next time
	invitedIn time.Duration     // and when that is, 0 if it did not say
	made      map[string]string // by all tries
}

// run fetches a URL and writes the response. It returns what failed, nil if nothing did.
func (t *transfer) run(ctx context.Context, text string, out output) *failure {
	t.began, t.made = time.Now(), map[string]string{}
	var failed *failure
	for {
		t.invited, t.invitedIn = false, 0
		if failed = t.attempt(ctx, text, out); !t.again(ctx, failed) {
			break
		}
		t.tries++
	}
	t.total, t.failure = t.since(), failed
	if t.o.writeOut != "" && (failed == nil || failed.code != exitInterrupted) {
		if err := t.expand(t.o.writeOut, t.out, t.err); err != nil && failed == nil {
			failed = (&destination{err: err}).close()
		}
	}
	return failed
}

// attempt fetches once.
func (t *transfer) attempt(ctx context.Context, text string, out output) *failure {
	t.dest, t.dump, t.from = nil, nil, ""
	failed := t.fetch(ctx, text, out)
	if t.dest != nil {
		t.file = t.dest.name
	}
	for _, d := range []*destination{t.dest, t.dump} {
		if d == nil {
			continue
		}
		if err := d.close(); err != nil && (failed == nil || failed.code == exitWrite) {
			failed = err
		}
	}
	if t.dest != nil && failed != nil && t.o.removeOnError {
		t.dest.remove()
	}
	return failed
}

// about names the URL of a failure where there are several, without the query, which may hold secrets.
func (t *transfer) about(f *failure) *failure {
	if f.text == "" || t.given == "" || len(t.o.urls) == 1 || strings.Contains(f.text, t.asked.Host()) {
		return f
	}
	place, _, _ := strings.Cut(t.given, "?")
	return &failure{f.code, f.text + " (" + place + ")"}
}

func (t *transfer) fetch(ctx context.Context, text string, out output) *failure {
	if err := t.o.permitted(text); err != nil {
		return classify(ctx, err)
	}
	text, t.talks = webSocketURL(text)
	u, user, err := t.o.target(text)
	if err != nil {
		return classify(ctx, err)
	}
	t.at(u)
	t.asked, t.given = u, t.url
	if t.dest, err = t.o.destinationOf(out, u, t.out, t.made); err != nil {
		return classify(ctx, err)
	}
	if t.o.dumpHeader != "" {
		t.dump = &destination{std: t.out, name: strings.TrimPrefix(t.o.dumpHeader, "-"), keep: t.n > 0}
	}
	if t.talks || t.o.sse {
		t.dest.named("", false) // there may be several responses
	}
	client, req, err := t.prepare(u, user)
	if err != nil {
		return classify(ctx, err)
	}
	if t.talks {
		return t.talk(ctx, client, req)
	}
	if t.o.sse {
		return t.follow(ctx, client, req)
	}
	resp, err := t.watched(client.NewCall(req)).Execute(ctx)
	if err != nil {
		return t.o.classify(ctx, err)
	}
	defer resp.Body.Close()
	return t.receive(ctx, resp)
}

// watched adds to a call the listeners that the options ask for.
func (t *transfer) watched(call *okhttp.Call) *okhttp.Call {
	call.AddEventListener(t.measure.listener())
	if t.verbose != nil {
		call.AddEventListener(t.verbose.listener())
		if t.cache != nil {
			call.AddEventListener(cacheEvents(t.verbose.event, t.verbose.stored))
		}
	}
	if t.events != nil {
		call.AddEventListener(t.events(call))
	}
	if t.o.include || t.o.head {
		call.AddEventListener(heads(t.dest))
	}
	if t.dump != nil {
		call.AddEventListener(heads(t.dump))
	}
	if t.recorder != nil {
		listener := t.recorder.Listen(call)
		if _, given := t.o.headerValue("Accept-Encoding"); !given && !t.o.compressed {
			listener = withoutIdentity(listener)
		}
		call.AddEventListener(listener)
	}
	return call
}

// prepare makes the request for a URL, and the client with what is about that URL alone.
func (t *transfer) prepare(u okhttp.URL, user *credentials) (client *okhttp.Client, req *okhttp.Request, err error) {
	body, uploaded := t.body, t.n < len(t.o.uploads)
	if uploaded {
		if body, u, err = t.o.upload(t.n, u, t.in); err != nil {
			return nil, nil, err
		}
	}
	if u, err = t.o.withQuery(u, t.query); err != nil {
		return nil, nil, err
	}
	t.asked = u
	if t.jar != nil {
		if err := t.giveCookies(u); err != nil {
			return nil, nil, err
		}
	}
	if req, err = t.o.request(u, user, slowed(body, t.throttler), uploaded); err != nil {
		return nil, nil, err
	}
	if at := t.dest.at; at > 0 {
		if req, err = req.With(okhttp.Header("Range", fmt.Sprintf("bytes=%d-", at))); err != nil {
			return nil, nil, err
		}
	}
	settings := []okhttp.Option{okhttp.WithNetworkInterceptor(t)}
	if t.talks {
		settings = append(settings, t.o.socketRedirects(u)...)
	}
	if t.recorder != nil {
		settings = append(settings, okhttp.WithNetworkInterceptor(t.recorder))
	}
	if t.o.digest && user != nil {
		settings = append(settings, okhttp.WithAuthenticator(okauth.Digest(user.name, user.password, okauth.OnlyFor(u))))
	}
	return t.client.With(settings...), req, nil
}

// Intercept sees each exchange as it is on the wire. It implements [okhttp.Interceptor].
func (t *transfer) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	req := chain.Request()
	if u := req.URL(); u.String() != t.asked.String() { // the redirect may have come out of the cache
		if err := t.o.permittedNext(u.Scheme()); err != nil {
			return nil, err
		}
	}
	fields, err := t.o.wire(req.Headers())
	if err == nil {
		fields, err = t.jar.beside(fields, req.URL().Std())
	}
	if _, given := t.o.headerValue("Referer"); err == nil && t.o.autoReferer && t.from != "" && !given && !t.o.removes("Referer") {
		fields, err = fields.With("Referer", t.from)
	}
	if err != nil {
		return nil, err
	}
	if req, err = req.With(okhttp.WithHeaders(fields)); err != nil {
		return nil, err
	}
	resp, err := chain.Proceed(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := t.mayFollow(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	if t.o.location && isRedirect(resp) && t.redirects >= t.o.maxRedirects {
		resp.Body.Close()
		return nil, fmt.Errorf("%w: more than %d", errTooManyRedirects, t.o.maxRedirects)
	}
	return resp, nil
}

// heads writes the heads of all responses, also those that are followed up.
func heads(to *destination) *okhttp.EventListener {
	write := func(start string, fields okhttp.Headers) {
		var b strings.Builder
		b.WriteString(start + "\r\n")
		for name, value := range fields.All() {
			b.WriteString(name + ": " + value + "\r\n")
		}
		b.WriteString("\r\n")
		io.WriteString(to, b.String()) // the destination remembers a failure
	}
	protocol := okhttp.HTTP11
	return &okhttp.EventListener{
		ConnectionAcquired: func(e okhttp.ConnectionEvent) { protocol = e.Connection.Protocol() },
		Informational:      func(e okhttp.InformationalEvent) { write(informationalLine(e, protocol), e.Headers) },
		ResponseHeadersEnd: func(e okhttp.ResponseHeadersEnd) { write(statusLine(e.Response), e.Response.Headers()) },
		CacheHit:           func(e okhttp.CacheEvent) { write(statusLine(e.Response), e.Response.Headers()) },
	}
}

// receive judges a response and writes its body.
func (t *transfer) receive(ctx context.Context, resp *okhttp.Response) *failure {
	t.next = redirectURL(resp)
	if f := t.refused(resp); f != nil {
		return f
	}
	t.name(resp)
	var failed *failure
	switch {
	case t.o.failWithBody && resp.Status >= 400:
		failed = statusFailure(resp)
	case t.o.fail && resp.Status >= 400:
		return statusFailure(resp)
	case t.dest.at > 0 && resp.Status == 416 && isComplete(resp, t.dest.at):
		return nil
	case t.dest.at > 0 && resp.Status == 200:
		return &failure{exitRange, "the server does not send parts, expected status 206 and got 200"}
	case t.o.wantsAgain(resp):
		return &failure{exitResend, fmt.Sprintf("the answer %03d asks to send the data again, and standard input can be read only once", resp.Status)}
	case t.o.location && isRedirect(resp):
		// The client follows what it can. A place that it cannot go to is not what was asked for.
		location, _ := resp.Headers().Last("Location")
		if _, err := resp.Request().URL().Resolve(location); err != nil {
			f := classify(ctx, err)
			f.text = "cannot follow the redirect: " + f.text
			return f
		}
	}
	if most := t.o.maxFileSize; most > 0 && !t.o.head && resp.Body.Len() > most {
		return tooLong(most)
	}
	if err := t.dest.open(); err != nil || t.o.head {
		return failed // one of the destination is seen when it is closed
	}
	bar := t.progress(resp.Body.Len())
	w := &counted{w: t.dest, bar: bar, most: t.o.maxFileSize}
	_, err := slowedReader(resp.Body, t.throttler).WriteTo(w)
	bar.finish()
	if t.downloaded == 0 {
		t.downloaded = w.n // the event comes only if the body went well
	}
	if err != nil && t.dest.err == nil {
		return classify(ctx, err)
	}
	if t.o.remoteTime {
		t.dest.modified, _ = okhttp.ParseDate(resp.Headers().Get("Last-Modified")) // without one it is the present
	}
	return failed
}

// name lets a response name its file, and says to who watches what it is.
func (t *transfer) name(resp *okhttp.Response) {
	if !t.dest.naming.pending {
		return
	}
	name := dispositionName(resp.Headers().Get("Content-Disposition"))
	t.dest.named(name, t.o.clobber != nil && *t.o.clobber)
	if name != "" && t.screen && !t.o.silent && t.bars == nil {
		io.WriteString(t.err, "okcurl: writing to "+t.dest.name+"\n")
	}
}

// isComplete reports whether there is nothing after an offset, as a server says that refuses the range (RFC 9110 section 15.5.17).
func isComplete(resp *okhttp.Response, at int64) bool {
	return resp.Headers().Get("Content-Range") == fmt.Sprintf("bytes */%d", at)
}

// progress returns the bar for a body, nil where there is none to draw: without a file, without a screen, or where it would be in
// the way.
func (t *transfer) progress(total int64) *progress {
	switch {
	case t.dest.name == "" || t.o.silent || t.o.noBars || t.verbose != nil || !t.screen:
		return nil
	case t.bars != nil:
		return t.bars.begin(t.dest.name, total)
	}
	return newProgress(t.err, total, time.Now)
}

// counted counts what is written.
type counted struct {
	w   io.Writer
	bar *progress
	n   int64

	most int64 // that is written, 0 for no limit
}

func (c *counted) Write(p []byte) (int, error) {
	var failed error
	if c.most > 0 && int64(len(p)) > c.most-c.n {
		p, failed = p[:c.most-c.n], tooLong(c.most)
	}
	n, err := c.w.Write(p)
	c.n += int64(n)
	c.bar.add(n)
	if err == nil {
		err = failed
	}
	return n, err
}

// tooLong is the failure of a body beyond --max-filesize.
func tooLong(most int64) *failure {
	return &failure{exitFileSize, fmt.Sprintf("the body has more than the %d bytes of --max-filesize", most)}
}

// within bounds what has no end of its own by --max-time.
func (o *options) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.maxTime > 0 {
		return context.WithTimeout(ctx, o.maxTime)
	}
	return context.WithCancel(ctx)
}
