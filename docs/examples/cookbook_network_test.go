package examples

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

func Example_cookbookPerHost() {
	s := scripted(mockserver.Reply(200), mockserver.Reply(200))
	defer s.Close()
	ctx := context.Background()
	// #region perhost
	dispatcher := okhttp.NewDispatcher(okhttp.DispatcherConfig{
		MaxRequests:        100,
		MaxRequestsPerHost: 2,    // the third call to a host waits for one to end
		LimitExecute:       true, // also calls on the caller's goroutine, not Enqueue alone
	})
	client := okhttp.New(okhttp.WithDispatcher(dispatcher))
	// #endregion perhost
	defer client.Close()
	resp, err := client.Get(ctx, s.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	fmt.Println(resp.Status, dispatcher.Stats().Running)
	// Output: 200 0
}

func Example_cookbookCoalescing() {
	ctx := context.Background()
	s, err := mockserver.Start(mockserver.WithLocalhostTLS("img.example.test", "api.example.test"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Enqueue(mockserver.Reply(200), mockserver.Reply(200))
	port := s.Addr().(interface{ AddrPort() netip.AddrPort }).AddrPort().Port()
	thisMachine := okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	})
	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{})
	defer pool.Close()
	client := okhttp.New(okhttp.WithTLSConfig(s.ClientTLSConfig()), okhttp.WithDNS(thisMachine), okhttp.WithPool(pool))
	defer client.Close()
	// #region coalescing
	// Two hosts, one address, one certificate for both: over HTTP/2 that is one connection.
	for _, host := range []string{"api.example.test", "img.example.test"} {
		resp, err := client.Get(ctx, fmt.Sprintf("https://%s:%d/", host, port))
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
	}
	fmt.Println(pool.Stats().Connections)
	// #endregion coalescing

	// Output: 1
}

func Example_cookbookHandshakeCheck() {
	ctx := context.Background()
	s, err := mockserver.Start(mockserver.WithLocalhostTLS())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Enqueue(mockserver.Reply(200))
	config := s.ClientTLSConfig()
	// #region handshake
	errOldKey := errors.New("the server's key is one that was lost")
	lost := map[string]bool{"sha256/afwiKY3RxoMmLkuRW1l7QsPZTJPwDS2pdDROQjXw8ig=": true}

	// A network interceptor sees the connection before the first byte of the request is on it.
	check := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		if conn, ok := chain.Connection(); ok && conn.Handshake() != nil {
			for _, cert := range conn.Handshake().PeerCertificates {
				if lost[okhttp.PinOf(cert)] {
					return nil, errOldKey
				}
			}
		}
		return chain.Proceed(ctx, chain.Request())
	})
	client := okhttp.New(okhttp.WithTLSConfig(config), okhttp.WithNetworkInterceptor(check))
	// #endregion handshake
	defer client.Close()
	resp, err := client.Get(ctx, s.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	// #region handshakeafter
	if h := resp.Handshake(); h != nil { // nil for cleartext
		fmt.Println(len(h.PeerCertificates) > 0, h.Version)
	}
	// #endregion handshakeafter
	lost[okhttp.PinOf(resp.Handshake().PeerCertificates[0])] = true
	_, err = client.Get(ctx, s.URL("/"))
	fmt.Println(errors.Is(err, errOldKey))
	// Output:
	// true TLSv1.3
	// true
}

func Example_cookbookTrust() {
	ctx := context.Background()
	s, err := mockserver.Start(mockserver.WithLocalhostTLS())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Enqueue(mockserver.Reply(200))
	file := s.CertificatePEM()
	// #region trust
	block, _ := pem.Decode(file) // of your organisation, say
	authority, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		fmt.Println(err)
		return
	}
	trusted, err := oktls.NewHandshakeCertificates(oktls.HandshakeCertificatesConfig{
		Trusted:       []*x509.Certificate{authority},
		TrustPlatform: true, // and what the system trusts
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := okhttp.New(okhttp.WithTLSConfig(trusted.ClientConfig()))
	// #endregion trust
	defer client.Close()
	resp, err := client.Get(ctx, s.URL("/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200
}
