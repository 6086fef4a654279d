package okws

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	number "math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// selfSigned is a certificate of server.test, and what trusts it.
var selfSigned = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: number.NewInt(1), DNSNames: []string{"server.test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC), // bubbles live in the year 2000
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
})

// Fact 38: ws, WS, wss and https connect, and http; those that say so over TLS, where no HTTP/2 is offered.
func TestConnectSchemes(t *testing.T) {
	cert, roots := selfSigned()
	for _, scheme := range []string{"ws", "WS", "http", "wss", "WsS", "https"} {
		t.Run(scheme, func(t *testing.T) {
			secure := strings.EqualFold(scheme, "wss") || scheme == "https"
			inSite(t, func(t *testing.T, w *site) {
				handler := w.accepting(nil, echo)
				port := ":80"
				if secure {
					port = ":443"
				}
				l, err := w.network.Listen("10.0.0.1" + port)
				if err != nil {
					t.Fatal(err)
				}
				server := &http.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					w.work.Add(1)
					defer w.work.Done()
					if (r.TLS != nil) != secure || r.ProtoMajor != 1 {
						t.Errorf("it came over %s, TLS %v", r.Proto, r.TLS != nil)
					}
					handler(rw, r)
				})}
				w.toClose = append(w.toClose, l, server)
				w.work.Go(func() {
					if secure {
						_ = server.ServeTLS(l, "", "")
					} else {
						_ = server.Serve(l)
					}
				})
				c, err := Dial(t.Context(), w.client, scheme+"://server.test/", nil)
				if err != nil {
					t.Fatal(err)
				}
				must(t, c.WriteText(t.Context(), "Hello"))
				wantMessage(t, c, Text, "Hello")
				must(t, c.Close(CodeNormal, ""))
			}, okhttp.WithTLSConfig(&tls.Config{RootCAs: roots}))
		})
	}
}
