package okauth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

func TestFirstOf(t *testing.T) {
	custom := okhttp.AuthenticatorFunc(func(_ context.Context, _ *okhttp.Route, resp *okhttp.Response) (*okhttp.Request, error) {
		if resp.Request().Headers().Get("Authorization") == "Custom" {
			return nil, nil
		}
		return resp.Request().With(okhttp.Header("Authorization", "Custom"))
	})
	boom := errors.New("boom")
	source, _ := tokens()
	failing := okauth.Bearer(func(context.Context) (string, error) { return "", boom })
	basic, digest, bearer := okauth.Basic("u", "p"), okauth.Digest("u", "p"), okauth.Bearer(source)
	const digestChallenge = `Digest realm="r", nonce="n", qop="auth"`
	for _, tt := range []struct {
		name       string
		list       []okhttp.Authenticator
		challenges []string
		schemes    string // of what was sent, in order
	}{
		{"server's order", []okhttp.Authenticator{basic, digest}, []string{digestChallenge, "Basic"}, " Digest Basic"},
		{"server's order, turned", []okhttp.Authenticator{basic, digest}, []string{"Basic, " + digestChallenge}, " Basic Digest"},
		{"what there is", []okhttp.Authenticator{basic, digest}, []string{"Negotiate", "DIGEST" + digestChallenge[6:]}, " Digest"},
		{"none", []okhttp.Authenticator{basic, digest}, []string{"Negotiate"}, ""},
		{"without a scheme, last", []okhttp.Authenticator{custom, basic}, []string{"Basic"}, " Basic Custom"},
		{"no challenge", []okhttp.Authenticator{basic, bearer}, nil, " Bearer Bearer"},
		{"nested", []okhttp.Authenticator{okauth.FirstOf(basic)}, []string{"Basic"}, " Basic"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, guarded(tt.challenges, "nobody"))
			fresh := make([]okhttp.Authenticator, len(tt.list))
			for i, a := range tt.list { // each is bound to its first origin
				switch a {
				case okhttp.Authenticator(basic):
					fresh[i] = okauth.Basic("u", "p")
				case okhttp.Authenticator(digest):
					fresh[i] = okauth.Digest("u", "p")
				default:
					fresh[i] = a
				}
			}
			wantStatus(t, newClient(t, okhttp.WithAuthenticator(okauth.FirstOf(fresh...))), s.Server.URL, 401)
			got := ""
			for _, line := range s.seen[1:] {
				got += " " + strings.Fields(line)[2]
			}
			if got != tt.schemes {
				t.Errorf("sent%s, want%s", got, tt.schemes)
			}
		})
	}
	s := serve(t, guarded([]string{"Bearer", "Basic"}, "nobody"))
	_, err := newClient(t, okhttp.WithAuthenticator(okauth.FirstOf(failing, basic))).Get(context.Background(), s.Server.URL)
	if !errors.Is(err, boom) {
		t.Errorf("got %v, want %v", err, boom)
	}
}

// Nothing that prints an authenticator prints what it keeps.
func TestSecretsAreNotPrinted(t *testing.T) {
	s := serve(t, guarded([]string{"Basic", "Bearer", `Digest realm="r", nonce="n"`}, "nobody"))
	bearer := okauth.Bearer(func(context.Context) (string, error) { return "sesame", nil })
	basic, digest := okauth.Basic("sesame", "sesame"), okauth.Digest("sesame", "sesame")
	for _, a := range []okhttp.Authenticator{bearer, basic, digest} {
		c := newClient(t, okhttp.WithAuthenticator(a))
		wantStatus(t, c, s.Server.URL, 401)
		wrapped := struct{ A okhttp.Authenticator }{a}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%q", "%x"} {
			for _, v := range []any{a, wrapped, &wrapped, []any{a}} {
				if text := fmt.Sprintf(verb, v); strings.Contains(text, "sesame") || strings.Contains(text, "736573616d65") {
					t.Errorf("%s prints %s", verb, text)
				}
			}
		}
		if text := fmt.Sprint(a); !strings.HasPrefix(text, "okauth.") {
			t.Errorf("%%v prints %s", text)
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "auth", a)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "auth", a)
		if strings.Contains(log.String(), "sesame") {
			t.Errorf("logged %s", log.String())
		}
	}
}
