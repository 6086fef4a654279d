package match_test

import (
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
)

func TestAtAccept(t *testing.T) {
	for _, tt := range []struct {
		matcher mockserver.Matcher
		want    bool
	}{
		{match.Everything(), true},
		{match.All(), true},
		{match.Any(), false},
		{match.Connection(3), true},
		{match.Not(match.Connection(0)), true},
		{match.Not(match.Any(match.Connection(0), match.Connection(1))), true},
		{match.Not(match.Everything()), false},
		{match.Path("/a"), false},
		{match.Request("GET /a"), false},
		{match.Method("GET"), false},
		{match.Not(match.Method("GET")), true},
		{match.Proto("HTTP/2"), false},
		{match.TLS(true), false},
		{match.All(match.Connection(1), match.Path("/a")), false},
		{match.All(match.Connection(1), match.Not(match.Path("/a"))), true},
		{match.Any(match.Connection(1), match.Path("/a")), true},
		{match.Any(match.Method("A"), match.Path("/a")), false},
		{match.Func("f", func(*mockserver.Request) bool { return true }), false}, // which is asked when the body was read
		{match.Path("a"), false},
		{nil, false},
	} {
		if got := match.AtAccept(tt.matcher); got != tt.want {
			t.Errorf("%v: %v", tt.matcher, got)
		}
	}
}
