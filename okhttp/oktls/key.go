package oktls

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
)

// KeyError reports a key of a type that cannot be used for something. It does not contain the key.
type KeyError struct {
	Type string // of the key: "RSA", "ECDSA", "Ed25519", or else what is known of it
	Want string
}

func (e *KeyError) Error() string { return "oktls: key of type " + e.Type + ", want " + e.Want }

const supportedKeys = "RSA, ECDSA or Ed25519"

// keyType names the type of a public key, and reports whether certificates can have it.
func keyType(pub crypto.PublicKey) (string, bool) {
	switch pub.(type) {
	case *rsa.PublicKey:
		return "RSA", true
	case *ecdsa.PublicKey:
		return "ECDSA", true
	case ed25519.PublicKey:
		return "Ed25519", true
	}
	return fmt.Sprintf("%T", pub), false
}

// checkKey refuses keys that certificates cannot have, and those that are not there.
func checkKey(key crypto.Signer) error {
	empty := false
	switch k := key.(type) { // the methods of some of these panic
	case *rsa.PrivateKey:
		empty = k == nil || k.N == nil
	case *ecdsa.PrivateKey:
		empty = k == nil || k.Curve == nil
	case ed25519.PrivateKey:
		empty = len(k) != ed25519.PrivateKeySize
	}
	if empty {
		return &KeyError{fmt.Sprintf("%T, which is empty", key), supportedKeys}
	}
	if name, ok := keyType(key.Public()); !ok {
		return &KeyError{name, supportedKeys}
	}
	return nil
}

// signatureAlgorithm is that of a signer.
func signatureAlgorithm(signer crypto.PublicKey) (x509.SignatureAlgorithm, error) {
	switch signer.(type) {
	case *rsa.PublicKey:
		return x509.SHA256WithRSA, nil
	case *ecdsa.PublicKey:
		return x509.ECDSAWithSHA256, nil
	case ed25519.PublicKey:
		return x509.PureEd25519, nil
	}
	name, _ := keyType(signer)
	return 0, &KeyError{name, supportedKeys}
}
