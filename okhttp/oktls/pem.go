package oktls

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
)

// The labels of PEM blocks (RFC 7468).
const (
	labelCertificate = "CERTIFICATE"
	labelPrivateKey  = "PRIVATE KEY"
	labelRSA         = "RSA PRIVATE KEY"
)

// CertificatePEM returns the certificate in PEM, in lines of 64 characters that end in LF. It may be shown to anybody.
func (h *HeldCertificate) CertificatePEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: labelCertificate, Bytes: h.cert.Raw})
}

// PrivateKeyPKCS8PEM returns the private key in PEM, as PKCS #8 (RFC 5958). This is the form that [ParsePEM] reads. A key that lives
// elsewhere, in hardware for one, is a [*KeyError].
func (h *HeldCertificate) PrivateKeyPKCS8PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(h.key.signer)
	if err != nil { // which may say more about the key than a log should keep
		return nil, h.keyError("an RSA, ECDSA or Ed25519 key in memory")
	}
	return pem.EncodeToMemory(&pem.Block{Type: labelPrivateKey, Bytes: der}), nil
}

// PrivateKeyPKCS1PEM returns the private key in PEM, as PKCS #1 (RFC 8017 appendix A.1.2), which old programs want. That is for RSA keys
// only, and any other is a [*KeyError].
func (h *HeldCertificate) PrivateKeyPKCS1PEM() ([]byte, error) {
	key, ok := h.key.signer.(*rsa.PrivateKey)
	if !ok {
		return nil, h.keyError("an RSA key in memory: PKCS #1 is for those only")
	}
	return pem.EncodeToMemory(&pem.Block{Type: labelRSA, Bytes: x509.MarshalPKCS1PrivateKey(key)}), nil
}

func (h *HeldCertificate) keyError(want string) error {
	name, _ := keyType(h.key.signer.Public())
	return &KeyError{name, want}
}
