package okhar

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// capture is the beginning of a body, as it was sent or came.
type capture struct {
	data    []byte
	whole   bool   // data is all there is
	more    bool   // there is more than the limit
	comment string // why there is nothing
}

// Intercept implements [okhttp.Interceptor], for [okhttp.WithNetworkInterceptor]. Calls that the recorder does not listen to pass.
func (r *Recorder) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	req := chain.Request()
	t := r.traceOf(chain.Call())
	conn, ok := chain.Connection()
	if t == nil || !ok {
		return chain.Proceed(ctx, req)
	}
	var posted capture
	if r.maxBody > 0 && req.Body() != nil {
		posted = r.post(ctx, req)
	}
	var present *attempt
	t.begin(func(a *attempt, _ time.Time) {
		a.on(conn)
		a.posted = posted
		present = a
	})
	resp, err := chain.Proceed(ctx, req)
	if err != nil || r.maxBody == 0 || !hasContent(req, resp) {
		return resp, err
	}
	src := &tee{Source: resp.Body, trace: t, attempt: present, limit: r.maxBody}
	return resp.With(okhttp.ResponseBodyFrom(resp.Body.ContentType(), resp.Body.Len(), src)), nil
}

// hasContent reports whether a response has a body to be read (RFC 9110 section 6.4.1). After an upgrade there is a connection in its place.
func hasContent(req *okhttp.Request, resp *okhttp.Response) bool {
	switch status := resp.Status; {
	case req.Method() == "HEAD", status < 200, status == 204, status == 304:
		return false
	case req.Method() == "CONNECT":
		return status >= 300
	}
	return resp.Body.Len() != 0
}

// post opens the body of a request for the record.
func (r *Recorder) post(ctx context.Context, req *okhttp.Request) (c capture) {
	body := req.Body()
	coding, _ := req.Headers().Last("Content-Encoding")
	switch {
	case body.IsOneShot():
		c.comment = "a body that can be sent only once is not recorded"
		return c
	case body.IsDuplex():
		c.comment = "a body that may wait for the response is not recorded"
		return c
	case body.Len() < 0 && !strings.EqualFold(coding, "gzip"): // it may have no end
		c.comment = "a body of unknown length is not recorded"
		return c
	}
	in, err := body.Open(ctx)
	if err != nil {
		c.comment = "the body could not be opened"
		return c
	}
	defer func() { _ = in.Close() }() // what it fails with here, it fails with again when it is sent
	p, err := io.ReadAll(io.LimitReader(in, r.maxBody+1))
	if err != nil {
		c.comment = "the body could not be read"
	}
	c.more = int64(len(p)) > r.maxBody
	c.whole = err == nil && !c.more
	c.data = p[:min(int64(len(p)), r.maxBody)]
	return c
}

// tee notes the beginning of what passes through it.
type tee struct {
	okio.Source
	trace   *trace
	attempt *attempt
	limit   int64
}

func (s *tee) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	t, a := s.trace, s.attempt
	t.mu.Lock()
	a.reading = true // the last byte may end the call before it is here
	t.mu.Unlock()

	before := dst.Len()
	n, err := s.Source.ReadBuffer(dst, most)

	t.mu.Lock()
	defer t.mu.Unlock()
	a.reading = false
	c := &a.body
	if room := s.limit - int64(len(c.data)); n > room {
		c.more = true
		s.note(c, dst, before, room)
	} else {
		s.note(c, dst, before, n)
	}
	c.whole = c.whole || err == io.EOF && !c.more
	if a.over && !a.recorded {
		t.record(a)
	}
	return n, err
}

// note appends a part of a buffer.
func (s *tee) note(c *capture, from *okio.Buffer, at, n int64) {
	if n <= 0 {
		return
	}
	var part okio.Buffer
	defer part.Clear()
	if from.CopyTo(&part, at, n) == nil {
		p, _ := part.ReadN(n) // there is that much
		c.data = append(c.data, p...)
	}
}
