package mockserver_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// TestLateTrailers has trailers come with the end of bodies of all kinds, over both versions.
func TestLateTrailers(t *testing.T) {
	stream := func(length int64) mockserver.Response {
		return mockserver.Reply(200).Stream(length, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("body")), nil })
	}
	for name, tt := range map[string]struct {
		response     mockserver.Response
		method       string
		http1, http2 string // what comes
	}{
		"unknown length":      {stream(-1), "GET", `"body" T=1`, `"body" T=1`},
		"known length":        {stream(4), "GET", `"body"`, `"body" T=1`},
		"known and chunked":   {stream(4).Chunked(2), "GET", `"body" T=1`, `"body" T=1`},
		"text":                {mockserver.Reply(200).Text("body"), "GET", `"body"`, `"body" T=1`},
		"no body":             {mockserver.Reply(200), "GET", `""`, `"" T=1`},
		"behind other fields": {stream(-1).Trailer("S", "0"), "GET", `"body" S=0 T=1`, `"body" S=0 T=1`},
		"HEAD":                {stream(-1), "HEAD", `""`, `""`},
		"204":                 {mockserver.Reply(204), "GET", `""`, `""`},
	} {
		for _, protocol := range []okhttp.Protocols{okhttp.HTTP1Only, okhttp.HTTP2PriorKnowledge} {
			want := tt.http1
			if protocol == okhttp.HTTP2PriorKnowledge {
				want = tt.http2
			}
			t.Run(fmt.Sprint(name, " ", protocol), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					asked := 0
					s := memory(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(answer(tt.response.LateTrailers(func() okhttp.Headers {
						asked++
						h, _ := okhttp.NewHeaders("T", fmt.Sprint(asked))
						return h
					}))))
					client := okhttp.New(okhttp.WithDialer(s), okhttp.WithProtocols(protocol))
					defer client.Close()
					if got := trailed(t, client, tt.method); got != want {
						t.Errorf("got %s, expected %s", got, want)
					}
					if got, second := trailed(t, client, tt.method), strings.Replace(want, "T=1", "T=2", 1); got != second {
						t.Errorf("the second time: got %s, expected %s", got, second)
					}
				})
			})
		}
	}
}

// trailed describes the content and the trailers of a response.
func trailed(t *testing.T, client *okhttp.Client, method string) string {
	t.Helper()
	req, err := okhttp.NewRequest(method, "http://127.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.NewCall(req).Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := resp.Body.Text()
	if err != nil {
		t.Fatal(err)
	}
	trailers, err := resp.Trailers()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%q", body)
	for name, value := range trailers.All() {
		text += fmt.Sprintf(" %s=%s", strings.ToUpper(name), value)
	}
	return text
}

// TestHandlerEndsItsStream has a handler over HTTP/2 write all of the Content-Length that it set, and go on: the client has the body by then, and its end, with the
// trailers, or as a break, when the handler is over.
func TestHandlerEndsItsStream(t *testing.T) {
	const size = 40_000
	for _, breaks := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			read := make(chan struct{})
			s := memory(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(size))
				if _, err := io.WriteString(w, strings.Repeat("x", size)); err != nil {
					t.Error(err)
				}
				<-read
				w.Header().Set(http.TrailerPrefix+"T", "1")
				if breaks {
					panic(http.ErrAbortHandler)
				}
			}))))
			client := okhttp.New(okhttp.WithDialer(s), okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
			defer client.Close()
			resp, err := client.Get(t.Context(), "http://127.0.0.1/")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadFull(resp.Body, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			close(read)
			_, err = resp.Body.Read(make([]byte, 1))
			trailers, failed := resp.Trailers()
			var reset *http2.StreamResetError
			switch {
			case breaks && !errors.As(err, &reset):
				t.Errorf("got %v, expected a stream that was reset", err)
			case !breaks && (err != io.EOF || failed != nil || trailers.Get("T") != "1"):
				t.Errorf("got %v, and trailers %v, %v", err, trailers, failed)
			}
		})
	}
}

// TestHandlerWhoseClientIsGone has the exchange end when the client resets the stream, although the handler goes on behind the last byte of its body.
func TestHandlerWhoseClientIsGone(t *testing.T) {
	const size = 40_000
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		s := memory(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(ended)
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = io.WriteString(w, strings.Repeat("x", size))
			<-r.Context().Done()
		}))))
		client := okhttp.New(okhttp.WithDialer(s), okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
		defer client.Close()
		resp, err := client.Get(t.Context(), "http://127.0.0.1/")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		<-ended
	})
}
