package okcache

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// answer returns a response of net/http.
func answer(r *http.Request, cacheControl, text string) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"Cache-Control": {cacheControl}, "Date": {at(0)}},
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)),
	}
}

// A panic of the exchange that several share is one of who asked first, on its own goroutine, where it may be recovered; for the others it is a failure.
func TestCollapsePanics(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("oh") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				broken := true
				cache := New(NewMemoryStore(1<<20), Config{Collapse: true})
				defer cache.Close()
				base := cache.RoundTripper(transport(func(r *http.Request) (*http.Response, error) {
					if broken {
						time.Sleep(time.Second)
						end()
					}
					return answer(r, "max-age=60", "text"), nil
				}))
				outcome := func() <-chan any {
					done := make(chan any, 1)
					go func() {
						defer func() {
							if p := recover(); p != nil {
								done <- p
							}
						}()
						r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://a/", nil)
						_, err := base.RoundTrip(r)
						done <- err
					}()
					synctest.Wait()
					return done
				}
				first, second := outcome(), outcome()
				var failed *panicError
				if got := <-first; name == "panic" && got != "oh" {
					t.Errorf("first: %v", got)
				} else if err, _ := got.(error); name == "Goexit" && !errors.As(err, &failed) {
					t.Errorf("first: %v", got)
				}
				if err, _ := (<-second).(error); !errors.As(err, &failed) {
					t.Errorf("second: %v", err)
				}
				broken = false
				if got := <-outcome(); got != nil {
					t.Errorf("third: %v", got)
				}
			})
		})
	}
}

// A panic of what validates in the background is logged, and the next one tries again.
func TestBackgroundPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		asked := 0
		cache := New(NewMemoryStore(1<<20), Config{StaleWhileRevalidate: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		defer cache.Close()
		base := cache.RoundTripper(transport(func(r *http.Request) (*http.Response, error) {
			if asked++; asked == 2 {
				panic("oh")
			}
			return answer(r, "max-age=1, stale-while-revalidate=600", strings.Repeat("x", asked)), nil
		}))
		for _, want := range []string{"x", "x", "x", "xxx"} {
			r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://a/", nil)
			resp, err := base.RoundTrip(r)
			if got := bodyOf(t, resp, err); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			synctest.Wait()
			time.Sleep(2 * time.Second)
		}
		if got := log.String(); !strings.Contains(got, "panicked: oh") {
			t.Errorf("log %q", got)
		}
	})
}
