package oktls

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// A PEMReason is what is wrong with a text in PEM.
type PEMReason string

// The reasons.
const (
	PEMNoCertificate       PEMReason = "no-certificate"
	PEMSeveralCertificates PEMReason = "several-certificates"
	PEMNoPrivateKey        PEMReason = "no-private-key"
	PEMSeveralPrivateKeys  PEMReason = "several-private-keys"
	PEMUnexpectedLabel     PEMReason = "unexpected-label" // a block that is neither
	PEMSyntax              PEMReason = "syntax"           // a block without an end, or not of Base64
	PEMCertificate         PEMReason = "malformed-certificate"
	PEMPrivateKey          PEMReason = "malformed-private-key" // not PKCS #8
	PEMKeyType             PEMReason = "unsupported-key-type"
	PEMMismatch            PEMReason = "mismatch" // the key is not that of the certificate
)

// PEMError reports a text that is not a certificate with its private key. It contains nothing of the key.
type PEMError struct {
	Reason PEMReason
	Detail string // what came and what was expected
	Err    error  // of the certificate or key, if there is one; a [*KeyError] for PEMKeyType
}

func (e *PEMError) Error() string { return "oktls: pem: " + e.Detail }

// Unwrap returns Err.
func (e *PEMError) Unwrap() error { return e.Err }

// ParsePEM reads a certificate and its private key: one block "CERTIFICATE" and one "PRIVATE KEY" (PKCS #8), in any order. Text between
// the blocks is ignored. Anything else is a [*PEMError].
func ParsePEM(text []byte) (*HeldCertificate, error) {
	blocks := map[string][]byte{}
	count := 0
	for rest := text; ; count++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		_, again := blocks[block.Type]
		switch {
		case block.Type != labelCertificate && block.Type != labelPrivateKey:
			return nil, unexpectedLabel(block.Type)
		case again && block.Type == labelCertificate:
			return nil, &PEMError{Reason: PEMSeveralCertificates, Detail: "several certificates, want one"}
		case again:
			return nil, &PEMError{Reason: PEMSeveralPrivateKeys, Detail: "several private keys, want one"}
		}
		blocks[block.Type] = block.Bytes
	}
	if begun := countBlocks(text); begun != count { // package pem skips those that it cannot read
		return nil, &PEMError{Reason: PEMSyntax, Detail: fmt.Sprintf("%d of %d blocks cannot be read", begun-count, begun)}
	}
	certificate, ok := blocks[labelCertificate]
	if !ok {
		return nil, &PEMError{Reason: PEMNoCertificate, Detail: "no certificate, want one"}
	}
	key, ok := blocks[labelPrivateKey]
	if !ok {
		return nil, &PEMError{Reason: PEMNoPrivateKey, Detail: "no private key, want one"}
	}
	return parseDER(certificate, key)
}

// unexpectedLabel says how to get to the right form from those that are common.
func unexpectedLabel(label string) error {
	detail := "unexpected block " + fault.Quote(label) + ", want CERTIFICATE and PRIVATE KEY"
	switch label {
	case labelRSA, "EC PRIVATE KEY":
		detail += "; openssl pkcs8 -topk8 -nocrypt converts keys"
	case "ENCRYPTED PRIVATE KEY":
		detail += "; openssl pkcs8 decrypts keys"
	}
	return &PEMError{Reason: PEMUnexpectedLabel, Detail: detail}
}

func countBlocks(text []byte) int {
	const begin = "-----BEGIN "
	n := bytes.Count(text, []byte("\n"+begin))
	if bytes.HasPrefix(text, []byte(begin)) {
		n++
	}
	return n
}

func parseDER(certificate, key []byte) (*HeldCertificate, error) {
	cert, err := x509.ParseCertificate(certificate)
	if err != nil {
		return nil, &PEMError{PEMCertificate, "the certificate cannot be read: " + fault.Printable(err.Error(), 256), err}
	}
	name, ok := keyType(cert.PublicKey)
	if !ok {
		err := &KeyError{name, supportedKeys}
		return nil, &PEMError{PEMKeyType, "the certificate has a key of type " + name + ", want " + supportedKeys, err}
	}
	parsed, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil { // which might quote the key
		return nil, &PEMError{Reason: PEMPrivateKey, Detail: "the private key cannot be read as PKCS #8"}
	}
	signer, ok := parsed.(crypto.Signer)
	if !ok {
		err := &KeyError{fmt.Sprintf("%T", parsed), supportedKeys}
		return nil, &PEMError{PEMKeyType, "the private key is a " + err.Type + ", want " + supportedKeys, err}
	}
	if public, ok := cert.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); !ok || !public.Equal(signer.Public()) {
		return nil, &PEMError{Reason: PEMMismatch, Detail: "the private key is not that of the certificate"}
	}
	return &HeldCertificate{cert, &heldKey{signer}}, nil
}
