package mockserver

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// handlerEnd is how a handler ends: with trailers, or by breaking off.
type handlerEnd struct {
	ctx       context.Context // ends when the response does, or nobody takes it
	over      chan struct{}   // closed when the rest is known
	names     []string        // of the trailers that the head announces
	announced bool            // it says that there are trailers, which a Content-Length has no room for over HTTP/1
	trailers  okhttp.Headers
	broken    error // nil if the handler returned
}

// announce takes note of the field Trailer; more says that trailers without it are known already.
func (e *handlerEnd) announce(lines []string, more bool) {
	e.announced = more || len(lines) > 0
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); !slices.Contains(e.names, name) {
				e.names = append(e.names, name)
			}
		}
	}
}

// end notes what the header of a handler says when it is over.
func (e *handlerEnd) end(header http.Header, broken error) {
	defer close(e.over)
	e.broken = broken
	for _, name := range e.names {
		e.add(name, header[name])
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if late, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			e.add(late, header[name])
		}
	}
}

// add appends a trailer, unless it is none that may be sent.
func (e *handlerEnd) add(name string, values []string) {
	if lower := strings.ToLower(name); slices.Contains(noTrailers, lower) || strings.HasPrefix(lower, "if-") {
		return
	}
	for _, value := range values {
		if more, err := e.trailers.AddNonASCII(name, value); err == nil {
			e.trailers = more
		}
	}
}

// noTrailers are fields that frame, route and condition messages, say who sends them or what their content is: they come too late behind it (RFC 9110 section 6.5.1).
var noTrailers = []string{
	"authorization", "cache-control", "connection", "content-encoding", "content-length", "content-range", "content-type", "expect", "host", "keep-alive",
	"max-forwards", "pragma", "proxy-authenticate", "proxy-authorization", "proxy-connection", "range", "te", "trailer", "transfer-encoding", "www-authenticate",
}

// await returns the trailers once the handler is over.
func (e *handlerEnd) await() (okhttp.Headers, error) {
	select {
	case <-e.over:
		return e.trailers, e.broken
	default:
	}
	select {
	case <-e.over:
	case <-e.ctx.Done():
		select {
		case <-e.over: // which is what ended it
		default:
			return okhttp.Headers{}, context.Cause(e.ctx)
		}
	}
	return e.trailers, e.broken
}

// withoutLate copies a header without what stands for trailers in it.
func withoutLate(h http.Header) http.Header {
	h = h.Clone()
	maps.DeleteFunc(h, func(name string, _ []string) bool { return strings.HasPrefix(name, http.TrailerPrefix) })
	return h
}
