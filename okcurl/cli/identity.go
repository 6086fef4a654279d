package cli

import (
	"context"

	"github.com/okhttp-go/ok/okhttp"
)

// identity names a coding in requests that name none, or the client asks for gzip and unpacks it. It does not reach the wire: see [options.wire].
type identity struct{}

// Intercept implements [okhttp.Interceptor].
func (identity) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	r := chain.Request()
	if _, given := r.Headers().Last("Accept-Encoding"); !given && r.Upgrade() == "" {
		var err error
		if r, err = r.With(okhttp.Header("Accept-Encoding", "identity")); err != nil {
			return nil, err
		}
	}
	return chain.Proceed(ctx, r)
}

// withoutIdentity hides the header from a listener that takes a request for what is sent.
func withoutIdentity(l *okhttp.EventListener) *okhttp.EventListener {
	hidden := *l
	hidden.FollowUpDecision = func(e okhttp.FollowUpDecision) {
		if e.Next != nil {
			if coding, _ := e.Next.Headers().Last("Accept-Encoding"); coding == "identity" {
				e.Next, _ = e.Next.With(okhttp.WithHeaders(e.Next.Headers().Without("Accept-Encoding"))) // headers that it had, without one
			}
		}
		l.FollowUpDecision(e)
	}
	return &hidden
}
