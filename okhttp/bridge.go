package okhttp

import (
	"context"
	"strconv"

	"github.com/okhttp-go/ok/okio"
)

// wireRequest is the request as it goes to the network, with room for the headers of most.
type wireRequest struct {
	Request
	room [12]string
}

// attempt sends a request once and makes the network's response one for the user.
func (c *Call) attempt(ctx context.Context, cfg *config, req *Request, plan *routePlan) (*Response, error) {
	if c.IsCanceled() {
		return nil, &attemptError{err: ErrCanceled}
	}
	wire, gunzip := bridge(req)
	ex, err := c.connect(ctx, cfg, wire, plan)
	if err != nil {
		return nil, err
	}
	resp, err := c.network(ctx, cfg, ex, wire, 0)
	if err != nil {
		return nil, err
	}
	resp.wireRequest, resp.wireHeaders = ex.request, resp.headers
	if gunzip {
		c.gunzip(ctx, cfg, resp)
	}
	return resp, nil
}

// bridge adds the headers that HTTP needs and the user did not set. Host comes first (RFC 9110 section 7.2), then the user's headers in
// their order, then the rest. It reports whether a gzip response is to be unpacked on the way back.
func bridge(req *Request) (wire *Request, gunzip bool) {
	w := &wireRequest{Request: *req}
	nv := w.room[:0]
	host, connection, agent := "", false, false
	gunzip = true
	mine := req.headers.nv
	for i := 0; i < len(mine); i += 2 {
		switch name := mine[i]; len(name) {
		case len("Host"):
			if equalFold(name, "Host") {
				host = mine[i+1]
			}
		case len("Range"):
			gunzip = gunzip && !equalFold(name, "Range") // a range of compressed bytes cannot be unpacked
		case len("Connection"): // and User-Agent
			connection = connection || equalFold(name, "Connection")
			agent = agent || equalFold(name, "User-Agent")
		case len("Accept-Encoding"):
			gunzip = gunzip && !equalFold(name, "Accept-Encoding")
		}
	}
	if host == "" {
		host = req.url.hostPort()
	}
	nv = append(nv, "Host", host)
	body := req.body
	for i := 0; i < len(mine); i += 2 {
		if name := mine[i]; !equalFold(name, "Host") && !(body != nil && framesBody(name, body)) {
			nv = append(nv, name, mine[i+1])
		}
	}
	if body != nil {
		if body.cfg.ContentType != "" {
			nv = append(nv, "Content-Type", body.cfg.ContentType)
		}
		if body.cfg.Len >= 0 {
			nv = append(nv, "Content-Length", strconv.FormatInt(body.cfg.Len, 10))
		} else {
			nv = append(nv, "Transfer-Encoding", "chunked")
		}
	}
	if !connection {
		nv = append(nv, "Connection", "Keep-Alive")
	}
	if gunzip {
		nv = append(nv, "Accept-Encoding", "gzip")
	}
	if !agent {
		nv = append(nv, "User-Agent", "okhttp-go/"+Version)
	}
	w.headers = headersOf(nv)
	return &w.Request, gunzip
}

// framesBody reports whether a header is one that the body decides about.
func framesBody(name string, body *Body) bool {
	switch len(name) {
	case len("Content-Type"):
		return body.cfg.ContentType != "" && equalFold(name, "Content-Type")
	case len("Content-Length"):
		return equalFold(name, "Content-Length")
	case len("Transfer-Encoding"):
		return equalFold(name, "Transfer-Encoding")
	}
	return false
}

// gunzip unpacks the body of a response to a request that the bridge asked gzip for. The length and the coding are those of what came,
// so they go.
func (c *Call) gunzip(ctx context.Context, cfg *config, resp *Response) {
	coding, _ := resp.headers.Last("Content-Encoding")
	if !equalFold(coding, "gzip") || resp.Body.empty {
		return
	}
	resp.headers = resp.headers.Without("Content-Encoding").Without("Content-Length")
	body := &decodedBody{call: c, ctx: ctx, req: resp.wireRequest, src: okio.NewGzipSource(resp.Body.src), most: cfg.maxDecoded}
	resp.Body = newResponseBody(body, resp.Body.contentType, -1)
	resp.Body.unpacked = true
}

// decodedBody is a body after transparent gzip. Its failures are those of the call, and it stops at a limit.
type decodedBody struct {
	call *Call
	ctx  context.Context
	req  *Request
	src  okio.Source
	got  int64
	most int64 // 0: no limit
}

func (d *decodedBody) ReadBuffer(dst *okio.Buffer, n int64) (int64, error) {
	if d.most > 0 {
		n = min(n, d.most-d.got+1)
	}
	m, err := d.src.ReadBuffer(dst, n)
	d.got += m
	if d.most > 0 && d.got > d.most {
		err = &TooLargeError{What: "decoded response body", Limit: d.most}
		d.got-- // so that the next read fails too
	}
	return m, d.wrap(err)
}

func (d *decodedBody) wrap(err error) error {
	if err == nil || isEOF(err) {
		return err
	}
	e := d.call.wrap(d.ctx, d.req, err)
	if e.Phase == "" {
		e.Phase, e.Sent = PhaseResponseBody, true
	}
	return e
}

func (d *decodedBody) Close() error { return d.src.Close() }
