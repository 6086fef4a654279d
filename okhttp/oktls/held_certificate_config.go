package oktls

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// HeldCertificateConfig configures a [HeldCertificate]. Its zero value makes a certificate that signs itself, is no authority, has no names
// and is valid for a day.
type HeldCertificateConfig struct {
	// CommonName is part of the subject. "": a random UUID, so that no two authorities are taken for each other.
	CommonName string
	// OrganizationalUnit is part of the subject. "": none.
	OrganizationalUnit string
	// SubjectAltNames are the hosts that the certificate is for: IP addresses, and DNS names in ASCII, which may begin with "*.". Clients
	// look at nothing else.
	SubjectAltNames []string
	// SerialNumber is positive and has 20 bytes at most. nil: 1 if the certificate signs itself, otherwise a random one, because those of
	// one authority must differ (RFC 5280 section 4.1.2.2).
	SerialNumber *big.Int

	// Duration is how long the certificate is valid from now on. 0: 24 hours.
	Duration time.Duration
	// NotBefore and NotAfter are the first and last moment of the validity, in place of Duration. Both are set, or none.
	NotBefore, NotAfter time.Time

	// SignedBy is what signs the certificate. nil: itself. Whether it is an authority is not looked at.
	SignedBy *HeldCertificate
	// CertificateAuthority makes a certificate that may sign others.
	CertificateAuthority bool
	// MaxIntermediates is how many authorities may stand between this one and the certificate of a server or client. 0: it signs those
	// alone. It is for authorities only.
	MaxIntermediates int

	// RSA2048 makes a new RSA key of 2048 bits rather than one on the elliptic curve P-256.
	RSA2048 bool
	// Key is used in place of a new one: an RSA, ECDSA or Ed25519 key, which may live in hardware.
	Key crypto.Signer
}

// NewHeldCertificate makes a certificate and, unless one is given, its key. A fault of the configuration is an error; a key of
// another type than RSA, ECDSA and Ed25519 is a [*KeyError].
func NewHeldCertificate(c HeldCertificateConfig) (*HeldCertificate, error) {
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	template, err := c.template(key)
	if err != nil {
		return nil, err
	}
	parent, signer := template, key
	if c.SignedBy != nil {
		if c.SignedBy.cert == nil {
			return nil, errors.New("oktls: SignedBy is empty, want one of NewHeldCertificate or ParsePEM")
		}
		parent, signer = c.SignedBy.cert, c.SignedBy.key.signer
	}
	if template.SignatureAlgorithm, err = signatureAlgorithm(signer.Public()); err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("oktls: certificate: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("oktls: certificate: %w", err)
	}
	return &HeldCertificate{cert, &heldKey{key}}, nil
}

func (c *HeldCertificateConfig) key() (crypto.Signer, error) {
	switch {
	case c.Key != nil && c.RSA2048:
		return nil, errors.New("oktls: RSA2048 makes a key and Key gives one, want one of them")
	case c.Key != nil:
		return c.Key, checkKey(c.Key)
	case c.RSA2048:
		return rsa.GenerateKey(rand.Reader, 2048)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func (c *HeldCertificateConfig) template(key crypto.Signer) (*x509.Certificate, error) {
	name := pkix.Name{CommonName: cmp.Or(c.CommonName, newUUID())}
	if c.OrganizationalUnit != "" {
		name.OrganizationalUnit = []string{c.OrganizationalUnit}
	}
	t := &x509.Certificate{Subject: name}
	var err error
	if t.NotBefore, t.NotAfter, err = c.validity(); err != nil {
		return nil, err
	}
	if t.SerialNumber, err = c.serialNumber(); err != nil {
		return nil, err
	}
	switch {
	case c.MaxIntermediates < 0:
		return nil, fmt.Errorf("oktls: MaxIntermediates is %d, want 0 or more", c.MaxIntermediates)
	case c.CertificateAuthority: // package x509 adds the identifier of the key, and that of the signer to what it signs
		t.BasicConstraintsValid, t.IsCA = true, true
		t.MaxPathLen, t.MaxPathLenZero = c.MaxIntermediates, c.MaxIntermediates == 0
		t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	case c.MaxIntermediates > 0:
		return nil, fmt.Errorf("oktls: MaxIntermediates is %d for a certificate that is no CertificateAuthority", c.MaxIntermediates)
	}
	if len(c.SubjectAltNames) > 0 {
		san, err := subjectAltNames(c.SubjectAltNames)
		if err != nil {
			return nil, err
		}
		t.ExtraExtensions = []pkix.Extension{san}
	}
	return t, nil
}

func (c *HeldCertificateConfig) validity() (from, to time.Time, err error) {
	if c.NotBefore.IsZero() != c.NotAfter.IsZero() || c.NotAfter.Before(c.NotBefore) {
		return from, to, fmt.Errorf("oktls: invalid interval: NotBefore %s, NotAfter %s", moment(c.NotBefore), moment(c.NotAfter))
	}
	switch {
	case c.Duration < 0:
		return from, to, fmt.Errorf("oktls: Duration is %s, want more than 0", c.Duration)
	case !c.NotBefore.IsZero() && c.Duration != 0:
		return from, to, errors.New("oktls: Duration and an interval are given, want one of them")
	case !c.NotBefore.IsZero():
		return c.NotBefore, c.NotAfter, nil
	}
	from = time.Now()
	return from, from.Add(cmp.Or(c.Duration, 24*time.Hour)), nil
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "is not set"
	}
	return t.UTC().Format(time.RFC3339)
}

func (c *HeldCertificateConfig) serialNumber() (*big.Int, error) {
	switch {
	case c.SerialNumber != nil && (c.SerialNumber.Sign() <= 0 || c.SerialNumber.BitLen() >= 20*8):
		return nil, fmt.Errorf("oktls: serial number of %d bits, sign %d: want a positive one of 20 bytes at most",
			c.SerialNumber.BitLen(), c.SerialNumber.Sign())
	case c.SerialNumber != nil:
		return c.SerialNumber, nil
	case c.SignedBy == nil:
		return big.NewInt(1), nil
	}
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	random[0] |= 0x40        // not zero
	random[0] &= 0x7f
	return new(big.Int).SetBytes(random), nil
}

// newUUID returns a random UUID (RFC 9562 section 5.4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
