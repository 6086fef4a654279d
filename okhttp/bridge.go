package okhttp

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okio"
)

// attempt sends a request once and makes the network's response one for the user.
func (c *Call) attempt(ctx context.Context, cfg *config, req *Request, plan *routePlan) (*Response, error) {
	wire, gunzip := c.bridge(req, cfg)
	resp, err := c.cached(ctx, cfg, wire, plan)
	if err != nil {
		return nil, err
	}
	c.pending = resp
	saveCookies(cfg.jar, wire.url, resp.headers)
	if gunzip {
		c.gunzip(ctx, cfg, wire, resp)
	}
	return resp, nil
}

// bridge adds the headers that HTTP needs and the user did not set. Host comes first (RFC 9110 section 7.2), then the user's headers in
// their order, then the rest. It reports whether a gzip response is to be unpacked on the way back.
func (c *Call) bridge(req *Request, cfg *config) (wire *Request, gunzip bool) {
	wire = &c.firstWire
	if c.exchange != nil || wire.method != "" {
		wire = new(Request) // responses point to the earlier ones
	}
	*wire = *req
	if len(req.headers.nv) == 0 && req.body == nil && req.rare == nil && cfg.jar == nil {
		wire.headers = c.client.plainHeaders(req.url.hostPort())
		return wire, true
	}
	nv := make([]string, 0, len(req.headers.nv)+2*7)
	host, connection, agent := "", false, false
	cookies, upgrade := cookieHeader(cfg.jar, req.url), req.Upgrade()
	gunzip = upgrade == ""
	mine := req.headers.nv
	for i := 0; i < len(mine); i += 2 {
		switch name := mine[i]; len(name) {
		case len("Host"):
			if ascii.EqualFold(name, "Host") {
				host = mine[i+1]
			}
		case len("Range"):
			gunzip = gunzip && !ascii.EqualFold(name, "Range") // a range of compressed bytes cannot be unpacked
		case len("Connection"): // and User-Agent
			connection = connection || ascii.EqualFold(name, "Connection")
			agent = agent || ascii.EqualFold(name, "User-Agent")
		case len("Accept-Encoding"):
			gunzip = gunzip && !ascii.EqualFold(name, "Accept-Encoding")
		}
	}
	if host == "" {
		host = req.url.hostPort()
	}
	nv = append(nv, "Host", host)
	body := req.body
	for i := 0; i < len(mine); i += 2 {
		name := mine[i]
		replaced := cookies != "" && ascii.EqualFold(name, "Cookie") || upgrade != "" && (ascii.EqualFold(name, "Connection") || ascii.EqualFold(name, "Upgrade"))
		if !replaced && !ascii.EqualFold(name, "Host") && !framesBody(name, mine[i+1], body) {
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
	switch {
	case upgrade != "":
		nv = append(nv, "Connection", upgradeOptions(req.headers), "Upgrade", upgrade)
	case !connection:
		nv = append(nv, "Connection", "Keep-Alive")
	}
	if gunzip {
		nv = append(nv, "Accept-Encoding", "gzip")
	}
	if cookies != "" {
		nv = append(nv, "Cookie", cookies)
	}
	if !agent {
		nv = append(nv, "User-Agent", userAgent)
	}
	wire.headers = headersOf(nv)
	return wire, gunzip
}

// upgradeOptions returns the Connection header of a request to upgrade: its own options and that one, which the Upgrade header belongs
// to (RFC 9110 section 7.8).
func upgradeOptions(h Headers) string {
	var options []string
	for list := range h.Values("Connection") {
		for option := range strings.SplitSeq(list, ",") {
			if option = strings.Trim(option, " \t"); option != "" && !ascii.EqualFold(option, "upgrade") {
				options = append(options, option)
			}
		}
	}
	return strings.Join(append(options, "Upgrade"), ", ")
}

// plainHeaders returns the headers of a request that has none of its own. The latest are kept: most requests of a program go where the one
// before went.
func (c *Client) plainHeaders(host string) Headers {
	if p := c.plain.Load(); p != nil && p.nv[1] == host {
		return *p
	}
	h := headersOf([]string{"Host", host, "Connection", "Keep-Alive", "Accept-Encoding", "gzip", "User-Agent", userAgent})
	c.plain.Store(&h)
	return h
}

const userAgent = "okhttp-go/" + Version

// framesBody reports whether a header is one that the body decides about. Without a body, a header that promises one would make the
// server take the next request for it; a length of 0 is harmless.
func framesBody(name, value string, body *Body) bool {
	switch len(name) {
	case len("Content-Type"):
		return body != nil && body.cfg.ContentType != "" && ascii.EqualFold(name, "Content-Type")
	case len("Content-Length"):
		return ascii.EqualFold(name, "Content-Length") && (body != nil || value != "0")
	case len("Transfer-Encoding"):
		return ascii.EqualFold(name, "Transfer-Encoding")
	}
	return false
}

// framed returns the request with the headers that frame its body true to it: a server that read another length than was sent would
// take the rest for the next request.
func framed(r *Request) *Request {
	length, chunked := "", false // what the headers have to say
	switch {
	case r.body == nil:
	case r.body.cfg.Len >= 0:
		length = strconv.FormatInt(r.body.cfg.Len, 10)
	default:
		chunked = true
	}
	hasLength, hasChunked, wrong := false, false, false
	for name, value := range r.headers.All() {
		switch {
		case ascii.EqualFold(name, "Content-Length"):
			wrong = wrong || hasLength || value != length && !(r.body == nil && value == "0")
			hasLength = true
		case ascii.EqualFold(name, "Transfer-Encoding"):
			wrong = wrong || hasChunked || !chunked || !ascii.EqualFold(value, "chunked")
			hasChunked = true
		}
	}
	if !wrong && hasChunked == chunked && (hasLength || length == "") {
		return r
	}
	changed := *r
	nv := make([]string, 0, len(r.headers.nv)+2)
	for name, value := range r.headers.Without("Content-Length").Without("Transfer-Encoding").All() {
		nv = append(nv, name, value)
	}
	switch {
	case chunked:
		nv = append(nv, "Transfer-Encoding", "chunked")
	case length != "":
		nv = append(nv, "Content-Length", length)
	}
	changed.headers = headersOf(nv)
	return &changed
}

// gunzip unpacks the body of a response to a request that the bridge asked gzip for. The length and the coding are those of what came,
// so they go. A response that cannot have a body keeps them: they tell of one that was not sent (RFC 9110 sections 9.3.2 and 15.4.5).
func (c *Call) gunzip(ctx context.Context, cfg *config, wire *Request, resp *Response) {
	coding, _ := resp.headers.Last("Content-Encoding")
	if !ascii.EqualFold(coding, "gzip") || resp.Body.empty || wire.method == "HEAD" || resp.Status == 204 || resp.Status == 304 {
		return
	}
	resp.NetworkResponse() // as it is before the change
	resp.headers = resp.headers.Without("Content-Encoding").Without("Content-Length")
	body := &decodedBody{call: c, ctx: ctx, request: wire, ex: resp.exchange, most: cfg.maxDecoded}
	body.packed = countedSource{Source: resp.Body}
	body.src = okio.NewGzipSource(&body.packed)
	resp.Body = newResponseBody(body, resp.Body.contentType, -1)
	resp.Body.unpacked = true
}

// decodedBody is a body after transparent gzip. Its failures are those of the call and repeat, and it stops at a limit.
type decodedBody struct {
	call    *Call
	ctx     context.Context
	request *Request
	ex      *exchange // nil for a response of the cache
	packed  countedSource
	src     okio.Source
	got     int64
	most    int64 // 0: no limit
	broken  error
}

func (d *decodedBody) ReadBuffer(dst *okio.Buffer, n int64) (int64, error) {
	if d.broken != nil || n == 0 {
		return 0, d.broken
	}
	m, err := d.read(dst, n)
	d.got += m
	if err == nil || isEOF(err) {
		return m, err
	}
	if d.packed.ended && d.packed.got == 0 {
		return 0, io.EOF // nothing at all came, which is no damaged gzip but an empty body
	}
	if !errors.Is(err, okio.ErrClosed) {
		err = d.wrap(err)
		d.broken = err
	}
	return 0, err
}

// read delivers up to the limit, and beyond it only the end.
func (d *decodedBody) read(dst *okio.Buffer, n int64) (int64, error) {
	if d.most == 0 {
		return d.src.ReadBuffer(dst, n)
	}
	if left := d.most - d.got; left > 0 {
		return d.src.ReadBuffer(dst, min(n, left))
	}
	var more okio.Buffer
	defer more.Clear()
	if _, err := d.src.ReadBuffer(&more, 1); err != nil {
		return 0, err
	}
	return 0, &TooLargeError{What: "decoded response body", Limit: d.most}
}

func (d *decodedBody) wrap(err error) error {
	e := d.call.wrap(d.ctx, d.request, err)
	if e.Phase == "" {
		e.Phase = PhaseResponseBody
		if d.ex != nil {
			e.Route, e.Sent = d.ex.conn.route.String(), true
		}
	}
	return e
}

func (d *decodedBody) Close() error { return d.src.Close() }

// countedSource knows how much came from a source, and whether its end did.
type countedSource struct {
	okio.Source
	got   int64
	ended bool
}

func (s *countedSource) ReadBuffer(dst *okio.Buffer, n int64) (int64, error) {
	m, err := s.Source.ReadBuffer(dst, n)
	s.got += m
	s.ended = s.ended || isEOF(err)
	return m, err
}
