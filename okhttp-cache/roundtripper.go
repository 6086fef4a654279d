package okcache

import (
	"context"
	"crypto/tls"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// RoundTripper returns base with the cache in front of it, for an [http.Client] without okhttp; nil means [http.DefaultTransport]. Like the cache
// itself it must serve one user only. Requests to upgrade, and those whose Host is not their URL's, bypass the cache.
//
// A response that [http.Transport] has decompressed is stored decompressed. Header names come out in the form of [http.CanonicalHeaderKey].
func (c *Cache) RoundTripper(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &roundTripper{c, base}
}

type roundTripper struct {
	cache *Cache
	base  http.RoundTripper
}

// CloseIdleConnections is found by [http.Client.CloseIdleConnections].
func (t *roundTripper) CloseIdleConnections() {
	if b, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		b.CloseIdleConnections()
	}
}

func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r == nil || r.URL == nil || r.Host != "" && r.Host != r.URL.Host || r.Header.Get("Upgrade") != "" {
		return t.base.RoundTrip(r)
	}
	req, err := okhttp.RequestFromHTTP(r)
	if err != nil {
		return t.base.RoundTrip(r) // which may know better, and says what is wrong otherwise
	}
	trip := &roundTrip{base: t.base, original: r}
	x := &exchange{cache: t.cache, request: req, events: noEvents, via: trip}
	resp, err := x.run(r.Context())
	if r.Body != nil && !trip.sent {
		r.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	if h := trip.http; h != nil && resp.NetworkResponse() == trip.network {
		if resp != trip.resp {
			h.Body = &tripBody{body: resp.Body, base: h.Body}
		}
		h.Request = r
		return h, nil
	}
	h := resp.HTTP()
	h.Request = r
	return h, nil
}

var noEvents = new(okhttp.EventListener)

// roundTrip is a request on its way to the base.
type roundTrip struct {
	base     http.RoundTripper
	original *http.Request
	sent     bool // the body was handed over

	http    *http.Response // the latest answer
	resp    *okhttp.Response
	network *okhttp.Response
}

// Proceed implements [network]: it sends a request that is the original with other headers for the cache.
func (t *roundTrip) Proceed(ctx context.Context, q *okhttp.Request) (*okhttp.Response, error) {
	h, resp, err := t.send(ctx, q)
	if err != nil {
		return nil, err
	}
	t.http, t.resp, t.network = h, resp, resp.NetworkResponse()
	return resp, nil
}

// ProceedApart implements [network]: it sends one that does not end with the original.
func (t *roundTrip) ProceedApart(ctx context.Context, q *okhttp.Request) (*okhttp.Response, error) {
	_, resp, err := t.send(ctx, q)
	return resp, err
}

// BodyContext implements [network].
func (t *roundTrip) BodyContext(ctx context.Context) context.Context { return ctx }

func (t *roundTrip) send(ctx context.Context, q *okhttp.Request) (*http.Response, *okhttp.Response, error) {
	r := t.original.Clone(ctx)
	for _, name := range [...]string{"If-None-Match", "If-Modified-Since", "Cache-Control", "Pragma"} {
		r.Header.Del(name)
		for value := range q.Headers().Values(name) {
			r.Header.Add(name, value)
		}
	}
	if r.Body != nil {
		if t.sent && r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, nil, err
			}
			r.Body = body
		}
		t.sent = true
	}
	began := time.Now()
	h, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	resp := fromHTTP(q, h, began)
	return h, resp, nil
}

// versionOf returns the name of a version of TLS in the form that [okhttp.Handshake] has.
func versionOf(version uint16) string {
	return strings.TrimSuffix(strings.Replace(tls.VersionName(version), "TLS ", "TLSv", 1), ".0")
}

// fromHTTP makes a response of one of net/http.
func fromHTTP(q *okhttp.Request, h *http.Response, began time.Time) *okhttp.Response {
	_, reason, _ := strings.Cut(h.Status, " ")
	opts := []okhttp.ResponseOption{
		okhttp.ResponseStatus(h.StatusCode, reason),
		okhttp.ResponseHeaders(okhttp.HeadersFrom(h.Header)),
		okhttp.ResponseBodyFrom(h.Header.Get("Content-Type"), h.ContentLength, okio.FromReader(h.Body)),
		okhttp.WithTimes(began, time.Now()),
	}
	if h.TLS != nil {
		opts = append(opts, okhttp.WithHandshake(&okhttp.Handshake{
			Version: versionOf(h.TLS.Version), CipherSuite: tls.CipherSuiteName(h.TLS.CipherSuite), PeerCertificates: h.TLS.PeerCertificates,
		}))
	}
	resp := okhttp.NewResponse(q, h.StatusCode, opts...)
	switch {
	case h.ProtoMajor == 2:
		resp.Protocol = okhttp.HTTP2
	case h.ProtoMinor == 0:
		resp.Protocol = okhttp.HTTP10
	}
	if h.Header.Get("Content-Length") == "" && h.ContentLength > 0 && !h.Uncompressed {
		nv := append(pairs(resp.Headers()), "Content-Length", strconv.FormatInt(h.ContentLength, 10))
		resp = resp.With(okhttp.ResponseHeaders(okhttp.UncheckedHeaders(nv)))
	}
	return resp.With(okhttp.WithNetworkResponse(resp))
}
