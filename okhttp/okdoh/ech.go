package okdoh

import (
	"crypto/hpke"
	"strings"
)

// echVersion is that of the ECH that crypto/tls speaks (RFC 9849 section 4).
const echVersion = 0xfe0d

// wire reads the vectors of TLS. It fails once and for all.
type wire struct {
	left []byte
	bad  bool
}

func (w *wire) bytes(n int) []byte {
	if w.bad = w.bad || n > len(w.left); w.bad {
		return nil
	}
	p := w.left[:n]
	w.left = w.left[n:]
	return p
}

// number reads an integer of one or two bytes.
func (w *wire) number(size int) (n uint16) {
	for _, b := range w.bytes(size) {
		n = n<<8 | uint16(b)
	}
	return n
}

// vector reads a length of one or two bytes, and as many bytes as it says.
func (w *wire) vector(size int) []byte { return w.bytes(int(w.number(size))) }

// echConfigs splits an ECHConfigList: two bytes of length, and then configurations, each a version, a length and contents. It returns the contents of
// those of the known version.
func echConfigs(list []byte) (contents [][]byte, ok bool) {
	outer := wire{left: list}
	inner := wire{left: outer.vector(2)}
	if outer.bad || len(outer.left) > 0 || len(inner.left) == 0 {
		return nil, false
	}
	for len(inner.left) > 0 {
		version, content := inner.number(2), inner.vector(2)
		if inner.bad {
			return nil, false
		}
		if version == echVersion {
			contents = append(contents, content)
		}
	}
	return contents, true
}

// isECHConfigList reports whether a parameter has the form of one.
func isECHConfigList(list []byte) bool {
	_, ok := echConfigs(list)
	return ok
}

// usableECH reports whether crypto/tls sends a Client Hello with a list: each configuration of the version it knows is well-formed, and the first that
// it picks, for the algorithms that it has, can encrypt. It looks no further than that one.
func usableECH(list []byte) bool {
	contents, ok := echConfigs(list)
	picked, usable := false, false
	for _, c := range contents {
		w := wire{left: c}
		w.number(1) // the configuration's id
		kem, key, suites := w.number(2), w.vector(2), w.vector(2)
		w.number(1) // the longest name
		name, extensions := w.vector(1), w.vector(2)
		if w.bad {
			return false
		}
		mandatory, extensionsOK := mandatoryExtension(extensions)
		kdf, aead, suitesOK := knownSuite(suites)
		if !extensionsOK || !suitesOK {
			return false
		}
		to := knownKey(kem, key)
		if !picked && !mandatory && kdf != nil && to != nil && isPublicName(string(name)) {
			picked, usable = true, encrypts(to, kdf, aead)
		}
	}
	return ok && usable
}

// encrypts tries a key and a suite: a key may be a point of low order, and a suite one that only exports (RFC 9180 sections 7.1.4 and 7.3).
func encrypts(to hpke.PublicKey, kdf hpke.KDF, aead hpke.AEAD) bool {
	_, sender, err := hpke.NewSender(to, kdf, aead, nil)
	if err != nil {
		return false
	}
	_, err = sender.Seal(nil, nil)
	return err == nil
}

// mandatoryExtension looks for an extension that must be understood; crypto/tls understands none.
func mandatoryExtension(extensions []byte) (found, ok bool) {
	for w := (wire{left: extensions}); len(w.left) > 0; {
		kind := w.number(2)
		w.vector(2)
		if w.bad {
			return false, false
		}
		found = found || kind&(1<<15) != 0
	}
	return found, true
}

// knownSuite looks for the first pair of key derivation and encryption that crypto/hpke has; kdf is nil if there is none.
func knownSuite(suites []byte) (kdf hpke.KDF, aead hpke.AEAD, ok bool) {
	for w := (wire{left: suites}); len(w.left) > 0; {
		kdfID, aeadID := w.number(2), w.number(2)
		if w.bad {
			return nil, nil, false
		}
		k, kdfErr := hpke.NewKDF(kdfID)
		a, aeadErr := hpke.NewAEAD(aeadID)
		if kdf == nil && kdfErr == nil && aeadErr == nil {
			kdf, aead = k, a
		}
	}
	return kdf, aead, true
}

// knownKey is the public key, or nil if its kind is unknown or it is none of that kind.
func knownKey(id uint16, key []byte) hpke.PublicKey {
	kem, err := hpke.NewKEM(id)
	if err != nil {
		return nil
	}
	public, err := kem.NewPublicKey(key)
	if err != nil {
		return nil
	}
	return public
}

// isPublicName reports whether the name that is sent in the open is one of letters, digits and hyphens, with two labels at least.
func isPublicName(name string) bool {
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		for i := range len(l) {
			if c := l[i]; (c|0x20 < 'a' || 'z' < c|0x20) && (c < '0' || '9' < c) && c != '-' {
				return false
			}
		}
	}
	return len(labels) > 1 && len(name) <= 253
}
