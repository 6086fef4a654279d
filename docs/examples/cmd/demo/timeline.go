package main

import (
	"fmt"
	"io"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// timeline makes listeners that print each event of a call with the time since the call began.
func timeline(out io.Writer) okhttp.EventListenerFactory {
	return func(*okhttp.Call) *okhttp.EventListener {
		began := time.Now()
		say := func(format string, args ...any) {
			fmt.Fprintf(out, "%9.3f ms  %s\n", float64(time.Since(began).Microseconds())/1000, fmt.Sprintf(format, args...))
		}
		name := func(text string) func(*okhttp.Call) { return func(*okhttp.Call) { say("%s", text) } }
		return &okhttp.EventListener{
			CallStart: func(e okhttp.CallStart) {
				began = time.Now()
				say("call start: %s %s", e.Call.Request().Method(), e.Call.Request().URL())
			},
			DNSStart:             func(e okhttp.DNSEvent) { say("look up %s", e.Host) },
			DNSEnd:               func(e okhttp.DNSEvent) { say("looked up: %v", e.Addrs) },
			ConnectStart:         func(e okhttp.ConnectEvent) { say("connect to %s", e.Route) },
			SecureConnectStart:   func(okhttp.ConnectEvent) { say("TLS handshake") },
			SecureConnectEnd:     func(e okhttp.ConnectEvent) { say("TLS done: %s, %s", e.Handshake.Version, e.Handshake.CipherSuite) },
			ConnectEnd:           func(e okhttp.ConnectEvent) { say("connected: %s", e.Protocol) },
			ConnectFailed:        func(e okhttp.ConnectEvent) { say("connect failed: %v", e.Err) },
			ConnectionAcquired:   func(e okhttp.ConnectionEvent) { say("connection acquired: %s", e.Connection.LocalAddr()) },
			ConnectionReleased:   func(e okhttp.ConnectionEvent) { say("connection released") },
			RequestHeadersStart:  name("request headers"),
			RequestHeadersEnd:    func(e okhttp.RequestHeadersEnd) { say("request headers written: %d", e.Request.Headers().Len()) },
			RequestBodyStart:     name("request body"),
			RequestBodyEnd:       func(e okhttp.BodyEnd) { say("request body written: %d bytes", e.Bytes) },
			RequestFailed:        func(e okhttp.Failure) { say("request failed: %v", e.Err) },
			ResponseHeadersStart: name("response headers"),
			ResponseHeadersEnd:   func(e okhttp.ResponseHeadersEnd) { say("response headers read: %d", e.Response.Status) },
			ResponseBodyStart:    name("response body"),
			ResponseBodyEnd:      func(e okhttp.BodyEnd) { say("response body read: %d bytes", e.Bytes) },
			ResponseFailed:       func(e okhttp.Failure) { say("response failed: %v", e.Err) },
			RetryDecision:        func(e okhttp.RetryDecision) { say("retry: %v", e.Retry) },
			FollowUpDecision: func(e okhttp.FollowUpDecision) {
				if e.Next != nil {
					say("follow %d to %s", e.Response.Status, e.Next.URL())
				}
			},
			Canceled:   name("canceled"),
			CallEnd:    func(okhttp.CallEnd) { say("call end") },
			CallFailed: func(okhttp.Failure) { say("call failed") },
		}
	}
}
