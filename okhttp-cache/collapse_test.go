package okcache

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

const long = "0123456789abcdef"

// readLater reads a response in the background, and returns what waits for the end.
func (s *site) readLater(ctx context.Context, path string, headers ...string) func() (string, error) {
	type outcome struct {
		text string
		err  error
	}
	done := make(chan outcome, 1)
	req := s.request("GET", path, headers...)
	go func() {
		resp, err := s.client.Do(ctx, req)
		if err != nil {
			done <- outcome{"", err}
			return
		}
		text, err := resp.Body.Text()
		done <- outcome{text, err}
	}()
	return func() (string, error) { o := <-done; return o.text, o.err }
}

// Requests that come while a response is under way share it, from its beginning.
func TestCollapse(t *testing.T) {
	atSite(t, Config{Collapse: true}, func(s *site) {
		s.slow = time.Second
		s.will(reply("200 OK", long, "Cache-Control: max-age=60"))
		first := s.readLater(s.t.Context(), "/")
		synctest.Wait()
		second := s.readLater(s.t.Context(), "/") // before the head
		time.Sleep(5 * time.Second)
		third := s.readLater(s.t.Context(), "/") // in the middle of the body
		for _, read := range []func() (string, error){first, second, third} {
			if text, err := read(); text != long || err != nil {
				t.Errorf("%q, %v", text, err)
			}
		}
		s.wantAsked(1)
		s.wantStats(3, 1, 2)
		s.get("/", "200 "+long) // stored as well
		s.wantAsked(0)
	})
}

// Whoever leads may leave without the others noticing.
func TestCollapseLeaderLeaves(t *testing.T) {
	for name, leave := range map[string]func(cancel func(), call *okhttp.Call){
		"context": func(cancel func(), _ *okhttp.Call) { cancel() },
		"Cancel":  func(_ func(), call *okhttp.Call) { call.Cancel() },
	} {
		for _, when := range []time.Duration{500 * time.Millisecond, 5500 * time.Millisecond} {
			t.Run(name+" after "+when.String(), func(t *testing.T) {
				atSite(t, Config{Collapse: true}, func(s *site) {
					s.slow = time.Second
					s.will(reply("200 OK", long, "Cache-Control: max-age=60"))
					ctx, cancel := context.WithCancel(s.t.Context())
					defer cancel()
					call := s.client.NewCall(s.request("GET", "/"))
					failed := make(chan error, 1)
					go func() {
						resp, err := call.Execute(ctx)
						if err == nil {
							_, err = resp.Body.Text()
						}
						failed <- err
					}()
					synctest.Wait()
					second := s.readLater(s.t.Context(), "/")
					time.Sleep(when)
					leave(cancel, call)
					if err := <-failed; !errors.Is(err, context.Canceled) {
						t.Errorf("leader: %v", err)
					}
					if text, err := second(); text != long || err != nil {
						t.Errorf("second: %q, %v", text, err)
					}
					s.wantAsked(1)
				})
			})
		}
	}
}

// When everybody left, the exchange ends.
func TestCollapseEverybodyLeaves(t *testing.T) {
	atSite(t, Config{Collapse: true}, func(s *site) {
		s.slow = time.Hour
		s.will(reply("200 OK", long, "Cache-Control: max-age=60"))
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
		defer cancel()
		first, second := s.readLater(ctx, "/"), s.readLater(ctx, "/")
		for _, read := range []func() (string, error){first, second} {
			if _, err := read(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		}
		synctest.Wait()
		if got := s.cache.Stats(); got.Stored != 0 || got.Aborted != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// A response that must not be shared is for the one who asked; the others ask for themselves.
func TestCollapseNotShared(t *testing.T) {
	for name, headers := range map[string][]string{
		"no-store": {"Cache-Control: no-store"},
		"stale":    {"Cache-Control: max-age=0"},
		"no-cache": {"Cache-Control: no-cache, max-age=60"},
		"Vary":     {"Vary: *"},
	} {
		t.Run(name, func(t *testing.T) {
			atSite(t, Config{Collapse: true}, func(s *site) {
				s.will(reply("200 OK", "a", headers...), reply("200 OK", "b", headers...))
				first, second := s.readLater(s.t.Context(), "/"), s.readLater(s.t.Context(), "/")
				a, err1 := first()
				b, err2 := second()
				if err1 != nil || err2 != nil || a == b {
					t.Errorf("%q %v, %q %v", a, err1, b, err2)
				}
				s.wantAsked(2)
			})
		})
	}
	t.Run("another variant", func(t *testing.T) {
		atSite(t, Config{Collapse: true}, func(s *site) {
			s.slow = time.Second
			s.will(reply("200 OK", "a", "Cache-Control: max-age=60", "Vary: Q"), reply("200 OK", "b", "Cache-Control: max-age=60", "Vary: Q"))
			first := s.readLater(s.t.Context(), "/", "Q: 1")
			synctest.Wait()
			second, third := s.readLater(s.t.Context(), "/", "Q: 2"), s.readLater(s.t.Context(), "/", "Q: 1")
			a, _ := first()
			b, _ := second()
			c, _ := third()
			if a != "a" || b != "b" || c != "a" {
				t.Errorf("%q, %q, %q", a, b, c)
			}
		})
	})
}

// A failure is that of all who wait for the head, and of all who read the body.
func TestCollapseFails(t *testing.T) {
	atSite(t, Config{Collapse: true}, func(s *site) {
		s.client = s.client.With(okhttp.WithRetryOnConnectionFailure(false))
		s.slow = time.Second
		s.will(hangUp)
		first, second := s.readLater(s.t.Context(), "/"), s.readLater(s.t.Context(), "/")
		_, err1 := first()
		_, err2 := second()
		if err1 == nil || err2 == nil {
			t.Errorf("%v, %v", err1, err2)
		}
		s.wantAsked(1)
	})
	atSite(t, Config{Collapse: true}, func(s *site) {
		s.slow = time.Second
		s.will(reply("200 OK", "abc", "Cache-Control: max-age=60", "Content-Length: 10", "Connection: close"))
		first, second := s.readLater(s.t.Context(), "/"), s.readLater(s.t.Context(), "/")
		_, err1 := first()
		_, err2 := second()
		if !errors.Is(err1, io.ErrUnexpectedEOF) || !errors.Is(err2, io.ErrUnexpectedEOF) {
			t.Errorf("%v, %v", err1, err2)
		}
		if got := s.cache.Stats(); got.Stored != 0 || got.Aborted != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// The limit of a call's time ends with its response, not with the reading of what others wait for.
func TestCollapseCallTimeout(t *testing.T) {
	atSite(t, Config{Collapse: true}, func(s *site) {
		s.slow = time.Second
		s.will(reply("200 OK", long, "Cache-Control: max-age=60"))
		if text, err := s.readLater(s.t.Context(), "/")(); text != long || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}, okhttp.WithCallTimeout(time.Minute))
}

// A slow reader costs no memory beyond the limit.
func TestSpill(t *testing.T) {
	text := strings.Repeat("0123456789", spillMemory/4)
	for _, full := range []bool{false, true} {
		if full {
			t.Setenv("TMPDIR", "/nowhere")
		}
		s := newSpill(nil)
		for off := 0; off < len(text); off += 77_777 {
			if n, err := s.WriteAt([]byte(text[off:min(off+77_777, len(text))]), int64(off)); err != nil {
				t.Fatal(n, err)
			}
		}
		if s.WriteAt([]byte("!"), 3); (s.file != nil) == full || len(s.memory) != spillMemory {
			t.Errorf("file %v, %d bytes in memory", s.file, len(s.memory))
		}
		p := make([]byte, len(text))
		for off := 0; off < len(text); off += 99_999 {
			end := min(off+99_999, len(text))
			if n, err := s.ReadAt(p[off:end], int64(off)); n != end-off || err != nil {
				t.Fatal(off, n, err)
			}
		}
		if want := text[:3] + "!" + text[4:]; string(p) != want {
			t.Error("something else was read")
		}
		if n, err := s.ReadAt(make([]byte, 10), int64(len(text)-4)); n != 4 || err != io.EOF {
			t.Errorf("at the end: %d, %v", n, err)
		}
		if !full {
			raw := make([]byte, 1000)
			s.file.ReadAt(raw, 0)
			if strings.Contains(string(raw), "0123456789") {
				t.Error("the file is not encrypted")
			}
		}
		s.Close()
	}
}
