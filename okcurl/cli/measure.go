package cli

import (
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// measure collects what --write-out can print about one transfer. Times count from its beginning, and those of the last exchange stay.
type measure struct {
	began      time.Time
	lookedUp   time.Duration
	connected  time.Duration
	secured    time.Duration
	sending    time.Duration
	answered   time.Duration
	total      time.Duration
	redirected time.Duration // when the last redirect was followed
	n          int           // of the URL, from 0
	tries      int           // after the first one
	given      string        // the URL as it was given, without user info
	url        string        // effective, without user info
	scheme     string
	method     string
	referer    string
	response   *okhttp.Response // the last one's head
	redirects  int
	from       string // what the present request was redirected from, as a Referer
	next       string // where a redirect that was not followed leads
	connects   int
	local      string
	remote     string
	protocol   okhttp.Protocol // of the connection
	forwarded  bool            // by a proxy
	headsOut   int64           // bytes of all heads, in the form of HTTP/1.1
	headsIn    int64
	uploaded   int64
	downloaded int64 // as it came, possibly compressed
	file       string
	failure    *failure
}

func (m *measure) since() time.Duration { return time.Since(m.began) }

// listener hears the call.
func (m *measure) listener() *okhttp.EventListener {
	return &okhttp.EventListener{
		DNSEnd:             func(okhttp.DNSEvent) { m.lookedUp = m.since() },
		SecureConnectStart: func(okhttp.ConnectEvent) { m.connected = m.since() },
		SecureConnectEnd:   func(okhttp.ConnectEvent) { m.secured = m.since() },
		ConnectEnd: func(e okhttp.ConnectEvent) {
			m.connects++
			if e.Handshake == nil {
				m.connected = m.since()
			}
		},
		ConnectionAcquired: func(e okhttp.ConnectionEvent) {
			m.local, m.remote = e.Connection.LocalAddr().String(), e.Connection.RemoteAddr().String()
			m.protocol, m.forwarded = e.Connection.Protocol(), isForwarded(e.Connection.Route())
		},
		RequestHeadersStart:  func(*okhttp.Call) { m.sending = m.since() },
		RequestHeadersEnd:    func(e okhttp.RequestHeadersEnd) { m.requestSent(e.Request) },
		RequestBodyEnd:       func(e okhttp.BodyEnd) { m.uploaded += e.Bytes },
		ResponseHeadersStart: func(*okhttp.Call) { m.answered = m.since() },
		Informational:        func(e okhttp.InformationalEvent) { m.headsIn += headLen(informationalLine(e, m.protocol), e.Headers) },
		ResponseHeadersEnd:   func(e okhttp.ResponseHeadersEnd) { m.responseCame(e.Response) },
		ResponseBodyEnd:      func(e okhttp.BodyEnd) { m.downloaded = e.Bytes },
		CacheHit:             func(e okhttp.CacheEvent) { m.stored(e.Response) },
		SatisfactionFailure:  func(e okhttp.CacheEvent) { m.stored(e.Response) },
		FollowUpDecision: func(e okhttp.FollowUpDecision) {
			if e.Next != nil && isRedirect(e.Response) {
				m.redirects++
				m.from = refererOf(e.Response.Request().URL(), e.Next.URL())
				m.redirected = m.since()
			}
		},
	}
}

// stored notes a response of the cache.
func (m *measure) stored(r *okhttp.Response) {
	m.requested(r.Request())
	m.response, m.answered = r.With(okhttp.WithoutBody()), m.since()
}

func (m *measure) requestSent(r *okhttp.Request) {
	m.requested(r)
	m.headsOut += headLen(requestLine(r, m.protocol, m.forwarded), sentFields(r, m.protocol))
}

func (m *measure) responseCame(r *okhttp.Response) {
	m.response = r
	m.headsIn += headLen(statusLine(r), r.Headers())
}

// headLen is what a head has as HTTP/1.1 writes it, in bytes, which for HTTP/2 is not what was on the wire.
func headLen(start string, fields okhttp.Headers) int64 {
	n := len(start) + len("\r\n\r\n")
	for name, value := range fields.All() {
		n += len(name) + len(": ") + len(value) + len("\r\n")
	}
	return int64(n)
}

func (m *measure) requested(r *okhttp.Request) {
	m.method, m.referer = r.Method(), r.Headers().Get("Referer")
	m.at(r.URL())
}

// at notes the URL that the transfer is about now.
func (m *measure) at(u okhttp.URL) {
	if clean, err := withoutUserinfo(u); err == nil {
		m.url, m.scheme = clean.String(), clean.Scheme()
	}
}

// refererOf is the Referer of a request to a URL that another one leads to: that without user info and fragment, and nothing from https to http (RFC 9110
// section 10.1.3).
func refererOf(u, next okhttp.URL) string {
	clean, err := withoutUserinfo(u)
	if err != nil || u.Scheme() == "https" && next.Scheme() != "https" {
		return ""
	}
	text, _, _ := strings.Cut(clean.String(), "#")
	return text
}

// isRedirect reports whether a response names another place to go to (RFC 9110 section 15.4).
func isRedirect(r *okhttp.Response) bool {
	switch r.Status {
	case 300, 301, 302, 303, 307, 308:
		_, ok := r.Headers().Last("Location")
		return ok
	}
	return false
}
