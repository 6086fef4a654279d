package route_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
)

// TestFallbackOfThemselves is refused when it is set, over any number of steps, and leaves the chain as it was.
func TestFallbackOfThemselves(t *testing.T) {
	for steps := range 3 {
		chain := []*route.Routes{route.New()}
		for range steps {
			chain = append(chain, route.New(route.Route{Match: match.Path("/x"), Responses: reply(200)}))
			chain[len(chain)-2].SetFallback(chain[len(chain)-1])
		}
		last := chain[len(chain)-1]
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "route: SetFallback: routes are the fallback of themselves") {
					t.Errorf("%d steps: %s", steps, text)
				}
			}()
			last.SetFallback(chain[0])
		}()
		if got := status(t, serve(t, chain[0]), "GET /y"); got != "404" {
			t.Errorf("%d steps: got %s", steps, got)
		}
		if n := len(chain[0].Unused()); n != steps {
			t.Errorf("%d steps: %d unused", steps, n)
		}
	}
}

// TestFallbackRoundAFunction cannot be seen before a request comes round again.
func TestFallbackRoundAFunction(t *testing.T) {
	first, second := route.New(), route.New(route.Route{Match: match.Path("/x"), Responses: reply(201)})
	first.SetFallback(second)
	second.SetFallback(mockserver.DispatcherFunc(func(ctx context.Context, r *mockserver.Request) mockserver.Response { return first.Dispatch(ctx, r) }))
	request := func(path string) *mockserver.Request {
		return &mockserver.Request{Method: "GET", Target: path}
	}
	if got := first.Dispatch(t.Context(), request("/x")); got.Code() != 201 {
		t.Errorf("got %v", got)
	}
	if got := fmt.Sprint(first.Dispatch(t.Context(), request("/y")).Err()); !strings.Contains(got, "fallback of themselves") {
		t.Errorf("got %s", got)
	}
}
