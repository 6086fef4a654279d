package okhttp

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// HTTP converts the response to one of net/http, which takes over the body.
func (r *Response) HTTP() *http.Response {
	var u *url.URL
	method := "GET"
	if r.request != nil {
		u, method = r.request.url.Std(), r.request.method
	}
	h := new(httpResponse)
	r.toHTTP(h, r.headers.HTTP(), &http.Request{Method: method, URL: u, Header: http.Header{}})
	return &h.Response
}

func (r *Response) toHTTP(h *httpResponse, header http.Header, req *http.Request) {
	h.Response = http.Response{
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
		} else {
			h.body.body, h.body.call = r.Body, ex.call
			h.Body = &h.body
			if h.TransferEncoding != nil || r.Protocol == HTTP2 { // other bodies have no trailers
				announceTrailers(&h.Response)
				h.body.trailed = h
			}
		}
	}
	h.Close = r.headers.hasToken("Connection", "close")
	switch r.Protocol {
	case HTTP10:
		h.Proto, h.ProtoMinor = "HTTP/1.0", 0
	case HTTP2:
		h.Proto, h.ProtoMajor, h.ProtoMinor = "HTTP/2.0", 2, 0
		if r.Message == "" { // there is none, and users of net/http expect the usual one
			h.Status = statusText(r.Status, http.StatusText(r.Status))
		}
	}
}

// announceTrailers moves the names of the Trailer header to where net/http has them.
func announceTrailers(h *http.Response) {
	for _, list := range h.Header.Values("Trailer") {
		for name := range strings.SplitSeq(list, ",") {
			if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name == "" {
				continue
			}
			if h.Trailer == nil {
				h.Trailer = http.Header{}
			}
			h.Trailer[name] = nil
		}
	}
	h.Header.Del("Trailer")
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
