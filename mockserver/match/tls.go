package match

import (
	"crypto/x509"

	"github.com/okhttp-go/ok/mockserver"
)

// TLS matches requests over TLS, or with false those that are not.
func TLS(over bool) mockserver.Matcher {
	words := map[bool]string{true: "TLS", false: "cleartext"}
	return &matcher{text: "over " + words[over], match: func(r *mockserver.Request) []mockserver.Mismatch {
		if (r.TLS != nil) == over {
			return nil
		}
		return one("transport", words[over], words[!over], 0.5)
	}}
}

// ServerName matches requests over TLS whose client named the server so (SNI, RFC 6066 section 3). Without TLS, and for addresses, there is no name.
func ServerName(p Pattern) mockserver.Matcher {
	return textMatcher("server name", p, func(r *mockserver.Request) (string, bool) {
		if r.TLS == nil {
			return "", false
		}
		return r.TLS.ServerName, r.TLS.ServerName != ""
	})
}

// ClientCertificate matches requests over TLS by a name in the certificate of the client: the common name of its subject, a DNS name, an e-mail address, a
// URI or an IP address. [Absent] matches those without a certificate.
func ClientCertificate(p Pattern) mockserver.Matcher {
	return valuesMatcher("client certificate", p, false, func(r *mockserver.Request) []string {
		if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
			return nil
		}
		return names(r.TLS.PeerCertificates[0])
	})
}

func names(c *x509.Certificate) []string {
	list := []string{c.Subject.CommonName}
	list = append(list, c.DNSNames...)
	list = append(list, c.EmailAddresses...)
	for _, ip := range c.IPAddresses {
		list = append(list, ip.String())
	}
	for _, u := range c.URIs {
		list = append(list, u.String())
	}
	return list
}
