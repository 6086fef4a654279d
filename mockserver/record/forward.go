package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

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

// forward asks the origin. What it says goes on as it comes, and a copy of it is recorded at its end.
func (r *Recorder) forward(ctx context.Context, req *mockserver.Request) mockserver.Response {
	if req.Method == "CONNECT" {
		return mockserver.Reply(501).Reason("Not Implemented").Text("a recorder is no tunnel: expected requests for its own address\n")
	}
	if protocol := upgrade(req.Headers); protocol != "" {
		r.skip(req, fmt.Sprintf("an upgrade to %q is neither forwarded nor recorded", protocol))
		return mockserver.Reply(501).Reason("Not Implemented").Text(fmt.Sprintf("a recorder forwards requests and responses, and no upgrade to %q\n", protocol))
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
	out, recorded := r.head(req, resp)
	way := &passing{body: resp.Body, length: lengthOf(resp), most: r.cfg.MaxBody}
	way.done = func(body []byte, err error) {
		switch {
		case r.cfg.Mode == PassThrough:
		case err != nil:
			r.skip(req, err.Error())
		default:
			r.keep(req, withBody(recorded, resp, body), latency)
		}
	}
	if way.length != 0 && req.Method != "HEAD" && resp.Status != 204 && resp.Status != 304 {
		return out.Stream(way.length, func() (io.ReadCloser, error) { return way, nil }).LateTrailers(func() okhttp.Headers {
			trailers, _ := resp.Trailers() // a body that ended has them, or none
			return trailers
		})
	}
	_, err = io.Copy(io.Discard, way)
	if err = errors.Join(err, way.Close()); err != nil {
		return unreachable(err)
	}
	return out
}

// upgrade returns what a request wants to change to (RFC 9110 section 7.8), "" for nothing. To HTTP/2 it is an offer, which any server may decline (RFC 9113 section 3.1).
func upgrade(h okhttp.Headers) string {
	var wanted []string
	for line := range h.Values("Upgrade") {
		for protocol := range strings.SplitSeq(line, ",") {
			if protocol = strings.TrimSpace(protocol); protocol != "" && !strings.EqualFold(protocol, "h2c") && !strings.EqualFold(protocol, "h2") {
				wanted = append(wanted, protocol)
			}
		}
	}
	if !named(h, "upgrade") {
		return ""
	}
	return strings.Join(wanted, ", ")
}

// named reports whether Connection names a field.
func named(h okhttp.Headers, field string) bool {
	for line := range h.Values("Connection") {
		for token := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(token), field) {
				return true
			}
		}
	}
	return false
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

// head returns the response of the origin without its body, to be sent and to be recorded.
func (r *Recorder) head(req *mockserver.Request, resp *okhttp.Response) (mockserver.Response, stub.Response) {
	recorded := stub.Response{Status: resp.Status}
	out := mockserver.Reply(resp.Status).Reason(http.StatusText(resp.Status))
	if message := resp.Message; message != "" { // HTTP/2 has none
		recorded.Reason = &message
		out = out.Reason(message)
	}
	fields := forwarded(resp.Headers(), "content-length")
	if length, ok := resp.Headers().Last("Content-Length"); ok && req.Method == "HEAD" {
		fields = append(fields, "Content-Length", length)
	}
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
