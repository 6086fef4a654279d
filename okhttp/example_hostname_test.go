package okhttp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

// unitVerifier accepts certificates by the organizational unit that a company writes into them, whatever the host.
type unitVerifier string

func (unit unitVerifier) Verify(host string, cs *tls.ConnectionState) error {
	for _, got := range cs.PeerCertificates[0].Subject.OrganizationalUnit {
		if got == string(unit) {
			return nil
		}
	}
	return errors.New("the certificate is not one of unit " + string(unit))
}

// A verifier of its own stands in the place of the check of names; that the certificate is trusted was checked before.
func ExampleHostnameVerifier() {
	held, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{OrganizationalUnit: "payments"})
	if err != nil {
		log.Fatal(err)
	}
	trust, err := oktls.NewHandshakeCertificates(oktls.HandshakeCertificatesConfig{Certificate: held, Trusted: []*x509.Certificate{held.Certificate()}})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = trust.ServerConfig()
	server.StartTLS()
	defer server.Close()

	client := okhttp.New(okhttp.WithTLSConfig(trust.ClientConfig()), okhttp.WithHostnameVerifier(unitVerifier("payments")))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 404
}
