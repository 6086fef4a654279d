package okdns

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

func TestChain(t *testing.T) {
	ok := []step{{addrs: "192.0.2.1", wait: time.Second}, {addrs: "2001:db8::1", wait: time.Second}}
	second := []step{{addrs: "192.0.2.2", wait: time.Second}}
	fails := []step{{err: errMine, wait: time.Second}}
	gone := []step{{err: notFound("h.example")}}
	for _, tt := range []struct {
		name   string
		goOn   func(error) bool
		first  []step
		second []step
		want   string
		asked  int // how often the second one was
	}{
		{"the first answers", nil, ok, second, "1s [192.0.2.1]; 2s [2001:db8::1]", 0},
		{"the first fails", nil, fails, second, "2s [192.0.2.2]", 1},
		{"the first knows nothing", nil, []step{}, second, "1s [192.0.2.2]", 1},
		{"the first says there is none", nil, gone, second, "1s [192.0.2.2]", 1},
		{"the word of the first", func(err error) bool { return !NotFound(err) }, gone, second, "0s unknown host h.example: lookup h.example: no such host", 0},
		{"no word of the first", func(err error) bool { return !NotFound(err) }, fails, second, "2s [192.0.2.2]", 1},
		{"a failure after addresses", nil, []step{{addrs: "192.0.2.1"}, {err: errMine}}, second, "0s [192.0.2.1]; 0s mine", 0},
		{"ALPN before addresses", nil, []step{{alpn: []string{"h2"}, wait: time.Second}, {addrs: "192.0.2.1", wait: time.Second}}, second, "2s [] [h2]; 2s [192.0.2.1]", 0},
		{"ALPN without addresses", nil, []step{{alpn: []string{"h2"}}, {err: errMine}}, second, "1s [192.0.2.2]", 1},
		{"both fail", nil, fails, gone, "1s unknown host h.example: mine; lookup h.example: no such host", 1},
		{"both know nothing", nil, []step{}, []step{}, "0s unknown host h.example: unknown host h.example: no addresses; unknown host h.example: no addresses", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				second := script(tt.second)
				want(t, &Chain{DNS: []okhttp.DNS{nil, script(tt.first), second}, GoOn: tt.goOn}, "h.example", tt.want)
				if got := second.asked(); got != tt.asked {
					t.Errorf("the second was asked %d times, want %d", got, tt.asked)
				}
			})
		})
	}
}

func TestChainErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wantUnknown(t, &Chain{}, "h.example", nil)
		wantUnknown(t, &Chain{DNS: []okhttp.DNS{script([]step{{err: errMine}})}}, "h.example", errMine)
		both := &Chain{DNS: []okhttp.DNS{script([]step{{err: notFound("h.example")}}), script([]step{{err: errMine}})}}
		wantUnknown(t, both, "h.example", errMine)
		for _, err := range both.Lookup(t.Context(), "h.example") {
			var attempts *AttemptsError
			if !errors.As(err, &attempts) || len(attempts.Errs) != 2 || !NotFound(attempts.Errs[0]) || !errors.Is(attempts.Errs[1], errMine) {
				t.Errorf("error %v, want both attempts", err)
			}
		}
	})
}

func TestChainStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := script([]step{{addrs: "192.0.2.1", wait: time.Hour}}), script([]step{{addrs: "192.0.2.2"}})
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errMine) })
		c := &Chain{DNS: []okhttp.DNS{first, second}, GoOn: func(error) bool { t.Error("GoOn was called"); return true }}
		if got := report(ctx, c, "h.example"); got != "1s mine" || second.asked() != 0 {
			t.Errorf("%s, then %q, want the cause and nothing more", got, second.hosts)
		}
		held := &Chain{DNS: []okhttp.DNS{script([]step{{alpn: []string{"h2"}}, {addrs: "192.0.2.1"}, {addrs: "192.0.2.3"}}), second}}
		for n := range 3 { // the loop is left after that many answers
			seen := 0
			for range held.Lookup(t.Context(), "h.example") {
				if seen++; seen > n {
					break
				}
			}
		}
		if second.asked() != 0 {
			t.Error("the next was asked after the loop was left")
		}
	})
}
