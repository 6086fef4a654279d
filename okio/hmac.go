package okio

import (
	"crypto/hmac"
	"errors"
	"hash"
)

var errEmptyKey = errors.New("okio: the key of an HMAC is empty")

// NewHMAC returns the keyed hash HMAC (RFC 2104) over the hash that newHash makes, sha256.New for example, for a
// [HashingSource], a [HashingSink] or a Sum method. Package crypto/hmac takes an empty key, which authenticates nothing and
// mostly means that one was not loaded; here it is an error. Compare codes with [ByteString.EqualConstantTime].
func NewHMAC(newHash func() hash.Hash, key []byte) (hash.Hash, error) {
	if len(key) == 0 {
		return nil, errEmptyKey
	}
	return hmac.New(newHash, key), nil
}
