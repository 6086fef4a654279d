package okhttp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
)

// onePiece sends everything at once when it is told to.
type onePiece struct {
	net.Conn
	held bytes.Buffer
	hold bool
}

func (c *onePiece) Write(p []byte) (int, error) {
	if c.hold {
		return c.held.Write(p)
	}
	return c.Conn.Write(p)
}

func (c *onePiece) flush() {
	c.hold = false
	c.held.WriteTo(c.Conn)
}

// RFC 9112 section 9.2, where the bytes that nobody asked for came in one piece with the response: TLS has taken them off the socket, which is silent.
func TestUnsolicitedBytesInTLS(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	forged := okText("forged")
	for name, tt := range map[string]struct {
		body    int
		records []string // after the head
	}{
		"in the same record":          {5, []string{"BODY" + forged}},
		"in the next record":          {5, []string{"BODY", forged}},
		"after a piece of the record": {12_000, []string{"BODY" + forged}},
		"one byte":                    {12_000, []string{"BODYH"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Skip("no loopback:", err)
			}
			defer l.Close()
			body := strings.Repeat("x", tt.body)
			go func() {
				for n := 0; ; n++ {
					raw, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer raw.Close()
						piece := &onePiece{Conn: raw}
						c := tls.Server(piece, serverTLS)
						p := &peer{t: t, Conn: c, in: bufio.NewReader(c)}
						if r, _ := p.request(); r == nil {
							return
						}
						if n > 0 {
							p.send(okText("second"))
						} else {
							piece.hold = true
							head, _, _ := strings.Cut(okText(body), "x")
							for i, record := range tt.records {
								if record = strings.Replace(record, "BODY", body, 1); i == 0 {
									record = head + record
								}
								p.send(record)
							}
							piece.flush()
						}
						io.Copy(io.Discard, p.in)
					}()
				}
			}()
			dialer := dialerFunc(func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, l.Addr().String())
			})
			client := New(WithTLSConfig(clientTLS), WithProxy(Direct), WithDialer(dialer), WithDNS(valueDNS(v4a)))
			defer client.Close()
			for _, want := range []string{body, "second"} {
				resp, err := client.Get(t.Context(), "https://server.test/")
				if err != nil {
					t.Fatal(err)
				}
				if text, err := resp.Body.Text(); text != want || err != nil {
					t.Errorf("%.20q, %v, want %.20q", text, err, want)
				}
			}
		})
	}
}
