package oktls

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
)

func block(label, content string) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: []byte(content)}))
}

func mustPKCS8(t testing.TB, h *HeldCertificate) string {
	t.Helper()
	text, err := h.PrivateKeyPKCS8PEM()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPEMRoundTrip(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]HeldCertificateConfig{"ECDSA": {}, "RSA": {RSA2048: true}, "Ed25519": {Key: ed}} {
		h := held(t, config)
		certificate, key := string(h.CertificatePEM()), mustPKCS8(t, h)
		for _, text := range []string{
			certificate + key,
			key + certificate,
			"Subject: somebody\n" + certificate + "and then\n\n" + key + "the end",
			strings.ReplaceAll(certificate+key, "\n", "\r\n"),
		} {
			again, err := ParsePEM([]byte(text))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if !again.Certificate().Equal(h.Certificate()) || !again.PrivateKey().(interface{ Equal(crypto.PrivateKey) bool }).Equal(h.PrivateKey()) {
				t.Errorf("%s: something else comes back", name)
			}
		}
	}
}

// Lines have 64 characters and end in LF.
func TestPEMForm(t *testing.T) {
	h := held(t, HeldCertificateConfig{RSA2048: true})
	pkcs1, err := h.PrivateKeyPKCS1PEM()
	if err != nil {
		t.Fatal(err)
	}
	for label, text := range map[string]string{"CERTIFICATE": string(h.CertificatePEM()), "PRIVATE KEY": mustPKCS8(t, h), "RSA PRIVATE KEY": string(pkcs1)} {
		lines := strings.Split(text, "\n")
		n := len(lines)
		if lines[0] != "-----BEGIN "+label+"-----" || lines[n-2] != "-----END "+label+"-----" || lines[n-1] != "" || strings.Contains(text, "\r") {
			t.Errorf("%s:\n%s", label, text)
		}
		for _, line := range lines[1 : n-3] {
			if len(line) != 64 {
				t.Errorf("%s: a line of %d", label, len(line))
			}
		}
	}
	b, _ := pem.Decode(pkcs1)
	if key, err := x509.ParsePKCS1PrivateKey(b.Bytes); err != nil || !key.Equal(h.PrivateKey()) {
		t.Errorf("PKCS #1: %v", err)
	}
}

func TestPEMOfKeysThatCannotBeWritten(t *testing.T) {
	ecdsa := held(t, HeldCertificateConfig{})
	far := held(t, HeldCertificateConfig{Key: opaque{ecdsa.PrivateKey()}})
	_, err1 := ecdsa.PrivateKeyPKCS1PEM()
	_, err2 := far.PrivateKeyPKCS1PEM()
	_, err3 := far.PrivateKeyPKCS8PEM()
	for _, err := range []error{err1, err2, err3} {
		var e *KeyError
		if !errors.As(err, &e) || e.Type != "ECDSA" || !strings.HasPrefix(err.Error(), "oktls: key of type ECDSA, want ") {
			t.Errorf("%v", err)
		}
	}
	if !strings.Contains(err1.Error(), "PKCS #1 is for those only") {
		t.Error(err1)
	}
}

func TestParsePEMErrors(t *testing.T) {
	h, other := held(t, HeldCertificateConfig{}), held(t, HeldCertificateConfig{})
	certificate, key := string(h.CertificatePEM()), mustPKCS8(t, h)
	dh, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	dhKey, err := x509.MarshalPKCS8PrivateKey(dh)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := pem.Decode([]byte(key))
	secret := strings.Split(key, "\n")[1]
	for _, tt := range []struct {
		name, text string
		want       PEMReason
		detail     string
	}{
		{"nothing", "", PEMNoCertificate, "no certificate, want one"},
		{"no PEM", "certificate", PEMNoCertificate, "no certificate"},
		{"no certificate", key, PEMNoCertificate, "no certificate"},
		{"no key", certificate, PEMNoPrivateKey, "no private key, want one"},
		{"two certificates", certificate + key + certificate, PEMSeveralCertificates, "several certificates, want one"},
		{"two keys", certificate + key + key, PEMSeveralPrivateKeys, "several private keys, want one"},
		{"PKCS #1", certificate + block("RSA PRIVATE KEY", string(b.Bytes)), PEMUnexpectedLabel,
			`unexpected block "RSA PRIVATE KEY", want CERTIFICATE and PRIVATE KEY; openssl pkcs8 -topk8 -nocrypt converts keys`},
		{"encrypted", certificate + block("ENCRYPTED PRIVATE KEY", "x"), PEMUnexpectedLabel, "decrypts"},
		{"third block", certificate + key + block("X509 CRL", "x"), PEMUnexpectedLabel, `unexpected block "X509 CRL", want`},
		{"lower case", certificate + block("private key", "x"), PEMUnexpectedLabel, `"private key"`},
		{"certificate without end", certificate[:100] + "\n" + key, PEMSyntax, "1 of 2 blocks cannot be read"},
		{"key that is not Base64", certificate + strings.Replace(key, secret, "*"+secret[1:], 1), PEMSyntax, "1 of 2 blocks"},
		{"certificate that is none", block("CERTIFICATE", "abc") + key, PEMCertificate, "the certificate cannot be read: x509: "},
		{"key as certificate", block("CERTIFICATE", string(b.Bytes)) + key, PEMCertificate, "the certificate cannot be read"},
		{"key that is none", certificate + block("PRIVATE KEY", "abc"), PEMPrivateKey, "the private key cannot be read as PKCS #8"},
		{"key cut short", certificate + block("PRIVATE KEY", string(b.Bytes[:50])), PEMPrivateKey, "PKCS #8"},
		{"certificate of an unknown key", unknownKey + key, PEMKeyType, "the certificate has a key of type <nil>, want RSA, ECDSA or Ed25519"},
		{"key that cannot sign", certificate + block("PRIVATE KEY", string(dhKey)), PEMKeyType, "the private key is a *ecdh.PrivateKey, want RSA"},
		{"key of another", certificate + mustPKCS8(t, other), PEMMismatch, "the private key is not that of the certificate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := ParsePEM([]byte(tt.text))
			var e *PEMError
			if h != nil || !errors.As(err, &e) || e.Reason != tt.want || !strings.HasPrefix(err.Error(), "oktls: pem: "+e.Detail) || !strings.Contains(e.Detail, tt.detail) {
				t.Fatalf("%v, %v, want %s: %s", h, err, tt.want, tt.detail)
			}
			var k *KeyError
			if errors.As(err, &k) != (tt.want == PEMKeyType) {
				t.Errorf("%T", e.Err)
			}
			if strings.Contains(err.Error(), secret[:8]) {
				t.Errorf("the key is in %v", err)
			}
		})
	}
}

func FuzzParsePEM(f *testing.F) {
	h := held(f, HeldCertificateConfig{})
	f.Add(string(h.CertificatePEM()) + mustPKCS8(f, h))
	f.Add(unknownKey)
	f.Add("-----BEGIN -----\n-----BEGIN PRIVATE KEY-----\nA: b\n\nAAAA\n-----END PRIVATE KEY-----\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParsePEM([]byte(text))
		if err != nil {
			var e *PEMError
			if !errors.As(err, &e) || e.Reason == "" || h != nil || len(err.Error()) > 1000 {
				t.Fatalf("%v, %v", h, err)
			}
			return
		}
		again, err := ParsePEM([]byte(string(h.CertificatePEM()) + mustPKCS8(t, h)))
		if err != nil || !again.Certificate().Equal(h.Certificate()) {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
	})
}

// What is in the blocks, which mutations of Base64 seldom reach.
func FuzzParsePEMContent(f *testing.F) {
	h := held(f, HeldCertificateConfig{SubjectAltNames: []string{"a.test"}})
	key, err := x509.MarshalPKCS8PrivateKey(h.PrivateKey())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(h.Certificate().Raw, key)
	b, _ := pem.Decode([]byte(unknownKey))
	f.Add(b.Bytes, key)
	f.Fuzz(func(t *testing.T, certificate, key []byte) {
		h, err := ParsePEM([]byte(block("PRIVATE KEY", string(key)) + block("CERTIFICATE", string(certificate))))
		if err != nil {
			var e *PEMError
			if !errors.As(err, &e) || h != nil || len(err.Error()) > 1000 {
				t.Fatalf("%v, %v", h, err)
			}
			return
		}
		mustPKCS8(t, h)
		if !strings.HasPrefix(h.String(), "HeldCertificate(") {
			t.Fatal(h.String())
		}
	})
}
