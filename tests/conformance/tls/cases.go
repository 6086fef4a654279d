package tls

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"slices"
	"sync"
	"time"
)

// host is the one that most cases are about.
const host = "good.example.test"

const day = 24 * time.Hour

// table collects the cases, most of which trust one root.
type table struct {
	root, intermediate, stranger *node
	rsa                          crypto.Signer // of 2048 bits, which take long to find
	cases                        []Case
}

func (t *table) add(name string, e Expect, host, why string, config *tls.Config) *Case {
	t.cases = append(t.cases, Case{Name: name, Why: why, Host: host, Expect: e, Roots: pool(t.root), Config: config})
	return &t.cases[len(t.cases)-1]
}

// Cases returns the whole table, which is made once.
var Cases = sync.OnceValue(func() []Case {
	root := authority(nil, nil)
	t := &table{root: root, intermediate: authority(root, nil), stranger: authority(nil, nil), rsa: newRSA(2048)}
	t.sound()
	t.validity()
	t.trust()
	t.usage()
	t.names()
	t.wildcards()
	t.constraints()
	t.protocol()
	t.clientCertificates()
	return t.cases
})

func (t *table) sound() {
	t.add("ok", Accept, host, "leaf directly under the trusted root", serve(leaf(t.root, nil)))
	t.add("ok-intermediate", Accept, host, "leaf - intermediate - root", serve(leaf(t.intermediate, nil), t.intermediate))
	t.add("ok-host-case", Accept, "GOOD.Example.TEST", "host names compare case-insensitively", serve(leaf(t.root, nil)))
	t.add("ok-wildcard", Accept, "a.example.test", "*.example.test matches one left-most label", serve(leaf(t.root, names("*.example.test"))))
	t.add("ok-ipv4-san", Accept, "127.0.0.1", "iPAddress SAN", serve(leaf(t.root, addresses("127.0.0.1"))))
	t.add("ok-ipv6-san", Accept, "::1", "iPAddress SAN, IPv6", serve(leaf(t.root, addresses("::1"))))
	t.add("ok-idn-a-label", Accept, "xn--mnchen-3ya.example.test", "A-label SAN", serve(leaf(t.root, names("xn--mnchen-3ya.example.test"))))
	t.add("ok-rsa-2048", Accept, host, "RSA key", serve(leafOf(t.root, t.rsa, nil)))
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	t.add("ok-ed25519", Policy, host, "Ed25519 key", serve(leafOf(t.root, must(ed, err), nil)))
	t.add("ok-extra-unrelated-cert", Accept, host, "an unrelated certificate in the chain is ignored",
		serve(leaf(t.intermediate, nil), t.stranger, t.intermediate))
	permits := authority(t.root, func(c *x509.Certificate) {
		c.PermittedDNSDomainsCritical, c.PermittedDNSDomains = true, []string{"example.test"}
	})
	t.add("ok-name-constraint-permitted", Accept, host, "name inside the permitted subtree", serve(leaf(permits, nil), permits))
}

func (t *table) validity() {
	past, future := validity(-10*day, -day), validity(day, 10*day)
	t.add("expired", Reject, host, "notAfter is past", serve(leaf(t.root, past)))
	t.add("not-yet-valid", Reject, host, "notBefore is in the future", serve(leaf(t.root, future)))
	expired := authority(t.root, past)
	t.add("expired-intermediate", Reject, host, "an intermediate is expired", serve(leaf(expired, nil), expired))
	expiredRoot := authority(nil, past)
	t.add("expired-root", Policy, host, "the trust anchor itself is expired", serve(leaf(expiredRoot, nil))).Roots = pool(expiredRoot)
}

func (t *table) trust() {
	t.add("self-signed", Reject, host, "leaf signed by itself, not trusted", serve(leaf(nil, nil)))
	t.add("untrusted-root", Reject, host, "chain ends in another root", serve(leaf(t.stranger, nil), t.stranger))
	t.add("missing-intermediate", Reject, host, "server does not send the intermediate", serve(leaf(t.intermediate, nil)))
	impostor := authority(nil, func(c *x509.Certificate) { c.Subject, c.SubjectKeyId = t.root.cert.Subject, t.root.cert.SubjectKeyId })
	t.add("same-name-other-key", Reject, host, "issuer name equals the root's, signed by another key", serve(leaf(impostor, nil)))
	forged := leaf(t.intermediate, nil)
	forged.der = slices.Clone(forged.der)
	forged.der[len(forged.der)-1] ^= 1
	t.add("bad-signature", Reject, host, "one bit of the signature flipped", serve(forged, t.intermediate))
	noAuthority := leaf(t.root, nil)
	t.add("issuer-not-ca", Reject, host, "issuer is an end-entity certificate", serve(leaf(noAuthority, nil), noAuthority))
	noBasicConstraints := issue(t.root, newKey(), func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageCertSign })
	t.add("issuer-no-basic-constraints", Reject, host, "v3 issuer without basicConstraints",
		serve(leaf(noBasicConstraints, nil), noBasicConstraints))
	noCertSign := authority(t.root, func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageDigitalSignature })
	t.add("issuer-no-certsign", Policy, host, "issuer keyUsage lacks keyCertSign", serve(leaf(noCertSign, nil), noCertSign))
	last := authority(t.root, func(c *x509.Certificate) { c.MaxPathLen, c.MaxPathLenZero = 0, true })
	below := authority(last, nil)
	t.add("pathlen-exceeded", Reject, host, "CA below a pathLen:0 CA", serve(leaf(below, nil), below, last))
	t.add("critical-unknown-ext", Reject, host, "unknown critical extension in the leaf", serve(leaf(t.root, unknownExtension(true))))
	t.add("unknown-ext", Accept, host, "unknown non-critical extension", serve(leaf(t.root, unknownExtension(false))))
	t.add("rsa-1024", Policy, host, "weak RSA key", serve(leafOf(t.root, newRSA(1024), nil)))
}

func (t *table) usage() {
	clientOnly := usages(x509.ExtKeyUsageClientAuth)
	t.add("eku-client-only", Reject, host, "EKU clientAuth only", serve(leaf(t.root, clientOnly)))
	t.add("eku-codesigning-only", Reject, host, "EKU codeSigning only", serve(leaf(t.root, usages(x509.ExtKeyUsageCodeSigning))))
	t.add("eku-any", Policy, host, "EKU anyExtendedKeyUsage", serve(leaf(t.root, usages(x509.ExtKeyUsageAny))))
	t.add("eku-none", Accept, host, "no EKU extension", serve(leaf(t.root, usages())))
	nested := authority(t.root, clientOnly)
	t.add("eku-nested-ca-client-only", Policy, host, "the CA's EKU excludes serverAuth", serve(leaf(nested, nil), nested))
	t.add("leaf-is-ca", Policy, host, "the server certificate is a CA certificate",
		serve(leaf(t.root, func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = true, true })))
	t.add("rsa-no-digital-signature", Policy, host, "RSA leaf with keyEncipherment only, TLS 1.3",
		serve(leafOf(t.root, t.rsa, func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageKeyEncipherment })))
}

func (t *table) names() {
	t.add("wrong-host", Reject, "bad.example.test", "SAN has another name", serve(leaf(t.root, nil)))
	t.add("cn-only", Reject, host, "no SAN; CN has the name (RFC 9525)", serve(leaf(t.root, commonName(host))))
	t.add("cn-matches-san-does-not", Reject, host, "CN must be ignored when a SAN exists", serve(leaf(t.root, func(c *x509.Certificate) {
		c.DNSNames, c.Subject.CommonName = []string{"bad.example.test"}, host
	})))
	t.add("no-names", Reject, host, "neither SAN nor CN", serve(leaf(t.root, func(c *x509.Certificate) {
		c.DNSNames, c.Subject = nil, pkix.Name{Organization: []string{"x"}}
	})))
	t.add("ip-as-dns-san", Reject, "127.0.0.1", "IP text in a dNSName", serve(leaf(t.root, names("127.0.0.1"))))
	t.add("ip-wrong", Reject, "127.0.0.1", "iPAddress of another host", serve(leaf(t.root, addresses("127.0.0.2"))))
	t.add("ip-cn-only", Reject, "127.0.0.1", "IP only in the CN", serve(leaf(t.root, commonName("127.0.0.1"))))
	t.add("nul-in-san", Reject, host, "good.example.test NUL .evil.test", serve(leaf(t.root, rawNames(host+"\x00.evil.test"))))
	t.add("suffix-confusion", Reject, host, "SAN example.test.evil",
		serve(leaf(t.root, names("good.example.test.evil", "xgood.example.test", "example.test"))))
	t.add("trailing-dot-san", Policy, host, "SAN with a trailing dot", serve(leaf(t.root, rawNames(host+"."))))
	t.add("empty-dns-san", Reject, host, "an empty dNSName", serve(leaf(t.root, rawNames(""))))
	t.add("non-ascii-san", Reject, "xn--mnchen-3ya.example.test", "raw UTF-8 U-label in dNSName",
		serve(leaf(t.root, rawNames("m\xc3\xbcnchen.example.test"))))
}

func (t *table) wildcards() {
	t.add("wildcard-two-labels", Reject, "a.b.example.test", "* stands for one label only", serve(leaf(t.root, names("*.example.test"))))
	t.add("wildcard-apex", Reject, "example.test", "*.example.test does not match example.test", serve(leaf(t.root, names("*.example.test"))))
	t.add("wildcard-not-leftmost", Reject, "www.a.test", "www.*.test", serve(leaf(t.root, names("www.*.test"))))
	t.add("wildcard-partial", Reject, "foo.example.test", "f*.example.test (RFC 9525 6.3)", serve(leaf(t.root, names("f*.example.test"))))
	t.add("wildcard-double", Reject, "a.b.example.test", "*.*.example.test", serve(leaf(t.root, names("*.*.example.test"))))
	t.add("wildcard-tld", Policy, "example.test", "*.test", serve(leaf(t.root, names("*.test"))))
	t.add("wildcard-bare", Reject, host, "a bare *", serve(leaf(t.root, rawNames("*"))))
	t.add("wildcard-ip", Reject, "127.0.0.1", "*.0.0.1 as dNSName for an IP host", serve(leaf(t.root, rawNames("*.0.0.1"))))
}

// constraints are those on names (RFC 5280 section 4.2.1.10).
func (t *table) constraints() {
	under := func(constrain, change edit) *tls.Config {
		a := authority(t.root, func(c *x509.Certificate) {
			c.PermittedDNSDomainsCritical = true
			constrain(c)
		})
		return serve(leaf(a, change), a)
	}
	permit := func(domain string) edit {
		return func(c *x509.Certificate) { c.PermittedDNSDomains = []string{domain} }
	}
	exclude := func(domain string) edit { return func(c *x509.Certificate) { c.ExcludedDNSDomains = []string{domain} } }
	t.add("nc-not-permitted", Reject, host, "name outside the permitted subtree", under(permit("other.test"), nil))
	t.add("nc-excluded", Reject, host, "name inside the excluded subtree", under(exclude("example.test"), nil))
	t.add("nc-label-boundary", Reject, "badexample.test", "permitted example.test must not match badexample.test",
		under(permit("example.test"), names("badexample.test")))
	t.add("nc-wildcard-excluded", Reject, "x.example.test", "*.example.test under excluded x.example.test",
		under(exclude("x.example.test"), names("*.example.test")))
	t.add("nc-ip-excluded", Reject, "127.0.0.1", "excluded 127.0.0.0/8", under(func(c *x509.Certificate) {
		c.ExcludedIPRanges = []*net.IPNet{{IP: net.IPv4(127, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)}}
	}, addresses("127.0.0.1")))
}

func (t *table) protocol() {
	only := func(version uint16) *tls.Config {
		c := serve(leaf(t.root, nil))
		c.MinVersion, c.MaxVersion = version, version
		return c
	}
	t.add("tls10-only", Reject, host, "server speaks TLS 1.0 only", only(tls.VersionTLS10))
	t.add("tls11-only", Reject, host, "server speaks TLS 1.1 only", only(tls.VersionTLS11))
	t.add("tls12-only", Accept, host, "server speaks TLS 1.2 only", only(tls.VersionTLS12))
	rc4 := only(tls.VersionTLS12)
	rc4.Certificates = []tls.Certificate{chained(leafOf(t.root, t.rsa, nil))}
	rc4.CipherSuites = []uint16{tls.TLS_RSA_WITH_RC4_128_SHA}
	rc4.NextProtos = []string{"http/1.1"} // a server of HTTP/2 would not start
	t.add("rc4-only", Reject, host, "server offers RC4 only", rc4)
	alpn := serve(leaf(t.root, nil))
	alpn.NextProtos = []string{"acme-tls/1"}
	t.add("no-common-alpn", Reject, host, "no common ALPN protocol (fatal alert from the server)", alpn)
}

func (t *table) clientCertificates() {
	wanting := func() *tls.Config {
		c := serve(leaf(t.root, nil))
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, pool(t.stranger)
		return c
	}
	of := func(issuer *node) *tls.Certificate {
		c := chained(leaf(issuer, usages(x509.ExtKeyUsageClientAuth)))
		return &c
	}
	t.add("client-cert-required", Reject, host, "server requires a client certificate, none is sent", wanting())
	t.add("client-cert-sent", Accept, host, "client certificate accepted", wanting()).Client = of(t.stranger)
	t.add("client-cert-wrong-ca", Reject, host, "client certificate of another CA", wanting()).Client = of(t.root)
}
