package examples

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log"
	"net/netip"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

func Example_tlsLocalhost() {
	// #region localhost
	server, err := mockserver.Start(mockserver.WithTLS(oktls.Localhost().ServerConfig()))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200))

	client := okhttp.New(okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL("/"))
	// #endregion localhost
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Status, resp.Handshake().PeerCertificates[0].Subject)
	// Output: 200 CN=localhost
}

func hold(c oktls.HeldCertificateConfig) *oktls.HeldCertificate {
	held, err := oktls.NewHeldCertificate(c)
	if err != nil {
		log.Fatal(err)
	}
	return held
}

func side(c oktls.HandshakeCertificatesConfig) *oktls.HandshakeCertificates {
	certificates, err := oktls.NewHandshakeCertificates(c)
	if err != nil {
		log.Fatal(err)
	}
	return certificates
}

func Example_tlsAuthority() {
	// #region authority
	// Functions hold and side are NewHeldCertificate and NewHandshakeCertificates, with errors dealt with.
	root := hold(oktls.HeldCertificateConfig{CertificateAuthority: true, MaxIntermediates: 1})
	intermediate := hold(oktls.HeldCertificateConfig{CertificateAuthority: true, SignedBy: root})
	api := hold(oktls.HeldCertificateConfig{SubjectAltNames: []string{"api.example.test"}, SignedBy: intermediate})

	serverSide := side(oktls.HandshakeCertificatesConfig{
		Certificate:   api,
		Intermediates: []*x509.Certificate{intermediate.Certificate()},
	})
	clientSide := side(oktls.HandshakeCertificatesConfig{
		Trusted: []*x509.Certificate{root.Certificate()},
	})
	// #endregion authority
	// #region authority-use
	server, err := mockserver.Start(
		mockserver.WithHost("api.example.test"), mockserver.WithTLS(serverSide.ServerConfig()))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200))

	thisMachine := okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	})
	client := okhttp.New(okhttp.WithTLSConfig(clientSide.ClientConfig()), okhttp.WithDNS(thisMachine))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL("/"))
	// #endregion authority-use
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Request().URL().Host(), len(resp.Handshake().PeerCertificates))
	// Output: api.example.test 2
}

func Example_tlsClientCertificate() {
	root := hold(oktls.HeldCertificateConfig{CertificateAuthority: true})
	api := hold(oktls.HeldCertificateConfig{SubjectAltNames: []string{"127.0.0.1"}, SignedBy: root})
	// #region client-certificate
	alice := hold(oktls.HeldCertificateConfig{CommonName: "alice", SignedBy: root})

	serverSide := side(oktls.HandshakeCertificatesConfig{
		Certificate: api,
		Trusted:     []*x509.Certificate{root.Certificate()},
		ClientAuth:  tls.RequireAndVerifyClientCert,
	})
	clientSide := side(oktls.HandshakeCertificatesConfig{
		Certificate: alice,
		Trusted:     []*x509.Certificate{root.Certificate()},
	})
	// #endregion client-certificate
	server, err := mockserver.Start(mockserver.WithTLS(serverSide.ServerConfig()))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200))
	client := okhttp.New(okhttp.WithTLSConfig(clientSide.ClientConfig()))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Handshake().LocalCertificates[0].Subject)
	// Output: CN=alice
}

func Example_tlsInsecureHost() {
	stranger := hold(oktls.HeldCertificateConfig{SubjectAltNames: []string{"machine.example.test", "other.example.test"}})
	server, err := mockserver.Start(
		mockserver.WithTLS(side(oktls.HandshakeCertificatesConfig{Certificate: stranger}).ServerConfig()))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	server.Enqueue(mockserver.Reply(200))
	// #region insecure
	certificates := side(oktls.HandshakeCertificatesConfig{
		TrustPlatform: true,
		InsecureHosts: []string{"machine.example.test"},
	})
	client := okhttp.New(okhttp.WithTLSConfig(certificates.ClientConfig()))
	// #endregion insecure
	defer client.Close()
	thisMachine := okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	})
	base, err := okhttp.ParseURL(server.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	for _, host := range []string{"machine.example.test", "other.example.test"} {
		resp, err := client.Get(context.Background(), fmt.Sprintf("https://%s:%d/", host, base.Port()), okhttp.WithDNS(thisMachine))
		if err != nil {
			fmt.Println("refused")
			continue
		}
		resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output:
	// 200
	// refused
}
