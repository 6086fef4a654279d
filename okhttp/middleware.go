package okhttp

import (
	"context"
	"io"
	"net/http"

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
}

type passageKey struct{}

func (m *middlewareInterceptor) Intercept(ctx context.Context, chain Chain) (*Response, error) {
	p := &passage{chain: chain}
	h, err := m.rt.RoundTrip(chain.request.toHTTP(context.WithValue(ctx, passageKey{}, p)))
	if err != nil {
		return nil, err
	}
	return p.response(h), nil
}

// response converts what the middleware returned. If it is the chain's answer, so are its trailers, handshake and times.
func (p *passage) response(h *http.Response) *Response {
	resp := p.resp
	if resp == nil || h != p.http {
		resp = NewResponse(p.chain.request, h.StatusCode)
	}
	_, message := cutStatus(h.Status)
	opts := []ResponseOption{ResponseStatus(h.StatusCode, message), ResponseHeaders(HeadersFrom(h.Header))}
	if body, ok := h.Body.(*ResponseBody); !ok || body != resp.Body {
		opts = append(opts, ResponseBodyFrom(h.Header.Get("Content-Type"), h.ContentLength, okio.FromReader(h.Body)))
	}
	return resp.With(opts...)
}

func cutStatus(status string) (code, message string) {
	for i := range len(status) {
		if status[i] == ' ' {
			return status[:i], status[i+1:]
		}
	}
	return status, ""
}

// chainTripper is the end of every middleware: it goes on along the chain that the request's context carries.
type chainTripper struct{}

func (chainTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	p, ok := r.Context().Value(passageKey{}).(*passage)
	if !ok {
		return nil, &CallError{"a middleware sent a request whose context is not that of the call"}
	}
	req := new(Request)
	if err := req.fromHTTP(r); err != nil {
		return nil, err
	}
	req.idempotent, req.rare = p.chain.request.idempotent, p.chain.request.rare
	if b, ok := r.Body.(*openedBody); ok {
		req.body = b.body // not replaced, so there is no need to read it
	}
	resp, err := p.chain.Proceed(r.Context(), req)
	if err != nil {
		return nil, err
	}
	p.resp, p.http = resp, new(http.Response)
	resp.toHTTP(p.http, r)
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

// openedBody is a request body as a reader, for code of net/http that wants to look at it.
type openedBody struct {
	ctx  context.Context
	body *Body
	r    io.ReadCloser
}

func (b *openedBody) Read(p []byte) (int, error) {
	if b.r == nil {
		r, err := b.body.reader(b.ctx)
		if err != nil {
			return 0, err
		}
		b.r = r
	}
	return b.r.Read(p)
}

func (b *openedBody) Close() error {
	if b.r == nil {
		return nil
	}
	return b.r.Close()
}

// reader opens the content for reading. A body that is written is written by a goroutine, which ends with the reader's Close.
func (b *Body) reader(ctx context.Context) (io.ReadCloser, error) {
	if b.cfg.Open != nil {
		return b.cfg.Open(ctx)
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(b.cfg.Write(ctx, w)) }()
	return r, nil
}
