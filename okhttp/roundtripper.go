package okhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
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
	resp.toHTTP(&h.Response, resp.headers.shared(), r)
	if h.Body == io.ReadCloser(resp.Body) {
		h.body.body, h.body.call = resp.Body, &trip.call
		h.Body = &h.body
	}
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
	if protocol := r.Header.Get("Upgrade"); protocol != "" && req.headers.hasToken("Connection", "upgrade") {
		req.rare = &rareRequest{upgrade: protocol}
	}
	// net/http takes both names, and without values too: then the header is not sent.
	_, key := r.Header["Idempotency-Key"]
	_, otherKey := r.Header["X-Idempotency-Key"]
	req.idempotent = key || otherKey
	switch {
	case r.Body != nil && r.Body != http.NoBody:
		req.body = bodyFromHTTP(r)
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
	if length == 0 {
		length = -1 // net/http's way of saying that a body's length is not known
	}
	cfg := BodyConfig{Len: length}
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

// HTTP converts the response to one of net/http, which takes over the body.
func (r *Response) HTTP() *http.Response {
	var u *url.URL
	method := "GET"
	if r.request != nil {
		u, method = r.request.url.Std(), r.request.method
	}
	h := new(http.Response)
	r.toHTTP(h, r.headers.HTTP(), &http.Request{Method: method, URL: u, Header: http.Header{}})
	return h
}

func (r *Response) toHTTP(h *http.Response, header http.Header, req *http.Request) {
	*h = http.Response{
		Status:        statusText(r.Status, r.Message),
		StatusCode:    r.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          r.Body,
		ContentLength: r.Body.length,
		Request:       req,
		Uncompressed:  r.Body.unpacked,
	}
	if h.Header.Get("Transfer-Encoding") != "" {
		h.TransferEncoding = []string{"chunked"} // the only coding that is understood
		h.Header.Del("Transfer-Encoding")
	}
	if ex := r.exchange; ex != nil {
		h.TLS = ex.conn.TLS()
		if u := ex.upgraded(); u != nil {
			h.Body = &upgradedStream{okio.NewBufferedSource(&u.source), &u.sink, u}
		}
	}
	h.Close = r.headers.hasToken("Connection", "close")
	if r.Protocol == HTTP10 {
		h.Proto, h.ProtoMinor = "HTTP/1.0", 0
	}
}

func statusText(status int, message string) string {
	if status == 200 && message == "OK" {
		return "200 OK"
	}
	return strconv.Itoa(status) + " " + message
}

// upgradedStream is an upgraded connection as net/http hands it over: an [io.ReadWriteCloser] in the place of the body.
type upgradedStream struct {
	*okio.BufferedSource
	sink   okio.Sink
	socket *upgrade
}

func (s *upgradedStream) Write(p []byte) (int, error) {
	var b okio.Buffer
	defer b.Clear()
	n, _ := b.Write(p)
	if err := s.sink.WriteBuffer(&b, int64(n)); err != nil {
		return n - int(b.Len()), err
	}
	return n, nil
}

// CloseWrite closes the sending direction, as that of net/http does.
func (s *upgradedStream) CloseWrite() error { return s.sink.Close() }

// Close closes both directions. It frees a Read and a Write that are under way.
func (s *upgradedStream) Close() error { return upgradedBody{s.socket}.Close() }
