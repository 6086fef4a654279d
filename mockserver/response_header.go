package mockserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Header sets a header field: fields of that name, in any case, are removed and the new one comes last. Content-Length and
// Transfer-Encoding replace what the server would say of the body, be it right or wrong, and change nothing else.
func (r Response) Header(name, value string) Response {
	r.fields = slices.Clone(r.fields)
	for i := 0; i < len(r.fields); {
		if strings.EqualFold(r.fields[i], name) {
			r.fields = slices.Delete(r.fields, i, i+2)
		} else {
			i += 2
		}
	}
	return r.AddHeader(name, value)
}

// AddHeader appends a header field.
func (r Response) AddHeader(name, value string) Response {
	r.fields, r.err = appendField(r.fields, name, value, r.err)
	return r
}

// Headers sets all header fields, in place of those so far. The zero value of Headers leaves none but what the server says of the body.
func (r Response) Headers(h okhttp.Headers) Response {
	r.fields, r.lenient = nil, false
	for name, value := range h.All() {
		r = r.AddHeader(name, value)
	}
	return r
}

// AddHeaderRaw appends a header field that is not checked: names with spaces, values with line ends, what else must not be sent (RFC 9110 section
// 5.5). The status and the fields for framing are the server's even then. On HTTP/2 names become lower case, and all fields are sent as they are given, also
// those that HTTP/2 does not have.
func (r Response) AddHeaderRaw(name, value string) Response {
	r.fields, r.lenient = append(slices.Clip(r.fields), name, value), true
	return r
}

// appendField copies fields with one more, unless it or something before was wrong.
func appendField(fields []string, name, value string, before error) ([]string, error) {
	if before != nil {
		return fields, before
	}
	name, value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
	if _, err := (okhttp.Headers{}).AddNonASCII(name, value); err != nil {
		return fields, fmt.Errorf("mockserver: %w", err)
	}
	return append(slices.Clip(fields), name, value), nil
}

// Trailer appends a trailer field (RFC 9110 section 6.5). The body must be chunked.
func (r Response) Trailer(name, value string) Response {
	r.trailers, r.err = appendField(r.trailers, name, value, r.err)
	return r
}

// LateTrailers appends the trailer fields that f returns, which is called each time the body was sent, such as those of a body that comes from elsewhere. Over HTTP/1.1
// they are dropped behind a body that is not chunked, as one of known length is not unless [Response.Chunked] says so; HTTP/2 has them behind any body, an empty one too, that is not the
// one of HEAD or of a status without content.
func (r Response) LateTrailers(f func() okhttp.Headers) Response {
	r.late = nil
	if f != nil {
		r.late = func() (okhttp.Headers, error) { return f(), nil }
	}
	return r
}

// allTrailers are the trailers of a body that was sent.
func (r *Response) allTrailers() ([]string, error) {
	fields := r.trailers
	if r.late == nil {
		return fields, nil
	}
	late, err := r.late()
	fields = slices.Clip(fields)
	for name, value := range late.All() {
		fields = append(fields, name, value)
	}
	return fields, err
}

// head returns the reason and the fields of the head, framing included.
func (r *Response) head(method string) (reason string, fields []string) {
	if reason = r.reason; !r.reasoned {
		reason = reasonOf(r.Code())
	}
	for i := 0; i < len(r.fields); i += 2 {
		if strings.EqualFold(r.fields[i], "Content-Length") || strings.EqualFold(r.fields[i], "Transfer-Encoding") {
			return reason, r.fields
		}
	}
	code := r.Code()
	switch {
	case r.open, r.unframed, code == 204, code == 101, method == "CONNECT" && code/100 == 2: // RFC 9110 section 8.6
		return reason, r.fields
	case r.encoded():
		fields = []string{"Transfer-encoding", "chunked"}
	case code == 304 && r.content.open == nil: // it would be the length of a 200
		return reason, r.fields
	default:
		fields = []string{"Content-Length", strconv.FormatInt(max(r.content.length+r.lengthOff, 0), 10)}
	}
	return reason, append(fields, r.fields...)
}
