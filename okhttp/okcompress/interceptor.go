package okcompress

import (
	"context"
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// Config configures an [Interceptor].
type Config struct {
	// MaxDecoded is how much a response may decode to, in bytes; with several codings it bounds what each of them yields. 0: 1 GiB. Less than 0:
	// no limit.
	MaxDecoded int64
}

const (
	defaultMaxDecoded = 1 << 30
	maxCodings        = 4 // of one response
)

// Interceptor asks for compressed responses and decodes them. It is an [okhttp.Interceptor] for [okhttp.WithInterceptor] and safe for
// concurrent use.
type Interceptor struct {
	algorithms []Algorithm
	accept     string
	limit      int64 // 0: none
	err        error // of the algorithms
}

// New makes an interceptor for the algorithms in the order of preference. Without any it does nothing. c may be nil. An algorithm that cannot
// be asked for, with a token that is none or one that was given before or without a decoder, fails every call with an [*AlgorithmError].
func New(c *Config, algorithms ...Algorithm) *Interceptor {
	i := &Interceptor{algorithms: append([]Algorithm(nil), algorithms...), limit: defaultMaxDecoded}
	if c != nil && c.MaxDecoded != 0 {
		i.limit = max(c.MaxDecoded, 0)
	}
	tokens := make([]string, len(algorithms))
	for n, a := range i.algorithms {
		tokens[n] = a.Token
		if err := i.check(a, n); err != nil && i.err == nil {
			i.err = err
		}
	}
	i.accept = strings.Join(tokens, ", ")
	return i
}

// AlgorithmError reports an [Algorithm] that an interceptor cannot use.
type AlgorithmError struct {
	Token  string
	Detail string
}

func (e *AlgorithmError) Error() string {
	return fmt.Sprintf("okcompress: algorithm %q %s", e.Token, e.Detail)
}

func (i *Interceptor) check(a Algorithm, at int) error {
	switch {
	case !ascii.IsToken(a.Token):
		return &AlgorithmError{a.Token, "does not have a token (RFC 9110 section 5.6.2) for a name"}
	case strings.EqualFold(a.Token, "identity"):
		return &AlgorithmError{a.Token, "is no coding, but the lack of one"}
	case a.Decoder == nil:
		return &AlgorithmError{a.Token, "has no decoder"}
	}
	for _, before := range i.algorithms[:at] {
		if strings.EqualFold(before.Token, a.Token) {
			return &AlgorithmError{a.Token, "was given twice"}
		}
	}
	return nil
}

// Intercept implements [okhttp.Interceptor].
func (i *Interceptor) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	req := chain.Request()
	if i.err != nil {
		return nil, i.err
	}
	if len(i.algorithms) == 0 || has(req, "Accept-Encoding") || has(req, "Range") || req.Upgrade() != "" {
		return chain.Proceed(ctx, req)
	}
	asking, err := req.With(okhttp.Header("Accept-Encoding", i.accept))
	if err != nil {
		return nil, err
	}
	resp, err := chain.Proceed(ctx, asking)
	if err != nil {
		return nil, err
	}
	return i.decoded(asking, resp), nil
}

func has(req *okhttp.Request, name string) bool {
	_, ok := req.Headers().Last(name)
	return ok
}

// decoded returns the response with its codings undone, or as it is.
func (i *Interceptor) decoded(req *okhttp.Request, resp *okhttp.Response) *okhttp.Response {
	if !hasContent(req.Method(), resp) {
		return resp
	}
	codings := i.codings(resp.Headers())
	if len(codings) == 0 {
		return resp
	}
	if resp.Request() != nil {
		req = resp.Request() // a redirect may have led elsewhere
	}
	return resp.With(
		okhttp.ResponseHeaders(resp.Headers().Without("Content-Encoding").Without("Content-Length")),
		okhttp.ResponseBodyFrom(resp.Body.ContentType(), -1, newBody(req, resp, codings, i.limit)),
	)
}

// hasContent reports whether a response has content that can be decoded by itself (RFC 9110 sections 6.4.1 and 15.3.7).
func hasContent(method string, resp *okhttp.Response) bool {
	switch status := resp.Status; {
	case method == "HEAD", status < 200, status == 204, status == 206, status == 304:
		return false
	case method == "CONNECT" && status < 300:
		return false
	}
	return resp.Body.Len() != 0
}

// codings returns what was applied to a response, in the order it was applied in, or nothing if not all of it is known.
func (i *Interceptor) codings(h okhttp.Headers) []Algorithm {
	var list []Algorithm
	for value := range h.Values("Content-Encoding") {
		for token := range strings.SplitSeq(value, ",") {
			token = strings.Trim(token, " \t")
			if token == "" || strings.EqualFold(token, "identity") {
				continue // RFC 9110 sections 5.6.1.2 and 12.5.3: neither says that anything was done
			}
			a, ok := i.find(token)
			if !ok || len(list) == maxCodings {
				return nil
			}
			list = append(list, a)
		}
	}
	return list
}

func (i *Interceptor) find(token string) (Algorithm, bool) {
	if strings.EqualFold(token, "x-gzip") {
		token = "gzip" // RFC 9110 section 8.4.1.3
	}
	for _, a := range i.algorithms {
		if strings.EqualFold(a.Token, token) {
			return a, true
		}
	}
	return Algorithm{}, false
}
