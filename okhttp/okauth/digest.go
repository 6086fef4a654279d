package okauth

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/okhttp-go/ok/okhttp"
)

// mostStale is how many nonces in a row a server may call stale before it is taken at its refusal.
const mostStale = 3

// DigestAuth answers Digest challenges (RFC 7616), of servers and of proxies. It is an [okhttp.Authenticator].
//
// It knows MD5, SHA-256 and SHA-512-256 and their -sess variants, and answers the strongest that is offered. Of the qualities of protection
// it uses auth, and auth-int only for servers that offer nothing else; the body is then read once more, to be hashed, and requests whose body can
// be sent only once, or has no known length, are not answered. It answers servers without qop as RFC 2069 says. User names are hashed where the server asks for it.
type DigestAuth struct {
	guard *guard
	user  *user

	mu       sync.Mutex
	sessions map[origin]*digestSession // the zero origin is the proxy
}

// Digest makes an authenticator of a user name and a password. They are hashed in the charset that the server asks for; if it does not say, in
// ISO-8859-1 where that has a place for them and in UTF-8 otherwise. Credentials with control characters fail the call that would send them
// with an [*okhttp.CredentialsError].
func Digest(name, password string, opts ...Option) *DigestAuth {
	return &DigestAuth{guard: newGuard(opts), user: &user{name, password}, sessions: make(map[origin]*digestSession)}
}

// Scheme returns "Digest".
func (d *DigestAuth) Scheme() string { return "Digest" }

// Authenticate implements [okhttp.Authenticator]. It returns nil if the server did not ask for Digest in a way that can be answered, may not
// have the credentials, or has refused them before in this call. A nonce that was only too old is not a refusal.
func (d *DigestAuth) Authenticate(ctx context.Context, _ *okhttp.Route, resp *okhttp.Response) (*okhttp.Request, error) {
	header := answerHeader(resp)
	if header == "" {
		return nil, nil
	}
	req := resp.Request()
	c, ok := chooseDigest(resp.Challenges(), req.Body())
	if !ok || !d.guard.allowsAnswer(resp) {
		return nil, nil
	}
	if err := d.user.check(); err != nil {
		return nil, err
	}
	key := origin{}
	if resp.Status == statusOrigin {
		key = originOf(req.URL())
	}
	if d.refused(resp, header, c) {
		d.forget(key, c)
		return nil, nil
	}
	body, err := c.covered(ctx, req.Body())
	if err != nil {
		return nil, err
	}
	value, ok := d.begin(key, c, req, body)
	if !ok {
		return nil, nil
	}
	return withHeader(req, header, value)
}

// refused reports whether the server turned an answer to its own challenge down. One that was made for an earlier nonce, or carried along by
// a redirect to another path, does not count.
func (d *DigestAuth) refused(resp *okhttp.Response, header string, c digestChallenge) bool {
	beginning := c.beginning(d.user)
	stale := 0
	for r := range refusals(resp) {
		ours := slices.ContainsFunc(carried(r, header), func(v string) bool { return strings.HasPrefix(v, beginning) })
		if !ours || !sameAsker(r.Prior(), resp) {
			continue
		}
		if now, ok := chooseDigest(r.Challenges(), r.Request().Body()); !ok || !now.stale {
			return true
		}
		stale++
	}
	return stale >= mostStale
}

// begin starts a session with a challenge, or goes on with one whose nonce the server has sent again, and returns its next answer.
func (d *DigestAuth) begin(key origin, c digestChallenge, req *okhttp.Request, body string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := newDigestSession(c, d.user, d.sessions[key])
	s.proxy = key == (origin{})
	value, ok := s.answer(req, body)
	if ok {
		s.unsent = value
		d.sessions[key] = s
	}
	return value, ok
}

// forget drops a session whose credentials were refused, so that they are not sent again unasked.
func (d *DigestAuth) forget(key origin, c digestChallenge) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.sessions[key]; s != nil && s.challenge.realm == c.realm {
		delete(d.sessions, key)
	}
}

// Preemptive returns an interceptor that answers with a nonce that is known already, instead of waiting for a challenge, and takes over the
// next one when a server names it in Authentication-Info. It works together with this authenticator: a client has both.
//
// Use it as a network interceptor. There it also gives every request its own count and URI, those of redirects and retries included, as
// servers demand that look for replays. A request with an Authorization header of another kind is left alone.
func (d *DigestAuth) Preemptive() okhttp.Interceptor {
	return okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		req, nonce, err := d.preempt(ctx, chain.Request())
		if err != nil {
			return nil, err
		}
		resp, err := chain.Proceed(ctx, req)
		if err == nil && nonce != "" {
			d.learn(originOf(req.URL()), nonce, resp.Headers())
		}
		return resp, err
	})
}

// preempt puts an answer on a request if there is one, and returns the nonce it was made with.
func (d *DigestAuth) preempt(ctx context.Context, req *okhttp.Request) (_ *okhttp.Request, nonce string, err error) {
	const header = "Authorization"
	value, has := req.Headers().Last(header)
	s := d.session(req)
	if s == nil || has && !strings.HasPrefix(value, s.beginning) {
		return req, "", nil
	}
	if has {
		if nonce, ok := d.passOn(s, value); ok {
			return req, nonce, nil
		}
	}
	body, err := s.challenge.covered(ctx, req.Body())
	if err != nil {
		return nil, "", err
	}
	d.mu.Lock()
	if d.sessions[originOf(req.URL())] != s { // another call has begun anew, and counts on from here
		d.mu.Unlock()
		return d.preempt(ctx, req)
	}
	value, ok := s.answer(req, body)
	nonce = s.nonce
	d.mu.Unlock()
	if !ok {
		return req, "", nil
	}
	req, err = withHeader(req, header, value)
	return req, nonce, err
}

func (d *DigestAuth) session(req *okhttp.Request) *digestSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sessions[originOf(req.URL())]
}

// passOn reports whether a value was made by Authenticate and not sent yet, which it is now, and the nonce it was made with.
func (d *DigestAuth) passOn(s *digestSession, value string) (nonce string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if value != s.unsent {
		return "", false
	}
	s.unsent = ""
	return s.nonce, true
}

// learn takes over the nonce that a server wants to be used next (RFC 7616 section 3.5).
func (d *DigestAuth) learn(key origin, nonce string, h okhttp.Headers) {
	info, ok := h.Last("Authentication-Info")
	if !ok {
		return
	}
	next := infoParams(info)["nextnonce"]
	if next == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.sessions[key]; s != nil && s.nonce == nonce && next != nonce {
		s.nonce, s.count = next, 0
	}
}

// infoParams reads parameters that stand in a header alone: the grammar is that of a challenge without its scheme.
func infoParams(value string) map[string]string {
	h, err := okhttp.Headers{}.AddNonASCII("WWW-Authenticate", "Digest "+value)
	if err != nil {
		return nil
	}
	list := okhttp.NewResponse(nil, statusOrigin, okhttp.ResponseHeaders(h)).Challenges()
	if len(list) != 1 {
		return nil
	}
	return list[0].Params
}

// String returns "okauth.Digest", without the credentials.
func (d *DigestAuth) String() string { return "okauth.Digest" }

// Format prints what String returns, whatever the verb: the fields must not be printed.
func (d *DigestAuth) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.String()) }
