package okauth

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// TokenError reports a token that cannot be sent. It never contains it.
type TokenError struct{ Detail string }

func (e *TokenError) Error() string { return "okauth: the token " + e.Detail }

// BearerAuth answers Bearer challenges of servers (RFC 6750) with the tokens of a source. It is an [okhttp.Authenticator].
type BearerAuth struct {
	guard  *guard
	source func(ctx context.Context) (string, error)
	turn   chan struct{} // holds one value while somebody has token
	token  *string       // nil before the first
}

// Bearer makes an authenticator of a source of tokens. The source is called when a token is needed for the first time, and again after a
// server refused one; in between the token is kept, for all calls. At any time it is called once at the most, on the goroutine of a call
// and with its context. What it fails with fails the call that wanted the token.
func Bearer(source func(ctx context.Context) (string, error), opts ...Option) *BearerAuth {
	return &BearerAuth{guard: newGuard(opts), source: source, turn: make(chan struct{}, 1)}
}

// Scheme returns "Bearer".
func (b *BearerAuth) Scheme() string { return "Bearer" }

// Authenticate implements [okhttp.Authenticator]. If the request had a token, another one is fetched, once in a call; without one, the request
// gets that which is there. A 401 without any challenge, against the rules but common, counts as one for Bearer.
func (b *BearerAuth) Authenticate(ctx context.Context, _ *okhttp.Route, resp *okhttp.Response) (*okhttp.Request, error) {
	if answerHeader(resp) != "Authorization" || !asksBearer(resp.Challenges()) || !b.guard.allowsAnswer(resp) {
		return nil, nil
	}
	had, refusedTokens := "", 0
	for r := range refusals(resp) {
		if token := bearerToken(carried(r, "Authorization")); token != "" {
			if refusedTokens++; had == "" {
				had = token
			}
		}
	}
	if refusedTokens > 1 {
		return nil, nil // the second one was the fresh one
	}
	token, err := b.get(ctx, had)
	if err != nil || token == had {
		return nil, err
	}
	return withHeader(resp.Request(), "Authorization", "Bearer "+token)
}

func asksBearer(list []okhttp.Challenge) bool {
	for _, c := range list {
		if strings.EqualFold(c.Scheme, "Bearer") {
			return true
		}
	}
	return len(list) == 0
}

func bearerToken(values []string) string {
	for _, v := range values {
		if scheme, token, _ := strings.Cut(v, " "); strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(token)
		}
	}
	return ""
}

// Preemptive returns an interceptor that sends the token with every request to where it may go, unless it has an Authorization header. As an
// application interceptor it does so for the request that a call begins with; as a network interceptor also for those that redirects lead to.
func (b *BearerAuth) Preemptive() okhttp.Interceptor {
	return okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req := chain.Request()
		if _, has := req.Headers().Last("Authorization"); has || !b.guard.allows(req) {
			return chain.Proceed(ctx, req)
		}
		token, err := b.get(ctx, "")
		if err != nil {
			return nil, err
		}
		if req, err = withHeader(req, "Authorization", "Bearer "+token); err != nil {
			return nil, err
		}
		return chain.Proceed(ctx, req)
	})
}

// get returns a token other than the one that was refused, if the source has one. Whoever comes while another call fetches it waits for that.
func (b *BearerAuth) get(ctx context.Context, refused string) (string, error) {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	defer func() { <-b.turn }()
	if b.token != nil && *b.token != refused {
		return *b.token, nil
	}
	token, err := b.source(ctx)
	if err != nil {
		return "", fmt.Errorf("okauth: no token: %w", err)
	}
	if err := checkToken(token); err != nil {
		return "", err
	}
	b.token = &token
	return token, nil
}

// checkToken accepts visible ASCII: more than the token68 of RFC 6750 section 2.1, because tokens are in use that are not, and nothing that
// would end the header or begin a parameter.
func checkToken(token string) error {
	if token == "" {
		return &TokenError{"is empty"}
	}
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c > '~' {
			return &TokenError{fmt.Sprintf("has the character 0x%02x at %d, expected visible ASCII", c, i)}
		}
	}
	return nil
}

// String returns "okauth.Bearer", without the token.
func (b *BearerAuth) String() string { return "okauth.Bearer" }

// Format prints what String returns, whatever the verb: the fields must not be printed.
func (b *BearerAuth) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, b.String()) }
