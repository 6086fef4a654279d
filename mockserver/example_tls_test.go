package mockserver_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// The server's certificate has expired: does the client notice?
func ExampleWithBadCertificate() {
	server := start(mockserver.WithBadCertificate(mockserver.Expired))
	defer server.Close()
	client := server.Client()
	defer client.Close()
	_, err := client.Get(context.Background(), server.URL("/"))
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	fmt.Println(ok, invalid.Reason == x509.Expired)
	// Output: true true
}

// One connection of a good server is bad: a balancer with one machine that was forgotten.
func ExampleBadCertificate() {
	server := start(mockserver.WithLocalhostTLS())
	defer server.Close()
	server.Enqueue(
		mockserver.Reply(200).On(mockserver.RequestStart, mockserver.BadCertificate{Fault: mockserver.Expired}),
		mockserver.Reply(200).Text("the next machine"),
	)
	client := server.Client()
	defer client.Close()
	_, err := client.Get(context.Background(), server.URL("/"))
	fmt.Println(err != nil)
	show(server, "/")
	// Output:
	// true
	// 200 "the next machine" <nil>
}

// The server asks for a certificate of the client and sees who it is.
func ExampleWithClientAuth() {
	server := start(mockserver.WithLocalhostTLS(), mockserver.WithClientAuth(tls.RequireAndVerifyClientCert, nil))
	defer server.Close()
	server.Enqueue(mockserver.Reply(200).Text("come in"))
	certificate, err := mockserver.ClientCertificate("alice")
	if err != nil {
		fmt.Println(err)
		return
	}
	config := server.ClientTLSConfig()
	config.Certificates = []tls.Certificate{certificate}
	client := server.Client(okhttp.WithTLSConfig(config))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Body.Text())
	fmt.Println(server.Requests()[0].TLS.PeerCertificates[0].DNSNames)
	// Output:
	// come in <nil>
	// [alice]
}

// The handshake fails, once in the one way and once in the other.
func ExampleFailHandshake() {
	server := start(mockserver.WithLocalhostTLS())
	defer server.Close()
	server.Enqueue(
		mockserver.Reply(200).On(mockserver.RequestStart, mockserver.FailHandshake{}),
		mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.PartialRecord{}),
		mockserver.Reply(200).Text("the third connection"),
	)
	for range 2 {
		client := server.Client(okhttp.WithRetryOnConnectionFailure(false))
		_, err := client.Get(context.Background(), server.URL("/"))
		fmt.Println(err != nil)
		client.Close()
	}
	show(server, "/")
	// Output:
	// true
	// true
	// 200 "the third connection" <nil>
}

// TLS without ALPN, as old servers have it.
func ExampleWithoutALPN() {
	server := start(mockserver.WithLocalhostTLS(), mockserver.WithoutALPN())
	defer server.Close()
	server.Enqueue(mockserver.Reply(200))
	show(server, "/")
	r := server.Requests()[0]
	fmt.Printf("%s, negotiated %q\n", r.Proto, r.TLS.NegotiatedProtocol)
	// Output:
	// 200 "" <nil>
	// HTTP/1.1, negotiated ""
}
