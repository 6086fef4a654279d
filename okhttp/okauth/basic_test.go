package okauth_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

// The example of RFC 7617 section 2, and that of 2.1.
const (
	aladdin    = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
	testPounds = "Basic dGVzdDoxMjPCow=="
)

func TestBasic(t *testing.T) {
	for _, tt := range []struct {
		name       string
		challenges []string
		user, pass string
		accepted   string
		status     int
		seen       []string
	}{
		{"answered", []string{`Basic realm="WallyWorld"`}, "Aladdin", "open sesame", aladdin, 200, []string{"GET /", "GET / " + aladdin}},
		{"gives up when refused", []string{`Basic realm="WallyWorld"`}, "Aladdin", "open sesame", "nobody", 401, []string{"GET /", "GET / " + aladdin}},
		{"not asked for Basic", []string{`Negotiate`, `Digest realm="x", nonce="y"`}, "Aladdin", "open sesame", aladdin, 401, []string{"GET /"}},
		{"among others, any case", []string{`Negotiate abc==, basic realm="x"`}, "Aladdin", "open sesame", aladdin, 200, []string{"GET /", "GET / " + aladdin}},
		{"in UTF-8 when asked", []string{`Basic realm="foo", charset="UTF-8"`}, "test", "123£", testPounds, 200, []string{"GET /", "GET / " + testPounds}},
		{"in ISO-8859-1 otherwise", []string{`Basic realm="foo"`}, "test", "123£", "Basic dGVzdDoxMjOj", 200, []string{"GET /", "GET / Basic dGVzdDoxMjOj"}},
		{"in UTF-8 if nothing else will do", []string{`Basic realm="foo"`}, "test", "λ", "Basic dGVzdDrOuw==", 200, []string{"GET /", "GET / Basic dGVzdDrOuw=="}},
		{"each charset once", []string{`Basic realm="foo"`, `Basic realm="foo", charset=utf-8`}, "test", "123£", "nobody", 401, []string{"GET /", "GET / Basic dGVzdDoxMjOj", "GET / " + testPounds}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, guarded(tt.challenges, tt.accepted))
			c := newClient(t, okhttp.WithAuthenticator(okauth.Basic(tt.user, tt.pass)))
			wantStatus(t, c, s.Server.URL, tt.status)
			s.wantSeen(t, tt.seen...)
		})
	}
}

func TestBasicBadCredentials(t *testing.T) {
	s := serve(t, guarded([]string{"Basic"}, aladdin))
	for _, a := range []*okauth.BasicAuth{okauth.Basic("sesame:street", "pw"), okauth.Basic("user", "sesame\nstreet")} {
		c := newClient(t, okhttp.WithAuthenticator(a))
		_, err := c.Get(context.Background(), s.Server.URL)
		var wrong *okhttp.CredentialsError
		if !errors.As(err, &wrong) {
			t.Fatalf("got %v, want a CredentialsError", err)
		}
		var failed *okhttp.Error
		if !errors.As(err, &failed) || failed.Phase != okhttp.PhaseFollowUp {
			t.Errorf("got %#v, want phase follow-up", failed)
		}
		if strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q has the credentials", err)
		}
	}
}

// Spec fact 13: a failing authenticator fails the call, and its connection is kept.
func TestFailureKeepsConnection(t *testing.T) {
	s := serve(t, guarded([]string{"Basic"}, aladdin))
	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{})
	c := newClient(t, okhttp.WithPool(pool), okhttp.WithAuthenticator(okauth.Basic("a:b", "pw")))
	if _, err := c.Get(context.Background(), s.Server.URL); err == nil {
		t.Fatal("the call succeeded")
	}
	if st := pool.Stats(); st.Idle != 1 {
		t.Errorf("%+v, want 1 idle connection", st)
	}
}

func TestBasicPreemptive(t *testing.T) {
	s := serve(t, guarded([]string{`Basic realm="x", charset="UTF-8"`}, testPounds, aladdin))
	b := okauth.Basic("test", "123£")
	c := newClient(t, okhttp.WithAuthenticator(b), okhttp.WithInterceptor(b.Preemptive()))
	wantStatus(t, c, s.Server.URL, 200)
	s.wantSeen(t, "GET / Basic dGVzdDoxMjOj", "GET / "+testPounds)
	wantStatus(t, c, s.Server.URL, 200) // the charset is known now
	s.wantSeen(t, "GET / "+testPounds)

	req, err := okhttp.NewRequest("GET", s.Server.URL, okhttp.Header("Authorization", aladdin))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	s.wantSeen(t, "GET / "+aladdin) // the user's own
}

// What a network interceptor sent is seen by the authenticator although the request does not show it.
func TestBasicPreemptiveRefused(t *testing.T) {
	s := serve(t, guarded([]string{`Basic realm="x"`}, "nobody"))
	b := okauth.Basic("Aladdin", "open sesame")
	c := newClient(t, okhttp.WithAuthenticator(b), okhttp.WithNetworkInterceptor(b.Preemptive()))
	wantStatus(t, c, s.Server.URL, 401)
	s.wantSeen(t, "GET / "+aladdin)
}

func TestOneShotBodyWithPreemptive(t *testing.T) {
	s := serve(t, guarded([]string{`Basic realm="x"`}, aladdin))
	b := okauth.Basic("Aladdin", "open sesame")
	for _, tt := range []struct {
		opts []okhttp.Option
		want int
	}{
		{[]okhttp.Option{okhttp.WithAuthenticator(b)}, 401}, // it cannot be sent again
		{[]okhttp.Option{okhttp.WithAuthenticator(b), okhttp.WithInterceptor(b.Preemptive())}, 200},
	} {
		resp, err := newClient(t, tt.opts...).Post(context.Background(), s.Server.URL, okhttp.OneShot("text/plain", 5, strings.NewReader("hello")))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Status != tt.want {
			t.Errorf("status %d, want %d", resp.Status, tt.want)
		}
		_ = resp.Body.Close()
	}
}

// Credentials do not follow a redirect to another origin, whoever is asked there.
func TestOrigins(t *testing.T) {
	for _, tt := range []struct {
		name     string
		only     func(a, b *server) []okauth.Option
		status   int
		seenByB  []string
		sequence []string // what is asked first, "a" or "b"
	}{
		{"bound to the first", func(a, b *server) []okauth.Option { return nil }, 401, []string{"GET /"}, []string{"a"}},
		{"bound to the first, then the other", func(a, b *server) []okauth.Option { return nil }, 401, []string{"GET /", "GET /"}, []string{"a", "b"}},
		{"given", func(a, b *server) []okauth.Option { return []okauth.Option{okauth.OnlyFor(a.URL)} }, 401, []string{"GET /", "GET /"}, []string{"b", "a"}},
		{"given both", func(a, b *server) []okauth.Option {
			return []okauth.Option{okauth.OnlyFor(a.URL), okauth.OnlyFor(b.URL)}
		}, 200, []string{"GET /", "GET / " + aladdin}, []string{"a"}},
		{"given the other alone", func(a, b *server) []okauth.Option { return []okauth.Option{okauth.OnlyFor(b.URL)} }, 401, nil, []string{"a"}},
		{"given none", func(a, b *server) []okauth.Option { return []okauth.Option{okauth.OnlyFor()} }, 401, nil, []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := serve(t, guarded([]string{"Basic"}, aladdin))
			a := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != aladdin {
					challenge(w, "Basic")
					return
				}
				http.Redirect(w, r, b.Server.URL, http.StatusFound)
			})
			auth := okauth.Basic("Aladdin", "open sesame", tt.only(a, b)...)
			c := newClient(t, okhttp.WithAuthenticator(auth))
			for _, first := range tt.sequence {
				u := a.Server.URL
				if first == "b" {
					u = b.Server.URL
				}
				wantStatus(t, c, u, tt.status)
			}
			b.wantSeen(t, tt.seenByB...)
		})
	}
}

// A call that begins elsewhere binds the credentials to where it began, and not to whom it was sent on to.
func TestOriginOfARedirect(t *testing.T) {
	evil := serve(t, guarded([]string{"Basic"}, aladdin))
	start := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, evil.Server.URL, http.StatusFound) })
	c := newClient(t, okhttp.WithAuthenticator(okauth.Basic("Aladdin", "open sesame")))
	wantStatus(t, c, start.Server.URL, 401)
	wantStatus(t, c, evil.Server.URL, 401)
	evil.wantSeen(t, "GET /", "GET /")
}

// The preemptive interceptors are bound in the same way.
func TestPreemptiveOrigins(t *testing.T) {
	token := func(context.Context) (string, error) { return "t0ken", nil }
	for _, network := range []bool{false, true} {
		b := serve(t, guarded([]string{"Basic, Bearer"}))
		a := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, b.Server.URL, http.StatusFound) })
		for _, i := range []okhttp.Interceptor{
			okauth.Basic("Aladdin", "open sesame").Preemptive(),
			okauth.Basic("Aladdin", "open sesame", okauth.OnlyFor(a.URL)).Preemptive(),
			okauth.Bearer(token).Preemptive(),
			okauth.Bearer(token, okauth.OnlyFor(a.URL)).Preemptive(),
		} {
			c := newClient(t, okhttp.WithInterceptor(i))
			if network {
				c = newClient(t, okhttp.WithNetworkInterceptor(i))
			}
			wantStatus(t, c, a.Server.URL, 401)
			wantStatus(t, c, b.Server.URL, 401)
			b.wantSeen(t, "GET /", "GET /")
			if n := a.count(); n == 0 {
				t.Error("a was not asked")
			}
		}
	}
}

func TestProxyChallenge(t *testing.T) {
	req, err := okhttp.NewRequest("GET", "http://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	auth := okauth.Basic("Aladdin", "open sesame", okauth.OnlyFor(mustURL(t, "https://elsewhere.example")))
	for _, list := range []okhttp.Authenticator{auth, okauth.FirstOf(okauth.Digest("x", "y"), auth)} {
		for _, challenge := range []string{"OkHttp-Preemptive", `Basic realm="proxy"`} {
			h, err := okhttp.NewHeaders("Proxy-Authenticate", challenge)
			if err != nil {
				t.Fatal(err)
			}
			resp := okhttp.NewResponse(req, 407, okhttp.ResponseHeaders(h))
			next, err := list.Authenticate(context.Background(), nil, resp)
			if err != nil || next == nil {
				t.Fatalf("%s: %v, %v", challenge, next, err)
			}
			if got := next.Headers().Get("Proxy-Authorization"); got != aladdin {
				t.Errorf("%s: Proxy-Authorization %q, want %q", challenge, got, aladdin)
			}
			again := okhttp.NewResponse(next, 407, okhttp.ResponseHeaders(h), okhttp.WithPrior(resp))
			if next, err := list.Authenticate(context.Background(), nil, again); next != nil || err != nil {
				t.Errorf("%s, refused: %v, %v, want nothing", challenge, next, err)
			}
		}
	}
}

// Authenticators survive responses without what they look at.
func TestNothingToAnswer(t *testing.T) {
	req, err := okhttp.NewRequest("GET", "http://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	h, err := okhttp.NewHeaders("WWW-Authenticate", `Basic realm="x", Bearer, Digest realm="x", nonce="y"`)
	if err != nil {
		t.Fatal(err)
	}
	token := func(context.Context) (string, error) { return "t0ken", nil }
	for _, a := range []okhttp.Authenticator{okauth.Basic("u", "p"), okauth.Digest("u", "p"), okauth.Bearer(token), okauth.FirstOf(nil, okauth.Basic("u", "p"))} {
		for name, resp := range map[string]*okhttp.Response{
			"200":          okhttp.NewResponse(req, 200, okhttp.ResponseHeaders(h)),
			"no request":   okhttp.NewResponse(nil, 401, okhttp.ResponseHeaders(h)),
			"other scheme": okhttp.NewResponse(req, 401, okhttp.ResponseHeaders(mustHeaders(t, "WWW-Authenticate", "Negotiate"))),
			"broken":       okhttp.NewResponse(req, 401, okhttp.ResponseHeaders(mustHeaders(t, "WWW-Authenticate", `Digest realm="x`, "WWW-Authenticate", "NTLM"))),
		} {
			if next, err := a.Authenticate(context.Background(), nil, resp); next != nil || err != nil {
				t.Errorf("%v, %s: %v, %v, want nothing", a, name, next, err)
			}
		}
	}
}

func mustHeaders(t *testing.T, nv ...string) okhttp.Headers {
	t.Helper()
	h, err := okhttp.NewHeaders(nv...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
