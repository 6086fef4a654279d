package oksse

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Facts 44 to 46: how long a stream waits, and from where it goes on.
func TestReconnect(t *testing.T) {
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		visits  string
		log     string
	}{
		"44 from the last id, after the standard's 3 s": {
			[]http.HandlerFunc{sends("id: 9\ndata: a\n\n"), sends("data: b\n\n"), refuses(204)}, "0s:- 3s:9 6s:9",
			"0s (9,message,a) #1\n3s (9,message,b) #2\n6s oksse: expected status 200, got 204"},
		"45 after the server's time": {
			[]http.HandlerFunc{sends("retry: 500\ndata: a\n\n"), sends("data: b\n\n"), refuses(204)}, "0s:- 500ms:- 1s:-",
			"0s (-,message,a) #1\n500ms (-,message,b) #2\n1s oksse: expected status 200, got 204"},
		"the latest time counts, also without an event": {
			[]http.HandlerFunc{sends("retry: 500\n\nretry: 700\n\ndata: a\n\nretry: 20"), refuses(204)}, "0s:- 700ms:-",
			"0s (-,message,a) #1\n700ms oksse: expected status 200, got 204"},
		"at once": {
			[]http.HandlerFunc{sends("retry: 0\ndata: a\n\n"), refuses(204)}, "0s:- 0s:-",
			"0s (-,message,a) #1\n0s oksse: expected status 200, got 204"},
		"at once, but not again and again": {
			[]http.HandlerFunc{sends("retry: 0\ndata: a\n\n"), sends("data: b\n\n"), sends("data: c\n\n"), then("data: d\n\n", time.Second, ""), refuses(204)},
			"0s:- 0s:- 100ms:- 100ms:- 1.1s:-",
			"0s (-,message,a) #1\n0s (-,message,b) #2\n100ms (-,message,c) #3\n100ms (-,message,d) #4\n1.1s oksse: expected status 200, got 204"},
		"an id that no header can have is no place to go on from": {
			[]http.HandlerFunc{sends("id: 1\ndata: a\n\nid: 2\x01\ndata: b\n\nid: " + strings.Repeat("x", maxResumeID+1) + "\n\n"), refuses(204)}, "0s:- 3s:1",
			"0s (1,message,a) #1\n0s (2\x01,message,b) #1\n3s oksse: expected status 200, got 204"},
		"no longer than an hour": {
			[]http.HandlerFunc{sends("retry: 999999999999999999999\ndata: a\n\n"), refuses(204)}, "0s:- 1h0m0s:-",
			"0s (-,message,a) #1\n1h0m0s oksse: expected status 200, got 204"},
		"46 the id was taken back": {
			[]http.HandlerFunc{sends("id: 1\ndata: a\n\nid\ndata: b\n\n"), refuses(204)}, "0s:- 3s:-",
			"0s (1,message,a) #1\n0s (-,message,b) #1\n3s oksse: expected status 200, got 204"},
		"an id without data counts": {
			[]http.HandlerFunc{sends("data: a\n\nid: é\n\n"), refuses(204)}, "0s:- 3s:é",
			"0s (-,message,a) #1\n3s oksse: expected status 200, got 204"},
		"51 a part of an event is dropped": {
			[]http.HandlerFunc{breaks("id: 1\ndata: a\n\nid: 2\nevent: x\ndata: lost\n"), sends("data: b\n\n"), refuses(204)}, "0s:- 3s:1 6s:1",
			"0s (1,message,a) #1\n3s (1,message,b) #2\n6s oksse: expected status 200, got 204"},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				err := s.collect(t.Context(), s.stream(nil), -1)
				var status *StatusError
				if !errors.As(err, &status) || status.Status != 204 || len(status.Body) > 0 {
					t.Errorf("error %v", err)
				}
				s.wantLog(c.log)
				s.wantVisits(c.visits)
			}, c.answers...)
		})
	}
}

// Fact 47: waits double from failure to failure, up to the most.
func TestBackOff(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		d := &noDialer{&s.network, 6}
		s.client = s.client.With(okhttp.WithDialer(d))
		stream := s.stream(&Config{NoJitter: true, OnRetry: func(r *RetryError) {
			s.note("wait %v for #%d: %v", r.Delay, r.Attempt, r.Err != nil)
		}})
		s.collect(t.Context(), stream, 1)
		s.wantLog(`
			wait 3s for #2: true
			wait 6s for #3: true
			wait 12s for #4: true
			wait 24s for #5: true
			wait 30s for #6: true
			wait 30s for #7: true
			1m45s (-,message,a) #7`)
	}, sends("data: a\n\n"))
}

// Fact 55: a server that closes at once, with whatever wish, is not asked in a tight loop.
func TestServerClosesAtOnce(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "0s:- 3s:- 9s:- 21s:- 45s:- 1m15s:- 1m45s:- 2m15s:-",
		": hello\n\n":                   "0s:- 3s:- 9s:- 21s:- 45s:- 1m15s:- 1m45s:- 2m15s:-",
		"retry: 0\n\n":                  "0s:- 0s:- 200ms:- 600ms:- 1.4s:- 3s:- 6.2s:- 12.6s:-",
		"retry: 10\n":                   "0s:- 10ms:- 210ms:- 610ms:- 1.41s:- 3.01s:- 6.21s:- 12.61s:-",
		"retry: 60000":                  "0s:- 3s:- 9s:- 21s:- 45s:- 1m15s:- 1m45s:- 2m15s:-",    // cut off
		"retry: 60000\n\nid: 7\n\ndata": "0s:- 1m0s:7 2m0s:7 3m0s:7 4m0s:7 5m0s:7 6m0s:7 7m0s:7", // longer than the most
	} {
		inScene(t, func(t *testing.T, s *scene) {
			err := s.collect(t.Context(), s.stream(&Config{NoJitter: true, MaxAttempts: 8}), -1)
			var end *GiveUpError
			if !errors.As(err, &end) || end.Attempts != 8 || !errors.Is(err, ErrEnded) {
				t.Errorf("%q: %v", text, err)
			}
			s.wantVisits(want)
		}, sends(text))
	}
}

// With jitter a wait is between the base, which the standard demands, and what the back-off has come to; a wait after a success is exact.
func TestJitter(t *testing.T) {
	different := map[time.Duration]bool{}
	for range 100 {
		b := backoff{most: 30 * time.Second}
		for _, most := range []time.Duration{3, 6, 12, 24, 30, 30} {
			d := b.next(3 * time.Second)
			if d < 3*time.Second || d > most*time.Second {
				t.Fatalf("%v, want 3s to %ds", d, most)
			}
			different[d] = true
		}
	}
	if len(different) < 300 {
		t.Errorf("%d different waits", len(different))
	}
}

// A success starts the back-off anew: an event, or having been open for long.
func TestSuccessResetsBackOff(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		s.collect(t.Context(), s.stream(&Config{NoJitter: true}), -1)
		s.wantVisits("0s:- 3s:- 9s:- 12s:- 18s:- 31s:- 46.999s:-")
	}, sends(""), sends(""), sends("data: a\n\n"), sends(""), then("", 10*time.Second, ""), then("", 9999*time.Millisecond, ""), refuses(204))
}

// Facts 48 and 49: what ends a stream for good.
func TestTerminalAnswers(t *testing.T) {
	large := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
		body   string
	}{
		"500":  {refuses(500), "oksse: expected status 200, got 500", `{"status":500}`},
		"201":  {refuses(201, "Content-Type", "text/event-stream"), "oksse: expected status 200, got 201", `{"status":201}`},
		"301":  {refuses(301), "oksse: expected status 200, got 301", `{"status":301}`},
		"type": {refuses(200, "Content-Type", "application/json"), `oksse: invalid content-type: "application/json"`, `{"status":200}`},
		"long": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "a/b")
			w.Write([]byte(large))
		}, `oksse: invalid content-type: "a/b"`, large[:64<<10]},
		"no type":  {refuses(200, "Content-Type", ""), "oksse: invalid content-type: none", `{"status":200}`},
		"no end":   {then2(403, "wait"), "oksse: expected status 200, got 403", "wait"},
		"no media": {refuses(200, "Content-Type", "text/event-streams"), `oksse: invalid content-type: "text/event-streams"`, `{"status":200}`},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				err := s.collect(t.Context(), s.stream(nil), -1)
				var status *StatusError
				var typ *ContentTypeError
				body := ""
				switch {
				case errors.As(err, &status):
					body = string(status.Body)
				case errors.As(err, &typ):
					body = string(typ.Body)
				}
				if err == nil || err.Error() != c.want || body != c.body {
					t.Errorf("error %v with %.30q\nwant %s with %.30q", err, body, c.want, c.body)
				}
				s.wantVisits("0s:-")
			}, c.answer)
		})
	}
}

// then2 answers with a status and a body that does not end.
func then2(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(text))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// Fact 49: statuses that are listed are tried again, no sooner than the server says.
func TestRetryStatus(t *testing.T) {
	at := time.Date(2000, 1, 1, 0, 0, 20, 0, time.UTC) // the bubble starts at midnight
	inScene(t, func(t *testing.T, s *scene) {
		s.collect(t.Context(), s.stream(&Config{RetryStatus: []int{503, 429}, NoJitter: true, LastEventID: "x"}), -1)
		s.wantVisits("0s:x 3s:x 10s:x 22s:x 46s:x 1h0m46s:x")
	}, refuses(503), refuses(429, "Retry-After", "7"), refuses(503, "Retry-After", "Mon, 01 Jan 1990 00:00:00 GMT"), refuses(503, "Retry-After", at.Format(http.TimeFormat)),
		refuses(503, "Retry-After", "99999999"), refuses(500))
}

// Maxima of attempts and time.
func TestGiveUp(t *testing.T) {
	for name, c := range map[string]struct {
		cfg    Config
		want   string
		visits string
	}{
		"attempts": {Config{MaxAttempts: 3}, "oksse: gave up after 3 attempts in 9s: oksse: the server ended the stream", "0s:- 3s:- 9s:-"},
		"one":      {Config{MaxAttempts: 1}, "oksse: gave up after 1 attempts in 0s: oksse: the server ended the stream", "0s:-"},
		"elapsed":  {Config{MaxElapsed: 20 * time.Second}, "oksse: gave up after 3 attempts in 9s: oksse: the server ended the stream", "0s:- 3s:- 9s:-"},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				c.cfg.NoJitter = true
				if err := s.collect(t.Context(), s.stream(&c.cfg), -1); err == nil || err.Error() != c.want {
					t.Errorf("error %v, want %s", err, c.want)
				}
				s.wantVisits(c.visits)
			}, sends(""))
		})
	}
}

// An attempt with success does not count among those that may fail.
func TestGiveUpAfterSuccess(t *testing.T) {
	for most, visits := range map[int]string{1: "0s:- 3s:-", 2: "0s:- 3s:- 9s:-"} {
		inScene(t, func(t *testing.T, s *scene) {
			err := s.collect(t.Context(), s.stream(&Config{MaxAttempts: most, NoJitter: true}), -1)
			var end *GiveUpError
			if !errors.As(err, &end) || end.Attempts != most {
				t.Errorf("%d: %v", most, err)
			}
			s.wantVisits(visits)
		}, sends("data: a\n\n"), sends(""))
	}
}

// Fact 50: Close during the wait, and the end of a context anywhere, end the sequence without another request.
func TestEndDuringWait(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		end    func(*Stream, context.CancelFunc)
		want   error
	}{
		"Close while waiting":    {sends("data: a\n\n"), func(s *Stream, _ context.CancelFunc) { s.Close() }, context.Canceled},
		"Close while reading":    {stays("data: a\n\n"), func(s *Stream, _ context.CancelFunc) { s.Close() }, context.Canceled},
		"Close while connecting": {then2(0, ""), func(s *Stream, _ context.CancelFunc) { s.Close() }, context.Canceled},
		"cancel while waiting":   {sends("data: a\n\n"), func(_ *Stream, cancel context.CancelFunc) { cancel() }, context.Canceled},
		"cancel while reading":   {stays("data: a\n\n"), func(_ *Stream, cancel context.CancelFunc) { cancel() }, context.Canceled},
		"deadline":               {stays("data: a\n\n"), nil, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			answer := c.answer
			if strings.Contains(name, "connecting") {
				answer = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
			}
			inScene(t, func(t *testing.T, s *scene) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				stream := s.stream(nil)
				if c.end != nil {
					time.AfterFunc(time.Second, func() { c.end(stream, cancel) })
				}
				err := s.collect(ctx, stream, -1)
				if !errors.Is(err, ErrCanceled) || !errors.Is(err, c.want) {
					t.Errorf("error %v, want ErrCanceled and %v", err, c.want)
				}
				if stream.State() != Closed {
					t.Errorf("state %v", stream.State())
				}
				s.wantVisits("0s:-")
			}, answer)
		})
	}
}
