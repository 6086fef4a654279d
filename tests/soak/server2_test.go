package soak

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// connKey is under which the context of a request has its connection.
type connKey struct{}

// start2 is start for a site that speaks HTTP/2, which net/http does for it.
func (s *site) start2(config *tls.Config) {
	config = config.Clone()
	config.NextProtos = []string{"h2"}
	s.http2 = &http.Server{
		Handler: http.HandlerFunc(s.serve2), TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0),
		HTTP2:       &http.HTTP2Config{MaxConcurrentStreams: 7},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	s.tasks.Go(func() { _ = s.http2.ServeTLS(s.listen, "", "") })
}

// serve2 answers a request, well in half of the cases.
func (s *site) serve2(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	rng := rand.New(rand.NewPCG(s.rng.Uint64(), 2))
	s.mu.Unlock()
	abort := func() { panic(http.ErrAbortHandler) } // which resets the stream
	if rng.IntN(60) == 0 {
		abort()
	}
	got, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return
	}
	id := r.Header.Get("X-Id")
	count := func(n int) {
		if r.Method == "POST" {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.seen[id] += n
		}
	}
	count(1)
	if !waits(r.Context(), time.Duration(rng.Int64N(int64(s.think)))) {
		return
	}
	content := body(id, 1+rng.IntN(40))
	if rng.IntN(50) == 0 {
		content = body(id, 20_000)
	}
	w.Header().Set("X-Id", id)
	w.Header().Set("X-Got", fmt.Sprint(got))
	half := func() {
		_, _ = io.WriteString(w, content[:len(content)/2])
		w.(http.Flusher).Flush()
	}
	switch rng.IntN(40) {
	case 0, 1:
		abort()
	case 2, 3:
		half()
		abort()
	case 4:
		r.Context().Value(connKey{}).(net.Conn).Close() // and with it all other streams
		return
	case 5:
		half()
		r.Context().Value(connKey{}).(net.Conn).Close()
		return
	case 6:
		waits(r.Context(), time.Minute)
		return
	case 7:
		half()
		waits(r.Context(), time.Minute)
		return
	case 8, 9:
		w.Header().Set("Connection", "close") // says goodbye
	case 10:
		w.Header().Set("Content-Length", fmt.Sprint(2*len(content))) // which is not so
	case 11:
		w.Header().Set("Link", "</x>")
		w.WriteHeader(http.StatusEarlyHints)
	case 12, 13:
		w.Header().Set("Location", s.others(rng)+"/")
		w.WriteHeader(http.StatusFound)
		return
	case 14:
		count(-1) // it did not act, and says so
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case 15:
		w.WriteHeader(http.StatusNoContent)
		return
	case 16:
		w.Header().Set("X-Long", strings.Repeat("x", 300_000))
	case 17, 18, 19:
		w.Header().Set("Trailer", "X-End")
		half()
		_, _ = io.WriteString(w, content[len(content)/2:])
		w.Header().Set("X-End", id)
		return
	}
	_, _ = io.WriteString(w, content)
}

// waits lets time pass, and reports whether anybody still waits for an answer.
func waits(ctx context.Context, d time.Duration) bool { return pause(ctx, d) == nil }
