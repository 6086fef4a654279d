package oktls

import (
	"crypto/x509"
	"sync"
	"time"
)

// Localhost returns what a server and its clients on this machine need: a certificate that signs itself and is trusted by itself alone, for
// localhost and localhost.localdomain and, because the address of a listener is what a program has at hand, for 127.0.0.1 and ::1. All
// callers share one. Its key is made at the first call and lives in memory only.
//
// It is valid from the beginning of the year 2000, which is where the clock of a testing/synctest bubble begins, and has no end (RFC 5280
// section 4.1.2.5), so that it serves as long as the process lives.
func Localhost() *HandshakeCertificates { return localhost() }

var localhost = sync.OnceValue(func() *HandshakeCertificates {
	held, err := NewHeldCertificate(HeldCertificateConfig{
		CommonName:      "localhost",
		SubjectAltNames: []string{"localhost", "localhost.localdomain", "127.0.0.1", "::1"},
		NotBefore:       time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:        time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	})
	if err != nil {
		panic(err) // nothing of this depends on anything that could be wrong
	}
	certificates, err := NewHandshakeCertificates(HandshakeCertificatesConfig{
		Certificate: held,
		Trusted:     []*x509.Certificate{held.cert},
	})
	if err != nil {
		panic(err)
	}
	return certificates
})
