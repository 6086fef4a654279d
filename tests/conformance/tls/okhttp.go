package tls

import (
	"context"
	"crypto/tls"
	"net/netip"

	"github.com/okhttp-go/ok/okhttp"
)

// OkHTTP asks with the client of this project.
func OkHTTP(s Server) error { return ask(s, &tls.Config{RootCAs: s.Roots}) }

// Credulous is the same client told to verify nothing and to take any version of TLS.
func Credulous(s Server) error {
	return ask(s, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10})
}

func ask(s Server, config *tls.Config) error {
	if s.Client != nil {
		config.Certificates = []tls.Certificate{*s.Client}
	}
	client := okhttp.New(
		okhttp.WithTLSConfig(config),
		okhttp.WithDialer(s.Network),
		okhttp.WithDNS(okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{s.Addr.Addr()}, nil })))
	defer client.Close()
	resp, err := client.Get(context.Background(), s.url())
	if err != nil {
		return err
	}
	_, err = resp.Body.Bytes()
	return err
}
