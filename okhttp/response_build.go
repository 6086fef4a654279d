package okhttp

import (
	"io"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// ResponseOption sets a part of a response in [NewResponse] and [Response.With].
type ResponseOption interface{ applyResponse(*Response) }

type responseOption func(*Response)

func (o responseOption) applyResponse(r *Response) { o(r) }

// NewResponse makes a response that did not come from a server, for interceptors, caches and tests. Its protocol is HTTP/1.1 and its body
// is empty unless options say otherwise.
func NewResponse(req *Request, status int, opts ...ResponseOption) *Response {
	r := &Response{Status: status, Protocol: HTTP11, request: req}
	for _, o := range opts {
		if o != nil {
			o.applyResponse(r)
		}
	}
	if r.Body == nil {
		r.Body = newResponseBody(new(okio.Buffer), "", 0)
	}
	return r
}

// With returns a copy changed by the options. The copy and the original share the body, unless an option replaces it.
func (r *Response) With(opts ...ResponseOption) *Response {
	r.NetworkResponse() // as it is before the change
	changed := *r
	for _, o := range opts {
		if o != nil {
			o.applyResponse(&changed)
		}
	}
	return &changed
}

// ResponseStatus sets the status code and reason phrase.
func ResponseStatus(status int, message string) ResponseOption {
	return responseOption(func(r *Response) { r.Status, r.Message = status, message })
}

// ResponseHeaders replaces all headers. The zero value leaves none.
func ResponseHeaders(h Headers) ResponseOption {
	return responseOption(func(r *Response) { r.headers = h })
}

// ResponseRequest replaces the request that the response says it answers, as an interceptor does that sent another one on.
func ResponseRequest(req *Request) ResponseOption {
	return responseOption(func(r *Response) { r.request = req })
}

// ResponseBodyFrom replaces the body. The length is in bytes, -1 if it is not known; src is closed with the body. Closing the former body is
// up to whoever replaces it, as a rule by making src close it. [ResponseBody.Bytes] and what is built on it fail if src is not that long.
func ResponseBodyFrom(contentType string, length int64, src okio.Source) ResponseOption {
	return responseOption(func(r *Response) {
		if length >= 0 {
			src = &measuredSource{Source: src, want: length}
		}
		r.Body = newResponseBody(src, contentType, max(length, -1))
	})
}

// measuredSource counts what a source delivers, for a length that nobody has checked.
type measuredSource struct {
	okio.Source
	got, want int64
}

// Read implements [io.Reader], without a buffer in between where the source is a reader too.
func (m *measuredSource) Read(p []byte) (n int, err error) {
	if r, ok := m.Source.(io.Reader); ok {
		n, err = r.Read(p)
	} else if len(p) > 0 {
		var b okio.Buffer
		if _, err = m.Source.ReadBuffer(&b, int64(len(p))); err == nil {
			n, err = b.Read(p)
		}
	}
	m.got += int64(n)
	return n, err
}

func (m *measuredSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	n, err := m.Source.ReadBuffer(dst, most)
	m.got += n
	return n, err
}

// WithoutBody replaces the body by one that has the type and the length of the former and fails when it is read.
func WithoutBody() ResponseOption {
	return responseOption(func(r *Response) {
		if r.Body == nil {
			r.Body = unreadable("", 0)
			return
		}
		r.Body = unreadable(r.Body.contentType, r.Body.length)
	})
}

// WithPrior sets the response that this one follows up. The body of the prior response becomes unreadable.
func WithPrior(prior *Response) ResponseOption {
	return responseOption(func(r *Response) { r.prior = stub(prior) })
}

// WithCacheResponse sets the response of the cache that this one was made of, whose body becomes unreadable.
func WithCacheResponse(cached *Response) ResponseOption {
	return responseOption(func(r *Response) { r.cached, r.makeCached = stub(cached), nil })
}

// WithCacheResponseFunc is [WithCacheResponse] for one that f makes if anybody asks for it: few do. A copy of the response may have f make another.
func WithCacheResponseFunc(f func() *Response) ResponseOption {
	return responseOption(func(r *Response) { r.cached, r.makeCached = nil, f })
}

// WithNetworkResponse sets the response of the network that this one was made of, whose body becomes unreadable.
func WithNetworkResponse(network *Response) ResponseOption {
	return responseOption(func(r *Response) { r.networks, r.wireRequest = stub(network), nil })
}

func stub(r *Response) *Response {
	if r == nil {
		return nil
	}
	return r.With(WithoutBody())
}

// WithHandshake sets what TLS agreed on.
func WithHandshake(h *Handshake) ResponseOption {
	return responseOption(func(r *Response) { r.handshake = h })
}

// WithTimes sets when the request was sent and when the head of the response arrived. The zero time stands for a request that was not sent.
func WithTimes(sent, received time.Time) ResponseOption {
	return responseOption(func(r *Response) {
		r.began, r.took = sent, max(received.Sub(sent), unsent+1)
		if sent.IsZero() {
			r.began, r.took = received, unsent
		}
	})
}
