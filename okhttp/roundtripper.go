package okhttp

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// RoundTripper returns the client as an [http.RoundTripper], for any code that takes an [http.Client]. Redirects are left to that
// http.Client; retries, the pool, time limits, interceptors and events are this client's. The hooks of net/http/httptrace are called.
//
// Dot segments of a path are sent as they are, where [URLFrom] would resolve them: the server may know something by that name, and a
// signature is over it. A request is not modified; its Cancel channel, which is deprecated, is not looked at. The body of a response may be
// closed while it is read, which ends the reading.
//
// Errors are those of [Call.Execute]. Around three of them is what code over net/http looks for to know that trying again is no use: the
// words "unsupported protocol scheme" and "invalid header", and a [*tls.CertificateVerificationError].
func (c *Client) RoundTripper() http.RoundTripper { return c.transport(WithFollowRedirects(false)) }

// FullStack is like [Client.RoundTripper] but follows redirects itself, with this client's rules; an http.Client over it sees the last
// response.
func (c *Client) FullStack() http.RoundTripper { return c.transport() }

func (c *Client) transport(opts ...CallOption) *roundTripper {
	if c.cfg.continueWait == 0 {
		opts = append(opts, WithContinueWait(continueWaitOfHTTP))
	}
	return &roundTripper{c, c.cfg.withCallOptions(opts)}
}

// continueWaitOfHTTP is what [http.DefaultTransport] waits for 100 (Continue). Who sets Expect there counts on the body being sent in the
// end: SDKs of stores do for every large body, whatever the server makes of it.
const continueWaitOfHTTP = time.Second

// HTTPClient returns an [http.Client] over [Client.RoundTripper].
func (c *Client) HTTPClient() *http.Client { return &http.Client{Transport: c.RoundTripper()} }

type roundTripper struct {
	client *Client
	cfg    *config
}

// roundTrip is what one round trip needs, in one piece of memory.
type roundTrip struct {
	request Request
	call    Call
}

// CloseIdleConnections is found by [http.Client.CloseIdleConnections].
func (t *roundTripper) CloseIdleConnections() { t.client.cfg.pool.EvictAll() }

func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	trip := new(roundTrip)
	err := trip.request.fromHTTP(r)
	if r != nil && r.Body != nil {
		defer r.Body.Close() // it must be closed, whether or not it was sent
	}
	if err != nil {
		return nil, refusedForHTTP(err)
	}
	t.client.prepare(&trip.call, t.cfg, &trip.request)
	trip.call.forHTTP = true
	traced(r.Context(), &trip.call)
	resp, err := trip.call.Execute(r.Context())
	if err != nil {
		return nil, failedForHTTP(err)
	}
	h := resp.http
	if h == nil { // it did not come from a server
		h = new(httpResponse)
	}
	resp.toHTTP(h, resp.headers.shared(), r)
	return &h.Response, nil
}

// RequestFromHTTP makes a request of one of net/http. Its body can be sent again if it has GetBody, and is one-shot otherwise. Dot segments
// of the path stay, although [URLFrom] would resolve them.
func RequestFromHTTP(r *http.Request) (*Request, error) {
	req := new(Request)
	if err := req.fromHTTP(r); err != nil {
		return nil, err
	}
	return req, nil
}

func (req *Request) fromHTTP(r *http.Request) (err error) {
	if r == nil {
		return &CallError{"a nil *http.Request"}
	}
	if r.URL == nil {
		return &RequestError{r.Method, "has no URL"}
	}
	if req.url, err = urlToSend(r.URL); err != nil {
		return err
	}
	if req.method = r.Method; req.method == "" {
		req.method = "GET"
	}
	switch {
	case !isMethod(req.method):
		return &RequestError{r.Method, "is not a token (RFC 9110 section 9.1)"}
	case req.method == "CONNECT":
		return &RequestError{r.Method, "is for proxies, which this client speaks to by itself"}
	case strings.ContainsFunc(r.Host, notInAuthority):
		return &RequestError{r.Method, "has a Host that is no authority: " + fault.Quote(r.Host)}
	}
	if req.headers, err = fieldsFromHTTP(r); err != nil {
		return err
	}
	if protocols := strings.Join(r.Header.Values("Upgrade"), ", "); protocols != "" && req.headers.hasToken("Connection", "upgrade") {
		if !isProtocolList(protocols) {
			return &RequestError{req.method, "cannot upgrade to " + fault.Quote(protocols)}
		}
		req.rare = &rareRequest{upgrade: protocols}
	}
	// net/http takes both names, and without values too: then the header is not sent.
	_, key := r.Header["Idempotency-Key"]
	_, otherKey := r.Header["X-Idempotency-Key"]
	req.idempotent = key || otherKey
	switch {
	case r.Body != nil && r.Body != http.NoBody:
		req.body = bodyFromHTTP(r)
		if len(r.Trailer) > 0 {
			names := slices.Sorted(maps.Keys(r.Trailer))
			if req.headers, err = req.headers.With("Trailer", strings.Join(names, ",")); err != nil {
				return err
			}
		}
	case requiresBody(req.method):
		req.body = emptyBody
	}
	return nil
}

var emptyBody = Bytes("", nil)

// notInAuthority reports what cannot be in a host and port (RFC 3986 section 3.2).
func notInAuthority(c rune) bool {
	return c <= ' ' || c >= 0x7f || strings.ContainsRune("/?#@\\\"<>^`{|}", c)
}

// fieldsFromHTTP copies the headers, without those that the body and the URL decide. The order of names is not known to net/http either.
func fieldsFromHTTP(r *http.Request) (Headers, error) {
	n := 0
	for _, values := range r.Header {
		n += len(values)
	}
	ownHost := r.Host != "" && r.Host != r.URL.Host
	if n == 0 && !ownHost && !r.Close {
		return Headers{}, nil
	}
	nv := make([]string, 0, 2*n+4)
	if ownHost {
		nv = append(nv, "Host", r.Host)
	}
	for name, values := range r.Header {
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer":
			continue
		}
		for _, value := range values {
			if err := checkHeader(name, value, true); err != nil {
				return Headers{}, err
			}
			nv = append(nv, name, value)
		}
	}
	if r.Close {
		nv = append(nv, "Connection", "close")
	}
	return headersOf(nv), nil
}

func bodyFromHTTP(r *http.Request) *Body {
	length := r.ContentLength
	if length == 0 || len(r.Trailer) > 0 {
		length = -1 // net/http's way of saying that a body's length is not known; only such a body has trailers
	}
	cfg := BodyConfig{Len: length}
	if len(r.Trailer) > 0 {
		cfg.Trailers = func() Headers { return HeadersFrom(r.Trailer) } // whose values are set while the body is read
	}
	first := true
	cfg.Open = func(context.Context) (io.ReadCloser, error) {
		if first {
			first = false
			return r.Body, nil
		}
		if r.GetBody == nil {
			return nil, errors.New("okhttp: a body without GetBody cannot be sent again")
		}
		return r.GetBody()
	}
	cfg.OneShot = r.GetBody == nil
	return &Body{cfg: cfg}
}
