package okauth

import (
	"iter"
	"slices"

	"github.com/okhttp-go/ok/okhttp"
)

const (
	statusOrigin = 401
	statusProxy  = 407
)

// schemePreemptive is the scheme of the challenge that a client makes up before it connects to a proxy, to ask whether there are credentials
// to begin with.
const schemePreemptive = "OkHttp-Preemptive"

// answerHeader returns the field that answers a status (RFC 9110 sections 11.6.2 and 11.7.2), "" if it asks for nothing.
func answerHeader(resp *okhttp.Response) string {
	switch {
	case resp == nil || resp.Request() == nil:
		return ""
	case resp.Status == statusOrigin:
		return "Authorization"
	case resp.Status == statusProxy:
		return "Proxy-Authorization"
	}
	return ""
}

// withHeader returns the request with a field in the place of all by that name. Bytes beyond ASCII may be in it: a realm goes back as it came.
func withHeader(req *okhttp.Request, name, value string) (*okhttp.Request, error) {
	h, err := req.Headers().Without(name).AddNonASCII(name, value)
	if err != nil {
		return nil, err
	}
	return req.With(okhttp.WithHeaders(h))
}

// refusals yields the responses of the call, the latest first, by which the same server asked for credentials.
func refusals(resp *okhttp.Response) iter.Seq[*okhttp.Response] {
	return func(yield func(*okhttp.Response) bool) {
		for r := resp; r != nil; r = r.Prior() {
			if sameAsker(r, resp) && !yield(r) {
				return
			}
		}
	}
}

// sameAsker reports whether two responses ask for the same credentials.
func sameAsker(a, b *okhttp.Response) bool {
	return a != nil && a.Status == b.Status && a.Request() != nil &&
		(a.Status == statusProxy || originOf(a.Request().URL()) == originOf(b.Request().URL()))
}

// carried returns the values of a field that the request of a response had, as it was made and as it was sent: network interceptors add
// to what is sent.
func carried(resp *okhttp.Response, header string) []string {
	values := slices.Collect(resp.Request().Headers().Values(header))
	if n := resp.NetworkResponse(); n != nil && n.Request() != nil {
		values = slices.AppendSeq(values, n.Request().Headers().Values(header))
	}
	return values
}
