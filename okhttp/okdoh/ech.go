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

// usableECH reports whether crypto/tls takes a list, which it does if each configuration of the version it knows is well-formed and one of them is
// for algorithms that it has.
func usableECH(list []byte) bool {
	contents, ok := echConfigs(list)
	usable := false
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
		known, suitesOK := knownSuite(suites)
		if !extensionsOK || !suitesOK {
			return false
		}
		usable = usable || !mandatory && known && knownKey(kem, key) && isPublicName(string(name))
	}
	return ok && usable
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

// knownSuite looks for a pair of key derivation and encryption.
func knownSuite(suites []byte) (found, ok bool) {
	for w := (wire{left: suites}); len(w.left) > 0; {
		kdf, aead := w.number(2), w.number(2)
		if w.bad {
			return false, false
		}
		_, kdfErr := hpke.NewKDF(kdf)
		_, aeadErr := hpke.NewAEAD(aead)
		found = found || kdfErr == nil && aeadErr == nil
	}
	return found, true
}

func knownKey(id uint16, key []byte) bool {
	kem, err := hpke.NewKEM(id)
	if err != nil {
		return false
	}
	_, err = kem.NewPublicKey(key)
	return err == nil
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
