package okhttp

import (
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Response is an HTTP response. Its head has arrived; its body is read from the connection on demand and must be closed. It is not
// safe for concurrent use.
type Response struct {
	// Status is the status code, Message the reason phrase, which may be empty and means nothing (RFC 9112 section 4).
	Status  int
	Message string
	// Protocol is the version that the server answered with.
	Protocol Protocol
	// Body is the content. It is never nil.
	Body *ResponseBody

	headers  Headers
	request  *Request
	prior    *Response
	cached   *Response
	networks *Response // made on demand, as long as nothing was changed since the response came

	makeCached func() *Response // on demand, nil if that was done

	wireRequest *Request      // of a response from the network
	http        *httpResponse // room for the conversion, if this is what it will be

	handshake *Handshake
	began     time.Time     // when the request was begun to be sent; where none was, when the response was made
	took      time.Duration // from then to the arrival of the head; unsent where no request was
	exchange  *exchange     // nil if the response did not come from a server
}

// Headers returns the header fields. After transparent gzip they are without Content-Encoding and Content-Length.
func (r *Response) Headers() Headers { return r.headers }

// Trailers reads the body to its end, dropping what was not read yet, and returns the trailer fields (RFC 9110 section 6.5). They are empty for
// responses that have none or were made by hand. It fails, with the error of reading, if the body is cut short, or if it was closed before its
// end.
func (r *Response) Trailers() (Headers, error) {
	if r.exchange == nil {
		return Headers{}, nil
	}
	r.Body.exhaust()
	fields, err := r.exchange.allTrailers()
	runtime.KeepAlive(r) // see leak.go
	return headersOf(fields), err
}

// Request returns the request that led to this response: the user's, or the one that a redirect made of it.
func (r *Response) Request() *Request { return r.request }

// Prior returns the response that this one follows up, a redirect for example, nil if there was none. Its body cannot be read.
func (r *Response) Prior() *Response { return r.prior }

// CacheResponse returns the response of the cache that this one was made of, nil if there was none. Its body cannot be read.
func (r *Response) CacheResponse() *Response {
	if r.makeCached != nil {
		r.cached, r.makeCached = stub(r.makeCached()), nil
	}
	return r.cached
}

// NetworkResponse returns the response as it came from the network, with its request as it was sent; nil if it did not. Its body cannot be
// read.
func (r *Response) NetworkResponse() *Response {
	if r.networks == nil && r.wireRequest != nil {
		n := *r
		n.request, n.wireRequest, n.prior, n.cached, n.makeCached = r.wireRequest, nil, nil, nil, nil
		n.Body = unreadable(r.headers.Get("Content-Type"), r.Body.Len())
		r.networks = &n
	}
	return r.networks
}

// Handshake returns what TLS agreed on, nil in cleartext.
func (r *Response) Handshake() *Handshake { return r.handshake }

// unsent stands for the time that a request took which was not sent.
const unsent time.Duration = math.MinInt64

// SentAt returns when the request was begun to be sent, the zero time if it was not.
func (r *Response) SentAt() time.Time {
	if r.took == unsent {
		return time.Time{}
	}
	return r.began
}

// ReceivedAt returns when the head of the response had arrived, or was made if nothing was sent. It is the zero time if nobody has said.
func (r *Response) ReceivedAt() time.Time {
	if r.took == unsent {
		return r.began
	}
	return r.began.Add(r.took)
}

// PeekBody returns up to n bytes from the front of the content without taking them from the body. It waits until that many came or the content
// ended, so fewer bytes mean that there are no more. What it has seen stays in memory until it is read. Errors are those of reading the body.
func (r *Response) PeekBody(n int64) ([]byte, error) {
	peek := r.Body.Source().Peek()
	var got okio.Buffer
	defer got.Clear()
	for got.Len() < n {
		if _, err := peek.ReadBuffer(&got, n-got.Len()); err != nil {
			if isEOF(err) {
				break
			}
			return nil, err
		}
	}
	return got.ReadN(got.Len())
}

// String returns the status and the redacted URL.
func (r *Response) String() string {
	if r == nil {
		return "<nil>"
	}
	text := strconv.Itoa(r.Status) + " " + r.Message
	if r.request != nil {
		text += " from " + r.request.url.Redacted()
	}
	return text
}

// IsSuccess reports whether the status is 2xx.
func (r *Response) IsSuccess() bool { return r.Status >= 200 && r.Status < 300 }
