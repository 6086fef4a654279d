//go:build unix

package interop

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/okhttp-go/ok/okhttp/oktls"
)

// openSSL runs the program of that name in a folder.
func openSSL(t *testing.T, dir string, args ...string) {
	t.Helper()
	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("openssl %q: %v\n%s", args, err, out)
	}
}

func newHeld(t *testing.T, c oktls.HeldCertificateConfig) *oktls.HeldCertificate {
	t.Helper()
	h, err := oktls.NewHeldCertificate(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// OpenSSL accepts the certificates of oktls where it is strict about RFC 5280, as Python is by default.
func TestOpenSSLVerifiesHeldCertificates(t *testing.T) {
	for name, rsa := range map[string]bool{"ECDSA": false, "RSA": true} {
		t.Run(name, func(t *testing.T) {
			root := newHeld(t, oktls.HeldCertificateConfig{CertificateAuthority: true, MaxIntermediates: 1, RSA2048: rsa})
			intermediate := newHeld(t, oktls.HeldCertificateConfig{CertificateAuthority: true, SignedBy: root, RSA2048: rsa})
			leaf := newHeld(t, oktls.HeldCertificateConfig{SubjectAltNames: []string{"server.test", "10.0.0.1"}, SignedBy: intermediate, RSA2048: rsa})
			dir := t.TempDir()
			for file, held := range map[string]*oktls.HeldCertificate{
				"root.pem": root, "intermediate.pem": intermediate, "leaf.pem": leaf, "localhost.pem": oktls.Localhost().Certificate(),
			} {
				if err := os.WriteFile(filepath.Join(dir, file), held.CertificatePEM(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			strict := []string{"verify", "-x509_strict", "-purpose", "sslserver"}
			openSSL(t, dir, append(strict, "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "-verify_hostname", "server.test", "leaf.pem")...)
			openSSL(t, dir, append(strict, "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "-verify_ip", "10.0.0.1", "leaf.pem")...)
			openSSL(t, dir, append(strict, "-CAfile", "localhost.pem", "-verify_hostname", "localhost", "localhost.pem")...)
		})
	}
}

// OpenSSL reads the keys of oktls, and oktls reads those that OpenSSL made.
func TestOpenSSLKeys(t *testing.T) {
	for name, newKey := range map[string][]string{
		"ECDSA":   {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"},
		"RSA":     {"-newkey", "rsa:2048"},
		"Ed25519": {"-newkey", "ed25519"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			openSSL(t, dir, append([]string{"req", "-x509", "-nodes", "-subj", "/CN=openssl.test", "-keyout", "key.pem", "-out", "cert.pem"}, newKey...)...)
			var text []byte
			for _, file := range []string{"key.pem", "cert.pem"} {
				part, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				text = append(text, part...)
			}
			held, err := oktls.ParsePEM(text)
			if err != nil {
				t.Fatal(err)
			}
			key, err := held.PrivateKeyPKCS8PEM()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text, held.CertificatePEM()) || !bytes.Contains(text, key) {
				t.Error("oktls writes another text than OpenSSL")
			}
			pkcs1, err := held.PrivateKeyPKCS1PEM()
			if name != "RSA" {
				if err == nil {
					t.Error("PKCS #1 of a key that is not RSA")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "pkcs1.pem"), pkcs1, 0o600); err != nil {
				t.Fatal(err)
			}
			openSSL(t, dir, "rsa", "-in", "pkcs1.pem", "-check", "-noout")
		})
	}
}
