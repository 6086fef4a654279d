package okhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// FromMiddleware makes an interceptor of a middleware for [http.RoundTripper], such as those for tracing. The middleware is applied once and
// must be safe for concurrent use. As an application interceptor it sees requests as the user made them, as a network interceptor as they
// are on the wire. What it changes of request and response counts; a request body that it reads is opened for it.
func FromMiddleware(middleware func(http.RoundTripper) http.RoundTripper) Interceptor {
	return &middlewareInterceptor{middleware(chainTripper{})}
}

type middlewareInterceptor struct{ rt http.RoundTripper }

// passage is one call's way through a middleware.
type passage struct {
	chain Chain
	resp  *Response      // what the chain answered
	http  *http.Response // the same, as the middleware saw it
	body  io.ReadCloser  // the body of that
}

type passageKey struct{}

func (m *middlewareInterceptor) Intercept(ctx context.Context, chain Chain) (*Response, error) {
	p := &passage{chain: chain}
	h, err := m.rt.RoundTrip(chain.request.toHTTP(context.WithValue(ctx, passageKey{}, p)))
	switch {
	case err != nil:
		return nil, err
	case h == nil:
		return nil, nil // which fails in the middleware's name
	}
	return p.response(h)
}

// response converts what the middleware returned. As long as that is the chain's answer, or a copy of it, what the middleware did not
// change stays as it was, and what net/http has no place for is kept.
func (p *passage) response(h *http.Response) (*Response, error) {
	resp := p.resp
	if resp == nil || h != p.http && h.Body != p.body {
		resp = NewResponse(p.chain.request, h.StatusCode)
	}
	headers, err := changedLike(resp.headers, h.Header, "Transfer-Encoding")
	if err != nil {
		return nil, err
	}
	opts := []ResponseOption{ResponseStatus(h.StatusCode, reasonOf(h)), ResponseHeaders(headers)}
	if resp != p.resp || h.Body != p.body {
		opts = append(opts, replacedBody(h))
	}
	return resp.With(opts...), nil
}

// replacedBody takes over a body of the middleware. Like net/http it takes the length on trust: many that replace a body do not set it.
func replacedBody(h *http.Response) ResponseOption {
	return responseOption(func(r *Response) {
		contentType := h.Header.Get("Content-Type")
		switch {
		case h.Body == nil || h.Body == http.NoBody:
			r.Body = newResponseBody(new(okio.Buffer), contentType, 0)
		case h.ContentLength == 0:
			r.Body = newResponseBody(okio.FromReader(h.Body), contentType, -1)
		default:
			r.Body = newResponseBody(okio.FromReader(h.Body), contentType, max(h.ContentLength, -1))
		}
	})
}

// reasonOf returns the reason phrase, unless it is that of another status.
func reasonOf(h *http.Response) string {
	code, reason, _ := strings.Cut(h.Status, " ")
	if code != strconv.Itoa(h.StatusCode) {
		return ""
	}
	return reason
}

// changedLike returns headers with the changes that somebody made in their form of net/http since. What was not changed keeps its place and
// spelling; what was comes after it. The hidden names are those that net/http keeps elsewhere.
func changedLike(h Headers, now http.Header, hidden ...string) (Headers, error) {
	was := h.HTTP()
	kept := func(name string) bool { return slices.Contains(hidden, name) || slices.Equal(was[name], now[name]) }
	nv := make([]string, 0, len(h.nv))
	for name, value := range h.All() {
		if kept(http.CanonicalHeaderKey(name)) {
			nv = append(nv, name, value)
		}
	}
	for name, value := range HeadersFrom(now).All() {
		if len(was[name]) > 0 && kept(name) || slices.Contains(hidden, name) {
			continue
		}
		if err := checkHeader(name, value, true); err != nil {
			return Headers{}, err
		}
		nv = append(nv, name, value)
	}
	return headersOf(nv), nil
}

// chainTripper is the end of every middleware: it goes on along the chain that the request's context carries.
type chainTripper struct{}

func (chainTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	p, ok := r.Context().Value(passageKey{}).(*passage)
	if !ok {
		return nil, &CallError{"a middleware sent a request whose context is not that of the call"}
	}
	req, err := p.chain.request.changedBy(r)
	if err != nil {
		return nil, err
	}
	resp, err := p.chain.Proceed(r.Context(), req)
	if err != nil {
		return nil, err
	}
	h := new(httpResponse)
	resp.toHTTP(h, resp.headers.HTTP(), r)
	p.resp, p.http, p.body = resp, &h.Response, h.Body
	return p.http, nil
}

// toHTTP converts a request. Its body is opened when it is read.
func (r *Request) toHTTP(ctx context.Context) *http.Request {
	h := &http.Request{
		Method: r.method, URL: r.url.Std(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.headers.HTTP(), Host: r.headers.Get("Host"),
	}
	h.Header.Del("Host")
	if r.body != nil {
		h.ContentLength = r.body.cfg.Len
		h.Body = &openedBody{ctx: ctx, body: r.body}
		if !r.body.cfg.OneShot {
			h.GetBody = func() (io.ReadCloser, error) { return &openedBody{ctx: ctx, body: r.body}, nil }
		}
	}
	return h.WithContext(ctx)
}

// changedBy is the way back from toHTTP, with what a middleware changed.
func (r *Request) changedBy(h *http.Request) (req *Request, err error) {
	changed := *r
	if changed.method = h.Method; h.Method == "" {
		changed.method = "GET"
	}
	switch {
	case h.URL == nil:
		return nil, &RequestError{h.Method, "has no URL"}
	case h.URL.String() != r.url.Std().String():
		if changed.url, err = URLFrom(h.URL); err != nil {
			return nil, err
		}
	}
	if changed.headers, err = changedLike(r.headers, h.Header, "Host"); err != nil {
		return nil, err
	}
	if was := r.headers.Get("Host"); h.Host != was && (was != "" || h.Host != h.URL.Host) {
		host := h.Host
		if host == "" {
			host = changed.url.hostPort()
		}
		if changed.headers, err = changed.headers.With("Host", host); err != nil {
			return nil, err
		}
	}
	if h.Close {
		if changed.headers, err = changed.headers.With("Connection", "close"); err != nil {
			return nil, err
		}
	}
	b, mine := h.Body.(*openedBody)
	switch {
	case mine:
		changed.body = b.body // not replaced, so there is no need to read it
	case h.Body != nil && h.Body != http.NoBody:
		changed.body = bodyFromHTTP(h)
	case requiresBody(changed.method):
		changed.body = emptyBody
	default:
		changed.body = nil
	}
	return &changed, changed.check(false)
}

// openedBody is a request body as a reader, for code of net/http that wants to look at it.
type openedBody struct {
	ctx    context.Context
	body   *Body
	r      io.ReadCloser
	closed bool
}

func (b *openedBody) Read(p []byte) (int, error) {
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	if b.r == nil {
		r, err := b.body.Open(b.ctx)
		if err != nil {
			return 0, err
		}
		b.r = r
	}
	return b.r.Read(p)
}

func (b *openedBody) Close() error {
	if b.closed = true; b.r == nil {
		return nil
	}
	return b.r.Close()
}

var errNoReader = errors.New("okhttp: a body's Open returned neither a reader nor an error")
