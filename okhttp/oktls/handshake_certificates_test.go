package oktls

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

func handshake(t testing.TB, c HandshakeCertificatesConfig) *HandshakeCertificates {
	t.Helper()
	h, err := NewHandshakeCertificates(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func list(held ...*HeldCertificate) (certs []*x509.Certificate) {
	for _, h := range held {
		certs = append(certs, h.Certificate())
	}
	return certs
}

// outcome is what came of a handshake and one byte from the server.
type outcome struct {
	client, server           error
	clientState, serverState tls.ConnectionState
}

// connect connects a client to a server under the name of a host, as okhttp does: the name is in the state that VerifyConnection sees even
// if it is an IP address.
func connect(t *testing.T, server, client *tls.Config, host string) (o outcome) {
	t.Helper()
	client.ServerName = host
	if verify := client.VerifyConnection; verify != nil {
		client.VerifyConnection = func(s tls.ConnectionState) error {
			s.ServerName = host
			return verify(s)
		}
	}
	return connectAs(t, server, client)
}

func connectAs(t *testing.T, server, client *tls.Config) (o outcome) {
	t.Helper()
	a, b := okio.ConnPair(0)
	s, c := tls.Server(a, server), tls.Client(b, client)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer s.Close()
		if o.server = s.Handshake(); o.server == nil {
			o.serverState = s.ConnectionState()
			_, o.server = s.Write([]byte{1})
		}
	}()
	if o.client = c.Handshake(); o.client == nil {
		o.clientState = c.ConnectionState()
		_, o.client = io.ReadFull(c, make([]byte, 1)) // which is when TLS 1.3 says that it wants a certificate
	}
	c.Close()
	<-done
	return o
}

// wantUntrusted wants an error of verification, as package tls reports it.
func wantUntrusted(t *testing.T, err error, as any) {
	t.Helper()
	var e *tls.CertificateVerificationError
	if !errors.As(err, &e) || !errors.As(err, as) {
		t.Errorf("%v, want a CertificateVerificationError of a %T", err, as)
	}
}

// authorities are a root, an authority below it, and a certificate for some hosts that the latter signed.
func authorities(t testing.TB, hosts ...string) (root, intermediate, leaf *HeldCertificate) {
	root = held(t, HeldCertificateConfig{CertificateAuthority: true, MaxIntermediates: 1})
	intermediate = held(t, HeldCertificateConfig{CertificateAuthority: true, SignedBy: root})
	return root, intermediate, held(t, HeldCertificateConfig{SubjectAltNames: hosts, SignedBy: intermediate})
}

func TestHandshake(t *testing.T) {
	root, intermediate, leaf := authorities(t, "server.test", "10.0.0.1", "::1")
	server := handshake(t, HandshakeCertificatesConfig{Certificate: leaf, Intermediates: list(intermediate)})
	client := handshake(t, HandshakeCertificatesConfig{Trusted: list(root)})
	for _, host := range []string{"server.test", "10.0.0.1", "::1"} {
		o := connect(t, server.ServerConfig(), client.ClientConfig(), host)
		if o.client != nil || o.server != nil {
			t.Fatalf("%s: client %v, server %v", host, o.client, o.server)
		}
		if chain := o.clientState.VerifiedChains[0]; len(chain) != 3 || !chain[2].Equal(root.Certificate()) {
			t.Errorf("%s: a chain of %d", host, len(chain))
		}
		if o.serverState.PeerCertificates != nil {
			t.Errorf("%s: the client sent a certificate", host)
		}
	}

	var name x509.HostnameError
	wantUntrusted(t, connect(t, server.ServerConfig(), client.ClientConfig(), "other.test").client, &name)
	var unknown x509.UnknownAuthorityError
	nobody := handshake(t, HandshakeCertificatesConfig{})
	wantUntrusted(t, connect(t, server.ServerConfig(), nobody.ClientConfig(), "server.test").client, &unknown)
	alone := handshake(t, HandshakeCertificatesConfig{Certificate: leaf})
	wantUntrusted(t, connect(t, alone.ServerConfig(), client.ClientConfig(), "server.test").client, &unknown)
	platform := handshake(t, HandshakeCertificatesConfig{TrustPlatform: true})
	wantUntrusted(t, connect(t, server.ServerConfig(), platform.ClientConfig(), "server.test").client, &unknown)
	both := handshake(t, HandshakeCertificatesConfig{TrustPlatform: true, Trusted: list(root)})
	if o := connect(t, server.ServerConfig(), both.ClientConfig(), "server.test"); o.client != nil {
		t.Errorf("the platform's authorities replace others: %v", o.client)
	}

	if o := connect(t, nobody.ServerConfig(), client.ClientConfig(), "server.test"); o.server == nil {
		t.Error("a server without a certificate shakes hands")
	}
}

func TestClientAuth(t *testing.T) {
	root, intermediate, leaf := authorities(t, "server.test")
	clientRoot, clientIntermediate, clientLeaf := authorities(t)
	server := func(auth tls.ClientAuthType, trusted ...*HeldCertificate) *tls.Config {
		return handshake(t, HandshakeCertificatesConfig{
			Certificate: leaf, Intermediates: list(intermediate), Trusted: list(trusted...), ClientAuth: auth,
		}).ServerConfig()
	}
	with := handshake(t, HandshakeCertificatesConfig{Certificate: clientLeaf, Intermediates: list(clientIntermediate), Trusted: list(root)})
	without := handshake(t, HandshakeCertificatesConfig{Trusted: list(root)})
	for _, tt := range []struct {
		name   string
		server *tls.Config
		client *HandshakeCertificates
		sent   int  // certificates
		want   bool // the exchange works
	}{
		{"not asked", server(tls.NoClientCert, clientRoot), with, 0, true},
		{"want and have", server(tls.VerifyClientCertIfGiven, clientRoot), with, 2, true},
		{"want and have none", server(tls.VerifyClientCertIfGiven, clientRoot), without, 0, true},
		{"need and have", server(tls.RequireAndVerifyClientCert, clientRoot), with, 2, true},
		{"need and have none", server(tls.RequireAndVerifyClientCert, clientRoot), without, 0, false},
		{"need another's", server(tls.RequireAndVerifyClientCert, root), with, 0, false},
		{"need and trust nobody", server(tls.RequireAndVerifyClientCert), with, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := connect(t, tt.server, tt.client.ClientConfig(), "server.test")
			if (o.client == nil) != tt.want || len(o.serverState.PeerCertificates) != tt.sent {
				t.Errorf("client %v, server %v, %d certificates sent", o.client, o.server, len(o.serverState.PeerCertificates))
			}
		})
	}
}

func TestInsecureHosts(t *testing.T) {
	trusted, intermediate, trustedLeaf := authorities(t, "trusted.test", "10.0.0.1")
	expired := time.Now().Add(-time.Hour)
	stranger := handshake(t, HandshakeCertificatesConfig{Certificate: held(t, HeldCertificateConfig{
		SubjectAltNames: []string{"insecure.test", "www.insecure.test", "test", "10.0.0.2", "10.0.0.1", "::1", "::2"},
		NotBefore:       expired, NotAfter: expired,
	})})
	friend := handshake(t, HandshakeCertificatesConfig{Certificate: trustedLeaf, Intermediates: list(intermediate)})
	client := handshake(t, HandshakeCertificatesConfig{
		Trusted:       list(trusted),
		InsecureHosts: []string{"INSECURE.test.", "elsewhere.test", "10.0.0.2", "0:0::1"},
	})
	for _, tt := range []struct {
		server *HandshakeCertificates
		host   string
		want   any // the type of the error, nil if the connection works
	}{
		{stranger, "insecure.test", nil},
		{stranger, "Insecure.Test", nil},
		{stranger, "10.0.0.2", nil},
		{stranger, "::1", nil},
		{stranger, "www.insecure.test", new(x509.UnknownAuthorityError)},
		{stranger, "test", new(x509.UnknownAuthorityError)},
		{stranger, "10.0.0.1", new(x509.UnknownAuthorityError)},
		{stranger, "::2", new(x509.UnknownAuthorityError)},
		{stranger, "elsewhere.test", new(x509.HostnameError)},
		{friend, "trusted.test", nil},
		{friend, "10.0.0.1", nil},
		{friend, "insecure.test", new(x509.HostnameError)},
		{friend, "other.test", new(x509.HostnameError)},
		{friend, "10.0.0.3", new(x509.HostnameError)},
	} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			config := client.ClientConfig()
			config.MaxVersion = version
			err := connect(t, tt.server.ServerConfig(), config, tt.host).client
			if tt.want == nil && err != nil {
				t.Errorf("%s: %v", tt.host, err)
			}
			if tt.want != nil {
				var e *tls.CertificateVerificationError
				if !errors.As(err, &e) || len(e.UnverifiedCertificates) == 0 || !errors.As(err, tt.want) && !isExpiry(err, tt.want) {
					t.Errorf("%s: %v, want a %T", tt.host, err, tt.want)
				}
			}
		}
	}

	// Package tls names no server for an IP address, and then the safe answer is no, for the friend as well.
	for _, server := range []*HandshakeCertificates{stranger, friend} {
		config := client.ClientConfig()
		config.ServerName = "10.0.0.1"
		if o := connectAs(t, server.ServerConfig(), config); !errors.Is(o.client, errNoServerName) {
			t.Errorf("%v, want %v", o.client, errNoServerName)
		}
	}
	if err := client.verifyConnection(tls.ConnectionState{ServerName: "insecure.test"}); err == nil {
		t.Error("a server without certificates passes")
	}
}

// isExpiry accepts that package x509 looks at the dates first.
func isExpiry(err error, want any) bool {
	_, unknown := want.(*x509.UnknownAuthorityError)
	var invalid x509.CertificateInvalidError
	return unknown && errors.As(err, &invalid) && invalid.Reason == x509.Expired
}

func TestHandshakeCertificatesErrors(t *testing.T) {
	h := held(t, HeldCertificateConfig{})
	for _, tt := range []struct {
		config HandshakeCertificatesConfig
		want   string
	}{
		{HandshakeCertificatesConfig{Intermediates: list(h)}, "Intermediates without a Certificate"},
		{HandshakeCertificatesConfig{Certificate: new(HeldCertificate)}, "Certificate is empty"},
		{HandshakeCertificatesConfig{Certificate: h, Intermediates: []*x509.Certificate{h.Certificate(), nil}}, "Intermediates[1] is not a parsed certificate"},
		{HandshakeCertificatesConfig{Trusted: []*x509.Certificate{{}}}, "Trusted[0] is not a parsed certificate"},
		{HandshakeCertificatesConfig{InsecureHosts: []string{""}}, `insecure host "": want one name in ASCII or an IP address, without port`},
		{HandshakeCertificatesConfig{InsecureHosts: []string{"."}}, "insecure host"},
		{HandshakeCertificatesConfig{InsecureHosts: []string{"a.test", "*.a.test"}}, `insecure host "*.a.test"`},
		{HandshakeCertificatesConfig{InsecureHosts: []string{".a.test"}}, "insecure host"},
		{HandshakeCertificatesConfig{InsecureHosts: []string{"a.test:443"}}, "insecure host"},
		{HandshakeCertificatesConfig{InsecureHosts: []string{"[::1]"}}, "insecure host"},
		{HandshakeCertificatesConfig{InsecureHosts: []string{"https://a.test"}}, "insecure host"},
		{HandshakeCertificatesConfig{InsecureHosts: []string{"münchen.de"}}, "insecure host"},
	} {
		got, err := NewHandshakeCertificates(tt.config)
		if got != nil || err == nil || !strings.HasPrefix(err.Error(), "oktls: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// Configurations belong to those who asked for them.
func TestConfigsAreNew(t *testing.T) {
	root := held(t, HeldCertificateConfig{CertificateAuthority: true})
	hosts := []string{"a.test"}
	h := handshake(t, HandshakeCertificatesConfig{Trusted: list(root), InsecureHosts: hosts})
	hosts[0] = "b.test"
	a := h.ClientConfig()
	a.RootCAs.AddCert(held(t, HeldCertificateConfig{}).Certificate())
	a.NextProtos = append(a.NextProtos, "h2")
	if b := h.ClientConfig(); a == b || a.RootCAs.Equal(b.RootCAs) || b.NextProtos != nil {
		t.Error("configurations share what they point to")
	}
	if s := h.ServerConfig(); s == h.ServerConfig() || a.RootCAs.Equal(s.ClientCAs) {
		t.Error("configurations share what they point to")
	}
	if !h.insecure["a.test"] || h.insecure["b.test"] {
		t.Error("the caller's list is used after it was given")
	}
}

func TestLocalhost(t *testing.T) {
	h := Localhost()
	if h != Localhost() {
		t.Error("there are two")
	}
	for _, host := range []string{"localhost", "localhost.localdomain", "127.0.0.1", "::1"} {
		if o := connect(t, h.ServerConfig(), h.ClientConfig(), host); o.client != nil || o.server != nil {
			t.Errorf("%s: client %v, server %v", host, o.client, o.server)
		}
	}
	var name x509.HostnameError
	wantUntrusted(t, connect(t, h.ServerConfig(), h.ClientConfig(), "a.localhost").client, &name)
	c := h.Certificate().Certificate()
	if c.Subject.String() != "CN=localhost" || c.IsCA || c.Issuer.String() != c.Subject.String() {
		t.Errorf("subject %s, issuer %s, CA %v", c.Subject, c.Issuer, c.IsCA)
	}
	nobody := handshake(t, HandshakeCertificatesConfig{})
	var unknown x509.UnknownAuthorityError
	wantUntrusted(t, connect(t, h.ServerConfig(), nobody.ClientConfig(), "localhost").client, &unknown)

	synctest.Test(t, func(t *testing.T) { // in the year 2000
		if o := connect(t, h.ServerConfig(), h.ClientConfig(), "localhost"); o.client != nil || o.server != nil {
			t.Errorf("in a bubble: client %v, server %v", o.client, o.server)
		}
	})
}
