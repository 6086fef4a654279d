package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

func TestHandler(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("X-B", "2")
		w.Header().Add("X-A", "1")
		fmt.Fprintf(w, "hello %s from %s, %s", r.PathValue("name"), r.Host, r.URL.Query().Get("q"))
	})
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(201)
		w.WriteHeader(202) // too late
		fmt.Fprintf(w, "%d %v %s ", r.ContentLength, r.Header["Host"], r.Proto)
		_, _ = io.Copy(w, r.Body)
	})
	mux.HandleFunc("/none", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(204)
		if _, err := w.Write([]byte("x")); !errors.Is(err, http.ErrBodyNotAllowed) {
			t.Errorf("a body of 204: %v", err)
		}
		w.(http.Flusher).Flush()
	})
	mux.HandleFunc("/empty", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "A")
		w.Write([]byte("body"))
		w.Header().Set("A", "1")
		w.Header().Set(http.TrailerPrefix+"B", "2")
	})
	mux.HandleFunc("/hints", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</x>")
		w.WriteHeader(103)
		w.Write([]byte("<p>"))
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "a/b")
		if r.URL.RawQuery != "" {
			w.Header().Set("Content-Length", "40000")
		}
		for range 4 {
			w.Write([]byte(strings.Repeat("x", 10000)))
		}
	})
	s := memory(t, mockserver.WithDispatcher(mockserver.Handler(mux)))
	const text = "·Content-Type: text/plain; charset=utf-8"
	for _, tt := range []struct{ request, want string }{
		{"GET /hello/you?q=1 HTTP/1.1·Host: h··", "HTTP/1.1 200 OK·Content-Length: 19" + text + "·X-A: 1·X-B: 2··hello you from h, 1"},
		{"HEAD /hello/you HTTP/1.1·Host: h··", "HTTP/1.1 200 OK·Content-Length: 18" + text + "·X-A: 1·X-B: 2··"},
		{"POST /echo HTTP/1.1·Host: h·Content-Length: 2··hi", "HTTP/1.1 201 Created·Content-Length: 16" + text + "··2 [] HTTP/1.1 hi"},
		{"POST /echo HTTP/1.1·Host: h·Transfer-Encoding: chunked··2·hi·0··", "HTTP/1.1 201 Created·Content-Length: 17" + text + "··-1 [] HTTP/1.1 hi"},
		{"POST /echo HTTP/1.1·Host: h·Content-Length: 2·Expect: 100-continue··hi", "HTTP/1.1 100 Informational··HTTP/1.1 201 Created·Content-Length: 16" + text + "··2 [] HTTP/1.1 hi"},
		{"GET /none HTTP/1.1·Host: h··", "HTTP/1.1 204 No Content··"},
		{"GET /empty HTTP/1.1·Host: h··", "HTTP/1.1 200 OK·Content-Length: 0··"},
		{"GET /trailers HTTP/1.1·Host: h··", "HTTP/1.1 200 OK·Transfer-encoding: chunked" + text + "·Trailer: A··4·body·0·A: 1·B: 2··"},
		{"GET /hints HTTP/1.1·Host: h··", "HTTP/1.1 103 Informational·Link: </x>··HTTP/1.1 200 OK·Content-Length: 3·Content-Type: text/html; charset=utf-8·Link: </x>··<p>"},
		{"HEAD /big HTTP/1.1·Host: h··", "HTTP/1.1 200 OK·Content-Type: a/b··"},
		{"GET /big?sized HTTP/1.1·Host: h··", "HTTP/1.1 200 OK·Content-Length: 40000·Content-Type: a/b··" + strings.Repeat("x", 40000)},
	} {
		w := dial(t, s)
		w.send(tt.request)
		w.want(tt.want)
		w.conn.Close()
	}
}

func TestHandlerStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		s := memory(t, mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(w, "%d;", i); err != nil {
					<-r.Context().Done()
					ended <- err
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}
		}))))
		w := dial(t, s)
		begun := time.Now()
		w.send("GET / HTTP/1.1·Host: h··")
		w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked·Content-Type: text/plain; charset=utf-8··2·0;")
		if time.Since(begun) != 0 {
			t.Errorf("the head came after %v", time.Since(begun))
		}
		w.want("·2·1;·2·2;")
		if time.Since(begun) != 2*time.Second {
			t.Errorf("the pieces came after %v", time.Since(begun))
		}
		w.conn.Close()
		if err := <-ended; err == nil {
			t.Error("the handler goes on without a client")
		}
	})
}

// TestHandlerOverHTTP2 has a client that reads while the handler writes, and one that goes away.
func TestHandlerOverHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		s := memory(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/plain" {
				fmt.Fprintf(w, "%s %s %d", r.Proto, r.Host, r.ProtoMajor)
				return
			}
			defer close(ended)
			for r.Context().Err() == nil {
				fmt.Fprint(w, "tick;")
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}
		}))))
		client := okhttp.New(okhttp.WithDialer(s), okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
		defer client.Close()
		resp, err := client.Get(t.Context(), "http://127.0.0.1/plain")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "HTTP/2.0 127.0.0.1 2" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if resp, err = client.Get(t.Context(), "http://127.0.0.1/ticks"); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 10)
		if _, err := io.ReadFull(resp.Body, got); string(got) != "tick;tick;" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		resp.Body.Close()
		<-ended
	})
}

func TestHandlerThatIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}))))
		w := dial(t, s)
		w.send("GET / HTTP/1.1·Host: h··")
		synctest.Wait()
		begun := time.Now()
		if err := s.Close(); err != nil || time.Since(begun) > 0 {
			t.Errorf("Close: %v after %v", err, time.Since(begun))
		}
	})
}

func TestHandlerPanics(t *testing.T) {
	tb := &failing{TB: t}
	s := mockserver.New(tb, mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/early":
			panic("oops")
		case "/late":
			w.Write([]byte("begun"))
			w.(http.Flusher).Flush()
			panic("late")
		}
		panic(http.ErrAbortHandler)
	}))))
	w := dial(t, s)
	w.send("GET /early HTTP/1.1·Host: h··")
	w.want("HTTP/1.1 500 Server Error·")
	if failed := tb.take(); !strings.Contains(failed, "oops") {
		t.Errorf("failed with %q", failed)
	}
	w = dial(t, s)
	w.send("GET /abort HTTP/1.1·Host: h··")
	w.wantEnd()
	w = dial(t, s)
	w.send("GET /late HTTP/1.1·Host: h··")
	w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked·Content-Type: text/plain; charset=utf-8··5·begun")
	w.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadAll(w.conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection stays open")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if failed := tb.take(); !strings.Contains(failed, "late") {
		t.Errorf("failed with %q", failed)
	}
}

func TestHandlerOutsideOfAServer(t *testing.T) {
	d := mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) }))
	if resp := d.Dispatch(t.Context(), &mockserver.Request{Method: "GET", Target: "/", Proto: "HTTP/1.1"}); resp.Code() != 418 || resp.Err() != nil {
		t.Errorf("status %d, %v", resp.Code(), resp.Err())
	}
	if resp := d.Dispatch(t.Context(), &mockserver.Request{Method: "GET", Target: "%", Proto: "HTTP/1.1"}); resp.Code() != 400 {
		t.Errorf("status %d", resp.Code())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	blocked := mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	if resp := blocked.Dispatch(ctx, &mockserver.Request{Method: "GET", Target: "/", Proto: "HTTP/1.1"}); resp.Code() != 503 && resp.Code() != 200 {
		t.Errorf("status %d", resp.Code())
	}
}

func TestFault(t *testing.T) {
	tb := &failing{TB: t}
	s := mockserver.New(tb, mockserver.WithDispatcher(answer(mockserver.Fault(errors.New("no such script")))))
	defer s.Close()
	w := dial(t, s)
	w.send("GET / HTTP/1.1··")
	w.want("HTTP/1.1 500 Server Error·")
	if failed := tb.take(); failed != "no such script; in answer to GET / HTTP/1.1 (connection 0, request 0, body of 0 bytes)" {
		t.Errorf("failed with %q", failed)
	}
	if mockserver.Fault(nil).Err() == nil {
		t.Error("a fault without an error is none")
	}
}
