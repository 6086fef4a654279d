//go:build unix

package interop

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// retryable is HashiCorp's client over the transport of a site. It waits 1, 2, 4 and 8 seconds if the server does not say how long.
func (s *site) retryable() *retryablehttp.Client {
	c := retryablehttp.NewClient()
	c.Logger, c.HTTPClient = nil, s.client()
	return c
}

// seconds are how many have passed, without the millisecond that looking at a connection before it is used again may take.
func seconds(since time.Time) int { return int(time.Since(since) / time.Second) }

// failing answers each n-th request with what it sent, and the others by fail.
func failing(n int32, fail func(w http.ResponseWriter, r *http.Request)) func(*testing.T) http.Handler {
	return func(*testing.T) http.Handler {
		var count atomic.Int32
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if count.Add(1)%n != 0 {
				fail(w, r)
				return
			}
			echoed(w, r)
		})
	}
}

// echoed reads the request before it answers: this client reads no answer before it has sent everything.
func echoed(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("X-Method", r.Method)
	w.Write(body)
}

func status(code int, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, "not now: %d", code)
	}
}

// aborted ends the connection after the request, without a response.
func aborted(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

// half ends the connection within the response.
func half(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "100")
	io.WriteString(w, "half")
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// TestRetryableBodies sends each kind of body three times, until it is taken.
func TestRetryableBodies(t *testing.T) {
	const text = "the body"
	for _, f := range []struct {
		name string
		fail func(http.ResponseWriter, *http.Request)
	}{
		{"500", status(500)},
		{"429", status(429)},
		{"502 and closed", status(502, "Connection", "close")},
		{"no response", aborted},
	} {
		t.Run(f.name, func(t *testing.T) {
			dropInTimed(t, failing(3, f.fail), func(t *testing.T, s *site) {
				c := s.retryable()
				for name, body := range map[string]any{
					"none":          nil,
					"bytes":         []byte(text),
					"buffer":        bytes.NewBufferString(text),
					"bytes.Reader":  bytes.NewReader([]byte(text)),
					"seeker":        strings.NewReader(text),
					"reader":        io.MultiReader(strings.NewReader(text)),
					"reader of ''":  io.MultiReader(),
					"function":      func() (io.Reader, error) { return strings.NewReader(text), nil },
					"unknown":       retryablehttp.ReaderFunc(func() (io.Reader, error) { return io.MultiReader(strings.NewReader(text)), nil }),
					"many segments": bytes.Repeat([]byte("0123456789abcdef"), 20_000),
				} {
					req, err := retryablehttp.NewRequestWithContext(t.Context(), "POST", s.url+"/"+url.PathEscape(name), body)
					if err != nil {
						t.Fatal(err)
					}
					began := time.Now()
					resp, err := c.Do(req)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					want := text
					switch name {
					case "none", "reader of ''":
						want = ""
					case "many segments":
						want = string(body.([]byte))
					}
					got, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					if string(got) != want || err != nil || seconds(began) != 3 {
						t.Errorf("%s: %s, %v after %v", name, abridged(string(got)), err, time.Since(began))
					}
				}
				if n := len(s.log.all()); n != 30 {
					t.Errorf("%d requests, want 3 for each of 10 bodies", n)
				}
			})
		})
	}
}

// TestRetryableWaits has the server say when to come back, and the client give up.
func TestRetryableWaits(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(http.ResponseWriter, *http.Request)
		want int // seconds before the third request
	}{
		{"seconds", status(429, "Retry-After", "7"), 14},
		{"seconds with 503", status(503, "Retry-After", "60"), 120},
		{"at once", status(503, "Retry-After", "0"), 0},
		{"seconds with 500, where they do not count", status(500, "Retry-After", "7"), 3},
		{"date", func(w http.ResponseWriter, r *http.Request) {
			status(503, "Retry-After", time.Now().Add(5*time.Second).UTC().Format(http.TimeFormat))(w, r)
		}, 10},
		{"nonsense", status(429, "Retry-After", "tomorrow"), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			dropInTimed(t, failing(3, c.fail), func(t *testing.T, s *site) {
				began := time.Now()
				resp, err := s.retryable().Get(s.url)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if waited := seconds(began); waited != c.want || resp.StatusCode != 200 {
					t.Errorf("%d after %d s, want 200 after %d s", resp.StatusCode, waited, c.want)
				}
			})
		})
	}
	never := failing(1000, status(503))
	t.Run("given up", func(t *testing.T) {
		dropInTimed(t, never, func(t *testing.T, s *site) {
			c := s.retryable()
			if _, err := c.Post(s.url, "text/plain", []byte("text")); err == nil || !strings.Contains(err.Error(), "giving up after 5 attempt(s)") {
				t.Error(err)
			}
			c.ErrorHandler = retryablehttp.PassthroughErrorHandler
			resp, err := c.Get(s.url)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if text, err := io.ReadAll(resp.Body); string(text) != "not now: 503" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
		})
	})
	t.Run("half a response", func(t *testing.T) {
		dropInTimed(t, failing(3, half), func(t *testing.T, s *site) {
			req, err := retryablehttp.NewRequestWithContext(t.Context(), "GET", s.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			var errs []error
			req.SetResponseHandler(func(resp *http.Response) error {
				defer resp.Body.Close()
				_, err := io.ReadAll(resp.Body)
				errs = append(errs, err)
				return err
			})
			if _, err := s.retryable().Do(req); err != nil {
				t.Error(err)
			}
			if len(errs) != 3 || !errors.Is(errs[0], io.ErrUnexpectedEOF) || !errors.Is(errs[1], io.ErrUnexpectedEOF) || errs[2] != nil {
				t.Errorf("%v, want an unexpected end twice", errs)
			}
		})
	})
}

// TestRetryableContext ends the context while the client waits to come back, and while the server is silent.
func TestRetryableContext(t *testing.T) {
	silent := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // the server looks after the connection only then
		<-r.Context().Done()
	}
	for _, f := range []struct {
		name string
		fail func(http.ResponseWriter, *http.Request)
	}{
		{"waiting to come back", status(503, "Retry-After", "3600")},
		{"waiting for the response", silent},
	} {
		t.Run(f.name, func(t *testing.T) {
			dropInTimed(t, failing(1000, f.fail), func(t *testing.T, s *site) {
				c := s.retryable()
				do := func(ctx context.Context) error {
					req, err := retryablehttp.NewRequestWithContext(ctx, "POST", s.url, []byte("text"))
					if err != nil {
						t.Fatal(err)
					}
					resp, err := c.Do(req)
					if err == nil {
						resp.Body.Close()
					}
					return err
				}
				began := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				if err := do(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled: %v", err)
				}
				ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("timed out: %v", err)
				}
				// A time limit of the http.Client is one for each attempt.
				c.HTTPClient.Timeout, c.RetryMax = 3*time.Second, 1
				if f.name == "waiting for the response" {
					var timeout *url.Error
					if err := do(t.Context()); !errors.As(err, &timeout) || !timeout.Timeout() {
						t.Errorf("timed out by the client: %v", err)
					}
					began = began.Add(7 * time.Second)
				}
				if after := seconds(began); after != 4 {
					t.Errorf("after %d s, want 4", after)
				}
			})
		})
	}
}

// TestRetryableHopeless has failures that no repetition can help: the client knows them by what net/http says, and does not wait.
func TestRetryableHopeless(t *testing.T) {
	circle := func(*testing.T) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	}
	dropInTimed(t, circle, func(t *testing.T, s *site) {
		began := time.Now()
		for _, c := range []struct {
			name  string
			url   string
			field [2]string
		}{
			{"redirects without end", s.url, [2]string{}},
			{"scheme", "ftp://10.0.0.1/", [2]string{}},
			{"redirected", s.url, [2]string{}},
			{"name of a header", s.url, [2]string{"Na me", "value"}},
			{"value of a header", s.url, [2]string{"Name", "val\nue"}},
		} {
			req, err := retryablehttp.NewRequestWithContext(t.Context(), "POST", c.url, []byte("text"))
			if err != nil {
				t.Fatal(err)
			}
			if c.field[0] != "" {
				req.Header[c.field[0]] = []string{c.field[1]}
			}
			if _, err := s.retryable().Do(req); err == nil || !strings.Contains(err.Error(), "giving up after 1 attempt(s)") {
				t.Errorf("%s: %v", c.name, err)
			}
			if waited := seconds(began); waited != 0 {
				t.Errorf("%s: waited %d s", c.name, waited)
				began = time.Now()
			}
		}
	})
	hello := func(*testing.T) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	}
	dropInTLS(t, hello, func(t *testing.T, s *site) {
		c := s.retryable()
		c.RetryWaitMin, c.RetryWaitMax = 0, 0
		if resp, err := c.Get(s.url); err != nil {
			t.Error(err)
		} else {
			resp.Body.Close()
		}
		var wrong x509.HostnameError
		_, err := c.Get(strings.Replace(s.url, "127.0.0.1", "127.0.0.2", 1))
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "giving up after 1 attempt(s)") {
			t.Errorf("a certificate of another name: %v", err)
		}
	})
}

// TestRetryableRedirect posts to where a redirect leads, with the body and without it.
func TestRetryableRedirect(t *testing.T) {
	moved := func(*testing.T) http.Handler {
		var n atomic.Int32
		mux := http.NewServeMux()
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1)%2 != 0 {
				status(503)(w, r)
				return
			}
			echoed(w, r)
		})
		for _, code := range []int{301, 302, 303, 307, 308} {
			mux.HandleFunc(fmt.Sprintf("/%d", code), func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", code) })
		}
		return mux
	}
	dropInTimed(t, moved, func(t *testing.T, s *site) {
		for code, want := range map[int]string{301: "GET ", 302: "GET ", 303: "GET ", 307: "POST text", 308: "POST text"} {
			resp, err := s.retryable().Post(fmt.Sprintf("%s/%d", s.url, code), "text/plain", []byte("text"))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if got := resp.Header.Get("X-Method") + " " + string(body); got != want || err != nil {
				t.Errorf("%d leads to %q, %v, want %q", code, got, err, want)
			}
		}
	})
}

// TestRetryableStandardClient stacks the layers: an http.Client over HashiCorp's, which is over an http.Client of ours.
func TestRetryableStandardClient(t *testing.T) {
	dropInTimed(t, failing(3, aborted), func(t *testing.T, s *site) {
		netHTTP(s.retryable().StandardClient())(t, "PUT", s.url, []byte("text")).want(t, 200, "text")
	})
}
