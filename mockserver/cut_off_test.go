package mockserver_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// TestServerCutsOthersOff: what an effect does to a connection of HTTP/2 ends the requests beside it, which is not their client's doing. They take nothing from the queue, and the test of
// a strict server does not fail for them.
func TestServerCutsOthersOff(t *testing.T) {
	for name, effect := range map[string]mockserver.Effect{
		"close":               mockserver.CloseSocket{},
		"close, the input":    mockserver.CloseSocket{In: true},
		"close, both":         mockserver.CloseSocket{In: true, Out: true},
		"half-close of input": mockserver.CloseSocket{NoClose: true, In: true},
		"reset":               mockserver.Reset{},
		"garbage":             mockserver.Garbage{Bytes: 100},
		"cut record":          mockserver.PartialRecord{},
	} {
		for version, opts := range versions {
			if !strings.HasPrefix(version, "HTTP/2") {
				continue
			}
			t.Run(name+" of "+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					causes := make(chan error, 1)
					s := memory(t, append(opts, mockserver.Strict())...)
					queue := s.Queue()
					queue.SetFailFast(nil)
					s.SetDispatcher(mockserver.DispatcherFunc(func(ctx context.Context, r *mockserver.Request) mockserver.Response {
						if r.Target == "/culprit" {
							return mockserver.Reply(200).On(mockserver.ResponseStart, effect)
						}
						resp := queue.Dispatch(ctx, r)
						causes <- context.Cause(ctx)
						return resp
					}))
					client := s.Client(okhttp.WithRetryOnConnectionFailure(false))
					bystanders, struck := make(chan error, 2), make(chan struct{})
					go func() {
						_, err := client.Get(t.Context(), s.URL("/bystander"))
						bystanders <- err
					}()
					synctest.Wait()
					go func() {
						_, err := client.Post(t.Context(), s.URL("/upload"), okhttp.Streamed("", func(_ context.Context, out io.Writer) error {
							_, _ = out.Write(make([]byte, 20_000))
							<-struck
							_, err := out.Write(make([]byte, 20_000))
							return err
						}))
						bystanders <- err
					}()
					synctest.Wait()
					if _, err := client.Get(t.Context(), s.URL("/culprit")); err == nil {
						t.Error("there was a response")
					}
					close(struck)
					for range 2 {
						if err := <-bystanders; err == nil {
							t.Error("there was a response")
						}
					}
					const want = "the server ended the connection"
					if cause := <-causes; errors.Is(cause, mockserver.ErrClientGone) || !strings.Contains(cause.Error(), want) {
						t.Errorf("the context ended with %v", cause)
					}
					synctest.Wait()
					for range 3 {
						r := take(t, s)
						if failed := r.Failure != nil; failed == (r.Target == "/culprit") || failed && (errors.Is(r.Failure, mockserver.ErrClientGone) || !strings.Contains(r.Failure.Error(), want)) {
							t.Errorf("the journal has %v", r)
						}
					}
					if left := s.Unanswered(); len(left) > 0 {
						t.Errorf("%v still wait", left)
					}
				})
			})
		}
	}
}
