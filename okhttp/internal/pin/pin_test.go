package pin

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"strings"
	"testing"
)

// Hashes of "key", by sha256sum and sha1sum.
const (
	keySHA256 = "sha256/LHDhK3oGRvkiefQnx7OOczTY5Tic/xZ6HcMOc/gmtoM="
	keySHA1   = "sha1/pi8iJb9wv6zLx/HvKjl4NnFzd94="
)

func certificate(key string) *x509.Certificate {
	return &x509.Certificate{RawSubjectPublicKeyInfo: []byte(key), Subject: pkix.Name{CommonName: "of " + key}}
}

func mustParse(t *testing.T, text string) Pin {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPin(t *testing.T) {
	c := certificate("key")
	if got := Of(c).String(); got != keySHA256 {
		t.Errorf("%s, want %s", got, keySHA256)
	}
	if got := OfSHA1(c).String(); got != keySHA1 {
		t.Errorf("%s, want %s", got, keySHA1)
	}
	for text, want := range map[string]bool{
		keySHA256:                          true,
		keySHA1:                            true,
		strings.TrimSuffix(keySHA256, "="): true, // without padding
		strings.Replace(keySHA1, "/HvK", "_HvK", 1): true, // the alphabet of URLs
		"sha256/" + keySHA1[len("sha1/"):]:          false,
		"sha1/" + keySHA256[len("sha256/"):]:        false,
		"sha256/":                                   false,
		"sha256/LHDhK3oGRvkiefQnx7OOczTY5Tic":       false, // short
	} {
		if p := mustParse(t, text); p.Matches(c) != want {
			t.Errorf("%s matches: %v", text, !want)
		}
	}
	if (Pin{}).Matches(c) {
		t.Error("the zero Pin matches")
	}
	if mustParse(t, keySHA256) != mustParse(t, strings.TrimSuffix(keySHA256, "=")) {
		t.Error("two spellings are two pins")
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":             `pins must start with 'sha256/' or 'sha1/': ""`,
		"md5/AAAA":     `pins must start with 'sha256/' or 'sha1/': "md5/AAAA"`,
		"SHA256/AAAA":  `pins must start with 'sha256/' or 'sha1/': "SHA256/AAAA"`,
		" sha256/AAAA": `pins must start with 'sha256/' or 'sha1/': " sha256/AAAA"`,
		"sha256/a*":    `invalid pin hash: "a*" is not base64`,
		"sha1/A":       `invalid pin hash: "A" is not base64`,
		"sha1/AA=A":    `invalid pin hash: "AA=A" is not base64`,
	} {
		if p, err := Parse(text); err == nil || err.Error() != want || p != (Pin{}) {
			t.Errorf("%q: %v, %v, want %s", text, p, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	leaf, intermediate, root, other := certificate("leaf"), certificate("intermediate"), certificate("root"), certificate("other")
	chain := func(c ...*x509.Certificate) []*x509.Certificate { return c }
	for _, tt := range []struct {
		name     string
		pins     []Pin
		verified [][]*x509.Certificate
		want     bool
	}{
		{"no pins", nil, nil, true},
		{"leaf", []Pin{Of(leaf)}, [][]*x509.Certificate{chain(leaf, root)}, true},
		{"leaf by SHA-1", []Pin{OfSHA1(leaf)}, [][]*x509.Certificate{chain(leaf, root)}, true},
		{"intermediate", []Pin{Of(intermediate)}, [][]*x509.Certificate{chain(leaf, intermediate, root)}, true},
		{"root", []Pin{Of(root)}, [][]*x509.Certificate{chain(leaf, intermediate, root)}, true},
		{"one of several pins", []Pin{Of(other), Of(root)}, [][]*x509.Certificate{chain(leaf, root)}, true},
		{"the second chain", []Pin{Of(other)}, [][]*x509.Certificate{chain(leaf, root), chain(leaf, other)}, true},
		{"none", []Pin{Of(other)}, [][]*x509.Certificate{chain(leaf, intermediate, root)}, false},
		{"leaf without verified chains", []Pin{Of(leaf)}, nil, true},
		{"root without verified chains", []Pin{Of(root)}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Check("a.com", tt.pins, leaf, tt.verified)
			if (err == nil) != tt.want {
				t.Fatalf("%v, want a match: %v", err, tt.want)
			}
			var e *MismatchError
			if err != nil && (!errors.As(err, &e) || e.Host != "a.com" || len(e.Pins) != len(tt.pins) || e.Chain[0] != leaf) {
				t.Errorf("%#v", err)
			}
		})
	}
	if err := Check("a.com", []Pin{Of(root)}, nil, nil); err == nil {
		t.Error("no certificate at all passes")
	}
}

func TestMismatchError(t *testing.T) {
	c := certificate("key")
	c.Subject.CommonName = "evil\nline"
	err := Check("a.com", []Pin{mustParse(t, "sha256/AAAA"), mustParse(t, "sha1/BBBB")}, c, [][]*x509.Certificate{{c, certificate("key")}})
	const want = `certificate pinning failure!
  peer certificate chain:
    ` + keySHA256 + ": CN=evil\ufffdline" + `
    ` + keySHA256 + `: CN=of key
  pinned certificates for a.com:
    sha256/AAAA
    sha1/BBBB`
	if err.Error() != want {
		t.Errorf("%s\nwant\n%s", err, want)
	}
}
