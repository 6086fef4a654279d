package okhttp

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// Request is an immutable HTTP request. It may be shared and sent any number of times.
type Request struct {
	method     string
	url        URL
	headers    Headers
	body       *Body
	idempotent bool
	forProxy   bool         // Proxy-Authorization is the answer to a proxy
	rare       *rareRequest // what few requests have; never modified once it is here
}

// rareRequest is the part of a request that few have.
type rareRequest struct {
	tags     *tagList
	upgrade  string
	cacheURL URL
}

// rarely returns a copy of the rare part, for the caller to change and put in place.
func (r *Request) rarely() *rareRequest {
	if r.rare == nil {
		return new(rareRequest)
	}
	changed := *r.rare
	return &changed
}

// RequestOption sets a part of a request in [NewRequest] and [Request.With].
type RequestOption interface{ applyRequest(*Request) error }

type requestOption func(*Request) error

func (o requestOption) applyRequest(r *Request) error { return o(r) }

// NewRequest makes a request. The method is case-sensitive and "" means GET. The URL must be absolute; ws and wss mean http and
// https. GET and HEAD take no body; POST, PUT, PATCH, PROPPATCH, REPORT and QUERY need one. The error is a [*URLError], a
// [*HeaderError] or a [*RequestError].
func NewRequest(method, rawURL string, opts ...RequestOption) (*Request, error) {
	r := new(Request)
	if err := r.init(method, rawURL, opts); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Request) init(method, rawURL string, opts []RequestOption) (err error) {
	if r.url, err = ParseURL(webSocketToHTTP(rawURL)); err != nil {
		return err
	}
	if r.method = method; method == "" {
		r.method = "GET"
	}
	return r.apply(opts, false)
}

// webSocketToHTTP writes ws: and wss: as the schemes that carry their handshakes (RFC 6455 section 3).
func webSocketToHTTP(rawURL string) string {
	if len(rawURL) < 4 || rawURL[0]|0x20 != 'w' {
		return rawURL
	}
	switch {
	case strings.EqualFold(rawURL[:3], "ws:"):
		return "http:" + rawURL[3:]
	case strings.EqualFold(rawURL[:4], "wss:"):
		return "https:" + rawURL[4:]
	}
	return rawURL
}

// apply changes a request in place. Only one that was made for a proxy may go to a proxy.
func (r *Request) apply(opts []RequestOption, forProxy bool) error {
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o.applyRequest(r); err != nil {
			return err
		}
	}
	return r.check(forProxy)
}

// RequestError reports a request that HTTP does not allow.
type RequestError struct {
	Method string
	Detail string
}

func (e *RequestError) Error() string {
	return "okhttp: method " + fault.Quote(e.Method) + " " + e.Detail
}

func (r *Request) check(forProxy bool) error {
	if r.url.s == "" {
		return &RequestError{r.method, "has no URL"}
	}
	if !isMethod(r.method) {
		return &RequestError{r.method, "is not a token (RFC 9110 section 9.1)"}
	}
	if r.method == "CONNECT" && !forProxy {
		return &RequestError{r.method, "is for proxies, which this client speaks to by itself"}
	}
	if r.body != nil && (r.method == "GET" || r.method == "HEAD") {
		return &RequestError{r.method, "must not have a request body"}
	}
	if r.body == nil && requiresBody(r.method) {
		return &RequestError{r.method, "must have a request body"}
	}
	return r.body.check()
}

func isMethod(s string) bool {
	for i := 0; i < len(s); i++ {
		if !ascii.IsTokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func requiresBody(method string) bool {
	switch method {
	case "POST", "PUT", "PATCH", "PROPPATCH", "REPORT", "QUERY":
		return true
	}
	return false
}

// repeatable reports whether sending the request again cannot make the server act twice (RFC 9110 section 9.2.2).
func (r *Request) repeatable() bool {
	switch r.method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND":
		return true
	}
	return r.idempotent || r.headers.Get("Idempotency-Key") != ""
}

// Header sets a header, replacing all of that name. See [Headers.With].
func Header(name, value string) RequestOption {
	return requestOption(func(r *Request) (err error) {
		r.headers, err = r.headers.With(name, value)
		return err
	})
}

// AddHeader adds a header, keeping others of that name. See [Headers.Add].
func AddHeader(name, value string) RequestOption {
	return requestOption(func(r *Request) (err error) {
		r.headers, err = r.headers.Add(name, value)
		return err
	})
}

// WithHeaders replaces all headers, also those that earlier options added; later ones add to them. A name or value that RFC 9110 section 5 does not allow is the
// error of what the option is given to.
func WithHeaders(h Headers) RequestOption {
	return requestOption(func(r *Request) error {
		r.headers = h
		return h.check()
	})
}

// WithMethod replaces the method, for [Request.With].
func WithMethod(method string) RequestOption {
	return requestOption(func(r *Request) error {
		r.method = method
		return nil
	})
}

// WithURL replaces the URL, for [Request.With].
func WithURL(u URL) RequestOption {
	return requestOption(func(r *Request) error {
		r.url = u
		return nil
	})
}

// WithBody sets the body; nil removes it.
func WithBody(b *Body) RequestOption {
	return requestOption(func(r *Request) error {
		r.body = b
		return nil
	})
}

// Idempotent marks a request of any method as one that the server handles once however often it arrives, so that it may be sent
// again after a connection failed. An Idempotency-Key header does the same.
func Idempotent() RequestOption {
	return requestOption(func(r *Request) error {
		r.idempotent = true
		return nil
	})
}

// Upgrade marks a call that leaves HTTP for another protocol (RFC 9110 section 7.8): "websocket" for one, or a list to choose from, the
// preferred first, as in "HTTP/2.0, TLS/1.3". If the server switches, the response has status 101, its Upgrade header names the protocol, and
// [Response.Socket] hands the connection over. Where [HTTP2Config] and the server allow it, a single protocol without a version is asked for with an
// extended CONNECT over HTTP/2 instead (RFC 8441): then the status is 2xx, and what is handed over is one stream of a connection that others share.
// Such a call skips the cache, network interceptors and the per-host limit of the dispatcher, and its call timeout and context cover it up to the
// switch.
func Upgrade(protocol string) RequestOption {
	return requestOption(func(r *Request) error {
		if !isProtocolList(protocol) {
			return &RequestError{r.method, "cannot upgrade to " + fault.Quote(protocol)}
		}
		rare := r.rarely()
		rare.upgrade = protocol
		r.rare = rare
		return nil
	})
}

// isProtocolList reports whether s is a list of protocols: names, each with a version or without (RFC 9110 section 7.8).
func isProtocolList(s string) bool {
	for protocol := range strings.SplitSeq(s, ",") {
		name, version, versioned := strings.Cut(strings.Trim(protocol, " \t"), "/")
		if !isMethod(name) || versioned && !isMethod(version) { // tokens both
			return false
		}
	}
	return true
}

// CacheURL makes a cache file the response under another URL than the request's. This is what makes the response to a POST or a QUERY cacheable:
// let the URL contain a hash of the body.
func CacheURL(u URL) RequestOption {
	return requestOption(func(r *Request) error {
		rare := r.rarely()
		rare.cacheURL = u
		r.rare = rare
		return nil
	})
}

// CacheURL returns the URL set by the option of that name, and whether there is one.
func (r *Request) CacheURL() (URL, bool) {
	if r.rare == nil || r.rare.cacheURL == (URL{}) {
		return URL{}, false
	}
	return r.rare.cacheURL, true
}

// Upgrade returns the protocol that the request asks to switch to, "" if none.
func (r *Request) Upgrade() string {
	if r.rare == nil {
		return ""
	}
	return r.rare.upgrade
}

// String returns the method and the redacted URL.
func (r *Request) String() string {
	if r == nil {
		return "<nil>"
	}
	return r.method + " " + r.url.Redacted()
}

// Method returns the method, "GET" by default.
func (r *Request) Method() string { return r.method }

// URL returns the URL.
func (r *Request) URL() URL { return r.url }

// Headers returns the headers. Those that HTTP itself needs, Host for one, are added on the way to the network and seen there.
func (r *Request) Headers() Headers { return r.headers }

// Body returns the body, nil if there is none.
func (r *Request) Body() *Body { return r.body }

// With returns a copy changed by the options. The rules and errors are those of [NewRequest].
func (r *Request) With(opts ...RequestOption) (*Request, error) {
	changed := *r
	if err := changed.apply(opts, r.method == "CONNECT"); err != nil {
		return nil, err
	}
	return &changed, nil
}
