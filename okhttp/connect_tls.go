package okhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/hostname"
)

// tlsSetup is how a client secures connections. It is made once for a configuration, so that sessions are resumed under it alone: a resumed
// session is not verified again.
type tlsSetup struct {
	base     *tls.Config // not to be modified
	verifier HostnameVerifier
	pinner   *CertificatePinner
	override bool // the configuration decides about trust by itself: a connection says nothing about other hosts
}

func newTLSSetup(cfg *config) *tlsSetup {
	s := &tlsSetup{base: &tls.Config{}, verifier: cfg.verifier, pinner: cfg.pinner}
	if given := cfg.tls; given != nil {
		s.base = given.Clone()
		s.override = given.InsecureSkipVerify || given.ServerName != "" || given.VerifyConnection != nil
	}
	if s.base.ClientSessionCache == nil && !s.base.SessionTicketsDisabled {
		s.base.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	return s
}

// forProxy returns the configuration for a proxy reached over TLS: what is about servers is left out of it. Where a check of the user's stands in
// the place of verification, the proxy is verified as usual, since otherwise nobody would.
func (s *tlsSetup) forProxy(host string) *tls.Config {
	t := s.base.Clone()
	t.ServerName = host
	t.NextProtos = []string{string(HTTP11)}
	if t.VerifyConnection != nil || t.VerifyPeerCertificate != nil {
		t.InsecureSkipVerify = false
	}
	t.VerifyConnection, t.VerifyPeerCertificate = nil, nil
	t.EncryptedClientHelloConfigList, t.EncryptedClientHelloRejectionVerify = nil, nil
	return t
}

// tlsOutcome is what a handshake led to.
type tlsOutcome struct {
	handshake *Handshake
	verified  [][]*x509.Certificate
	local     []*x509.Certificate
}

// secure starts TLS with the server, under the first spec that can be, and names the next one to try if that fails for a reason other than
// trust.
func (p *connectPlan) secure(ctx context.Context) (conn *tls.Conn, outcome tlsOutcome, next *connectPlan, err error) {
	pl := p.planner
	p.doing(PhaseTLS)
	if l := pl.listener(); l.SecureConnectStart != nil {
		l.SecureConnectStart(p.event())
	}
	specs := pl.cfg.specs
	t, spec := pl.cfg.tlsSetup.choose(specs, p.spec)
	if t == nil {
		return nil, outcome, nil, p.failure(PhaseTLS, &UnusableSpecsError{Specs: specs})
	}
	pl.cfg.tlsSetup.complete(t, pl.addr.host, specs[spec], pl.addr.protocols(), p.route.ech, &outcome)
	conn = tls.Client(p.stream, t)
	if err := handshake(ctx, conn, pl.cfg.readTimeout); err != nil {
		return nil, outcome, p.afterTLS(ctx, err, spec), p.failure(PhaseTLS, namedFailure(err, pl.addr.host))
	}
	state := conn.ConnectionState()
	switch proto := state.NegotiatedProtocol; {
	case proto == string(HTTP2) && !fitForHTTP2(&state):
		err := &ProtocolError{Detail: "HTTP/2 was negotiated with " + tls.CipherSuiteName(state.CipherSuite) + ", which it forbids (RFC 9113 appendix A)"}
		return nil, outcome, nil, p.failure(PhaseTLS, err)
	case proto != "" && proto != string(HTTP11) && proto != string(HTTP2):
		return nil, outcome, nil, p.failure(PhaseTLS, &ProtocolError{Detail: fmt.Sprintf("unexpected protocol: %.20q", proto)})
	}
	outcome.handshake = newHandshake(&state, outcome.local)
	return conn, outcome, nil, nil
}

// alpn returns what is offered in the handshake.
func (p Protocols) alpn() []string {
	if p == HTTP2OrHTTP1 {
		return []string{string(HTTP2), string(HTTP11)}
	}
	return []string{string(HTTP11)}
}

// fitForHTTP2 reports whether HTTP/2 may be spoken over a connection: below TLS 1.3 only with forward secrecy and authenticated encryption (RFC 9113
// section 9.2.2).
func fitForHTTP2(cs *tls.ConnectionState) bool {
	return cs.Version >= tls.VersionTLS13 || cs.Version == tls.VersionTLS12 && slices.Contains(restrictedSuites, cs.CipherSuite)
}

// choose returns a configuration under the first spec from one on that allows any, with its place.
func (s *tlsSetup) choose(specs []ConnectionSpec, from int) (*tls.Config, int) {
	for i := from; i < len(specs); i++ {
		if !specs[i].tls {
			continue
		}
		if t := s.base.Clone(); specs[i].apply(t) {
			return t, i
		}
	}
	return nil, 0
}

// complete makes a configuration one for a host.
func (s *tlsSetup) complete(t *tls.Config, host string, spec ConnectionSpec, protocols Protocols, ech string, outcome *tlsOutcome) {
	if t.ServerName == "" {
		t.ServerName = strings.TrimSuffix(host, ".") // certificates carry names without the root's dot
	}
	t.NextProtos = nil
	if !spec.noALPN {
		t.NextProtos = protocols.alpn()
	}
	if ech != "" && t.EncryptedClientHelloConfigList == nil && t.MaxVersion >= tls.VersionTLS13 {
		t.EncryptedClientHelloConfigList, t.MinVersion = []byte(ech), tls.VersionTLS13
	}
	recordLocal(t, &outcome.local)
	s.verify(t, host, outcome)
}

// verify has crypto/tls check what this package does: host names by RFC 9525 in its strict form, a verifier of the user's, pins. It runs for
// resumed sessions too.
func (s *tlsSetup) verify(t *tls.Config, host string, outcome *tlsOutcome) {
	trusting, theirs := t.InsecureSkipVerify, t.VerifyConnection
	if s.verifier != nil {
		t.InsecureSkipVerify = true // the chain is verified below, without the name
	}
	name := t.ServerName
	t.VerifyConnection = func(cs tls.ConnectionState) error {
		if len(cs.PeerCertificates) == 0 {
			return errors.New("the server sent no certificate")
		}
		leaf := cs.PeerCertificates[0]
		if cs.ServerName == "" { // crypto/tls does not fill it in for IP addresses
			cs.ServerName = name
		}
		switch {
		case s.verifier != nil:
			if !trusting {
				chains, err := verifyChain(t, cs.PeerCertificates)
				if err != nil {
					return err
				}
				cs.VerifiedChains = chains
			}
			if err := s.verifier.Verify(host, &cs); err != nil {
				return &HostnameError{Host: host, Leaf: leaf, Err: err}
			}
		case !trusting:
			if hostname.Verify(name, leaf) != nil {
				return &HostnameError{Host: name, Leaf: leaf}
			}
		}
		outcome.verified = cs.VerifiedChains
		if err := s.pinner.Check(host, &cs); err != nil {
			return err
		}
		if theirs != nil {
			return theirs(cs)
		}
		return nil
	}
}

// verifyChain is what crypto/tls does, without the name.
func verifyChain(t *tls.Config, sent []*x509.Certificate) ([][]*x509.Certificate, error) {
	opts := x509.VerifyOptions{Roots: t.RootCAs, Intermediates: x509.NewCertPool()}
	if t.Time != nil {
		opts.CurrentTime = t.Time()
	}
	for _, c := range sent[1:] {
		opts.Intermediates.AddCert(c)
	}
	chains, err := sent[0].Verify(opts)
	if err != nil {
		return nil, &tls.CertificateVerificationError{UnverifiedCertificates: sent, Err: err}
	}
	return chains, nil
}

// namedFailure turns crypto/tls's error about a name into this package's.
func namedFailure(err error, host string) error {
	var he x509.HostnameError
	if errors.As(err, &he) && he.Certificate != nil {
		return &HostnameError{Host: host, Leaf: he.Certificate, Err: err}
	}
	return err
}

// afterTLS returns another way over the same route after a handshake that failed: with the keys that the server sent for its encrypted Client
// Hello, or under the next spec.
func (p *connectPlan) afterTLS(ctx context.Context, err error, spec int) *connectPlan {
	pl := p.planner
	var rejected *tls.ECHRejectionError
	switch {
	case ctx.Err() != nil || !pl.cfg.retry:
		return nil
	case errors.As(err, &rejected) && p.route.ech != "" && !p.rejected:
		next := p.again()
		route := *p.route
		route.ech = string(rejected.RetryConfigList) // "": the server does without (RFC 9849 section 6.1.6)
		next.route, next.rejected = &route, true
		return next
	case !anotherSpec(err):
		return nil
	}
	if t, i := pl.cfg.tlsSetup.choose(pl.cfg.specs, spec+1); t != nil {
		next := p.again()
		next.spec = i
		return next
	}
	return nil
}

// anotherSpec reports whether a failure of TLS may be one of versions and suites: trust and time limits are not, and neither is a connection that
// broke.
func anotherSpec(err error) bool {
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var network *net.OpError
	switch {
	case !otherAddress(err), errors.Is(err, io.ErrUnexpectedEOF):
		return false
	case errors.As(err, &alert), errors.As(err, &record):
		return true
	}
	return !errors.As(err, &network) || network.Op == "remote error" || network.Op == "local error"
}

// recordLocal has the certificates that this side sends stored.
func recordLocal(t *tls.Config, local *[]*x509.Certificate) {
	if t.GetClientCertificate == nil && len(t.Certificates) == 0 {
		return
	}
	choose := t.GetClientCertificate
	if choose == nil {
		choose = func(r *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return firstSupported(t.Certificates, r), nil
		}
	}
	t.GetClientCertificate = func(r *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		chosen, err := choose(r)
		if err == nil && chosen != nil {
			*local = parseChain(chosen)
		}
		return chosen, err
	}
}

// firstSupported is what crypto/tls chooses by itself.
func firstSupported(list []tls.Certificate, r *tls.CertificateRequestInfo) *tls.Certificate {
	for i := range list {
		if r.SupportsCertificate(&list[i]) == nil {
			return &list[i]
		}
	}
	return new(tls.Certificate) // none
}

func parseChain(c *tls.Certificate) (chain []*x509.Certificate) {
	for _, der := range c.Certificate {
		if parsed, err := x509.ParseCertificate(der); err == nil {
			chain = append(chain, parsed)
		}
	}
	return chain
}

func handshake(ctx context.Context, conn *tls.Conn, limit time.Duration) error {
	timed := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		timed, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	err := conn.HandshakeContext(timed)
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && timed.Err() != nil:
		return &timeoutError{"tls handshake timeout after " + limit.String(), err}
	case errors.Is(err, io.EOF):
		return fmt.Errorf("connection closed during the tls handshake: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// otherAddress reports whether a failure of TLS may be that of one machine: certificates that do not verify, and servers that are too
// slow, are the same at the next address.
func otherAddress(err error) bool {
	var cert *tls.CertificateVerificationError
	var name *HostnameError
	var pins *PinMismatchError
	return !errors.As(err, &cert) && !errors.As(err, &name) && !errors.As(err, &pins) && !isTimeout(err)
}
