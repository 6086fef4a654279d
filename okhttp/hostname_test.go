package okhttp

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"testing"
)

// Fact 98: characters that Unicode maps to ASCII are no part of a name that is verified. In a URL the mapping comes first, so that the name
// is in ASCII by then.
func TestHostnamesOutsideASCII(t *testing.T) {
	const kelvin, tel = "\u212a.com", "\u2121.com"
	san := func(names ...string) *x509.Certificate {
		var list []asn1.RawValue
		for _, name := range names {
			list = append(list, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte(name)})
		}
		der, err := asn1.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return &x509.Certificate{SerialNumber: big.NewInt(4), ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: der}}}
	}
	for _, c := range []struct {
		url        string
		serverName string // "" is the URL's
		cert       *x509.Certificate
		ok         bool
	}{
		{"https://k.com/", "", san("k.com"), true},
		{"https://" + kelvin + "/", "", san("k.com"), true},
		{"https://" + tel + "/", "", san("tel.com"), true},
		{"https://k.com/", "", san(kelvin), false},
		{"https://tel.com/", "", san(tel), false},
		{"https://" + kelvin + "/", "", san(kelvin), false},
		{"https://k.com/", "", san("k.com", kelvin), false}, // such a certificate cannot be read at all
		{"https://k.com/", kelvin, san("k.com"), false},
		{"https://tel.com/", tel, san("tel.com"), false},
		{"https://k.com/", kelvin, san(kelvin), false},
	} {
		t.Run(c.url+" "+c.serverName, func(t *testing.T) {
			der, key := sign(c.cert, authority())
			chain := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
			_, clientTLS := tlsFor()
			clientTLS.ServerName = c.serverName
			inWorld(t, func(t *testing.T, w *world) {
				w.serveTLS(mustRequest(t, "GET", c.url).URL().Host(), "10.0.0.1", &tls.Config{Certificates: []tls.Certificate{chain}}, answer(okText("x")))
				got, err := w.get(c.url)
				if c.ok {
					w.want("200 x")(got, err)
				} else if e := (*Error)(nil); !errors.As(err, &e) || e.Phase != PhaseTLS {
					t.Errorf("%q, error %v", got, err)
				}
			}, WithTLSConfig(clientTLS))
		})
	}
}
