package okhttp

import (
	"io"
	"log/slog"
	"net"
	"runtime"
	"testing"
	"time"
)

// A response is in use while its body is being read or closed, even if that is the last thing anybody does with it: here each blocks while
// garbage is collected.
func TestResponseInUseIsNoLeak(t *testing.T) {
	for name, use := range map[string]func(*Response){
		"Close":             func(r *Response) { r.Body.Close() },
		"Close of a source": func(r *Response) { r.Body.Source().Close() },
		"Read":              func(r *Response) { io.ReadFull(r.Body, make([]byte, 3)) },
		"ReadBuffer":        func(r *Response) { io.ReadFull(r.Body.Source(), make([]byte, 3)) },
		"Trailers":          func(r *Response) { r.Trailers() },
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Skip("no loopback:", err)
			}
			defer l.Close()
			go func() {
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				c.Read(make([]byte, 1000))
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
				io.Copy(io.Discard, c)
			}()
			var lines logLines
			client := New(WithLogger(slog.New(slog.NewTextHandler(&lines, nil))), WithReadTimeout(200*time.Millisecond))
			defer client.Close()
			begun, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				resp, err := client.Get(t.Context(), "http://"+l.Addr().String())
				if err != nil {
					t.Error(err)
				}
				close(begun)
				use(resp)
			}()
			<-begun
			for over := false; !over; {
				runtime.GC()
				client.cfg.pool.reap()
				select {
				case <-done:
					over = true
				default:
				}
			}
			if text := lines.String(); text != "" {
				t.Errorf("logged %s", text)
			}
		})
	}
}
