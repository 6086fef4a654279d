package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// transfer is the fetching of one URL.
type transfer struct {
	*session
	measure
	dest *destination
}

// run fetches a URL and writes the response. It returns what failed, nil if nothing did.
func (t *transfer) run(ctx context.Context, text string, out output) *failure {
	t.began = time.Now()
	failed := t.fetch(ctx, text, out)
	if t.dest != nil {
		if err := t.dest.close(); err != nil && (failed == nil || failed.code == exitWrite) {
			failed = err
		}
	}
	t.total, t.failure = t.since(), failed
	if t.o.writeOut != "" && (failed == nil || failed.code != exitInterrupted) {
		if _, err := io.WriteString(t.out, t.expand(t.o.writeOut, t.err)); err != nil && failed == nil {
			failed = (&destination{err: err}).close()
		}
	}
	return failed
}

func (t *transfer) fetch(ctx context.Context, text string, out output) *failure {
	u, user, err := t.o.target(text)
	if err != nil {
		return classify(ctx, err)
	}
	t.at(u)
	if t.dest, err = destinationOf(out, u, t.out); err != nil {
		return classify(ctx, err)
	}
	t.file = t.dest.name
	req, err := t.o.request(u, user, t.body)
	if err != nil {
		return classify(ctx, err)
	}
	call := t.client.With(okhttp.WithNetworkInterceptor(t)).NewCall(req)
	call.AddEventListener(t.measure.listener())
	if t.verbose != nil {
		call.AddEventListener(t.verbose.listener())
	}
	if t.o.include || t.o.head {
		call.AddEventListener(t.heads())
	}
	resp, err := call.Execute(ctx)
	if err != nil {
		return classify(ctx, err)
	}
	defer resp.Body.Close()
	return t.receive(ctx, resp)
}

// Intercept sees each exchange as it is on the wire. It implements [okhttp.Interceptor].
func (t *transfer) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	req := chain.Request()
	fields, err := t.o.wire(req.Headers())
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
	if t.o.location && isRedirect(resp) && t.redirects >= t.o.maxRedirects {
		resp.Body.Close()
		return nil, fmt.Errorf("%w: more than %d", errTooManyRedirects, t.o.maxRedirects)
	}
	return resp, nil
}

// heads writes the heads of all responses, also those that are followed up.
func (t *transfer) heads() *okhttp.EventListener {
	write := func(start string, fields okhttp.Headers) {
		var b strings.Builder
		b.WriteString(start + "\r\n")
		for name, value := range fields.All() {
			b.WriteString(name + ": " + value + "\r\n")
		}
		b.WriteString("\r\n")
		io.WriteString(t.dest, b.String()) // the destination remembers a failure
	}
	protocol := okhttp.HTTP11
	return &okhttp.EventListener{
		ConnectionAcquired: func(e okhttp.ConnectionEvent) { protocol = e.Connection.Protocol() },
		Informational:      func(e okhttp.InformationalEvent) { write(informationalLine(e, protocol), e.Headers) },
		ResponseHeadersEnd: func(e okhttp.ResponseHeadersEnd) { write(statusLine(e.Response), e.Response.Headers()) },
	}
}

// receive judges a response and writes its body.
func (t *transfer) receive(ctx context.Context, resp *okhttp.Response) *failure {
	t.next = redirectURL(resp)
	switch {
	case t.o.fail && resp.Status >= 400:
		return &failure{exitStatus, strings.TrimSpace(fmt.Sprintf("the server answered %03d %s", resp.Status, printable(resp.Message)))}
	case t.o.location && isRedirect(resp):
		// The client follows what it can. A place that it cannot go to is not what was asked for.
		location, _ := resp.Headers().Last("Location")
		if _, err := resp.Request().URL().Resolve(location); err != nil {
			f := classify(ctx, err)
			f.text = "cannot follow the redirect: " + f.text
			return f
		}
	}
	if err := t.dest.open(); err != nil || t.o.head {
		return nil // a failure is the destination's
	}
	bar := t.progress(resp.Body.Len())
	w := &counted{w: t.dest, bar: bar}
	_, err := resp.Body.WriteTo(w)
	bar.finish()
	if t.downloaded == 0 {
		t.downloaded = w.n // the event comes only if the body went well
	}
	if err != nil && t.dest.err == nil {
		return classify(ctx, err)
	}
	return nil
}

// progress returns the bar for a body, nil where there is none to draw: without a file, without a screen, or where it would be in
// the way.
func (t *transfer) progress(total int64) *progress {
	if t.dest.name == "" || t.o.silent || t.verbose != nil || !t.screen {
		return nil
	}
	return newProgress(t.err, total, time.Now)
}

// counted counts what is written.
type counted struct {
	w   io.Writer
	bar *progress
	n   int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	c.bar.add(n)
	return n, err
}
