package okhttp

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"iter"
	"net/netip"
	"testing"
)

// echConfig makes one ECHConfig (RFC 9849 section 4) for X25519, HKDF-SHA256 and AES-128-GCM, and its private key.
func echConfig(t *testing.T, id byte, publicName string) (config, private []byte) {
	t.Helper()
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	contents := []byte{id, 0, 0x20, 0, 32}
	contents = append(contents, key.PublicKey().Bytes()...)
	contents = append(contents, 0, 4, 0, 1, 0, 1, 32, byte(len(publicName)))
	contents = append(contents, publicName...)
	contents = append(contents, 0, 0)
	config = binary.BigEndian.AppendUint16([]byte{0xfe, 0x0d}, uint16(len(contents)))
	return append(config, contents...), key.Bytes()
}

func configList(config []byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(config))), config...)
}

// keysDNS yields an address with keys for the encrypted Client Hello.
type keysDNS struct {
	addr netip.Addr
	keys []byte
}

func (d *keysDNS) Lookup(context.Context, string) iter.Seq2[DNSAnswer, error] {
	return func(yield func(DNSAnswer, error) bool) {
		yield(DNSAnswer{ECHConfigList: d.keys, Addrs: []netip.Addr{d.addr}}, nil)
	}
}

func TestEncryptedClientHello(t *testing.T) {
	current, private := echConfig(t, 1, "public.test")
	stale, _ := echConfig(t, 2, "public.test")
	serverTLS, clientTLS := tlsFor("server.test", "public.test")
	serverTLS.EncryptedClientHelloKeys = []tls.EncryptedClientHelloKey{{Config: current, PrivateKey: private, SendAsRetry: true}}
	forgot, _ := tlsFor("server.test", "public.test") // a server without keys, which had some
	plain := clientTLS.Clone()
	plain.MaxVersion = tls.VersionTLS12
	const first = "callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart "
	const done = "secureConnectEnd connectEnd connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 1 connectionReleased callEnd"
	for name, c := range map[string]struct {
		server, client *tls.Config
		keys           []byte
		accepted       bool
		events         string
	}{
		"accepted":                            {serverTLS, clientTLS, configList(current), true, first + done},
		"stale keys, and the server has new":  {serverTLS, clientTLS, configList(stale), true, first + "connectFailed connectStart secureConnectStart " + done},
		"the server has none":                 {forgot, clientTLS, configList(stale), false, first + "connectFailed connectStart secureConnectStart " + done},
		"no keys":                             {serverTLS, clientTLS, nil, false, first + done},
		"a configuration that stops before 3": {serverTLS, plain, configList(current), false, first + done},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var state tls.ConnectionState
				serve := func(p *peer) {
					if r, _ := p.request(); r != nil {
						state = p.Conn.(*tls.Conn).ConnectionState()
						p.send(okText("x"))
						p.request()
					}
				}
				w.serveTLS("server.test", "10.0.0.1", c.server, serve, serve)
				w.want("200 x")(w.get("https://server.test/", WithDNS(&keysDNS{netip.MustParseAddr("10.0.0.1"), c.keys})))
				if n := len(w.client.cfg.failures.failed); n > 0 {
					t.Errorf("%d routes count as failed", n)
				}
				w.client.Close()
				if state.ECHAccepted != c.accepted || state.ServerName != "server.test" {
					t.Errorf("accepted %v for %q, want %v for server.test", state.ECHAccepted, state.ServerName, c.accepted)
				}
				w.wantEvents(c.events)
			}, WithTLSConfig(c.client))
		})
	}
	t.Run("keys that are garbage", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serveTLS("server.test", "10.0.0.1", serverTLS, answer(okText("x")))
			_, err := w.get("https://server.test/", WithDNS(&keysDNS{netip.MustParseAddr("10.0.0.1"), []byte("garbage")}))
			var e *Error
			if !errors.As(err, &e) || e.Phase != PhaseTLS {
				t.Errorf("error %v", err)
			}
		}, WithTLSConfig(clientTLS))
	})
}
