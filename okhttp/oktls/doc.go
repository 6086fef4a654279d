// Package oktls makes certificates with their keys, for tests and for authorities of one's own, and the TLS configurations that use them.
//
// A [HeldCertificate] is a certificate and its private key. One may sign others:
//
//	root, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{CertificateAuthority: true})
//	…
//	held, err := oktls.NewHeldCertificate(oktls.HeldCertificateConfig{
//		SubjectAltNames: []string{"api.example.test", "10.0.0.7"},
//		SignedBy:        root,
//	})
//
// [HandshakeCertificates] are what one side of a connection shows and trusts, and become a [tls.Config] for a server or for a client,
// which okhttp.WithTLSConfig takes, and so does any other client:
//
//	server, err := oktls.NewHandshakeCertificates(oktls.HandshakeCertificatesConfig{Certificate: held})
//	…
//	client, err := oktls.NewHandshakeCertificates(oktls.HandshakeCertificatesConfig{
//		Trusted: []*x509.Certificate{root.Certificate()},
//	})
//	…
//	listener := tls.NewListener(l, server.ServerConfig())
//	c := okhttp.New(okhttp.WithTLSConfig(client.ClientConfig()))
//
// [Localhost] is both for servers and clients on one machine, without any of this.
//
// Certificates follow RFC 5280 as far as strict readers ask for it: authorities say what their keys are for and how to find them. What a
// certificate of a public authority needs beyond that, such as revocation lists and transparency logs, is not here.
//
// # Secrets
//
// A private key comes out of a HeldCertificate where it is asked for, by [HeldCertificate.PrivateKey], [HeldCertificate.TLSCertificate]
// and the two methods that write PEM, and is in no text that package fmt or a log makes of one, nor in an error.
//
// # Concurrency
//
// HeldCertificate and HandshakeCertificates are immutable and may be used by any number of goroutines. There is no lock.
package oktls
