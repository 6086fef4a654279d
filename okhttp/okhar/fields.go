package okhar

import (
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// sentFields returns the header fields of a request as they are sent: over HTTP/2 with pseudo-header fields and names in lower case, and without
// those that HTTP/2 does not have, such as Host and Connection (RFC 9113 sections 8.2 and 8.3). Browsers record the same.
func (r *Recorder) sentFields(a *attempt) []pair {
	req := a.wire
	if a.protocol != okhttp.HTTP2 {
		return r.headers(req.Headers())
	}
	head := http2.RequestHead{Method: req.Method(), Path: target(req.URL()), Authority: req.URL().Std().Host, Scheme: req.URL().Scheme()}
	h := req.Headers()
	if protocol := req.Upgrade(); protocol != "" { // an extended CONNECT (RFC 8441)
		head.Method, head.Protocol = "CONNECT", protocol
		h = h.Without("Sec-WebSocket-Key")
	}
	fields, err := throughHTTP2(head, h)
	if err != nil {
		return r.headers(h) // it could not be sent
	}
	list := make([]pair, 0, len(fields)/2)
	for i := 0; i+1 < len(fields); i += 2 {
		list = append(list, pair{fields[i], r.redact.header(fields[i], fields[i+1])})
	}
	return list
}

// throughHTTP2 writes a header block as the client does, and reads it, names and values in turn.
func throughHTTP2(head http2.RequestHead, h okhttp.Headers) ([]string, error) {
	fields := make([]string, 0, 2*h.Len())
	size := len(head.Method) + len(head.Path) + len(head.Authority) + len(head.Scheme) + len(head.Protocol)
	for name, value := range h.All() {
		fields = append(fields, name, value)
		size += len(name) + len(value)
	}
	block, err := http2.NewHeaderEncoder().AppendRequest(nil, head, fields)
	if err != nil {
		return nil, err
	}
	d := http2.NewHeaderDecoder(http2.HeaderLimits{MaxBytes: 2*size + 1<<10, MaxFields: h.Len() + 5})
	if err := d.Decode(block); err != nil {
		return nil, err
	}
	return d.Close()
}

// target is the origin form (RFC 9112 section 3.2.1).
func target(u okhttp.URL) string {
	if query, ok := u.EncodedQuery(); ok {
		return u.EncodedPath() + "?" + query
	}
	return u.EncodedPath()
}
