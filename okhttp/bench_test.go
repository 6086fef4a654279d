package okhttp

import (
	"context"
	"io"
	"net"
	"testing"
	"time"
)

// cannedConn answers every write with the same response, without a kernel in between: what is left is the cost of the call itself.
type cannedConn struct {
	answer []byte
	left   []byte
}

func (c *cannedConn) Write(p []byte) (int, error) {
	c.left = c.answer
	return len(p), nil
}

func (c *cannedConn) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}

func (*cannedConn) Close() error                     { return nil }
func (*cannedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*cannedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*cannedConn) SetDeadline(time.Time) error      { return nil }
func (*cannedConn) SetReadDeadline(time.Time) error  { return nil }
func (*cannedConn) SetWriteDeadline(time.Time) error { return nil }

type cannedDialer struct{ answer []byte }

func (d *cannedDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return &cannedConn{answer: d.answer}, nil
}

// BenchmarkGet is a GET of 1 KiB on a warm connection, under a context that can be canceled.
func BenchmarkGet(b *testing.B) {
	head := "HTTP/1.1 200 OK\r\nDate: Tue, 01 Dec 2026 10:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: 1024\r\n" +
		"Server: bench\r\nCache-Control: no-store\r\nX-Request-Id: 0123456789abcdef\r\nVary: Accept-Encoding\r\n\r\n"
	answer := append([]byte(head), make([]byte, 1024)...)
	client := New(WithDialer(&cannedDialer{answer}))
	defer client.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	p := make([]byte, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		resp, err := client.Get(ctx, "http://127.0.0.1:8080/1k")
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := resp.Body.Read(p); err != nil {
				if err != io.EOF {
					b.Fatal(err)
				}
				break
			}
		}
		resp.Body.Close()
	}
}
