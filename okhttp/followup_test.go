package okhttp

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// mustRequest makes a request that the test knows to be valid.
func mustRequest(t testing.TB, method, url string, opts ...RequestOption) *Request {
	t.Helper()
	req, err := NewRequest(method, url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// seen is a request as a server got it.
type seen struct {
	method, target, body string
	header               http.Header
}

// recorder answers requests with texts, like answer, and keeps what it was asked. It is read once the calls are over.
type recorder struct{ requests []seen }

func (r *recorder) answer(texts ...string) func(*peer) {
	return func(p *peer) {
		for _, text := range texts {
			req, body := p.request()
			if req == nil {
				return
			}
			r.requests = append(r.requests, seen{req.Method, req.RequestURI, body, req.Header})
			p.send(text)
		}
		io.Copy(io.Discard, p.in)
	}
}

func statusResponse(status int, headers ...string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\n%sContent-Length: 0\r\n\r\n", status, strings.Join(append(headers, ""), "\r\n"))
}

// Fact 4: 20 follow-ups are fine, one more is not.
func TestFollowUpLimit(t *testing.T) {
	for _, n := range []int{20, 21} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				texts := slices.Repeat([]string{redirectText(302, "/next")}, n)
				w.serve("server.test", "10.0.0.1", server.answer(append(texts, okText("end"))...))
				got, err := w.get("http://server.test/")
				if n == 20 {
					w.want("200 end")(got, err)
					return
				}
				var e *Error
				var pe *ProtocolError
				if !errors.As(err, &e) || e.Phase != PhaseFollowUp || !e.Sent || !errors.As(err, &pe) || pe.Detail != "too many follow-up requests: 21" {
					t.Errorf("error %v", err)
				}
				if len(server.requests) != 21 {
					t.Errorf("%d requests, want 21", len(server.requests))
				}
				w.mu.Lock()
				last := strings.Join(w.events[len(w.events)-7:], " ")
				w.mu.Unlock()
				if want := "responseHeadersStart responseHeadersEnd responseBodyStart responseBodyEnd 0 followUpDecision false connectionReleased callFailed"; last != want {
					t.Errorf("events end with %s\nwant %s", last, want)
				}
				if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
					t.Errorf("pool %+v", got)
				}
			})
		})
	}
}

// Redirects and repetitions for a status share the limit.
func TestFollowUpLimitIsShared(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		var texts []string
		for range 11 {
			texts = append(texts, redirectText(302, "/next"), statusResponse(503, "Retry-After: 0"))
		}
		w.serve("server.test", "10.0.0.1", server.answer(texts...))
		var pe *ProtocolError
		if _, err := w.get("http://server.test/"); !errors.As(err, &pe) {
			t.Errorf("error %v", err)
		}
		if len(server.requests) != 21 {
			t.Errorf("%d requests, want 21", len(server.requests))
		}
	})
}

// Facts 5 and 6, and section 6.3.
func TestRepeatedForStatus(t *testing.T) {
	oneShot := func() *Body { return OneShot("", 1, strings.NewReader("x")) }
	noRetry := WithRetryOnConnectionFailure(false)
	for name, c := range map[string]struct {
		responses []string
		body      *Body
		opts      []CallOption
		requests  int
		want      string
	}{
		"408":                         {[]string{statusResponse(408), okText("x")}, nil, nil, 2, "200 x"},
		"408 with Retry-After 0":      {[]string{statusResponse(408, "Retry-After: 0"), okText("x")}, nil, nil, 2, "200 x"},
		"408 with Retry-After 1":      {[]string{statusResponse(408, "Retry-After: 1"), okText("x")}, nil, nil, 1, "408 "},
		"408 with a date":             {[]string{statusResponse(408, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"), okText("x")}, nil, nil, 1, "408 "},
		"408 with no value":           {[]string{statusResponse(408, "Retry-After: "), okText("x")}, nil, nil, 1, "408 "},
		"408 twice":                   {[]string{statusResponse(408), statusResponse(408), okText("x")}, nil, nil, 2, "408 "},
		"408 without retries":         {[]string{statusResponse(408), okText("x")}, nil, []CallOption{noRetry}, 1, "408 "},
		"408 and a one-shot body":     {[]string{statusResponse(408), okText("x")}, oneShot(), nil, 1, "408 "},
		"408 and a repeatable body":   {[]string{statusResponse(408), okText("x")}, Text("y"), nil, 2, "200 x"},
		"503":                         {[]string{statusResponse(503), okText("x")}, nil, nil, 1, "503 "},
		"503 with Retry-After 0":      {[]string{statusResponse(503, "Retry-After: 0"), okText("x")}, nil, nil, 2, "200 x"},
		"503 with Retry-After 00":     {[]string{statusResponse(503, "Retry-After: 00"), okText("x")}, nil, nil, 2, "200 x"},
		"503 with Retry-After 1":      {[]string{statusResponse(503, "Retry-After: 1"), okText("x")}, nil, nil, 1, "503 "},
		"503 with Retry-After -0":     {[]string{statusResponse(503, "Retry-After: -0"), okText("x")}, nil, nil, 1, "503 "},
		"503 twice":                   {[]string{statusResponse(503, "Retry-After: 0"), statusResponse(503, "Retry-After: 0"), okText("x")}, nil, nil, 2, "503 "},
		"503 and a one-shot body":     {[]string{statusResponse(503, "Retry-After: 0"), okText("x")}, oneShot(), nil, 1, "503 "},
		"503 without retries":         {[]string{statusResponse(503, "Retry-After: 0"), okText("x")}, nil, []CallOption{noRetry}, 2, "200 x"},
		"503, 408, 503":               {[]string{statusResponse(503, "Retry-After: 0"), statusResponse(408), statusResponse(503, "Retry-After: 0"), okText("x")}, nil, nil, 4, "200 x"},
		"401 without authentication":  {[]string{statusResponse(401, "WWW-Authenticate: Basic"), okText("x")}, nil, nil, 1, "401 "},
		"421 on an ordinary exchange": {[]string{statusResponse(421), okText("x")}, nil, nil, 1, "421 "},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var server recorder
				w.serve("server.test", "10.0.0.1", server.answer(c.responses...))
				method := "GET"
				if c.body != nil {
					method = "POST"
				}
				w.want(c.want)(w.do(method, "http://server.test/", c.body, c.opts...))
				if len(server.requests) != c.requests {
					t.Errorf("%d requests, want %d", len(server.requests), c.requests)
				}
				for _, r := range server.requests {
					if r.method != method {
						t.Errorf("repeated as %s", r.method)
					}
				}
			})
		})
	}
}

func TestRetryAfterSaturates(t *testing.T) {
	for value, want := range map[string]int{
		"0": 0, "10": 10, "2147483647": 2147483647, "9223372036854775807": math.MaxInt, "99999999999999999999": math.MaxInt,
		"": math.MaxInt, "1.5": math.MaxInt, "+1": math.MaxInt, " 1": math.MaxInt, "soon": math.MaxInt,
	} {
		resp := NewResponse(nil, 503, ResponseHeaders(headersOf([]string{"Retry-After", value})))
		if got := retryAfter(resp, -1); got != want {
			t.Errorf("Retry-After %q is %d, want %d", value, got, want)
		}
	}
	if got := retryAfter(NewResponse(nil, 503), -1); got != -1 {
		t.Errorf("absent is %d", got)
	}
}

// Fact 20, and the chain of section 6.3.
func TestPriorResponses(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(
			"HTTP/1.1 301 X\r\nLocation: /b\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nbody",
			redirectText(302, "/c"), okText("x")))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/a"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var chain []string
		for r := resp; r != nil; r = r.Prior() {
			chain = append(chain, fmt.Sprint(r.Status, " ", r.Request().URL()))
		}
		if want := []string{"200 http://server.test/c", "302 http://server.test/b", "301 http://server.test/a"}; !slices.Equal(chain, want) {
			t.Errorf("chain %q, want %q", chain, want)
		}
		first := resp.Prior().Prior()
		if first.Body.ContentType() != "text/html" || first.Body.Len() != 4 {
			t.Errorf("body %q, %d", first.Body.ContentType(), first.Body.Len())
		}
		if _, err := first.Body.Bytes(); !errors.Is(err, ErrUnreadableBody) {
			t.Errorf("reading a prior body: %v", err)
		}
		if n := first.NetworkResponse(); n == nil || n.Prior() != nil || n.Request().Headers().Get("Host") != "server.test" {
			t.Errorf("network response %+v", n)
		}
	})
}
