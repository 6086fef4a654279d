package okauth_test

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// verifier is the server's side of RFC 7616, written from the standard alone. It wants each nonce counted from 1 without gaps.
type verifier struct {
	realm, user, password string
	algorithms            []string // offered, in this order; "" leaves the parameter out
	qop                   string   // "" leaves the parameter out
	more                  string   // of the challenge
	userhash              bool
	latin1                bool   // what the password is hashed in
	uses                  int    // of a nonce before it is stale; 0: any number
	next                  bool   // say the next nonce with every response
	staleForever          bool   // call everything stale
	reuse                 string // a nonce for all

	mu     sync.Mutex
	nonces int
	counts map[string]int    // of the nonces that were given out
	keys   map[string]string // of sessions, by nonce
	used   []string          // the algorithms of accepted requests
	errs   []string          // of refused ones
}

var digestParam = regexp.MustCompile(`([a-z*]+)=("((?:[^"\\]|\\.)*)"|[^", ]+)(, |$)`)

func (v *verifier) hash(algorithm, text string) string {
	switch strings.TrimSuffix(algorithm, "-sess") {
	case "SHA-256":
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	case "SHA-512-256":
		return fmt.Sprintf("%x", sha512.Sum512_256([]byte(text)))
	}
	return fmt.Sprintf("%x", md5.Sum([]byte(text)))
}

func (v *verifier) nonce() string {
	if v.counts == nil {
		v.counts, v.keys = make(map[string]int), make(map[string]string)
	}
	n := v.reuse
	if n == "" {
		v.nonces++
		n = fmt.Sprintf("nonce-%d==", v.nonces)
	}
	if _, known := v.counts[n]; !known {
		v.counts[n] = 0
	}
	return n
}

func (v *verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	v.mu.Lock()
	defer v.mu.Unlock()
	problem, stale := v.check(r, string(body))
	if problem != "" {
		v.errs = append(v.errs, problem)
		for _, a := range v.algorithms {
			c := `Digest realm="` + quoted(v.realm) + `", nonce="` + v.nonce() + `", opaque="a \"b\" c"`
			if a != "" {
				c += ", algorithm=" + a
			}
			if v.qop != "" {
				c += `, qop="` + v.qop + `"`
			}
			if stale {
				c += ", stale=TRUE"
			}
			if v.userhash {
				c += ", userhash=true"
			}
			w.Header().Add("WWW-Authenticate", c+v.more)
		}
		http.Error(w, problem, http.StatusUnauthorized)
		return
	}
	if v.next {
		w.Header().Set("Authentication-Info", `qop=auth, nextnonce="`+v.nonce()+`"`)
	}
	if to := r.URL.Query().Get("to"); to != "" {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		return
	}
	_, _ = io.WriteString(w, "welcome")
}

func quoted(s string) string { return strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s) }

func (v *verifier) check(r *http.Request, body string) (problem string, stale bool) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Digest ")
	if !ok {
		return "no credentials", false
	}
	p := make(map[string]string)
	for _, m := range digestParam.FindAllStringSubmatch(text, -1) {
		value := m[2]
		if strings.HasPrefix(value, `"`) {
			value = regexp.MustCompile(`\\(.)`).ReplaceAllString(m[3], "$1")
		}
		if _, twice := p[m[1]]; twice {
			return "parameter twice: " + m[1], false
		}
		p[m[1]] = value
	}
	if rest := digestParam.ReplaceAllString(text, ""); rest != "" {
		return "malformed: " + rest, false
	}
	algorithm := p["algorithm"]
	offered := false
	for _, a := range v.algorithms {
		offered = offered || a == algorithm
	}
	name := p["username"]
	if encoded, ok := strings.CutPrefix(p["username*"], "UTF-8''"); ok {
		name, _ = url.PathUnescape(encoded)
	}
	want := v.user
	if v.userhash {
		want = v.hash(algorithm, v.user+":"+v.realm)
	}
	count, known := v.counts[p["nonce"]]
	switch {
	case !offered:
		return "algorithm " + algorithm + " was not offered", false
	case name != want || (p["userhash"] == "true") != v.userhash:
		return "user " + name + ", want " + want, false
	case p["realm"] != v.realm:
		return "realm " + p["realm"], false
	case p["opaque"] != `a "b" c`:
		return "opaque " + p["opaque"], false
	case p["uri"] != r.RequestURI:
		return "uri " + p["uri"] + " for " + r.RequestURI, false
	case !known:
		return "unknown nonce", true
	}
	if v.qop != "" {
		if nc, err := strconv.ParseUint(p["nc"], 16, 32); err != nil || len(p["nc"]) != 8 || int(nc) != count+1 {
			return fmt.Sprintf("nc %s after %d", p["nc"], count), false
		}
		if len(p["cnonce"]) < 16 {
			return "cnonce " + p["cnonce"], false
		}
	} else if p["nc"] != "" || p["qop"] != "" {
		return "nc or qop without need", false
	}
	password := v.password
	if v.latin1 {
		b := []byte{}
		for _, r := range password {
			b = append(b, byte(r))
		}
		password = string(b)
	}
	ha1 := v.hash(algorithm, v.user+":"+v.realm+":"+password)
	if strings.HasSuffix(algorithm, "-sess") {
		if v.keys[p["nonce"]] == "" {
			v.keys[p["nonce"]] = v.hash(algorithm, ha1+":"+p["nonce"]+":"+p["cnonce"])
		}
		ha1 = v.keys[p["nonce"]]
	}
	a2 := r.Method + ":" + p["uri"]
	if p["qop"] == "auth-int" {
		a2 += ":" + v.hash(algorithm, body)
	}
	expected := v.hash(algorithm, ha1+":"+p["nonce"]+":"+v.hash(algorithm, a2))
	if v.qop != "" {
		expected = v.hash(algorithm, ha1+":"+p["nonce"]+":"+p["nc"]+":"+p["cnonce"]+":"+p["qop"]+":"+v.hash(algorithm, a2))
	}
	if p["response"] != expected {
		return "wrong response", false
	}
	if v.staleForever || v.uses > 0 && count >= v.uses {
		delete(v.counts, p["nonce"])
		return "old nonce", true
	}
	v.counts[p["nonce"]]++
	v.used = append(v.used, algorithm+" "+p["qop"])
	return "", false
}
