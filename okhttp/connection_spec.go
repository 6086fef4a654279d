package okhttp

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strings"
)

// ConnectionSpec is one way to secure a connection, or not to. A client has a list of them: connections start with the first that its
// TLS configuration allows, and go on to the next when the handshake fails for a reason other than trust. It is a comparable value.
//
// crypto/tls orders cipher suites by itself, chooses those of TLS 1.3, and does not send TLS_FALLBACK_SCSV; a spec decides about versions,
// the suites up to TLS 1.2, and whether the protocol is negotiated.
type ConnectionSpec struct {
	tls      bool
	min, max uint16
	suites   string // two bytes each, sorted; "": those of crypto/tls
	noALPN   bool
}

// The presets, for [WithConnectionSpecs].
var (
	// RestrictedTLS is TLS 1.2 and 1.3 with forward secrecy and authenticated encryption alone.
	RestrictedTLS = ConnectionSpec{tls: true, min: tls.VersionTLS12, max: tls.VersionTLS13, suites: suiteKey(restrictedSuites)}
	// ModernTLS is TLS 1.2 and 1.3 with what crypto/tls considers secure. It is the default, with Cleartext.
	ModernTLS = ConnectionSpec{tls: true, min: tls.VersionTLS12, max: tls.VersionTLS13}
	// CompatibleTLS also speaks TLS 1.0 and 1.1, and suites without forward secrecy, for old servers.
	CompatibleTLS = ConnectionSpec{tls: true, min: tls.VersionTLS10, max: tls.VersionTLS13, suites: suiteKey(compatibleSuites)}
	// Cleartext is no TLS: without it in the list, http URLs fail with a [*CleartextError].
	Cleartext = ConnectionSpec{}
)

var restrictedSuites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

var compatibleSuites = append(slices.Clip(restrictedSuites),
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, // or else no server with an ECDSA key below TLS 1.2
	tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
	tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA, tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA,
)

// SpecConfig describes a [ConnectionSpec] for [NewConnectionSpec].
type SpecConfig struct {
	MinVersion, MaxVersion uint16   // of crypto/tls. 0: TLS 1.2 and TLS 1.3
	CipherSuites           []uint16 // of crypto/tls, up to TLS 1.2. nil: those it considers secure
	NoALPN                 bool     // do not negotiate the protocol: HTTP/1.1 is spoken
}

// NewConnectionSpec makes a spec of TLS. It fails for versions and suites that crypto/tls does not have, for a list of suites that is empty,
// and for a minimum above the maximum.
func NewConnectionSpec(c SpecConfig) (ConnectionSpec, error) {
	s := ConnectionSpec{tls: true, min: c.MinVersion, max: c.MaxVersion, noALPN: c.NoALPN}
	if s.min == 0 {
		s.min = tls.VersionTLS12
	}
	if s.max == 0 {
		s.max = tls.VersionTLS13
	}
	known := append(tls.CipherSuites(), tls.InsecureCipherSuites()...)
	switch {
	case s.min < tls.VersionTLS10 || s.max > tls.VersionTLS13:
		return Cleartext, fmt.Errorf("okhttp: the versions of a connection spec must be from TLS 1.0 to TLS 1.3, not %s to %s", tls.VersionName(s.min), tls.VersionName(s.max))
	case s.min > s.max:
		return Cleartext, fmt.Errorf("okhttp: the minimum version of a connection spec, %s, is above its maximum, %s", tls.VersionName(s.min), tls.VersionName(s.max))
	case c.CipherSuites != nil && len(c.CipherSuites) == 0:
		return Cleartext, fmt.Errorf("okhttp: a connection spec needs at least one cipher suite")
	}
	for _, id := range c.CipherSuites {
		if !slices.ContainsFunc(known, func(s *tls.CipherSuite) bool { return s.ID == id }) {
			return Cleartext, fmt.Errorf("okhttp: no cipher suite of crypto/tls has the number 0x%04x", id)
		}
	}
	s.suites = suiteKey(c.CipherSuites)
	return s, nil
}

// specsKey makes a list of specs comparable.
func specsKey(specs []ConnectionSpec) string {
	var key strings.Builder
	for _, s := range specs {
		fmt.Fprintf(&key, "%v %d %d %x %v;", s.tls, s.min, s.max, s.suites, s.noALPN)
	}
	return key.String()
}

// suiteKey makes a list comparable.
func suiteKey(suites []uint16) string {
	sorted := slices.Clone(suites)
	slices.Sort(sorted)
	var key strings.Builder
	for _, id := range slices.Compact(sorted) {
		key.WriteByte(byte(id >> 8))
		key.WriteByte(byte(id))
	}
	return key.String()
}

// IsTLS reports whether s is a way to use TLS.
func (s ConnectionSpec) IsTLS() bool { return s.tls }

// CipherSuites returns the suites up to TLS 1.2, nil if they are left to crypto/tls.
func (s ConnectionSpec) CipherSuites() (list []uint16) {
	for i := 0; i < len(s.suites); i += 2 {
		list = append(list, uint16(s.suites[i])<<8|uint16(s.suites[i+1]))
	}
	return list
}

// String returns the versions and suites.
func (s ConnectionSpec) String() string {
	if !s.tls {
		return "ConnectionSpec()"
	}
	suites := "[all enabled]"
	if s.suites != "" {
		names := []string{}
		for _, id := range s.CipherSuites() {
			names = append(names, tls.CipherSuiteName(id))
		}
		suites = fmt.Sprint(names)
	}
	return fmt.Sprintf("ConnectionSpec(cipherSuites=%s, tlsVersions=[%s-%s], alpn=%v)", suites, tlsVersionName(s.min), tlsVersionName(s.max), !s.noALPN)
}

// apply narrows a TLS configuration to the spec. It reports false if nothing is left that both allow.
func (s ConnectionSpec) apply(t *tls.Config) bool {
	t.MinVersion = max(t.MinVersion, s.min)
	if t.MaxVersion == 0 || t.MaxVersion > s.max {
		t.MaxVersion = s.max
	}
	if t.MinVersion > t.MaxVersion {
		return false
	}
	switch own := s.CipherSuites(); {
	case own == nil:
	case t.CipherSuites == nil:
		t.CipherSuites = own
	default:
		t.CipherSuites = slices.DeleteFunc(slices.Clone(t.CipherSuites), func(id uint16) bool { return !slices.Contains(own, id) })
		if len(t.CipherSuites) == 0 && t.MaxVersion < tls.VersionTLS13 {
			return false
		}
		if len(t.CipherSuites) == 0 {
			t.MinVersion = tls.VersionTLS13 // whose suites are not chosen
		}
	}
	return true
}
