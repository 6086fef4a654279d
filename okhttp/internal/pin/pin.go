// Package pin is certificate pinning without sockets: pins, the patterns of host names that they are for, and whether a server's
// certificates satisfy them.
package pin

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

const (
	prefixSHA256 = "sha256/"
	prefixSHA1   = "sha1/"
)

// Pin is the hash of a certificate's SubjectPublicKeyInfo in DER (RFC 7469 section 2.4). Pins are == if they are the same.
type Pin struct {
	prefix string
	hash   string
}

// Of returns the pin of a certificate by SHA-256.
func Of(c *x509.Certificate) Pin {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return Pin{prefixSHA256, string(sum[:])}
}

// OfSHA1 returns the pin of a certificate by SHA-1.
func OfSHA1(c *x509.Certificate) Pin {
	sum := sha1.Sum(c.RawSubjectPublicKeyInfo)
	return Pin{prefixSHA1, string(sum[:])}
}

// Parse reads "sha256/" or "sha1/" and the hash in Base64, of either alphabet, with or without padding. The length of the hash is not
// looked at: one that is too short belongs to no certificate.
func Parse(text string) (Pin, error) {
	for _, prefix := range []string{prefixSHA256, prefixSHA1} {
		if encoded, ok := strings.CutPrefix(text, prefix); ok {
			hash, err := okio.DecodeBase64(encoded)
			if err != nil {
				return Pin{}, fmt.Errorf("invalid pin hash: %s is not base64", fault.Quote(encoded))
			}
			return Pin{prefix, string(hash)}, nil
		}
	}
	return Pin{}, fmt.Errorf("pins must start with 'sha256/' or 'sha1/': %s", fault.Quote(text))
}

// String returns the pin as [Parse] reads it.
func (p Pin) String() string {
	return p.prefix + base64.StdEncoding.EncodeToString([]byte(p.hash))
}

// Matches reports whether p is the pin of a certificate.
func (p Pin) Matches(c *x509.Certificate) bool {
	switch p.prefix {
	case prefixSHA256:
		return p == Of(c)
	case prefixSHA1:
		return p == OfSHA1(c)
	}
	return false
}
