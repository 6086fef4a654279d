package okhttp

import (
	"errors"
	"testing"
	"time"
)

// Whatever a proxy answers, asking it for a tunnel ends, with a failure that is of the proxy, of TLS in the tunnel or of the time.
func FuzzTunnelAnswers(f *testing.F) {
	for _, s := range []string{established, proxyRefusal, proxyRefusal + established, proxyChallenge + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n" + established,
		"HTTP/1.1 100 X\r\n\r\nHTTP/1.0 407 X\r\nContent-Length: 1\r\n\r\nx", established + "\x15\x03\x03\x00\x02\x02\x28", "HTTP/1.1 407 X\r\nConnection: close\r\n\r\n", "\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, answer []byte, http bool) {
		url := "socks5h://u:p@10.0.9.1:3128"
		if http {
			url = "http://u:p@10.0.9.1:3128"
		}
		inWorld(t, func(t *testing.T, w *world) {
			script := func(p *peer) {
				p.in.Peek(1)
				p.send(string(answer))
				p.untilClosed()
			}
			w.serveAt(proxyAddr, nil, script, script, script)
			_, err := w.get("https://server.test/", proxyCredentials("x"), WithCallTimeout(time.Minute))
			var e *Error
			if !errors.As(err, &e) || e.Sent {
				t.Fatalf("error %v", err)
			}
			switch {
			case isError[*ProxyError](err) && e.Phase == PhaseProxy, isError[*ProtocolError](err) && e.Phase == PhaseProxy, e.Phase == PhaseTLS, e.Timeout():
			default:
				t.Errorf("phase %s: %v", e.Phase, err)
			}
			w.holdsNothing()
		}, WithProxy(mustProxy(t, url)))
	})
}
