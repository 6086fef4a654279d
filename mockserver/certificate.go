package mockserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// authority signs the certificates of all servers of the process. It lives in memory only.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	leaf *ecdsa.PrivateKey // of every server certificate
}

// The certificates are valid on the clock of a synctest bubble, which begins in 2000, as well as on the real one.
var (
	validFrom = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	validTo   = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
)

// processAuthority is made at first use.
var processAuthority = sync.OnceValues(newAuthority)

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "mockserver test authority"},
		NotBefore:             validFrom,
		NotAfter:              validTo,
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert, key, leaf}, err
}

func newSerial() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
}

// leafTemplate is what the certificates that an authority signs have in common.
func leafTemplate(use x509.ExtKeyUsage) *x509.Certificate {
	return &x509.Certificate{
		Subject:     pkix.Name{CommonName: "mockserver"},
		NotBefore:   validFrom,
		NotAfter:    validTo,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{use},
	}
}

// issue makes a server certificate for names and IP addresses, beside those of localhost.
func (a *authority) issue(names ...string) (tls.Certificate, error) {
	return a.sign(leafTemplate(x509.ExtKeyUsageServerAuth), slices.Concat([]string{"localhost", "127.0.0.1", "::1"}, names))
}

// sign makes a certificate for names and IP addresses; empty and repeated ones are skipped.
func (a *authority) sign(template *x509.Certificate, names []string) (cert tls.Certificate, err error) {
	if template.SerialNumber, err = newSerial(); err != nil {
		return tls.Certificate{}, err
	}
	seen := map[string]bool{"": true}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.leaf.PublicKey, a.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("mockserver: certificate for %q: %w", names, err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("mockserver: certificate for %q: %w", names, err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.leaf, Leaf: leaf}, nil
}

// secrets is what the TLS of a server is made of.
type secrets struct {
	config *tls.Config       // of the server
	trust  *x509.Certificate // what clients must trust; nil if that is not known
}

// newSecrets makes the TLS of a server, nil if it has none.
func newSecrets(c *config, host string) (*secrets, error) {
	switch {
	case !c.secure:
		return nil, nil
	case c.tls == nil:
		a, err := processAuthority()
		if err != nil {
			return nil, fmt.Errorf("mockserver: certificate authority: %w", err)
		}
		names := append([]string{host}, c.names...)
		cert, err := a.issue(names...)
		if c.badCert != 0 {
			cert, err = faulty(c.badCert, names...)
		}
		if err != nil {
			return nil, err
		}
		s := &secrets{&tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: c.alpn()}, a.cert}
		c.authenticate(s.config, a)
		return s, nil
	}
	s := &secrets{config: c.tls.Clone()}
	if s.config.NextProtos == nil {
		s.config.NextProtos = c.alpn()
	}
	if c.clientAuth != tls.NoClientCert {
		a, err := processAuthority()
		if err != nil {
			return nil, fmt.Errorf("mockserver: certificate authority: %w", err)
		}
		c.authenticate(s.config, a)
	}
	if len(s.config.Certificates) > 0 {
		chain := s.config.Certificates[0].Certificate
		if len(chain) == 0 {
			return nil, fmt.Errorf("mockserver: WithTLS: the first certificate is empty")
		}
		root, err := x509.ParseCertificate(chain[len(chain)-1])
		if err != nil {
			return nil, fmt.Errorf("mockserver: WithTLS: the first certificate: %w", err)
		}
		s.trust = root
	}
	return s, nil
}

// authenticate has clients show a certificate, if the options say so.
func (c *config) authenticate(t *tls.Config, a *authority) {
	t.ClientAuth = c.clientAuth
	if t.ClientCAs = c.clientRoots; c.clientAuth >= tls.VerifyClientCertIfGiven && t.ClientCAs == nil {
		t.ClientCAs = x509.NewCertPool()
		t.ClientCAs.AddCert(a.cert)
	}
}

// alpn returns what the server offers in the handshake.
func (c *config) alpn() []string {
	if c.noALPN {
		return nil
	}
	if c.protocols == okhttp.HTTP1Only {
		return []string{"http/1.1"}
	}
	return []string{"h2", "http/1.1"}
}

// RootCAs returns the certificates that a client must trust to trust this server: that of the authority that signed the generated one,
// or the last of the chain given by [WithTLS]. It is nil without TLS.
func (s *Server) RootCAs() *x509.CertPool {
	if s.secrets == nil {
		return nil
	}
	pool := x509.NewCertPool()
	if s.secrets.trust != nil {
		pool.AddCert(s.secrets.trust)
	}
	return pool
}

// CertificatePEM returns the certificate of [Server.RootCAs] in PEM, for programs that take it as a file, curl --cacert for one. It is
// nil without TLS.
func (s *Server) CertificatePEM() []byte {
	if s.secrets == nil || s.secrets.trust == nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.secrets.trust.Raw})
}

// ClientTLSConfig returns a new configuration of clients that trusts this server. It is nil without TLS.
func (s *Server) ClientTLSConfig() *tls.Config {
	if s.secrets == nil {
		return nil
	}
	return &tls.Config{RootCAs: s.RootCAs()}
}

// ClientCertificate returns a new certificate for a client, with names and IP addresses, that servers with [WithClientAuth] trust unless they were
// given other roots.
func ClientCertificate(names ...string) (tls.Certificate, error) {
	a, err := processAuthority()
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("mockserver: certificate authority: %w", err)
	}
	return a.sign(leafTemplate(x509.ExtKeyUsageClientAuth), names)
}
