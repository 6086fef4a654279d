package okauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/okhttp-go/ok/okhttp"
)

// BasicAuth answers Basic challenges (RFC 7617), of servers and of proxies. It is an [okhttp.Authenticator].
type BasicAuth struct {
	guard *guard
	user  *user
	utf8  atomic.Bool // a server said that it wants UTF-8
}

// user is a user name and a password.
type user struct{ name, password string }

// Basic makes an authenticator of a user name and a password. They are sent in the charset that the server asks for, and in UTF-8 if it does
// not say and ISO-8859-1 has no place for them. Credentials that Basic cannot carry, a user name with a colon for one, fail the call that
// would send them with an [*okhttp.CredentialsError].
func Basic(name, password string, opts ...Option) *BasicAuth {
	return &BasicAuth{guard: newGuard(opts), user: &user{name, password}}
}

// Scheme returns "Basic".
func (b *BasicAuth) Scheme() string { return "Basic" }

// Authenticate implements [okhttp.Authenticator]. It returns nil if the server did not ask for Basic, may not have the credentials, or has
// refused them before in this call.
func (b *BasicAuth) Authenticate(_ context.Context, _ *okhttp.Route, resp *okhttp.Response) (*okhttp.Request, error) {
	header := answerHeader(resp)
	if header == "" {
		return nil, nil
	}
	for _, c := range resp.Challenges() {
		preemptive := resp.Status == statusProxy && strings.EqualFold(c.Scheme, schemePreemptive)
		if !preemptive && !strings.EqualFold(c.Scheme, "Basic") {
			continue
		}
		if !b.guard.allowsAnswer(resp) {
			return nil, nil
		}
		value, err := b.value(c.Charset())
		if err != nil {
			return nil, err
		}
		if refused(resp, header, value) {
			continue
		}
		if c.Charset() == charsetUTF8 {
			b.utf8.Store(true)
		}
		return withHeader(resp.Request(), header, value)
	}
	return nil, nil
}

// refused reports whether a request of the call had the value and was not let in.
func refused(resp *okhttp.Response, header, value string) bool {
	for r := range refusals(resp) {
		if slices.Contains(carried(r, header), value) {
			return true
		}
	}
	return false
}

const (
	charsetUTF8   = "UTF-8"
	charsetLatin1 = "ISO-8859-1"
)

func (b *BasicAuth) value(charset string) (string, error) {
	value, err := okhttp.BasicCredentials(b.user.name, b.user.password, charset)
	var wrong *okhttp.CredentialsError
	if errors.As(err, &wrong) && charset != charsetUTF8 {
		return okhttp.BasicCredentials(b.user.name, b.user.password, charsetUTF8)
	}
	return value, err
}

// Preemptive returns an interceptor that sends the credentials with every request to where they may go, unless it has an Authorization header.
// As an application interceptor it does so for the request that a call begins with; as a network interceptor also for those that redirects
// lead to.
func (b *BasicAuth) Preemptive() okhttp.Interceptor {
	return okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req := chain.Request()
		if _, has := req.Headers().Last("Authorization"); has || !b.guard.allows(req) {
			return chain.Proceed(ctx, req)
		}
		charset := charsetLatin1
		if b.utf8.Load() {
			charset = charsetUTF8
		}
		value, err := b.value(charset)
		if err != nil {
			return nil, err
		}
		if req, err = withHeader(req, "Authorization", value); err != nil {
			return nil, err
		}
		return chain.Proceed(ctx, req)
	})
}

// String returns "okauth.Basic", without the credentials.
func (b *BasicAuth) String() string { return "okauth.Basic" }

// Format prints what String returns, whatever the verb: the fields must not be printed.
func (b *BasicAuth) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, b.String()) }
