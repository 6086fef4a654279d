package okauth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

// tokens counts from t1.
func tokens() (source func(context.Context) (string, error), calls *atomic.Int32) {
	calls = new(atomic.Int32)
	return func(context.Context) (string, error) { return fmt.Sprintf("t%d", calls.Add(1)), nil }, calls
}

func TestBearer(t *testing.T) {
	for _, tt := range []struct {
		name       string
		challenges []string
		accepted   string
		preemptive bool
		status     int
		seen       []string
	}{
		{"on demand", []string{"Bearer"}, "Bearer t1", false, 200, []string{"GET /", "GET / Bearer t1"}},
		{"preemptive", []string{"Bearer"}, "Bearer t1", true, 200, []string{"GET / Bearer t1"}},
		{"refreshed", []string{`Bearer error="invalid_token"`}, "Bearer t2", true, 200, []string{"GET / Bearer t1", "GET / Bearer t2"}},
		{"refreshed on demand", []string{"Bearer"}, "Bearer t2", false, 200, []string{"GET /", "GET / Bearer t1", "GET / Bearer t2"}},
		{"refreshed once", []string{"Bearer"}, "Bearer t3", true, 401, []string{"GET / Bearer t1", "GET / Bearer t2"}},
		{"no challenge at all", nil, "Bearer t2", true, 200, []string{"GET / Bearer t1", "GET / Bearer t2"}},
		{"another scheme", []string{"Basic"}, "Bearer t2", true, 401, []string{"GET / Bearer t1"}},
	} {
		for _, network := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, network), func(t *testing.T) {
				s := serve(t, guarded(tt.challenges, tt.accepted))
				source, _ := tokens()
				b := okauth.Bearer(source)
				c := newClient(t, okhttp.WithAuthenticator(b))
				switch {
				case tt.preemptive && network:
					c = c.With(okhttp.WithNetworkInterceptor(b.Preemptive()))
				case tt.preemptive:
					c = c.With(okhttp.WithInterceptor(b.Preemptive()))
				}
				wantStatus(t, c, s.Server.URL, tt.status)
				s.wantSeen(t, tt.seen...)
			})
		}
	}
}

func TestBearerKeepsToken(t *testing.T) {
	s := serve(t, guarded([]string{"Bearer"}, "Bearer t1"))
	source, calls := tokens()
	b := okauth.Bearer(source)
	c := newClient(t, okhttp.WithAuthenticator(b), okhttp.WithInterceptor(b.Preemptive()))
	for range 3 {
		wantStatus(t, c, s.Server.URL, 200)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the source was called %d times, want 1", n)
	}
}

// A source that has nothing better ends it.
func TestBearerSameToken(t *testing.T) {
	s := serve(t, guarded([]string{"Bearer"}, "nobody"))
	b := okauth.Bearer(func(context.Context) (string, error) { return "same", nil })
	c := newClient(t, okhttp.WithAuthenticator(b), okhttp.WithInterceptor(b.Preemptive()))
	wantStatus(t, c, s.Server.URL, 401)
	s.wantSeen(t, "GET / Bearer same")
}

func TestBearerFailures(t *testing.T) {
	s := serve(t, guarded([]string{"Bearer"}, "nobody"))
	boom := errors.New("boom")
	for _, tt := range []struct {
		token string
		err   error
		want  string
	}{
		{"", boom, "okauth: no token: boom"},
		{"", nil, "okauth: the token is empty"},
		{"sesame\r\nX-Evil: 1", nil, "okauth: the token has the character 0x0d at 6, expected visible ASCII"},
		{"two sesames", nil, "okauth: the token has the character 0x20 at 3, expected visible ASCII"},
		{"sésame", nil, "okauth: the token has the character 0xc3 at 1, expected visible ASCII"},
	} {
		for _, preemptive := range []bool{false, true} {
			b := okauth.Bearer(func(context.Context) (string, error) { return tt.token, tt.err })
			c := newClient(t, okhttp.WithAuthenticator(b))
			if preemptive {
				c = c.With(okhttp.WithInterceptor(b.Preemptive()))
			}
			_, err := c.Get(context.Background(), s.Server.URL)
			var failed *okhttp.Error
			if !errors.As(err, &failed) || failed.Err.Error() != tt.want {
				t.Errorf("%q: got %v, want %s", tt.token, err, tt.want)
			}
			var wrong *okauth.TokenError
			if tt.err != nil && !errors.Is(err, boom) || tt.err == nil && !errors.As(err, &wrong) {
				t.Errorf("%q: %#v", tt.token, err)
			}
			if err != nil && strings.Contains(err.Error(), "same") {
				t.Errorf("%q has the token", err)
			}
		}
	}
}

// Calls whose token was refused at the same time have it refreshed once.
func TestBearerRefreshIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, calls := tokens()
		gate := make(chan struct{})
		b := okauth.Bearer(func(ctx context.Context) (string, error) {
			<-gate
			return source(ctx)
		})
		ask := func(ctx context.Context, token string) (string, error) {
			req, err := okhttp.NewRequest("GET", "https://example.com/", okhttp.Header("Authorization", "Bearer "+token))
			if err != nil {
				return "", err
			}
			next, err := b.Authenticate(ctx, nil, okhttp.NewResponse(req, 401))
			if next == nil {
				return "", err
			}
			return next.Headers().Get("Authorization"), err
		}
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if got, err := ask(t.Context(), "old"); got != "Bearer t1" || err != nil {
					t.Errorf("got %q, %v", got, err)
				}
			})
		}
		synctest.Wait() // one waits for the source, the others for it
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		cancel(why)
		if _, err := ask(ctx, "old"); !errors.Is(err, why) {
			t.Errorf("a call that ended while it waited got %v, want %v", err, why)
		}
		close(gate)
		wg.Wait()
		if n := calls.Load(); n != 1 {
			t.Errorf("the source was called %d times, want 1", n)
		}
		if got, err := ask(t.Context(), "t1"); got != "Bearer t2" || err != nil {
			t.Errorf("refused: got %q, %v, want t2", got, err)
		}
	})
}

// A source that panics does not leave others waiting.
func TestBearerPanic(t *testing.T) {
	panics := true
	b := okauth.Bearer(func(context.Context) (string, error) {
		if panics {
			panic("boom")
		}
		return "t", nil
	})
	s := serve(t, guarded(nil, "Bearer t"))
	c := newClient(t, okhttp.WithAuthenticator(b))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = c.Get(context.Background(), s.Server.URL)
	}()
	panics = false
	wantStatus(t, c, s.Server.URL, 200)
}
