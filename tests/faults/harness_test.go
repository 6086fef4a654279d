package faults

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

const (
	bodySize    = 100 << 10 // of the request and of the response
	readTimeout = 10 * time.Second
)

var (
	requestBody  = strings.Repeat("q", bodySize)
	responseBody = strings.Repeat("r", bodySize)
)

// versions are what the client and the server speak.
var versions = map[string][]mockserver.Option{
	"HTTP/1.1": nil,
	"HTTP/2":   {mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)},

	"HTTP/1.1 over TLS": {mockserver.WithLocalhostTLS(), mockserver.WithProtocols(okhttp.HTTP1Only)},
	"HTTP/2 over TLS":   {mockserver.WithLocalhostTLS()},
}

// outcome is what became of a call, and of the one after it.
type outcome struct {
	err     *okhttp.Error // nil if it succeeded
	other   error         // an error of another type, which there should not be
	body    int           // bytes of it that were read
	status  int
	took    time.Duration
	events  []string
	next    error // of the second call
	nextOn  int   // the connection of the second call
	version string
}

// events are what listeners are told, those that say how a call fared.
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) note(event string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, event)
}

// take returns the events since it was called last.
func (e *events) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.list
	e.list = nil
	return list
}

func (e *events) listen(*okhttp.Call) *okhttp.EventListener {
	return &okhttp.EventListener{
		ConnectFailed:      func(okhttp.ConnectEvent) { e.note("ConnectFailed") },
		ConnectionAcquired: func(okhttp.ConnectionEvent) { e.note("ConnectionAcquired") },
		ConnectionReleased: func(okhttp.ConnectionEvent) { e.note("ConnectionReleased") },
		RequestFailed:      func(okhttp.Failure) { e.note("RequestFailed") },
		ResponseHeadersEnd: func(okhttp.ResponseHeadersEnd) { e.note("ResponseHeadersEnd") },
		ResponseBodyEnd:    func(okhttp.BodyEnd) { e.note("ResponseBodyEnd") },
		ResponseFailed:     func(okhttp.Failure) { e.note("ResponseFailed") },
		RetryDecision:      func(d okhttp.RetryDecision) { e.note(fmt.Sprintf("Retry=%v", d.Retry)) },
		CallEnd:            func(okhttp.CallEnd) { e.note("CallEnd") },
		CallFailed:         func(okhttp.Failure) { e.note("CallFailed") },
	}
}

// meet makes a call that meets a response with a fault, and one after it, in a bubble.
func meet(t *testing.T, version string, script mockserver.Response, opts ...okhttp.Option) outcome {
	t.Helper()
	server := mockserver.New(t, append(versions[version], mockserver.WithNetwork(new(okio.Network)))...)
	server.Enqueue(script, mockserver.Reply(200).Text("next"))
	o := outcome{version: version}
	told := new(events)
	client := server.Client(append([]okhttp.Option{
		okhttp.WithReadTimeout(readTimeout), okhttp.WithWriteTimeout(readTimeout), okhttp.WithRetryOnConnectionFailure(false), okhttp.WithEventListener(told.listen),
	}, opts...)...)
	request, err := okhttp.NewRequest("POST", server.URL("/first"), okhttp.WithBody(okhttp.Text(requestBody)))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	o.call(client, request)
	o.took = time.Since(begun)
	time.Sleep(time.Second) // until what comes after the response is there
	o.events = told.take()
	o.nextOn = -1
	if resp, err := client.Get(t.Context(), server.URL("/next"), okhttp.WithRetryOnConnectionFailure(true)); err != nil {
		o.next = err
	} else {
		_, o.next = resp.Body.Text()
	}
	for {
		r, ok := server.TryTakeRequest()
		if !ok {
			break
		}
		if r.Target == "/next" {
			o.nextOn = r.ConnIndex
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	return o
}

func (o *outcome) call(client *okhttp.Client, request *okhttp.Request) {
	resp, err := client.Do(context.Background(), request)
	if err == nil {
		o.status = resp.Status
		var body []byte
		body, err = io.ReadAll(resp.Body)
		o.body = len(body)
		resp.Body.Close()
	}
	if err != nil && !errors.As(err, &o.err) {
		o.other = err
	}
}

// kind classes a failure.
func kind(err error) string {
	var reset *okhttp.StreamResetError
	var stream *http2.StreamError
	var goodbye *okhttp.GoAwayError
	var connection *http2.ConnectionError
	var protocol *okhttp.ProtocolError
	var record tls.RecordHeaderError
	var untrusted *tls.CertificateVerificationError
	var host *okhttp.HostnameError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &untrusted), errors.As(err, &host):
		return "bad certificate"
	case strings.Contains(err.Error(), "remote error: tls: "):
		return "alert"
	case errors.As(err, &reset):
		return "stream reset " + reset.Code.String()
	case errors.As(err, &stream):
		return "stream error " + stream.Code.String()
	case errors.As(err, &goodbye):
		return "goodbye"
	case errors.As(err, &connection):
		return "connection error " + connection.Code.String()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "broken"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "early end"
	case errors.As(err, &protocol), errors.As(err, &record):
		return "malformed"
	case isTimeout(err):
		return "timeout"
	case errors.Is(err, fs.ErrClosed):
		return "closed"
	}
	return "other: " + err.Error()
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// String is one line of the table. Which of the two directions of a broken connection a client meets first is a matter of chance, and so is not told.
func (o outcome) String() string {
	seen, events := fmt.Sprintf("%d with %d bytes", o.status, o.body), o.events
	if o.err != nil {
		what, phase := kind(o.err), string(o.err.Phase)
		switch {
		case what == "broken", what == "early end", strings.HasPrefix(what, "connection error"):
			what = "connection lost"
		}
		switch o.err.Phase {
		case okhttp.PhaseRequestHeaders, okhttp.PhaseRequestBody, okhttp.PhaseResponseHeaders:
			phase = "sending or waiting"
			events = slices.DeleteFunc(slices.Clone(events), func(e string) bool { return e == "RequestFailed" || e == "ResponseFailed" })
		}
		seen = fmt.Sprintf("%s in %s after %d bytes", what, phase, o.body)
		if kind(o.err) == "broken" && o.body > 0 { // what had arrived is lost, or not
			seen = fmt.Sprintf("%s in %s after some bytes", what, phase)
		}
	}
	return fmt.Sprintf("%s; sent %v; %s; next on connection %d", seen, o.err == nil || o.err.Sent, strings.Join(events, " "), o.nextOn)
}
