package route_test

import (
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// TestEffectsThatComeTooLate: when a connection is accepted a route is not chosen by what its request will be.
func TestEffectsThatComeTooLate(t *testing.T) {
	reset := mockserver.Reply(200).On(mockserver.RequestStart, mockserver.Reset{})
	const want = `route: "r" (path /a): response 1: an effect at RequestStart cannot strike: no request is known when a connection is accepted`
	for _, tt := range []struct {
		name    string
		matcher mockserver.Matcher
		resp    mockserver.Response
		wrong   bool
	}{
		{"path", match.Path("/a"), reset, true},
		{"by chance", match.Path("/a"), reset.On(mockserver.RequestStart, mockserver.Sometimes{Probability: 0.5, Effect: mockserver.Stall{}}), true},
		{"stream", match.Path("/a"), reset.On(mockserver.RequestStart, mockserver.CloseStream{}), false},
		{"stream by chance", match.Path("/a"), reset.On(mockserver.RequestStart, mockserver.Sometimes{Probability: 0.5, Effect: mockserver.CloseStream{}}), false},
		{"stream after a wait", match.Path("/a"), reset.On(mockserver.RequestStart, mockserver.Sequence(mockserver.Wait{}, mockserver.CloseStream{})), false},
		{"head", match.Path("/a"), mockserver.Reply(200).On(mockserver.RequestHead, mockserver.Reset{}), false},
		{"connection", match.Connection(3), reset, false},
		{"any", nil, reset, false},
	} {
		err := route.New(route.Route{Name: "r", Match: tt.matcher, Responses: []mockserver.Response{mockserver.Reply(200), tt.resp}}).Err()
		if (err != nil) != tt.wrong || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
