package mockserver

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"
)

// A CertificateFault is what is wrong with a certificate. See [BadCertificate].
type CertificateFault int

const (
	_ CertificateFault = iota
	// Expired is a certificate that was valid until 1999, before the clock of a synctest bubble begins.
	Expired
	// NotYetValid is a certificate that is valid from 2098 on.
	NotYetValid
	// WrongHost is a certificate for the name wrong-host.invalid alone.
	WrongHost
	// UnknownAuthority is a certificate that is signed by an authority that nobody trusts.
	UnknownAuthority
)

// String returns the name of the constant.
func (f CertificateFault) String() string {
	names := [...]string{"none", "Expired", "NotYetValid", "WrongHost", "UnknownAuthority"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("CertificateFault(%d)", int(f))
	}
	return names[f]
}

// faulty makes a certificate for names, and for those of localhost, with something wrong.
func faulty(f CertificateFault, names ...string) (tls.Certificate, error) {
	a, err := processAuthority()
	if f == UnknownAuthority {
		a, err = newAuthority()
	}
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("mockserver: certificate authority: %w", err)
	}
	template := leafTemplate(x509.ExtKeyUsageServerAuth)
	names = append([]string{"localhost", "127.0.0.1", "::1"}, names...)
	switch f {
	case Expired:
		template.NotAfter = template.NotBefore.Add(24 * time.Hour)
	case NotYetValid:
		template.NotBefore = template.NotAfter.Add(-365 * 24 * time.Hour)
	case WrongHost:
		names = []string{"wrong-host.invalid"}
	}
	return a.sign(template, names)
}
