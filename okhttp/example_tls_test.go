package okhttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

// A client that speaks TLS alone, by the rules of its own list, does not connect for http URLs.
func ExampleConnectionSpec() {
	client := okhttp.New(okhttp.WithConnectionSpecs(okhttp.RestrictedTLS, okhttp.ModernTLS))
	defer client.Close()
	_, err := client.Get(context.Background(), "http://example.com/")
	fmt.Println(err)

	var cleartext *okhttp.CleartextError
	fmt.Println(errors.As(err, &cleartext), okhttp.SafeToRetry(err))
	// Output:
	// okhttp: GET http://example.com/...: connect: cleartext communication is not enabled for example.com
	// true true
}

// TLS 1.3 and nothing else.
func ExampleNewConnectionSpec() {
	spec, err := okhttp.NewConnectionSpec(okhttp.SpecConfig{MinVersion: tls.VersionTLS13})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(spec)

	_, err = okhttp.NewConnectionSpec(okhttp.SpecConfig{MinVersion: tls.VersionTLS13, MaxVersion: tls.VersionTLS12})
	fmt.Println(err)
	// Output:
	// ConnectionSpec(cipherSuites=[all enabled], tlsVersions=[TLSv1.3-TLSv1.3], alpn=true)
	// okhttp: the minimum version of a connection spec, TLS 1.3, is above its maximum, TLS 1.2
}

// Cleartext is allowed to this machine alone.
func ExampleWithCleartext() {
	client := okhttp.New(okhttp.WithCleartext(func(host string) bool { return host == "localhost" }))
	defer client.Close()
	_, err := client.Get(context.Background(), "http://intranet.example/")
	fmt.Println(err)
	// Output: okhttp: GET http://intranet.example/...: connect: cleartext communication is not enabled for intranet.example
}

// The pin of the key in use, and one of a key kept in a safe: the certificate can be renewed, and replaced in an emergency.
func ExampleCertificatePinner() {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = oktls.Localhost().ServerConfig()
	server.StartTLS()
	defer server.Close()

	spare, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{})
	if err != nil {
		log.Fatal(err)
	}
	inUse := oktls.Localhost().Certificate().Certificate()
	pins, err := okhttp.NewCertificatePinner("127.0.0.1", okhttp.PinOf(inUse), okhttp.PinOf(spare.Certificate()))
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithCertificatePinner(pins), okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 404
}

// Pins can be given for a host, for the names one label below it, and for all below it.
func ExampleCertificatePinner_With() {
	const key, backup = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="
	pins, err := okhttp.NewCertificatePinner("example.com", key)
	if err != nil {
		log.Fatal(err)
	}
	pins, err = pins.With("**.example.com", backup)
	if err != nil {
		log.Fatal(err)
	}
	for _, host := range []string{"example.com", "a.b.example.com", "example.org"} {
		fmt.Println(host, pins.Pins(host))
	}
	// Output:
	// example.com [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=]
	// a.b.example.com [sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=]
	// example.org []
}
