package okhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// RoundTripper returns the client as an [http.RoundTripper], for any code that takes an [http.Client]. Redirects are left to that
// http.Client; retries, the pool, time limits, interceptors and events are this client's. The hooks of net/http/httptrace are called.
//
// Errors are those of [Call.Execute]. A request is not modified; its Cancel channel, which is deprecated, is not looked at.
func (c *Client) RoundTripper() http.RoundTripper {
	return &roundTripper{c.With(WithFollowRedirects(false)), c}
}

// HTTPClient returns an [http.Client] over [Client.RoundTripper].
func (c *Client) HTTPClient() *http.Client { return &http.Client{Transport: c.RoundTripper()} }

type roundTripper struct {
	client *Client
	origin *Client
}

// CloseIdleConnections is found by [http.Client.CloseIdleConnections].
func (t *roundTripper) CloseIdleConnections() { t.origin.cfg.pool.EvictAll() }

func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	req, err := RequestFromHTTP(r)
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	call := t.client.NewCall(req)
	traced(r.Context(), call)
	resp, err := call.Execute(r.Context())
	if err != nil {
		if r.Body != nil {
			r.Body.Close() // it must be closed, whether or not it was opened
		}
		return nil, err
	}
	return resp.toHTTP(r), nil
}

// RequestFromHTTP makes a request of one of net/http. Its body can be sent again if it has GetBody, and is one-shot otherwise.
func RequestFromHTTP(r *http.Request) (*Request, error) {
	if r.URL == nil {
		return nil, &RequestError{r.Method, "has no URL"}
	}
	u, err := URLFrom(r.URL)
	if err != nil {
		return nil, err
	}
	req := &Request{method: r.Method, url: u}
	if req.method == "" {
		req.method = "GET"
	}
	if !isMethod(req.method) {
		return nil, &RequestError{r.Method, "is not a token (RFC 9110 section 9.1)"}
	}
	if req.headers, err = fieldsFromHTTP(r); err != nil {
		return nil, err
	}
	_, req.idempotent = r.Header["X-Idempotency-Key"]
	switch {
	case r.Body != nil && r.Body != http.NoBody:
		req.body = bodyFromHTTP(r)
	case requiresBody(req.method):
		req.body = emptyBody
	}
	return req, nil
}

var emptyBody = Bytes("", nil)

// fieldsFromHTTP copies the headers, without those that the body and the URL decide. The order of names is not known to net/http either.
func fieldsFromHTTP(r *http.Request) (Headers, error) {
	n := 0
	for _, values := range r.Header {
		n += len(values)
	}
	nv := make([]string, 0, 2*n+4)
	if r.Host != "" && r.Host != r.URL.Host {
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
	return r.toHTTP(&http.Request{Method: method, URL: u, Header: http.Header{}})
}

func (r *Response) toHTTP(req *http.Request) *http.Response {
	h := &http.Response{
		Status:        statusText(r.Status, r.Message),
		StatusCode:    r.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        r.headers.HTTP(),
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
	}
	h.Close = r.headers.hasToken("Connection", "close")
	if r.Protocol == HTTP10 {
		h.Proto, h.ProtoMinor = "HTTP/1.0", 0
	}
	return h
}

func statusText(status int, message string) string {
	if status == 200 && message == "OK" {
		return "200 OK"
	}
	return strconv.Itoa(status) + " " + message
}
