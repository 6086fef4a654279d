package okauth_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

func newVerifier() *verifier {
	return &verifier{realm: `the "inner" circle`, user: "mufasa", password: "Circle of Life", algorithms: []string{"SHA-256"}, qop: "auth"}
}

// TestDigest proves answers against a server that was written on its own.
func TestDigest(t *testing.T) {
	for name, set := range map[string]func(*verifier){
		"SHA-256":              func(*verifier) {},
		"no algorithm":         func(v *verifier) { v.algorithms = []string{""} },
		"MD5":                  func(v *verifier) { v.algorithms = []string{"MD5"} },
		"MD5-sess":             func(v *verifier) { v.algorithms = []string{"MD5-sess"} },
		"SHA-256-sess":         func(v *verifier) { v.algorithms = []string{"SHA-256-sess"} },
		"SHA-512-256":          func(v *verifier) { v.algorithms = []string{"SHA-512-256"} },
		"SHA-512-256-sess":     func(v *verifier) { v.algorithms = []string{"SHA-512-256-sess"} },
		"no qop":               func(v *verifier) { v.qop, v.algorithms = "", []string{"MD5"} },
		"auth-int, no body":    func(v *verifier) { v.qop = "auth-int" },
		"both qops":            func(v *verifier) { v.qop = "auth-int, auth" },
		"userhash":             func(v *verifier) { v.userhash = true },
		"userhash in UTF-8":    func(v *verifier) { v.userhash, v.user, v.more = true, "Jäsøn Doe", ", charset=UTF-8" },
		"user name in UTF-8":   func(v *verifier) { v.user, v.more = "Jäsøn Doe", ", charset=UTF-8" },
		"user name untold":     func(v *verifier) { v.user, v.password = "Jäsøn Doe", "pässwort" },
		"user name quoted":     func(v *verifier) { v.user = `mu"fa\sa` },
		"user name with colon": func(v *verifier) { v.user = `mu:fasa` },
		"password in UTF-8":    func(v *verifier) { v.password, v.more = "123£", `, charset="utf-8"` },
		"password in Latin-1":  func(v *verifier) { v.password, v.latin1 = "123£", true },
		"password beyond":      func(v *verifier) { v.password = "123λ" },
		"realm as bytes":       func(v *verifier) { v.realm = "Löwenfels" },
		"empty password":       func(v *verifier) { v.password = "" },
		"domain is ignored":    func(v *verifier) { v.more = `, domain="/elsewhere http://other.example/"` },
	} {
		t.Run(name, func(t *testing.T) {
			v := newVerifier()
			set(v)
			s := serve(t, v.ServeHTTP)
			d := okauth.Digest(v.user, v.password)
			c := newClient(t, okhttp.WithAuthenticator(d))
			wantStatus(t, c, s.Server.URL+"/a/b%20c?q=1&r=%22x%22", 200)
			wantStatus(t, c, s.Server.URL+"/", 200)
			if n := s.count(); n != 4 {
				t.Errorf("%d requests, want 4: %v", n, v.errs)
			}

			wrong := newClient(t, okhttp.WithAuthenticator(okauth.Digest(v.user, "wrong")))
			wantStatus(t, wrong, s.Server.URL+"/", 401)
			if n := s.count(); n != 6 {
				t.Errorf("%d requests after wrong credentials, want 6", n)
			}

			// The same with a nonce that is known.
			p := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
			v.errs = nil
			for range 3 {
				wantStatus(t, p, s.Server.URL+"/p", 200)
			}
			if n := s.count(); n != 9 {
				t.Errorf("%d requests after preemptive ones, want 9: %v", n, v.errs)
			}
		})
	}
}

// The verifier is no good if others disagree with it.
func TestVerifierAgainstCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl")
	}
	for _, a := range []string{"MD5", "SHA-256", "MD5-sess"} {
		v := newVerifier()
		v.realm, v.algorithms = "plain", []string{a}
		s := serve(t, v.ServeHTTP)
		for password, want := range map[string]string{v.password: "200", "wrong": "401"} {
			out, err := exec.Command(curl, "-q", "-s", "-o", "-", "-w", "%{http_code}", "--noproxy", "*", "--digest", "-u", v.user+":"+password, s.Server.URL+"/x?y=z").Output()
			if err != nil || !strings.HasSuffix(string(out), want) {
				t.Errorf("%s: curl got %q, %v, want %s; refused: %v", a, out, err, want, v.errs)
			}
		}
	}
}

func TestDigestStrongest(t *testing.T) {
	v := newVerifier()
	v.algorithms = []string{"MD5", "SHA-512-256", "SHA-256"}
	s := serve(t, v.ServeHTTP)
	wantStatus(t, newClient(t, okhttp.WithAuthenticator(okauth.Digest(v.user, v.password))), s.Server.URL, 200)
	if !slices.Equal(v.used, []string{"SHA-512-256 auth"}) {
		t.Errorf("used %v", v.used)
	}
}

func TestDigestBodies(t *testing.T) {
	v := newVerifier()
	v.qop = "auth-int"
	s := serve(t, v.ServeHTTP)
	d := okauth.Digest(v.user, v.password)
	c := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
	post := func(b *okhttp.Body, want int, requests int) {
		t.Helper()
		before := s.count()
		resp, err := c.Post(context.Background(), s.Server.URL, b)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if n := s.count() - before; resp.Status != want || n != requests {
			t.Errorf("status %d in %d requests, want %d in %d: %v", resp.Status, n, want, requests, v.errs)
		}
	}
	streamed := okhttp.Streamed("", func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "hello")
		return err
	})
	post(okhttp.Text("hello"), 200, 2)
	post(okhttp.Text("hello again"), 200, 1)
	post(streamed, 401, 1) // what covers the body cannot be answered, and what does not would be wrong
	post(okhttp.OneShot("", 5, strings.NewReader("hello")), 401, 1)
	if want := []string{"SHA-256 auth-int", "SHA-256 auth-int"}; !slices.Equal(v.used, want) {
		t.Errorf("used %v, want %v", v.used, want)
	}
	v.qop = "auth"
	post(streamed, 200, 2)
	post(streamed, 200, 1)
	post(okhttp.OneShot("", 5, strings.NewReader("hello")), 200, 1)
}

// A body that cannot be read to be hashed fails the call.
func TestDigestBodyFails(t *testing.T) {
	v := newVerifier()
	v.qop = "auth-int"
	s := serve(t, v.ServeHTTP)
	boom := errors.New("boom")
	opened := 0
	body, err := okhttp.NewBody(okhttp.BodyConfig{Len: 5, Open: func(context.Context) (io.ReadCloser, error) {
		if opened++; opened > 1 {
			return nil, boom
		}
		return io.NopCloser(strings.NewReader("hello")), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = newClient(t, okhttp.WithAuthenticator(okauth.Digest(v.user, v.password))).Post(context.Background(), s.Server.URL, body)
	if !errors.Is(err, boom) || opened != 2 {
		t.Errorf("got %v after opening the body %d times", err, opened)
	}
}

func TestDigestStale(t *testing.T) {
	v := newVerifier()
	v.uses = 2
	s := serve(t, v.ServeHTTP)
	d := okauth.Digest(v.user, v.password)
	c := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
	for range 5 {
		wantStatus(t, c, s.Server.URL, 200)
	}
	// nothing, good, good, old, good, good, old, good
	if n := s.count(); n != 8 {
		t.Errorf("%d requests, want 8: %v", n, v.errs)
	}
	if want := []string{"no credentials", "old nonce", "old nonce"}; !slices.Equal(v.errs, want) {
		t.Errorf("refused %q, want %q", v.errs, want)
	}
}

// A server that calls every nonce stale is not asked up to the limit of follow-ups.
func TestDigestStaleForever(t *testing.T) {
	v := newVerifier()
	v.staleForever = true
	s := serve(t, v.ServeHTTP)
	wantStatus(t, newClient(t, okhttp.WithAuthenticator(okauth.Digest(v.user, v.password))), s.Server.URL, 401)
	if n := s.count(); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

func TestDigestNextNonce(t *testing.T) {
	for _, algorithm := range []string{"MD5", "SHA-256"} {
		v := newVerifier()
		v.algorithms, v.next, v.uses = []string{algorithm}, true, 1
		s := serve(t, v.ServeHTTP)
		d := okauth.Digest(v.user, v.password)
		c := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
		for range 4 {
			wantStatus(t, c, s.Server.URL, 200)
		}
		if n := s.count(); n != 5 || len(v.errs) != 1 {
			t.Errorf("%s: %d requests, want 5; refused %v", algorithm, n, v.errs)
		}
	}
}

// Servers that give everybody the same nonce see it counted on.
func TestDigestSharedNonce(t *testing.T) {
	for _, algorithm := range []string{"SHA-256", "SHA-256-sess"} {
		v := newVerifier()
		v.algorithms, v.reuse = []string{algorithm}, "always"
		s := serve(t, v.ServeHTTP)
		c := newClient(t, okhttp.WithAuthenticator(okauth.Digest(v.user, v.password)))
		for range 3 {
			wantStatus(t, c, s.Server.URL, 200)
		}
		if n := s.count(); n != 6 {
			t.Errorf("%s: %d requests, want 6: %v", algorithm, n, v.errs)
		}
	}
}

// A redirect takes the header along, which is made for another URI.
func TestDigestRedirect(t *testing.T) {
	for _, preemptive := range []bool{false, true} {
		v := newVerifier()
		s := serve(t, v.ServeHTTP)
		d := okauth.Digest(v.user, v.password)
		c := newClient(t, okhttp.WithAuthenticator(d))
		want := []string{"no credentials", "uri /?to=/there for /there"}
		if preemptive {
			c = c.With(okhttp.WithNetworkInterceptor(d.Preemptive()))
			want = want[:1]
		}
		wantStatus(t, c, s.Server.URL+"/?to=/there", 200)
		if !slices.Equal(v.errs, want) {
			t.Errorf("preemptive %v: refused %q, want %q", preemptive, v.errs, want)
		}
	}
}

func TestDigestOrigins(t *testing.T) {
	other := newVerifier()
	b := serve(t, other.ServeHTTP)
	v := newVerifier()
	a := serve(t, v.ServeHTTP)
	d := okauth.Digest(v.user, v.password)
	c := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
	wantStatus(t, c, a.Server.URL+"/?to="+b.Server.URL, 401)
	wantStatus(t, c, b.Server.URL, 401)
	b.wantSeen(t, "GET /", "GET /")

	both := okauth.Digest(v.user, v.password, okauth.OnlyFor(a.URL, b.URL))
	c = newClient(t, okhttp.WithAuthenticator(both), okhttp.WithNetworkInterceptor(both.Preemptive()))
	for range 2 {
		wantStatus(t, c, a.Server.URL+"/?to="+b.Server.URL, 200)
	}
	if n := b.count(); n != 3 {
		t.Errorf("%d requests, want 3: %v", n, other.errs)
	}
}

// Refused credentials are not sent again unasked.
func TestDigestForgets(t *testing.T) {
	v := newVerifier()
	s := serve(t, v.ServeHTTP)
	d := okauth.Digest(v.user, "wrong")
	c := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
	wantStatus(t, c, s.Server.URL, 401)
	wantStatus(t, c, s.Server.URL, 401)
	if want := []string{"no credentials", "wrong response", "no credentials", "wrong response"}; !slices.Equal(v.errs, want) {
		t.Errorf("refused %q, want %q", v.errs, want)
	}
}

// A server that lost its nonces and does not say stale is no refusal: the request was not an answer to its challenge.
func TestDigestServerRestart(t *testing.T) {
	v := newVerifier()
	v.next = true
	s := serve(t, v.ServeHTTP)
	d := okauth.Digest(v.user, v.password)
	for name, opt := range map[string]okhttp.Option{"network": okhttp.WithNetworkInterceptor(d.Preemptive()), "application": okhttp.WithInterceptor(d.Preemptive())} {
		c := newClient(t, okhttp.WithAuthenticator(d), opt)
		wantStatus(t, c, s.Server.URL, 200)
		v.mu.Lock()
		v.realm, v.counts, v.errs = "rebuilt by "+name, nil, nil
		v.mu.Unlock()
		wantStatus(t, c, s.Server.URL, 200)
		if len(v.errs) != 1 {
			t.Errorf("%s: refused %q, want one", name, v.errs)
		}
	}
}

func TestDigestLeavesOthersAlone(t *testing.T) {
	v := newVerifier()
	s := serve(t, v.ServeHTTP)
	d := okauth.Digest(v.user, v.password)
	c := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
	wantStatus(t, c, s.Server.URL, 200)
	req, err := okhttp.NewRequest("GET", s.Server.URL, okhttp.Header("Authorization", "Bearer x"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(context.Background(), req, okhttp.WithAuthenticator(nil))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if s.seen[len(s.seen)-1] != "GET / Bearer x" {
		t.Errorf("the server saw %q", s.seen)
	}
}

func TestDigestBadCredentials(t *testing.T) {
	s := serve(t, newVerifier().ServeHTTP)
	for part, d := range map[string]*okauth.DigestAuth{
		"user name": okauth.Digest("mu\nsesame", "pw"),
		"password":  okauth.Digest("mufasa", "sesame\x00"),
	} {
		_, err := newClient(t, okhttp.WithAuthenticator(d)).Get(context.Background(), s.Server.URL)
		var wrong *okhttp.CredentialsError
		if !errors.As(err, &wrong) || wrong.Part != part || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", part, err)
		}
	}
}

// Many calls at once share one authenticator; whether they share a nonce is up to the server, which here does not mind the order.
func TestDigestConcurrent(t *testing.T) {
	seen := make(map[string]bool)
	var mu sync.Mutex
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := r.Header.Get("Authorization")
		if h == "" {
			challenge(w, `Digest realm="r", nonce="one", qop="auth"`)
			return
		}
		_, rest, _ := strings.Cut(h, "nc=")
		mu.Lock()
		defer mu.Unlock()
		if nc := rest[:8]; seen[nc] {
			http.Error(w, "replay", http.StatusForbidden)
		} else {
			seen[nc] = true
		}
	})
	d := okauth.Digest("u", "p")
	c := newClient(t, okhttp.WithAuthenticator(d), okhttp.WithNetworkInterceptor(d.Preemptive()))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 8 {
				resp, err := c.Get(context.Background(), s.Server.URL)
				if err != nil {
					t.Error(err)
					return
				}
				if resp.Status != 200 {
					t.Errorf("status %d", resp.Status)
				}
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
	if len(seen) != 64 {
		t.Errorf("%d counts, want 64", len(seen))
	}
}
