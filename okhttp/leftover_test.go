package okhttp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// What follows a response without being asked for never answers the next request, whether it comes with the response or later, and
// however the body was read.
func TestForgedResponseIsNotDelivered(t *testing.T) {
	const size = 200000
	forged := okText("FORGED")
	for _, tt := range []struct {
		name  string
		later bool
		read  func(*Response) error
	}{
		{"with the response, read in one piece", false, func(r *Response) error {
			_, err := io.ReadFull(r.Body, make([]byte, size))
			return err
		}},
		{"with the response, closed unread", false, func(r *Response) error { return r.Body.Close() }},
		{"after the response", true, func(r *Response) error {
			_, err := r.Body.Bytes()
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			read, sent := make(chan struct{}), make(chan struct{})
			go func() {
				for first := true; ; first = false {
					c, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer c.Close()
						in := bufio.NewReader(c)
						if r, err := http.ReadRequest(in); err != nil || r == nil {
							return
						}
						if !first {
							io.WriteString(c, okText("true"))
							io.Copy(io.Discard, in)
							return
						}
						response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("x", size))
						if tt.later {
							io.WriteString(c, response)
							<-read
							io.WriteString(c, forged)
						} else {
							io.WriteString(c, response+forged)
						}
						close(sent)
						io.Copy(io.Discard, in)
					}()
				}
			}()
			client := New()
			defer client.Close()
			resp, err := client.Get(t.Context(), "http://"+l.Addr().String()+"/")
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.read(resp); err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			close(read)
			<-sent
			resp, err = client.Get(t.Context(), "http://"+l.Addr().String()+"/")
			if err != nil {
				t.Fatal(err)
			}
			if text, err := resp.Body.Text(); err != nil || text != "true" {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}
