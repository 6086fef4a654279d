package okauth

import (
	"context"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// FirstOf makes an authenticator of several for different schemes. The schemes that the server offers are tried in its order: whoever of
// the list is for that scheme is asked, and the first answer is sent. When a server refuses it, that authenticator gives up and the next
// scheme is tried.
//
// An authenticator says what it is for with a method Scheme() string, as those of this package do. Those without one are asked last, in the
// order of the list. nil ones are left out.
func FirstOf(list ...okhttp.Authenticator) okhttp.Authenticator {
	return firstOf(slices.DeleteFunc(slices.Clone(list), func(a okhttp.Authenticator) bool { return a == nil }))
}

type firstOf []okhttp.Authenticator

func (list firstOf) Authenticate(ctx context.Context, route *okhttp.Route, resp *okhttp.Response) (*okhttp.Request, error) {
	challenges := resp.Challenges()
	for i, c := range challenges {
		same := func(before okhttp.Challenge) bool { return strings.EqualFold(before.Scheme, c.Scheme) }
		if slices.ContainsFunc(challenges[:i], same) {
			continue
		}
		for _, a := range list {
			if s, ok := a.(interface{ Scheme() string }); ok && strings.EqualFold(s.Scheme(), c.Scheme) {
				if req, err := a.Authenticate(ctx, route, resp); req != nil || err != nil {
					return req, err
				}
			}
		}
	}
	// Without a scheme to go by, everybody is asked: when there is no challenge, and when a client asks before it connects to a proxy.
	open := len(challenges) == 0 || resp.Status == statusProxy && strings.EqualFold(challenges[0].Scheme, schemePreemptive)
	for _, a := range list {
		if _, ok := a.(interface{ Scheme() string }); ok && !open {
			continue
		}
		if req, err := a.Authenticate(ctx, route, resp); req != nil || err != nil {
			return req, err
		}
	}
	return nil, nil
}
