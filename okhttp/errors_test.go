package okhttp

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
)

func TestErrorText(t *testing.T) {
	cause := errors.New("okhttp: some cause")
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{&Error{Method: "GET", URL: "http://server.test/...", Err: cause}, "okhttp: GET http://server.test/...: some cause"},
		{&Error{Method: "GET", URL: "http://server.test/...", Phase: PhaseDNS, Err: cause}, "okhttp: GET http://server.test/...: dns: some cause"},
		{&Error{Method: "PUT", URL: "http://server.test/...", Phase: PhaseConnect, Route: "10.0.0.1:80", Err: io.EOF}, "okhttp: PUT http://server.test/...: connect (10.0.0.1:80): EOF"},
		{&Error{Method: "PUT", URL: "http://server.test/...", Route: "10.0.0.1:80", Err: io.EOF, Attempts: []error{cause, cause}}, "okhttp: PUT http://server.test/... (10.0.0.1:80): EOF (and 2 more)"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if errors.Unwrap(c.err) != c.err.Err {
			t.Error("Unwrap is not Err")
		}
	}
	for err, want := range map[error]string{
		&UnknownHostError{Host: "nowhere.test"}:                         "unknown host nowhere.test: no addresses",
		&UnknownHostError{Host: "nowhere.test", Err: io.EOF}:            "unknown host nowhere.test: EOF",
		&InterceptorError{Interceptor: "*x.Y", Detail: "did something"}: "okhttp: interceptor *x.Y did something",
		&CallError{"call already executed"}:                             "okhttp: call already executed",
		&RequestError{Method: "G T", Detail: "is not a token"}:          `okhttp: method "G T" is not a token`,
		&CharsetError{Charset: "klingon"}:                               `okhttp: unknown charset "klingon": expected UTF-8, UTF-16, UTF-32, ISO-8859-1 or US-ASCII`,
		&TooLargeError{What: "response head", Limit: 5}:                 "response head is larger than the limit of 5 bytes",
		ErrCanceled:     "okhttp: call canceled",
		ErrCallTimeout:  "okhttp: call timeout",
		ErrClientClosed: "okhttp: client closed",
		&RequestError{Method: strings.Repeat("é", 1000), Detail: "is too long"}: "okhttp: method " + fmt.Sprintf("%q", strings.Repeat("é", 32)) + "... is too long",
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

// What ends a call, and how users tell.
func TestErrorKinds(t *testing.T) {
	limit := &timeoutError{"read timeout", context.DeadlineExceeded}
	for name, c := range map[string]struct {
		err                         error
		canceled, deadline, timeout bool
	}{
		"canceled":         {ErrCanceled, true, false, false},
		"call timeout":     {ErrCallTimeout, false, true, true},
		"context deadline": {errDeadline, false, true, true},
		"of an operation":  {limit, false, false, true},
		"certificate":      {x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}, false, false, false},
		"protocol":         {&ProtocolError{Detail: "x", Err: io.ErrUnexpectedEOF}, false, false, false},
	} {
		e := &Error{Method: "GET", URL: "http://x/...", Err: c.err, Attempts: []error{ErrCanceled, ErrCallTimeout}}
		wrapped := fmt.Errorf("more: %w", e)
		if got := errors.Is(wrapped, context.Canceled); got != c.canceled {
			t.Errorf("%s: canceled %v", name, got)
		}
		if got := errors.Is(wrapped, context.DeadlineExceeded); got != c.deadline {
			t.Errorf("%s: deadline %v", name, got)
		}
		if got := errors.Is(wrapped, os.ErrDeadlineExceeded); got != c.timeout {
			t.Errorf("%s: os deadline %v", name, got)
		}
		var ne net.Error
		if !errors.As(wrapped, &ne) || ne.Timeout() != c.timeout || e.Temporary() != c.timeout {
			t.Errorf("%s: timeout %v", name, ne.Timeout())
		}
	}
	if !os.IsTimeout(ErrCallTimeout) || !os.IsTimeout(errDeadline) || os.IsTimeout(ErrCanceled) {
		t.Error("os.IsTimeout does not tell the ends of calls apart")
	}
	if errors.Is(ErrCanceled, ErrCallTimeout) || errors.Is(errDeadline, ErrCallTimeout) {
		t.Error("different ends are the same")
	}
}

func TestSafeToRetry(t *testing.T) {
	for err, want := range map[error]bool{
		&Error{Err: io.EOF}:                         true,
		&Error{Err: io.EOF, Sent: true}:             false,
		fmt.Errorf("more: %w", &Error{Err: io.EOF}): true,
		io.EOF: false,
		&Error{Err: &Error{Err: io.EOF}, Sent: true}:       false,
		errors.Join(io.EOF, &Error{Err: io.ErrClosedPipe}): true,
	} {
		if SafeToRetry(err) != want {
			t.Errorf("%v is safe to retry: %v", err, !want)
		}
	}
	if SafeToRetry(nil) {
		t.Error("nothing is safe to retry")
	}
}

// Requests that HTTP does not allow are refused when they are made.
func TestRequests(t *testing.T) {
	body := Text("x")
	for _, c := range []struct {
		method string
		body   *Body
		want   string
	}{
		{"", nil, ""}, {"GET", nil, ""}, {"HEAD", nil, ""}, {"DELETE", nil, ""}, {"OPTIONS", nil, ""}, {"CUSTOM", nil, ""}, {"get", nil, ""}, {"PROPFIND", nil, ""},
		{"POST", body, ""}, {"PUT", body, ""}, {"PATCH", body, ""}, {"PROPPATCH", body, ""}, {"REPORT", body, ""}, {"QUERY", body, ""},
		{"DELETE", body, ""}, {"OPTIONS", body, ""}, {"CUSTOM", body, ""}, {"get", body, ""}, {"PROPFIND", body, ""}, {"!#$%&'*+-.^_`|~09", nil, ""},
		{"", body, `method "GET" must not have a request body`}, {"GET", body, `method "GET" must not have a request body`}, {"HEAD", body, `method "HEAD" must not have a request body`},
		{"POST", nil, `method "POST" must have a request body`}, {"PUT", nil, `"PUT" must`}, {"PATCH", nil, `"PATCH" must`}, {"PROPPATCH", nil, `"PROPPATCH" must`},
		{"REPORT", nil, `"REPORT" must`}, {"QUERY", nil, `"QUERY" must`},
		{"G T", nil, `method "G T" is not a token`}, {"GET\r\nX: y", nil, "is not a token"}, {"GÉT", nil, "is not a token"}, {"G/T", nil, "is not a token"},
	} {
		req, err := NewRequest(c.method, "http://server.test/", WithBody(c.body), nil)
		var re *RequestError
		switch {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &re) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s with body %v: %v, want %q", c.method, c.body != nil, err, c.want)
		case err == nil && c.method == "" && req.Method() != "GET", err == nil && c.method != "" && req.Method() != c.method:
			t.Errorf("method %q became %q", c.method, req.Method())
		case err == nil && req.Body() != c.body:
			t.Error("another body")
		}
	}
	for url, want := range map[string]string{
		"ws://server.test/a": "http://server.test/a", "wss://server.test/a": "https://server.test/a", "WSS://server.test:443/": "https://server.test/",
		"Ws://server.test:80": "http://server.test/", "http://server.test": "http://server.test/",
	} {
		if got := mustRequest(t, "GET", url).URL().String(); got != want {
			t.Errorf("%s became %s, want %s", url, got, want)
		}
	}
	for _, url := range []string{"", "w", "ws", "ws:", "wss:", "wsss://x/", "wss//x", "/path", "server.test", "ftp://server.test/", "http://"} {
		var ue *URLError
		if _, err := NewRequest("GET", url); !errors.As(err, &ue) {
			t.Errorf("%q: %v", url, err)
		}
	}
	var he *HeaderError
	for _, o := range []RequestOption{Header("", "x"), Header("a b", "x"), Header("X", "a\r\nb: c"), AddHeader("X", "\x00"), AddHeader("X:", "y"), WithHeaders(headersOf([]string{"X", "\n"}))} {
		if _, err := NewRequest("GET", "http://server.test/", o); !errors.As(err, &he) {
			t.Errorf("error %v", err)
		}
	}
}

func TestRequestWith(t *testing.T) {
	req := mustRequest(t, "POST", "http://server.test/a", WithBody(Text("x")), Header("A", "1"), AddHeader("A", "2"), Idempotent())
	if got := strings.Join(allOf(req.Headers().All()), ","); got != "A=1,A=2" {
		t.Errorf("headers %s", got)
	}
	u, err := ParseURL("https://other.test/b")
	if err != nil {
		t.Fatal(err)
	}
	other, err := req.With(WithURL(u), WithMethod("PUT"), Header("A", "3"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if other.Method() != "PUT" || other.URL() != u || other.Headers().Get("A") != "3" || other.Headers().Len() != 1 || other.Body() != req.Body() || !other.idempotent {
		t.Errorf("changed %+v", other)
	}
	if req.Method() != "POST" || req.URL().String() != "http://server.test/a" || req.Headers().Len() != 2 {
		t.Errorf("the original is %+v", req)
	}
	var re *RequestError
	for name, o := range map[string]RequestOption{"no body": WithBody(nil), "GET with a body": WithMethod("GET"), "no method": WithMethod(""), "no URL": WithURL(URL{})} {
		if r, err := req.With(o); r != nil || !errors.As(err, &re) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

func allOf(seq func(yield func(string, string) bool)) (all []string) {
	for name, value := range seq {
		all = append(all, name+"="+value)
	}
	return all
}
