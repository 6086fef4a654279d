package okcache

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
)

type certificate = x509.Certificate

// parsed keeps the certificates that were read lately: entries of one server have the same, and a call should not parse them again.
var parsed struct {
	sync.Mutex
	m map[string]*certificate
}

const maxParsed = 64

var errNoCertificate = errors.New("corrupt certificate in cache entry")

// parseCertificate reads one in base64.
func parseCertificate(s string) (*certificate, error) {
	parsed.Lock()
	c := parsed.m[s]
	parsed.Unlock()
	if c != nil {
		return c, nil
	}
	der, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoCertificate, err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoCertificate, err)
	}
	parsed.Lock()
	defer parsed.Unlock()
	if len(parsed.m) >= maxParsed || parsed.m == nil {
		parsed.m = make(map[string]*certificate, maxParsed)
	}
	parsed.m[strings.Clone(s)] = c
	return c, nil
}

// javaNames are the suites of crypto/tls whose names differ on the JVM, which kept those of SSL.
var javaNames = map[string]string{
	"TLS_RSA_WITH_RC4_128_SHA":      "SSL_RSA_WITH_RC4_128_SHA",
	"TLS_RSA_WITH_3DES_EDE_CBC_SHA": "SSL_RSA_WITH_3DES_EDE_CBC_SHA",
	// The suites of RFC 7905 have another name in crypto/tls for the sake of its constants, but CipherSuiteName gives that of IANA.
}

var goNames = func() map[string]string {
	m := make(map[string]string, len(javaNames))
	for name, java := range javaNames {
		m[java] = name
	}
	return m
}()

// javaSuite returns the name that the JVM has for a cipher suite.
func javaSuite(name string) string {
	if java, ok := javaNames[name]; ok {
		return java
	}
	return name
}

// goSuite is the way back. A name that nobody knows stays what it is.
func goSuite(name string) string {
	if s, ok := goNames[name]; ok {
		return s
	}
	return name
}

// javaVersion returns the name that the JVM has for a version of TLS.
func javaVersion(name string) string {
	if knownVersion(name) {
		return name
	}
	return "SSLv3"
}

func knownVersion(s string) bool {
	switch s {
	case "TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1", "SSLv3":
		return true
	}
	return false
}
