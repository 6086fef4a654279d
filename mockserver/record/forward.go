package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okhttp"
)

// hop are the fields that are of one connection (RFC 9110 section 7.6.1), besides those that Connection names.
var hop = []string{"connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-authenticate", "proxy-authorization", "expect"}

// forwarded returns the fields that go on, in their order.
func forwarded(h okhttp.Headers, without ...string) (fields []string) {
	drop := slices.Concat(hop, without)
	for line := range h.Values("Connection") {
		for token := range strings.SplitSeq(line, ",") {
			drop = append(drop, strings.ToLower(strings.TrimSpace(token)))
		}
	}
	for name, value := range h.All() {
		if !slices.Contains(drop, strings.ToLower(name)) {
			fields = append(fields, name, value)
		}
	}
	return fields
}

// pathOf returns path and query of a target, whatever its form (RFC 9112 section 3.2).
func pathOf(target string) string {
	if strings.HasPrefix(target, "/") {
		return target
	}
	if _, rest, ok := strings.Cut(target, "://"); ok {
		i := strings.IndexAny(rest, "/?")
		if i < 0 {
			return "/"
		}
		if rest[i] == '?' {
			return "/" + rest[i:]
		}
		return rest[i:]
	}
	return "/"
}

// forward asks the origin.
func (r *Recorder) forward(ctx context.Context, req *mockserver.Request) mockserver.Response {
	if req.Method == "CONNECT" {
		return mockserver.Reply(501).Reason("Not Implemented").Text("a recorder is no tunnel: expected requests for its own address\n")
	}
	if req.BodySize > int64(len(req.Body)) {
		return mockserver.Reply(413).Reason("Content Too Large").Text("the request body was not kept whole: see mockserver.WithBodyLimit\n")
	}
	call, err := r.call(req)
	if err != nil {
		return mockserver.Reply(400).Reason("Bad Request").Text(err.Error() + "\n")
	}
	begun := time.Now()
	resp, err := call.Execute(ctx)
	if err != nil {
		return unreachable(err)
	}
	latency := time.Since(begun)
	body, rest, err := beginning(resp.Body, r.cfg.MaxBody)
	if err != nil {
		return unreachable(err)
	}
	out, recorded := r.scripted(req, resp, body, rest == nil)
	switch {
	case rest != nil:
		r.skip(req, "the body of the response is longer than what is recorded")
		return out.Stream(-1, func() (io.ReadCloser, error) { return rest, nil })
	case r.cfg.Mode != PassThrough:
		r.keep(req, recorded, latency)
	}
	return out
}

// call is the request to the origin.
func (r *Recorder) call(req *mockserver.Request) (*okhttp.Call, error) {
	fields := append(forwarded(req.Headers, "host", "content-length", "accept-encoding"), "Accept-Encoding", "identity")
	headers, err := okhttp.NewHeaders(fields...)
	if err != nil {
		return nil, err
	}
	opts := []okhttp.RequestOption{okhttp.WithHeaders(headers)}
	if req.Body != nil {
		opts = append(opts, okhttp.WithBody(okhttp.Bytes(req.Headers.Get("Content-Type"), req.Body)))
	}
	request, err := okhttp.NewRequest(req.Method, strings.TrimSuffix(r.origin.String(), "/")+pathOf(req.Target), opts...)
	if err != nil {
		return nil, err
	}
	return r.client.NewCall(request, okhttp.WithFollowRedirects(false), okhttp.WithRetryOnConnectionFailure(false)), nil
}

// beginning reads a body, or as much of it as may be recorded and then all of it as rest.
func beginning(body *okhttp.ResponseBody, most int64) (whole []byte, rest io.ReadCloser, err error) {
	whole, err = io.ReadAll(io.LimitReader(body, most+1))
	if err != nil {
		return nil, nil, errors.Join(err, body.Close())
	}
	if int64(len(whole)) <= most {
		return whole, nil, body.Close()
	}
	return nil, struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(whole), body), body}, nil
}

// scripted returns the response of the origin, to be sent and to be recorded. whole says that the body was read, behind which the trailers are.
func (r *Recorder) scripted(req *mockserver.Request, resp *okhttp.Response, body []byte, whole bool) (mockserver.Response, stub.Response) {
	recorded := stub.Response{Status: resp.Status}
	out := mockserver.Reply(resp.Status).Reason(http.StatusText(resp.Status))
	if message := resp.Message; message != "" { // HTTP/2 has none
		recorded.Reason = &message
		out = out.Reason(message)
	}
	fields := forwarded(resp.Headers(), "content-length")
	for i := 0; i < len(fields); i += 2 {
		name, value := fields[i], fields[i+1]
		if strings.EqualFold(name, "Location") {
			value = r.here(value)
		}
		out = out.AddHeader(name, value)
		if !strings.EqualFold(name, "Date") {
			recorded.Headers = append(recorded.Headers, name, value)
		}
	}
	if !whole {
		return out, recorded
	}
	if trailers, err := resp.Trailers(); err == nil && trailers.Len() > 0 {
		out, recorded.Chunked = out.Chunked(), &stub.Chunks{}
		for name, value := range trailers.All() {
			out = out.Trailer(name, value)
			recorded.Trailers = append(recorded.Trailers, name, value)
		}
	}
	switch {
	case req.Method == "HEAD":
		if length, ok := resp.Headers().Last("Content-Length"); ok {
			out = out.Header("Content-Length", length)
			recorded.Headers = append(recorded.Headers, "Content-Length", length)
		}
	case utf8.Valid(body):
		text := string(body)
		out, recorded.Body = out.Text(text), &text
	default:
		out, recorded.Base64 = out.Body(body), &body
	}
	return out, recorded
}

// here turns a URL of the origin into a path.
func (r *Recorder) here(location string) string {
	base := strings.TrimSuffix(r.origin.String(), "/")
	if rest, ok := strings.CutPrefix(location, base); ok && (rest == "" || rest[0] == '/' || rest[0] == '?') {
		if rest == "" || rest[0] == '?' {
			return "/" + rest
		}
		return rest
	}
	return location
}
