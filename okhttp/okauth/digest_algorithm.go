package okauth

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"strings"
)

// algorithm is one of the IANA registry "Hash Algorithms for HTTP Digest Authentication".
type algorithm struct {
	hash    func() hash.Hash
	rank    int  // the higher, the stronger
	session bool // the "-sess" variant
}

// parseAlgorithm reads an algorithm parameter; "" means MD5 (RFC 7616 section 3.3).
func parseAlgorithm(name string) (a algorithm, ok bool) {
	name = strings.ToUpper(name)
	name, a.session = strings.CutSuffix(name, "-SESS")
	switch name {
	case "":
		a.hash, a.rank = md5.New, 1
		return a, !a.session
	case "MD5":
		a.hash, a.rank = md5.New, 1
	case "SHA-256":
		a.hash, a.rank = sha256.New, 2
	case "SHA-512-256":
		a.hash, a.rank = sha512.New512_256, 3
	default:
		return a, false
	}
	return a, true
}

// sum is the function H of RFC 7616 section 3.4, of parts joined by colons, and KD, which is the same.
func (a algorithm) sum(parts ...string) string {
	h := a.hash()
	for i, p := range parts {
		if i > 0 {
			_, _ = h.Write([]byte{':'})
		}
		_, _ = h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}
