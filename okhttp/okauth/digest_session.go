package okauth

import (
	"crypto/rand"
	"math"

	"github.com/okhttp-go/ok/okhttp"
)

// digestSession is a nonce and what was done with it (RFC 7616 section 3.4.2 calls it an authentication session).
type digestSession struct {
	challenge digestChallenge
	proxy     bool   // it is with a proxy
	beginning string // of every answer
	secret    string
	cnonce    string // the same throughout, if the algorithm is one of sessions
	nonce     string // the challenge's, or a later one by Authentication-Info
	count     uint32 // of requests with that nonce
	unsent    string // the latest answer that an authenticator gave and no network interceptor has seen yet
}

// newDigestSession begins a session, or goes on with one whose nonce the server has sent again.
func newDigestSession(d digestChallenge, u *user, old *digestSession) *digestSession {
	s := &digestSession{challenge: d, nonce: d.nonce, beginning: d.beginning(u), cnonce: newCnonce()}
	if old != nil && old.nonce == d.nonce {
		s.count, s.cnonce = old.count, old.cnonce
	}
	s.secret = d.secret(u, s.cnonce)
	return s
}

// newCnonce is 130 random bits as text.
func newCnonce() string { return rand.Text() }

// answer returns the value of the header for a request whose body has that hash. It fails once the count has no room left.
func (s *digestSession) answer(req *okhttp.Request, body string) (string, bool) {
	if s.count == math.MaxUint32 || !s.challenge.answers(req.Body()) {
		return "", false
	}
	s.count++
	a := digestAnswer{method: req.Method(), uri: target(req, s.proxy), body: body, nonce: s.nonce, cnonce: s.cnonce, count: s.count}
	if !s.challenge.algorithm.session {
		a.cnonce = newCnonce()
	}
	return s.challenge.authorization(s.beginning, s.secret, a), true
}
