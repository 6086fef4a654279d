package okauth

import (
	"context"
	"encoding/hex"
	"io"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// digestChallenge is a Digest challenge that can be answered (RFC 7616 section 3.3).
type digestChallenge struct {
	realm, nonce string
	opaque       string
	hasOpaque    bool
	name         string // of the algorithm, as it came; "" if it did not
	algorithm    algorithm
	qop          string // "auth", "auth-int", or "" for a server that knows RFC 2069 only
	stale        bool
	userhash     bool
	utf8         bool
}

// chooseDigest returns the challenge with the strongest algorithm among those that can be answered for a request with that body. Of equally
// strong ones the first wins. The domain parameter is not looked at: credentials go where they may go.
func chooseDigest(list []okhttp.Challenge, body *okhttp.Body) (best digestChallenge, found bool) {
	for _, c := range list {
		if d, ok := parseDigest(c, body); ok && (!found || d.algorithm.rank > best.algorithm.rank) {
			best, found = d, true
		}
	}
	return best, found
}

func parseDigest(c okhttp.Challenge, body *okhttp.Body) (d digestChallenge, ok bool) {
	if !strings.EqualFold(c.Scheme, "Digest") {
		return d, false
	}
	realm, hasRealm := c.Params["realm"]
	nonce, hasNonce := c.Params["nonce"]
	if !hasRealm || !hasNonce {
		return d, false
	}
	d = digestChallenge{realm: realm, nonce: nonce, name: c.Params["algorithm"]}
	if d.algorithm, ok = parseAlgorithm(d.name); !ok {
		return d, false
	}
	if d.qop, ok = chooseQOP(c.Params, body); !ok {
		return d, false
	}
	d.opaque, d.hasOpaque = c.Params["opaque"]
	d.stale = strings.EqualFold(c.Params["stale"], "true")
	d.userhash = strings.EqualFold(c.Params["userhash"], "true")
	d.utf8 = c.Charset() == charsetUTF8
	return d, true
}

// chooseQOP picks the quality of protection. auth-int covers the body, which then has to be read beforehand: it is taken only where a server
// insists on it, and the body can be read twice.
func chooseQOP(params map[string]string, body *okhttp.Body) (string, bool) {
	offered, ok := params["qop"]
	if !ok {
		return "", true
	}
	integrity := false
	for q := range strings.SplitSeq(offered, ",") {
		switch q = strings.Trim(q, " \t"); {
		case strings.EqualFold(q, "auth"):
			return "auth", true
		case strings.EqualFold(q, "auth-int"):
			integrity = true
		}
	}
	return "auth-int", integrity && canHash(body)
}

// canHash reports whether a body can be read before it is sent. One whose length is not known may not come to an end by itself.
func canHash(body *okhttp.Body) bool {
	return body == nil || !body.IsOneShot() && !body.IsDuplex() && body.Len() >= 0
}

// answers reports whether the challenge can be answered for a request with that body, and not only for the one that brought it about.
func (d *digestChallenge) answers(body *okhttp.Body) bool {
	return d.qop != "auth-int" || canHash(body)
}

// covered returns the hash of the body if the answer covers it, and "" otherwise.
func (d *digestChallenge) covered(ctx context.Context, body *okhttp.Body) (string, error) {
	if d.qop != "auth-int" || !canHash(body) {
		return "", nil
	}
	h := d.algorithm.hash()
	if body != nil {
		r, err := body.Open(ctx)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, r)
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
