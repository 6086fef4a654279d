package okhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// tlsConfig completes a configuration for one host, and has the certificates that this side sends stored in local. The original is not
// touched.
func tlsConfig(given *tls.Config, host string, local *[]*x509.Certificate) *tls.Config {
	t := &tls.Config{}
	if given != nil {
		t = given.Clone()
	}
	if t.ServerName == "" {
		t.ServerName = strings.TrimSuffix(host, ".") // certificates carry names without the root's dot
	}
	t.NextProtos = []string{"http/1.1"}
	if t.GetClientCertificate != nil || len(t.Certificates) > 0 {
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
	return t
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
	var host x509.HostnameError
	return !errors.As(err, &cert) && !errors.As(err, &host) && !isTimeout(err)
}
