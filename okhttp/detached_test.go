package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// A call canceled by an interceptor after Proceed must end with callFailed, and its connection must not be pooled.
func TestCanceledInInterceptorAfterProceed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x")))
		if _, err := w.get("http://server.test/"); !errors.Is(err, ErrCanceled) {
			t.Errorf("error %v", err)
		}
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v, want the dead connection gone", got)
		}
		if last := w.events[len(w.events)-1]; last != "callFailed" {
			t.Errorf("ends with %s", last)
		}
	}, WithInterceptor(InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := c.Proceed(ctx, c.Request())
		c.Call().Cancel()
		return resp, err
	})))
}

// A network interceptor that replaces a redirect's body leaves the first exchange open. When its body is closed
// later, the connection of the second exchange must not be given up.
func TestReplacedBodyOfARedirectIsDetached(t *testing.T) {
	var first *ResponseBody
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 4\r\n\r\nbody"), answer(okText("hello")))
		resp, err := w.client.Get(t.Context(), "http://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		first.Close()
		if text, err := resp.Body.Text(); err != nil || text != "hello" {
			t.Errorf("got %q, %v", text, err)
		}
		w.wantEvents(newConnection80 + exchanged + "followUpDecision true connectionReleased proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired " +
			exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd")
	}, WithNetworkInterceptor(InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := c.Proceed(ctx, c.Request())
		if err == nil && resp.Status == 302 {
			first = resp.Body
			resp = resp.With(ResponseBodyFrom("", 0, new(okio.Buffer)))
		}
		return resp, err
	})))
}

// A body that cannot be opened leaves everything on this side.
func TestBodyThatCannotBeOpenedIsNotSent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("a")))
		_, err := w.do("POST", "http://server.test/", File("/does/not/exist", ""))
		if !SafeToRetry(err) {
			t.Errorf("error %v is not safe to retry", err)
		}
	})
}

// The certificate that this side sent is part of the handshake.
func TestClientCertificateIsInTheHandshake(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	serverTLS.ClientAuth = tls.RequireAnyClientCert
	clientTLS.Certificates = serverTLS.Certificates
	inWorld(t, func(t *testing.T, w *world) {
		w.serveTLS("server.test", "10.0.0.1", serverTLS, answer(okText("x")))
		resp, err := w.client.Get(t.Context(), "https://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Handshake().LocalCertificates; len(got) != 1 || got[0].DNSNames[0] != "server.test" {
			t.Errorf("local certificates %v", got)
		}
	}, WithTLSConfig(clientTLS))
}
