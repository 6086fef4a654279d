package leaks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

var (
	errMine = errors.New("mine")
	soon    = 20 * time.Millisecond // for time limits: long enough to get where it has to stop, and if not, stopping earlier is fine too
)

// kinds are ways in which a call can go. Each leaves nothing behind, alone and among others.
var kinds = []struct {
	name string
	run  func(w *world, ctx context.Context) error
}{
	{"GET", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/small"))
		return wants(resp, err, 200, "hello")
	}},
	{"GET over TLS", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.secure.URL("/small"))
		return wants(resp, err, 200, "hello")
	}},
	{"large", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/large"))
		return wants(resp, err, 200, large)
	}},
	{"chunked", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/chunked"))
		return wants(resp, err, 200, large[:100_000])
	}},
	{"until close", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/until-close"))
		return wants(resp, err, 200, "hello")
	}},
	{"no content", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/none"))
		return wants(resp, err, 204, "")
	}},
	{"redirect", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/redirect"))
		return wants(resp, err, 200, "hello")
	}},
	{"POST", func(w *world, ctx context.Context) error {
		resp, err := w.client.Post(ctx, w.clear.URL("/echo"), okhttp.Text(large))
		return wants(resp, err, 200, large)
	}},
	{"refused body", func(w *world, ctx context.Context) error {
		resp, err := w.client.Post(ctx, w.clear.URL("/refuse"), okhttp.Text(large))
		if err != nil { // the answer may be lost when the server closes with bytes unread
			return nil
		}
		return wants(resp, err, 413, "too large")
	}},
	{"leftover bytes", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/leftover"))
		return wants(resp, err, 200, "hello")
	}},

	// Bodies that nobody reads, or not to the end.
	{"unread", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/small"))
		return errors.Join(err, closed(resp, 0))
	}},
	{"unread large", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.secure.URL("/large"))
		return errors.Join(err, closed(resp, 0))
	}},
	{"read in part", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/large"))
		return errors.Join(err, closed(resp, 100_000))
	}},
	{"chunks in part", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/chunked"))
		return errors.Join(err, closed(resp, 1500))
	}},
	{"unread and stalled", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/half"))
		return errors.Join(err, closed(resp, 2))
	}},

	// Cancellation at each stage.
	{"canceled before", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		resp, err := w.client.Get(ctx, w.clear.URL("/small"))
		return fails(resp, err, context.Canceled)
	}},
	{"canceled resolving", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		dns := okhttp.DNSFunc(func(ctx context.Context, _ string) ([]netip.Addr, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		})
		resp, err := w.client.Get(ctx, "http://name.test/", okhttp.WithDNS(dns))
		return fails(resp, err, context.Canceled)
	}},
	{"canceled connecting", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		resp, err := w.client.Get(ctx, w.clear.URL("/small"), okhttp.WithDialer(dialerFunc(func(ctx context.Context) (net.Conn, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		})))
		return fails(resp, err, context.Canceled)
	}},
	{"canceled in TLS", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		over := make(chan struct{})
		defer close(over)
		// The handshake has begun, and is not answered.
		s := w.serve(mockserver.WithTLS(&tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			cancel()
			<-over
			return nil, errMine
		}}))
		resp, err := w.client.Get(ctx, s.URL("/"))
		return fails(resp, err, context.Canceled)
	}},
	{"canceled in the request", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		resp, err := w.client.Post(ctx, w.clear.URL("/echo"), endless(cancel))
		return fails(resp, err, context.Canceled)
	}},
	{"canceled blocked in the request", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		resp, err := w.client.Post(ctx, w.deaf().URL("/"), endless(cancel), okhttp.WithWriteTimeout(0))
		return fails(resp, err, context.Canceled)
	}},
	{"canceled waiting", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		s := w.serve(mockserver.WithDispatcher(mockserver.DispatcherFunc(func(server context.Context, _ *mockserver.Request) mockserver.Response {
			cancel()
			<-server.Done()
			return mockserver.Response{}
		})))
		resp, err := w.client.Get(ctx, s.URL("/"))
		return fails(resp, err, context.Canceled)
	}},
	{"canceled in the response", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := w.client.Get(ctx, w.clear.URL("/half"))
		if err != nil {
			return err
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 2)); err != nil {
			return err
		}
		cancel()
		return fails(resp, nil, context.Canceled)
	}},
	{"Call.Cancel", func(w *world, ctx context.Context) error {
		req, err := okhttp.NewRequest("GET", w.clear.URL("/silent"))
		if err != nil {
			return err
		}
		call := w.client.NewCall(req)
		call.AddEventListener(&okhttp.EventListener{RequestHeadersEnd: func(okhttp.RequestHeadersEnd) { go call.Cancel() }})
		resp, err := call.Execute(ctx)
		return fails(resp, err, okhttp.ErrCanceled)
	}},

	// Time limits.
	{"call timeout", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/silent"), okhttp.WithCallTimeout(soon))
		return fails(resp, err, context.DeadlineExceeded)
	}},
	{"call timeout in the body", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.secure.URL("/half"), okhttp.WithCallTimeout(soon))
		return fails(resp, err, context.DeadlineExceeded)
	}},
	{"read timeout", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/silent"), okhttp.WithReadTimeout(soon))
		return fails(resp, err, os.ErrDeadlineExceeded)
	}},
	{"write timeout", func(w *world, ctx context.Context) error {
		resp, err := w.client.Post(ctx, w.deaf().URL("/"), endless(func() {}), okhttp.WithWriteTimeout(soon))
		return fails(resp, err, os.ErrDeadlineExceeded)
	}},
	{"connect timeout", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL("/small"), okhttp.WithConnectTimeout(soon), okhttp.WithDialer(dialerFunc(func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})))
		return fails(resp, err, os.ErrDeadlineExceeded)
	}},
	{"TLS timeout", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, "https://"+w.deaf().Addr().String()+"/", okhttp.WithReadTimeout(soon))
		return fails(resp, err, os.ErrDeadlineExceeded)
	}},
	{"context deadline", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, soon)
		defer cancel()
		resp, err := w.client.Get(ctx, w.clear.URL("/half"))
		return fails(resp, err, context.DeadlineExceeded)
	}},

	// Failures at each stage.
	{"unknown host", func(w *world, ctx context.Context) error {
		dns := okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return nil, errMine })
		resp, err := w.client.Get(ctx, "http://name.test/", okhttp.WithDNS(dns))
		return fails(resp, err, errMine)
	}},
	{"refused", func(w *world, ctx context.Context) error {
		c, err := net.Dial("tcp", w.clear.Addr().String())
		if err != nil {
			return err
		}
		defer c.Close()
		resp, err := w.client.Get(ctx, "http://"+c.LocalAddr().String()+"/") // a port in use that nobody listens on
		return fails(resp, err, nil)
	}},
	{"untrusted", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.secure.URL("/small"), okhttp.WithTLSConfig(nil))
		return fails(resp, err, nil)
	}},
	{"not TLS", func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, "https://"+w.clear.Addr().String()+"/") // which is answered with 400
		return fails(resp, err, nil)
	}},
	{"body that fails", func(w *world, ctx context.Context) error {
		body := okhttp.Streamed("", func(_ context.Context, out io.Writer) error {
			io.WriteString(out, "abc")
			return errMine
		})
		resp, err := w.client.Post(ctx, w.clear.URL("/echo"), body)
		return fails(resp, err, errMine)
	}},
	{"body too short", func(w *world, ctx context.Context) error {
		resp, err := w.client.Post(ctx, w.clear.URL("/echo"), okhttp.OneShot("", 10, bytes.NewReader([]byte("abc"))))
		return fails(resp, err, nil)
	}},
	{"hang-up", failing("/hangup")},
	{"reset", failing("/reset")},
	{"not HTTP", failing("/garbage")},
	{"huge head", failing("/huge")},
	{"short body", failing("/short")},
	{"bad chunks", failing("/chunks")},
	{"bad gzip", failing("/gzip")},
	{"circle", failing("/circle")},
	{"interceptor that fails before", func(w *world, ctx context.Context) error {
		client := w.client.With(okhttp.WithNetworkInterceptor(okhttp.InterceptorFunc(func(context.Context, okhttp.Chain) (*okhttp.Response, error) {
			return nil, errMine
		})))
		resp, err := client.Get(ctx, w.clear.URL("/small"))
		return fails(resp, err, errMine)
	}},
	{"interceptor that drops the response", func(w *world, ctx context.Context) error {
		for _, option := range []func(...okhttp.Interceptor) okhttp.Option{okhttp.WithInterceptor, okhttp.WithNetworkInterceptor} {
			client := w.client.With(option(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
				if _, err := chain.Proceed(ctx, chain.Request()); err != nil {
					return nil, err
				}
				return nil, errMine
			})))
			resp, err := client.Get(ctx, w.clear.URL("/large"))
			if err := fails(resp, err, errMine); err != nil {
				return err
			}
		}
		return nil
	}},
	{"closed client", func(w *world, ctx context.Context) error {
		client := w.client.With()
		client.Close()
		resp, err := client.Get(ctx, w.clear.URL("/small"))
		return fails(resp, err, okhttp.ErrClientClosed)
	}},
	{"client closed in the body", func(w *world, ctx context.Context) error {
		client := w.client.With()
		resp, err := client.Get(ctx, w.clear.URL("/half"))
		if err != nil {
			return err
		}
		client.Close()
		return fails(resp, nil, okhttp.ErrCanceled)
	}},

	// Panics of the caller's code go through, and take nothing with them.
	{"panic before the network", panicking(func(w *world) okhttp.Option {
		return okhttp.WithNetworkInterceptor(okhttp.InterceptorFunc(func(context.Context, okhttp.Chain) (*okhttp.Response, error) {
			panic(errMine)
		}))
	})},
	{"panic after the network", panicking(func(w *world) okhttp.Option {
		return okhttp.WithNetworkInterceptor(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			chain.Proceed(ctx, chain.Request())
			panic(errMine)
		}))
	})},
	{"panic with the response", panicking(func(w *world) okhttp.Option {
		return okhttp.WithInterceptor(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			chain.Proceed(ctx, chain.Request())
			panic(errMine)
		}))
	})},
	{"panic in an event", panicking(func(w *world) okhttp.Option {
		return okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
			return &okhttp.EventListener{ResponseHeadersEnd: func(okhttp.ResponseHeadersEnd) { panic(errMine) }}
		})
	})},
	{"panic in the request body", func(w *world, ctx context.Context) (failed error) {
		defer func() {
			if got := recover(); got != errMine {
				failed = fmt.Errorf("recovered %v, want the panic", got)
			}
		}()
		resp, err := w.client.Post(ctx, w.clear.URL("/echo"), endless(func() { panic(errMine) }))
		return fmt.Errorf("%v, %v, want the panic", resp, err)
	}},

	// net/http.
	{"RoundTripper", func(w *world, ctx context.Context) error {
		resp, err := roundTrip(ctx, w, "/redirect")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if string(text) != "hello" {
			return fmt.Errorf("%q, %v", text, err)
		}
		return err
	}},
	{"RoundTripper unread", func(w *world, ctx context.Context) error {
		resp, err := roundTrip(ctx, w, "/large")
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}},
	{"RoundTripper canceled", func(w *world, ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := roundTrip(ctx, w, "/half")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		io.ReadFull(resp.Body, make([]byte, 2))
		cancel()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%v, want it canceled", err)
		}
		return nil
	}},
	{"http.Client timeout", func(w *world, ctx context.Context) error {
		client := w.client.HTTPClient()
		client.Timeout = soon
		if resp, err := client.Get(w.clear.URL("/silent")); err == nil {
			resp.Body.Close()
			return errors.New("no failure")
		}
		return nil
	}},
}

// endless is a body that calls f after its first piece and goes on until it cannot.
func endless(f func()) *okhttp.Body {
	return okhttp.Streamed("", func(_ context.Context, out io.Writer) error {
		if _, err := io.WriteString(out, large[:1000]); err != nil {
			return err
		}
		f()
		for {
			if _, err := io.WriteString(out, large); err != nil {
				return err
			}
		}
	})
}

type dialerFunc func(ctx context.Context) (net.Conn, error)

func (f dialerFunc) DialContext(ctx context.Context, _, _ string) (net.Conn, error) { return f(ctx) }

// closed reads n bytes of a body and closes it.
func closed(resp *okhttp.Response, n int) error {
	if resp == nil {
		return nil
	}
	_, err := io.ReadFull(resp.Body, make([]byte, n))
	return errors.Join(err, resp.Body.Close())
}

func failing(path string) func(*world, context.Context) error {
	return func(w *world, ctx context.Context) error {
		resp, err := w.client.Get(ctx, w.clear.URL(path))
		return fails(resp, err, nil)
	}
}

// panicking makes a call under an option that panics, over a new connection.
func panicking(option func(*world) okhttp.Option) func(*world, context.Context) error {
	return func(w *world, ctx context.Context) (failed error) {
		defer func() {
			if got := recover(); got != errMine {
				failed = fmt.Errorf("recovered %v, want the panic", got)
			}
		}()
		// Options that differ keep it from the connections of others.
		client := w.client.With(option(w), okhttp.WithTLSConfig(w.trust.Clone()), okhttp.WithDialer(new(net.Dialer)))
		resp, err := client.Get(ctx, w.secure.URL("/large"))
		return fmt.Errorf("%v, %v, want the panic", resp, err)
	}
}

func roundTrip(ctx context.Context, w *world, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", w.clear.URL(path), nil)
	if err != nil {
		return nil, err
	}
	return w.client.HTTPClient().Do(req)
}

// TestEachKind makes each kind of call, twice: the second one may find a connection that the first one left.
func TestEachKind(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			checked(t, func(w *world) {
				for range 2 {
					if err := kind.run(w, t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// TestAllAtOnce makes 200 calls of all kinds at the same time, over one client.
func TestAllAtOnce(t *testing.T) {
	checked(t, func(w *world) {
		start := make(chan struct{})
		var calls sync.WaitGroup
		for i := range 200 {
			kind := kinds[i%len(kinds)]
			calls.Go(func() {
				<-start
				if err := kind.run(w, t.Context()); err != nil {
					t.Errorf("%s: %v", kind.name, err)
				}
			})
		}
		close(start)
		calls.Wait()
	})
}

// TestClosingTheClient ends calls in the middle of everything, with a client that owns its pool.
func TestClosingTheClient(t *testing.T) {
	checked(t, func(w *world) {
		for range 20 {
			client := okhttp.New(okhttp.WithTLSConfig(w.trust))
			var calls sync.WaitGroup
			for _, path := range []string{"/small", "/large", "/silent", "/half", "/chunked", "/redirect", "/circle"} {
				for _, server := range []interface{ URL(string) string }{w.clear, w.secure} {
					calls.Go(func() {
						resp, err := client.Get(t.Context(), server.URL(path))
						if err != nil {
							return
						}
						defer resp.Body.Close()
						io.Copy(io.Discard, resp.Body)
					})
				}
			}
			if _, err := w.clear.TakeRequest(t.Context()); err != nil { // so that something is under way
				t.Error(err)
			}
			client.Close()
			calls.Wait()
		}
	})
}

// TestAbandonedResponse does not close a response at all. Closing the client takes its connection away.
func TestAbandonedResponse(t *testing.T) {
	checked(t, func(w *world) {
		client := okhttp.New()
		resp, err := client.Get(t.Context(), w.clear.URL("/half"))
		if err != nil {
			t.Fatal(err)
		}
		client.Close()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, okhttp.ErrCanceled) {
			t.Errorf("%v, want it canceled", err)
		}
	})
}
