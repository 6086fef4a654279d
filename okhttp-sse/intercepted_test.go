package oksse

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// Events that come compressed, each flushed by the server, are there at once, and the stream may be silent as any other. A stream that is cut short in the compressor goes on.
func TestCompressedStream(t *testing.T) {
	zipped := func(text string, wait time.Duration, more string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("Accept-Encoding: %s", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", eventStream)
			z := gzip.NewWriter(w)
			io.WriteString(z, text)
			z.Flush()
			http.NewResponseController(w).Flush()
			time.Sleep(wait)
			io.WriteString(z, more)
			if more == "" {
				return // without the end of the compressed data
			}
			z.Close()
		}
	}
	inScene(t, func(t *testing.T, s *scene) {
		s.collect(t.Context(), s.stream(nil), -1)
		s.wantLog(`
			0s (1,message,a) #1
			1h0m0s (2,message,b) #1
			1h0m3s (3,message,c) #2
			1h0m6s oksse: expected status 200, got 204`)
		s.wantVisits("0s:- 1h0m3s:2 1h0m6s:3")
	}, zipped("id: 1\ndata: a\n\n", time.Hour, "id: 2\ndata: b\n\n"), zipped("id: 3\ndata: c\n\n", 0, ""), refuses(204))
}

// An interceptor can answer in the place of a server, and stand between: a stream follows what it gives.
func TestStreamOfInterceptor(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		n := 0
		s.client = s.client.With(okhttp.WithInterceptor(okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			n++
			if n == 1 {
				return okhttp.NewResponse(chain.Request(), 200, okhttp.ResponseBodyFrom(eventStream, -1, okio.NewBufferString("id: 1\ndata: a\n\n"))), nil
			}
			resp, err := chain.Proceed(ctx, chain.Request())
			if err != nil {
				return nil, err
			}
			return resp.With(okhttp.ResponseBodyFrom(eventStream, -1, resp.Body)), nil
		})))
		stream := s.stream(&Config{IdleTimeout: time.Hour})
		time.AfterFunc(2*time.Hour, func() { stream.Close() })
		if err := s.collect(t.Context(), stream, -1); !errors.Is(err, ErrCanceled) {
			t.Error(err)
		}
		s.wantLog(`
			0s (1,message,a) #1
			3s (1,message,b) #2
			50m3s (1,message,c) #2
			50m6s (1,message,b) #3
			1h50m9s (1,message,b) #4
			2h0m0s oksse: canceled`)
	}, then("data: b\n\n", 50*time.Minute, "data: c\n\n"), stays("data: b\n\n"))
}
