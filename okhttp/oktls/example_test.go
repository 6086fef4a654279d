package oktls_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

func serve(config *tls.Config) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello")
		if len(r.TLS.PeerCertificates) > 0 {
			_, _ = io.WriteString(w, " "+r.TLS.PeerCertificates[0].Subject.CommonName)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = config
	server.StartTLS()
	return server
}

// A server on this machine and a client that trusts it, and nobody else.
func ExampleLocalhost() {
	server := serve(oktls.Localhost().ServerConfig())
	defer server.Close()

	client := okhttp.New(okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text, err)
	// Output: hello <nil>
}

// An authority of one's own signs the certificates of both sides, the server's through an authority below it.
func ExampleHandshakeCertificates() {
	root, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{CertificateAuthority: true, MaxIntermediates: 1})
	if err != nil {
		log.Fatal(err)
	}
	intermediate, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{CertificateAuthority: true, SignedBy: root})
	if err != nil {
		log.Fatal(err)
	}
	serverHeld, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{SubjectAltNames: []string{"127.0.0.1"}, SignedBy: intermediate})
	if err != nil {
		log.Fatal(err)
	}
	clientHeld, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{CommonName: "Alice", SignedBy: root})
	if err != nil {
		log.Fatal(err)
	}
	trusted := []*x509.Certificate{root.Certificate()}
	serverSide, err := oktls.NewHandshakeCertificates(oktls.HandshakeCertificatesConfig{
		Certificate:   serverHeld,
		Intermediates: []*x509.Certificate{intermediate.Certificate()},
		Trusted:       trusted,
		ClientAuth:    tls.RequireAndVerifyClientCert,
	})
	if err != nil {
		log.Fatal(err)
	}
	clientSide, err := oktls.NewHandshakeCertificates(oktls.HandshakeCertificatesConfig{Certificate: clientHeld, Trusted: trusted})
	if err != nil {
		log.Fatal(err)
	}
	server := serve(serverSide.ServerConfig())
	defer server.Close()

	client := okhttp.New(okhttp.WithTLSConfig(clientSide.ClientConfig()))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text, err)
	// Output: hello Alice <nil>
}

// One file holds a certificate and its key.
func ExampleParsePEM() {
	made, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{CommonName: "api.example.test"})
	if err != nil {
		log.Fatal(err)
	}
	key, err := made.PrivateKeyPKCS8PEM()
	if err != nil {
		log.Fatal(err)
	}
	text := append(made.CertificatePEM(), key...)

	read, err := oktls.ParsePEM(text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Certificate().Subject)

	_, err = oktls.ParsePEM(made.CertificatePEM())
	var pem *oktls.PEMError
	fmt.Println(errors.As(err, &pem) && pem.Reason == oktls.PEMNoPrivateKey, err)
	// Output:
	// CN=api.example.test
	// true oktls: pem: no private key, want one
}
