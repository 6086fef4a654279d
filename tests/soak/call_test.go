package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// call makes one call, of which chance decides everything. It ends when over does, at the latest.
func (s *soak) call(over context.Context, rng *rand.Rand) {
	id := fmt.Sprint("id-", s.ids.Add(1))
	method := [...]string{"GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "PUT", "POST", "POST"}[rng.IntN(10)]
	opts := []okhttp.RequestOption{okhttp.Header("X-Id", id)}
	length := 0
	if method == "PUT" || method == "POST" {
		if length = rng.IntN(100); rng.IntN(30) == 0 {
			length = 200_000
		}
		opts = append(opts, okhttp.WithBody(okhttp.Text(strings.Repeat("x", length))))
		if rng.IntN(10) == 0 {
			opts = append(opts, okhttp.Header("Expect", "100-continue"))
		}
	}
	req, err := okhttp.NewRequest(method, s.urls[rng.IntN(sites)]+"/", opts...)
	if err != nil {
		s.t.Error(err)
		return
	}
	call := s.client.NewCall(req, s.options(rng)...)
	ctx, cancel := context.WithCancel(over)
	defer cancel()
	switch rng.IntN(20) {
	case 0:
		defer time.AfterFunc(time.Duration(rng.IntN(3000))*time.Millisecond, call.Cancel).Stop()
	case 1:
		defer time.AfterFunc(time.Duration(rng.IntN(3000))*time.Millisecond, cancel).Stop()
	}
	start := time.Now()
	var resp *okhttp.Response
	if rng.IntN(10) == 0 {
		done := make(chan struct{})
		call.Enqueue(ctx, func(r *okhttp.Response, e error) { resp, err = r, e; close(done) })
		<-done
	} else {
		resp, err = call.Execute(ctx)
	}
	switch {
	case err != nil:
	case rng.IntN(500) == 0:
		s.dropped.Add(1)
	default:
		err = s.consume(rng, method, id, resp)
	}
	s.note(method, id, err, time.Since(start))
}

func (s *soak) options(rng *rand.Rand) []okhttp.CallOption {
	opts := []okhttp.CallOption{okhttp.WithReadTimeout(time.Duration(3000+rng.IntN(1000)) * time.Millisecond)}
	if rng.IntN(5) == 0 {
		opts = append(opts, okhttp.WithCallTimeout(time.Duration(1+rng.IntN(4000))*time.Millisecond))
	}
	if rng.IntN(10) == 0 {
		opts = append(opts, okhttp.WithFastFallback(false))
	}
	if rng.IntN(20) == 0 {
		opts = append(opts, okhttp.WithRetryOnConnectionFailure(false))
	}
	return opts
}

var number = regexp.MustCompile("0x[0-9a-f]+|[0-9]+")

// errMixedUp is a response to somebody else's request.
var errMixedUp = errors.New("mixed up")

// watchLate notes the connections with a forged response that came too late for being seen. From there on each request gets the response to the one before it.
func (s *soak) watchLate(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	resp, err := chain.Proceed(ctx, chain.Request())
	if err == nil && resp.Headers().Get("X-Id") == late {
		conn, _ := resp.Connection()
		s.deceived.Store(conn, true)
	}
	return resp, err
}

// consume reads a response, or does not, and checks that it is the one to the request.
func (s *soak) consume(rng *rand.Rand, method, id string, resp *okhttp.Response) error {
	defer resp.Body.Close()
	conn, _ := resp.Connection()
	if _, deceived := s.deceived.Load(conn); deceived {
		s.late.Add(1)
		return nil
	}
	if got := resp.Headers().Get("X-Id"); got != id && resp.Status != 413 {
		return fmt.Errorf("%w: %s got the response of %q: %v", errMixedUp, id, got, resp)
	}
	switch rng.IntN(10) {
	case 0:
		return nil
	case 1:
		_, err := io.ReadFull(resp.Body, make([]byte, 10))
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			err = nil
		}
		return err
	case 2:
		trailers, err := resp.Trailers()
		if end := trailers.Get("X-End"); err == nil && end != "" && end != id {
			return fmt.Errorf("%w: %s got the trailers of %s", errMixedUp, id, end)
		}
		return err
	}
	text, err := resp.Body.Text()
	if err != nil {
		return err
	}
	if resp.Status == 200 && method != "HEAD" && (text == "" || strings.ReplaceAll(text, id+" ", "") != "") {
		return fmt.Errorf("%w: %s got %.60q", errMixedUp, id, text)
	}
	return nil
}

// note remembers how a call went.
func (s *soak) note(method, id string, err error, took time.Duration) {
	for {
		longest := s.longest.Load()
		if int64(took) <= longest || s.longest.CompareAndSwap(longest, int64(took)) {
			break
		}
	}
	var e *okhttp.Error
	switch {
	case err == nil:
		s.good.Add(1)
	case errors.Is(err, errMixedUp):
		s.t.Error(err)
	case !errors.As(err, &e):
		s.t.Errorf("an error that is not of the call: %v", err)
	default:
		s.bad.Add(1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if method == "POST" {
		s.posts[id] = err
	}
	if e != nil {
		text := e.Err.Error()
		if i := strings.LastIndex(text, ": "); i >= 0 {
			text = text[i+2:]
		}
		s.kinds[fmt.Sprintf("%s: %.60s", e.Phase, number.ReplaceAllString(text, "N"))]++
	}
}
