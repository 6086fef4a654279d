//go:build unix

package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// issuer gives out tokens at /token, which last an hour, and answers what comes with the last of them. Refresh tokens work once.
func issuer(*testing.T) http.Handler {
	var mu sync.Mutex
	issued := 0
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		id, secret, ok := r.BasicAuth() // form-encoded before (RFC 6749 section 2.3.1)
		if !ok {
			id, secret = url.QueryEscape(r.PostFormValue("client_id")), url.QueryEscape(r.PostFormValue("client_secret"))
		}
		w.Header().Set("Content-Type", "application/json;charset=UTF-8")
		refresh := r.PostFormValue("refresh_token")
		switch {
		case id != "me%21" || secret != "s+e%26cret":
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error": "invalid_client", "error_description": "who is that?"}`)
			return
		case r.PostFormValue("grant_type") == "refresh_token" && refresh != fmt.Sprintf("refresh-%d", issued):
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error": "invalid_grant"}`)
			return
		}
		issued++
		json.NewEncoder(w).Encode(map[string]any{
			"access_token": fmt.Sprintf("access-%d", issued), "refresh_token": fmt.Sprintf("refresh-%d", issued),
			"token_type": "bearer", "expires_in": 3600, "scope": r.PostFormValue("scope"),
		})
	})
	mux.HandleFunc("/form", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
		io.WriteString(w, "access_token=of+form&token_type=Bearer&expires_in=60")
	})
	mux.HandleFunc("/silent", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") != fmt.Sprintf("Bearer access-%d", issued) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %d %s", r.Method, issued, body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	})
	return mux
}

// through is a context that lets package oauth2 use a client of a site.
func (s *site) through(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, s.client())
}

// TestOAuth2ClientCredentials gets tokens as they are needed, and sends them with requests.
func TestOAuth2ClientCredentials(t *testing.T) {
	for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleAutoDetect, oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
		t.Run(fmt.Sprint(style), func(t *testing.T) {
			dropInTimed(t, issuer, func(t *testing.T, s *site) {
				config := &clientcredentials.Config{
					ClientID: "me!", ClientSecret: "s e&cret", TokenURL: s.url + "/token", Scopes: []string{"read", "write"}, AuthStyle: style,
				}
				do := netHTTP(config.Client(s.through(t.Context())))
				do(t, "GET", s.url+"/a", nil).want(t, 200, "GET 1 ")
				do(t, "POST", s.url+"/b", []byte("text")).want(t, 200, "POST 1 text")
				time.Sleep(59*time.Minute + 55*time.Second) // in the bubble: the token is about to expire
				do(t, "PUT", s.url+"/c", []byte(strings.Repeat("text", 20_000))).want(t, 200, "PUT 2 "+strings.Repeat("text", 20_000))
				if n := len(s.log.all()); n != 5 {
					t.Errorf("%d requests, want 2 for tokens and 3 others", n)
				}
			})
		})
	}
}

// TestOAuth2Refresh trades refresh tokens, each of which is good once: of requests at the same time, one does so.
func TestOAuth2Refresh(t *testing.T) {
	dropIn(t, issuer, func(t *testing.T, s *site) {
		config := &oauth2.Config{ClientID: "me!", ClientSecret: "s e&cret", Endpoint: oauth2.Endpoint{TokenURL: s.url + "/token", AuthStyle: oauth2.AuthStyleInHeader}}
		last := "refresh-0"
		for round := 1; round <= 3; round++ {
			source := config.TokenSource(s.through(t.Context()), &oauth2.Token{AccessToken: "old", RefreshToken: last, Expiry: time.Now().Add(-time.Hour)})
			do := netHTTP(&http.Client{Transport: &oauth2.Transport{Source: source, Base: s.transport}})
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() { do(t, "GET", s.url, nil).want(t, 200, fmt.Sprintf("GET %d ", round)) })
			}
			wg.Wait()
			token, err := source.Token()
			if err != nil {
				t.Fatal(err)
			}
			last = token.RefreshToken
		}
		if n := len(s.log.all()); n != 3+3*8 {
			t.Errorf("%d requests, want 3 for tokens and 24 others", n)
		}
		stale := config.TokenSource(s.through(t.Context()), &oauth2.Token{RefreshToken: "refresh-0"})
		var refused *oauth2.RetrieveError
		if _, err := stale.Token(); !errors.As(err, &refused) || refused.ErrorCode != "invalid_grant" || refused.Response.StatusCode != 400 {
			t.Errorf("a refresh token used before: %v", err)
		}
	})
}

// TestOAuth2Failures has what goes wrong at the issuer, before and while a request is made.
func TestOAuth2Failures(t *testing.T) {
	dropInTimed(t, issuer, func(t *testing.T, s *site) {
		token := func(ctx context.Context, secret, path string) (*oauth2.Token, error) {
			c := &clientcredentials.Config{ClientID: "me!", ClientSecret: secret, TokenURL: s.url + path, AuthStyle: oauth2.AuthStyleInParams}
			return c.Token(s.through(ctx))
		}
		var refused *oauth2.RetrieveError
		if _, err := token(t.Context(), "wrong", "/token"); !errors.As(err, &refused) || refused.ErrorDescription != "who is that?" || len(refused.Body) == 0 {
			t.Errorf("a wrong secret: %v", err)
		}
		if got, err := token(t.Context(), "", "/form"); err != nil || got.AccessToken != "of form" || time.Until(got.Expiry).Round(time.Second) != time.Minute {
			t.Errorf("%+v, %v", got, err)
		}

		// The transport gets no token, and closes the body of the request all the same.
		config := &clientcredentials.Config{ClientID: "me!", ClientSecret: "wrong", TokenURL: s.url + "/token"}
		body := &closeWatch{Reader: strings.NewReader("text")}
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url, body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := config.Client(s.through(t.Context())).Do(req); !errors.As(err, &refused) || body.closed == 0 {
			t.Errorf("without a token: %v, closed %d times", err, body.closed)
		}

		s.log.stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := token(ctx, "", "/silent"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a silent issuer: %v", err)
		}
	})
}

// TestOAuth2Transport looks at what a transport over another one must leave alone: the request, and the body, which is closed once it was sent.
func TestOAuth2Transport(t *testing.T) {
	dropIn(t, func(*testing.T) http.Handler { return http.HandlerFunc(echoed) }, func(t *testing.T, s *site) {
		client := &http.Client{Transport: &oauth2.Transport{Source: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "a", TokenType: "MAC"}), Base: s.transport}}
		body := &closeWatch{Reader: strings.NewReader("text")}
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Own", "value")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if text, err := io.ReadAll(resp.Body); string(text) != "text" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if len(req.Header) != 1 || resp.Request.Header.Get("Authorization") != "MAC a" || body.closed == 0 {
			t.Errorf("headers %v, sent %v, body closed %d times", req.Header, resp.Request.Header, body.closed)
		}
		if !s.log.has("Authorization: MAC") {
			t.Error("no token was sent")
		}
	})
}

// closeWatch counts how often it is closed.
type closeWatch struct {
	io.Reader
	closed int
}

func (c *closeWatch) Close() error {
	c.closed++
	return nil
}
