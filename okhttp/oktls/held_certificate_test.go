package oktls

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func held(t testing.TB, c HeldCertificateConfig) *HeldCertificate {
	t.Helper()
	h, err := NewHeldCertificate(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func extension(c *x509.Certificate, id string) (critical, found bool) {
	for _, e := range c.Extensions {
		if e.Id.String() == id {
			return e.Critical, true
		}
	}
	return false, false
}

const (
	idSubjectAltName = "2.5.29.17"
	idBasic          = "2.5.29.19"
)

func TestDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock stands still
		h := held(t, HeldCertificateConfig{})
		c := h.Certificate()
		key, ok := h.PrivateKey().(*ecdsa.PrivateKey)
		if !ok || key.Curve != elliptic.P256() || !key.PublicKey.Equal(c.PublicKey) {
			t.Errorf("key %T", h.PrivateKey())
		}
		if !c.NotBefore.Equal(time.Now()) || c.NotAfter.Sub(c.NotBefore) != 24*time.Hour {
			t.Errorf("valid from %s to %s", c.NotBefore, c.NotAfter)
		}
		uuid := regexp.MustCompile(`^CN=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
		if !uuid.MatchString(c.Subject.String()) || c.Issuer.String() != c.Subject.String() {
			t.Errorf("subject %s, issuer %s", c.Subject, c.Issuer)
		}
		if c.Version != 3 || c.SerialNumber.Int64() != 1 || c.SignatureAlgorithm != x509.ECDSAWithSHA256 || len(c.Extensions) != 0 {
			t.Errorf("version %d, serial number %v, signature %s, extensions %v", c.Version, c.SerialNumber, c.SignatureAlgorithm, c.Extensions)
		}
		if err := c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature); err != nil {
			t.Errorf("the certificate does not sign itself: %v", err)
		}
		if other := held(t, HeldCertificateConfig{}).Certificate(); other.Subject.String() == c.Subject.String() {
			t.Error("two certificates have one name")
		}
	})
}

func TestConfig(t *testing.T) {
	from, to := time.Date(1970, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(2070, 1, 1, 0, 0, 2, 0, time.FixedZone("", 3600))
	serial := new(big.Int).Lsh(big.NewInt(1), 158)
	h := held(t, HeldCertificateConfig{
		CommonName:         "cash.app",
		OrganizationalUnit: "engineering",
		SubjectAltNames:    []string{"1.1.1.1", "cash.app", "::ffff:2.2.2.2", "*.a_b.test", "2001:DB8::1"},
		SerialNumber:       serial,
		NotBefore:          from,
		NotAfter:           to,
		RSA2048:            true,
	})
	c := h.Certificate()
	if c.Subject.String() != "CN=cash.app,OU=engineering" || c.SerialNumber.Cmp(serial) != 0 || !c.NotBefore.Equal(from) || !c.NotAfter.Equal(to) {
		t.Errorf("%s, %v, from %s to %s", c.Subject, c.SerialNumber, c.NotBefore, c.NotAfter)
	}
	if key, ok := c.PublicKey.(*rsa.PublicKey); !ok || key.N.BitLen() != 2048 || c.SignatureAlgorithm != x509.SHA256WithRSA {
		t.Errorf("key %T, signature %s", c.PublicKey, c.SignatureAlgorithm)
	}
	if !slices.Equal(c.DNSNames, []string{"cash.app", "*.a_b.test"}) {
		t.Errorf("DNS names %q", c.DNSNames)
	}
	if got := fmt.Sprint(c.IPAddresses); got != "[1.1.1.1 2.2.2.2 2001:db8::1]" || len(c.IPAddresses[1]) != net.IPv4len {
		t.Errorf("IP addresses %s", got)
	}
	if critical, found := extension(c, idSubjectAltName); !critical || !found || len(c.Extensions) != 1 {
		t.Errorf("extensions %v", c.Extensions)
	}

	synctest.Test(t, func(t *testing.T) {
		c := held(t, HeldCertificateConfig{Duration: time.Minute}).Certificate()
		if !c.NotBefore.Equal(time.Now()) || c.NotAfter.Sub(c.NotBefore) != time.Minute {
			t.Errorf("valid from %s to %s", c.NotBefore, c.NotAfter)
		}
	})
}

func TestAuthority(t *testing.T) {
	for _, tt := range []struct {
		intermediates int
		wantPathLen   int
	}{{0, 0}, {1, 1}, {7, 7}} {
		c := held(t, HeldCertificateConfig{CertificateAuthority: true, MaxIntermediates: tt.intermediates}).Certificate()
		if critical, found := extension(c, idBasic); !critical || !found || !c.IsCA || c.MaxPathLen != tt.wantPathLen {
			t.Errorf("%d intermediates: CA %v, path length %d, critical %v", tt.intermediates, c.IsCA, c.MaxPathLen, critical)
		}
		if c.KeyUsage != x509.KeyUsageCertSign|x509.KeyUsageCRLSign || len(c.SubjectKeyId) == 0 {
			t.Errorf("usage %b, key identifier %x (RFC 5280 sections 4.2.1.2 and 4.2.1.3)", c.KeyUsage, c.SubjectKeyId)
		}
	}
}

// Every pair of key types can be signer and signed.
func TestSignedBy(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	keys := []struct {
		key  crypto.Signer
		want x509.SignatureAlgorithm
	}{{nil, x509.ECDSAWithSHA256}, {p384, x509.ECDSAWithSHA256}, {rsaKey, x509.SHA256WithRSA}, {ed, x509.PureEd25519}, {opaque{ed}, x509.PureEd25519}}
	for _, signer := range keys {
		root := held(t, HeldCertificateConfig{Key: signer.key, CertificateAuthority: true})
		roots := x509.NewCertPool()
		roots.AddCert(root.Certificate())
		serials := map[string]bool{}
		for _, signed := range keys {
			leaf := held(t, HeldCertificateConfig{Key: signed.key, SignedBy: root, SubjectAltNames: []string{"a.test"}}).Certificate()
			if leaf.SignatureAlgorithm != signer.want {
				t.Errorf("%T signs with %s, want %s", signer.key, leaf.SignatureAlgorithm, signer.want)
			}
			if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "a.test"}); err != nil {
				t.Errorf("%T signed by %T: %v", signed.key, signer.key, err)
			}
			if !bytes.Equal(leaf.RawIssuer, root.Certificate().RawSubject) || !bytes.Equal(leaf.AuthorityKeyId, root.Certificate().SubjectKeyId) {
				t.Errorf("issuer %s, key %x", leaf.Issuer, leaf.AuthorityKeyId)
			}
			if leaf.KeyUsage != 0 || leaf.SubjectKeyId != nil || leaf.IsCA {
				t.Errorf("usage %b, key identifier %x", leaf.KeyUsage, leaf.SubjectKeyId)
			}
			serials[leaf.SerialNumber.String()] = true
		}
		if len(serials) != len(keys) {
			t.Errorf("%d certificates have %d serial numbers", len(keys), len(serials))
		}
	}
}

// opaque is a key that lives elsewhere.
type opaque struct{ crypto.Signer }

// A signer need not be an authority, because tests need such certificates too.
func TestSignedByNoAuthority(t *testing.T) {
	root := held(t, HeldCertificateConfig{})
	leaf := held(t, HeldCertificateConfig{SignedBy: root}).Certificate()
	roots := x509.NewCertPool()
	roots.AddCert(root.Certificate())
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots}); err == nil {
		t.Error("a certificate signed by no authority verifies")
	}
}

func TestConfigErrors(t *testing.T) {
	var noRSA *rsa.PrivateKey
	var noECDSA *ecdsa.PrivateKey
	now := time.Now()
	for _, tt := range []struct {
		name   string
		config HeldCertificateConfig
		want   string
	}{
		{"end without beginning", HeldCertificateConfig{NotAfter: now}, "invalid interval: NotBefore is not set, NotAfter " + now.UTC().Format(time.RFC3339)},
		{"beginning without end", HeldCertificateConfig{NotBefore: now}, "invalid interval"},
		{"end before beginning", HeldCertificateConfig{NotBefore: now, NotAfter: now.Add(-1)}, "invalid interval"},
		{"interval and duration", HeldCertificateConfig{NotBefore: now, NotAfter: now, Duration: 1}, "want one of them"},
		{"negative duration", HeldCertificateConfig{Duration: -1}, "Duration is -1ns, want more than 0"},
		{"year 10000", HeldCertificateConfig{NotBefore: now, NotAfter: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "certificate: "},
		{"negative intermediates", HeldCertificateConfig{CertificateAuthority: true, MaxIntermediates: -1}, "MaxIntermediates is -1, want 0 or more"},
		{"intermediates of a leaf", HeldCertificateConfig{MaxIntermediates: 1}, "no CertificateAuthority"},
		{"two keys", HeldCertificateConfig{RSA2048: true, Key: opaque{}}, "want one of them"},
		{"nil RSA key", HeldCertificateConfig{Key: noRSA}, "key of type *rsa.PrivateKey, which is empty, want RSA, ECDSA or Ed25519"},
		{"nil ECDSA key", HeldCertificateConfig{Key: noECDSA}, "empty"},
		{"zero RSA key", HeldCertificateConfig{Key: new(rsa.PrivateKey)}, "empty"},
		{"zero ECDSA key", HeldCertificateConfig{Key: new(ecdsa.PrivateKey)}, "empty"},
		{"short Ed25519 key", HeldCertificateConfig{Key: ed25519.PrivateKey("secret")}, "empty"},
		{"other key", HeldCertificateConfig{Key: otherKey{}}, "key of type string, want RSA, ECDSA or Ed25519"},
		{"empty signer", HeldCertificateConfig{SignedBy: new(HeldCertificate)}, "SignedBy is empty"},
		{"zero serial number", HeldCertificateConfig{SerialNumber: new(big.Int)}, "serial number of 0 bits, sign 0"},
		{"negative serial number", HeldCertificateConfig{SerialNumber: big.NewInt(-1)}, "want a positive one"},
		{"long serial number", HeldCertificateConfig{SerialNumber: new(big.Int).Lsh(big.NewInt(1), 159)}, "of 20 bytes at most"},
		{"empty name", HeldCertificateConfig{SubjectAltNames: []string{"a", ""}}, `subject alternative name ""`},
		{"name beyond ASCII", HeldCertificateConfig{SubjectAltNames: []string{"münchen.de"}}, `subject alternative name "münchen.de": want an IP address or a DNS name in ASCII`},
		{"name with port", HeldCertificateConfig{SubjectAltNames: []string{"a.test:443"}}, "want an IP address or a DNS name"},
		{"URL", HeldCertificateConfig{SubjectAltNames: []string{"https://a.test"}}, "want an IP address or a DNS name"},
		{"zone", HeldCertificateConfig{SubjectAltNames: []string{"fe80::1%eth0"}}, "want an IP address without zone"},
		{"common name that is not UTF-8", HeldCertificateConfig{CommonName: "\xff"}, "certificate: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := NewHeldCertificate(tt.config)
			if h != nil || err == nil || !strings.HasPrefix(err.Error(), "oktls: ") || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%v, %v, want %q", h, err, tt.want)
			}
			var key *KeyError
			if isKey := strings.Contains(tt.want, "of type") || tt.want == "empty"; errors.As(err, &key) != isKey {
				t.Errorf("%T", err)
			}
		})
	}
}

// otherKey is a key that certificates cannot have.
type otherKey struct{}

func (otherKey) Public() crypto.PublicKey { return "not a key" }
func (otherKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, errors.New("no")
}

// No verb and no logger shows the key.
func TestKeyIsNotPrinted(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	h := held(t, HeldCertificateConfig{Key: private, CommonName: "a"})
	certificates := handshake(t, HandshakeCertificatesConfig{Certificate: h, Trusted: []*x509.Certificate{h.Certificate()}})
	var all bytes.Buffer
	for _, v := range []any{h, *h, []*HeldCertificate{h}, struct{ H HeldCertificate }{*h}, certificates, *certificates} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			fmt.Fprintf(&all, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&all, nil)).Info("", "v", v)
		slog.New(slog.NewJSONHandler(&all, nil)).Info("", "v", v)
	}
	if !strings.Contains(all.String(), "HeldCertificate(CN=a, until 20") {
		t.Error("the subject is not shown either")
	}
	seed := private.Seed()
	for name, part := range map[string]string{
		"%d": strings.Trim(fmt.Sprintf("%d", seed[:4]), "[]"),
		"%x": hex.EncodeToString(seed[:4]),
		"%X": strings.ToUpper(hex.EncodeToString(seed[:4])),
		"%s": string(seed[:4]),
	} {
		if strings.Contains(all.String(), part) {
			t.Errorf("%s shows the key", name)
		}
	}
	if got := (HeldCertificate{}).String(); got != "HeldCertificate()" {
		t.Error(got)
	}
}

func TestTLSCertificate(t *testing.T) {
	root := held(t, HeldCertificateConfig{CertificateAuthority: true, MaxIntermediates: 1})
	intermediate := held(t, HeldCertificateConfig{CertificateAuthority: true, SignedBy: root})
	leaf := held(t, HeldCertificateConfig{SignedBy: intermediate})
	c := leaf.TLSCertificate(intermediate.Certificate(), root.Certificate())
	want := [][]byte{leaf.Certificate().Raw, intermediate.Certificate().Raw, root.Certificate().Raw}
	if !slices.EqualFunc(c.Certificate, want, bytes.Equal) || c.PrivateKey != leaf.PrivateKey() || c.Leaf != leaf.Certificate() {
		t.Errorf("%d certificates", len(c.Certificate))
	}
}
