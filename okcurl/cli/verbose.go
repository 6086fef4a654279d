package cli

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// verbose prints what happens in the manner of curl: "*" before events, ">" before what is sent, "<" before what is received.
type verbose struct {
	w        io.Writer
	insecure bool
	numbers  map[*okhttp.Connection]int // of the connections so far
}

func newVerbose(w io.Writer, insecure bool) *verbose {
	return &verbose{w: w, insecure: insecure, numbers: make(map[*okhttp.Connection]int)}
}

func (v *verbose) event(format string, args ...any) {
	io.WriteString(v.w, "* "+printable(fmt.Sprintf(format, args...))+"\n")
}

// listener hears one call.
func (v *verbose) listener() *okhttp.EventListener {
	c := &verboseCall{verbose: v}
	return &okhttp.EventListener{
		DNSStart:            func(e okhttp.DNSEvent) { v.event("Resolving %s", e.Host) },
		DNSEnd:              c.resolved,
		ConnectStart:        c.connecting,
		SecureConnectStart:  c.securing,
		SecureConnectEnd:    c.secured,
		ConnectEnd:          c.connected,
		ConnectFailed:       func(e okhttp.ConnectEvent) { v.event("Connecting to %s failed: %s", e.Route, rootText(e.Err)) },
		ConnectionAcquired:  c.acquired,
		ConnectionReleased:  func(e okhttp.ConnectionEvent) { v.event("Connection #%d released", v.numbers[e.Connection]) },
		RequestHeadersStart: c.sending,
		RequestHeadersEnd:   func(e okhttp.RequestHeadersEnd) { c.request(e.Request) },
		RequestBodyEnd:      func(e okhttp.BodyEnd) { v.event("Request body sent: %d bytes", e.Bytes) },
		RequestFailed:       func(e okhttp.Failure) { v.event("Sending failed: %s", rootText(e.Err)) },
		Informational:       func(e okhttp.InformationalEvent) { v.head("<", informationalLine(e, c.protocol), e.Headers) },
		ResponseHeadersEnd:  func(e okhttp.ResponseHeadersEnd) { v.head("<", statusLine(e.Response), e.Response.Headers()) },
		ResponseFailed:      func(e okhttp.Failure) { v.event("Receiving failed: %s", rootText(e.Err)) },
		RetryDecision:       c.retry,
		FollowUpDecision:    c.followUp,
	}
}

// stored prints the head of a response of the cache.
func (v *verbose) stored(r *okhttp.Response) { v.head("<", statusLine(r), r.Headers()) }

// verboseCall is what must be remembered within a call.
type verboseCall struct {
	*verbose
	announced bool // that the transport is connected
	number    int  // of the latest connection
	protocol  okhttp.Protocol
	forwarded bool // by a proxy
	fresh     bool // its acquisition was told, and nothing was sent since
}

func (c *verboseCall) resolved(e okhttp.DNSEvent) {
	addrs := make([]string, len(e.Addrs))
	for i, a := range e.Addrs {
		addrs[i] = a.String()
	}
	c.event("Resolved %s to %s", e.Host, strings.Join(addrs, ", "))
}

func (c *verboseCall) connecting(e okhttp.ConnectEvent) {
	c.announced = false
	c.event("Connecting to %s", e.Route)
}

func (c *verboseCall) securing(e okhttp.ConnectEvent) {
	c.transport(e)
	c.event("TLS handshake")
}

func (c *verboseCall) secured(e okhttp.ConnectEvent) {
	h := e.Handshake
	c.event("TLS connection: %s, %s", h.Version, h.CipherSuite)
	if len(h.PeerCertificates) > 0 {
		leaf := h.PeerCertificates[0]
		c.event("Server certificate: %s; issuer: %s; expires: %s", leaf.Subject, leaf.Issuer, leaf.NotAfter.UTC().Format(http.TimeFormat))
	}
	if c.insecure {
		c.event("Server certificate not verified (--insecure)")
	}
}

func (c *verboseCall) connected(e okhttp.ConnectEvent) {
	c.transport(e)
	if e.Protocol == okhttp.HTTP2 {
		c.event("Using HTTP/2")
	}
}

func (c *verboseCall) transport(e okhttp.ConnectEvent) {
	if !c.announced {
		c.announced = true
		c.event("Connected to %s (%s)", e.Route.Host(), e.Route)
	}
}

func (c *verboseCall) acquired(e okhttp.ConnectionEvent) {
	n, known := c.numbers[e.Connection]
	if !known {
		n = len(c.numbers)
		c.numbers[e.Connection] = n
	}
	c.number, c.fresh, c.protocol = n, true, e.Connection.Protocol()
	c.forwarded = isForwarded(e.Connection.Route())
	if known {
		c.event("Re-using connection #%d to %s", n, e.Connection.Route().Host())
	} else {
		c.event("Using connection #%d", n)
	}
}

// sending notices an exchange on a connection that the call kept.
func (c *verboseCall) sending(*okhttp.Call) {
	if !c.fresh {
		c.event("Re-using connection #%d", c.number)
	}
	c.fresh = false
}

func (c *verboseCall) retry(e okhttp.RetryDecision) {
	if e.Retry {
		c.event("Trying again after: %s", rootText(e.Err))
	}
}

func (c *verboseCall) followUp(e okhttp.FollowUpDecision) {
	if e.Next == nil {
		return
	}
	u, err := withoutUserinfo(e.Next.URL())
	if err != nil {
		return
	}
	c.event("Following up with %s %s", e.Next.Method(), u)
}

func (c *verboseCall) request(r *okhttp.Request) {
	c.head(">", requestLine(r, c.protocol, c.forwarded), sentFields(r, c.protocol))
}

// head prints a start line and fields with the direction before each line. Values that are secrets by their name are hidden.
func (v *verbose) head(direction, start string, fields okhttp.Headers) {
	var b strings.Builder
	line := func(text string) {
		b.WriteString(direction)
		b.WriteByte(' ')
		b.WriteString(printable(text))
		b.WriteByte('\n')
	}
	line(start)
	for text := range strings.Lines(fields.String()) {
		line(strings.TrimSuffix(text, "\n"))
	}
	line("")
	io.WriteString(v.w, b.String())
}

// isForwarded reports whether a proxy reads the requests.
func isForwarded(r *okhttp.Route) bool {
	return strings.HasPrefix(r.Proxy().Scheme(), "http") && !r.RequiresTunnel()
}

// requestLine renders the first line of a request (RFC 9112 section 3).
func requestLine(r *okhttp.Request, p okhttp.Protocol, forwarded bool) string {
	u := r.URL()
	target := u.EncodedPath()
	if q, ok := u.EncodedQuery(); ok {
		target += "?" + q
	}
	if forwarded {
		target = u.Scheme() + "://" + u.Std().Host + target
	}
	return r.Method() + " " + target + " " + versionName(p)
}

// sentFields are those of a request that are sent: HTTP/2 has none about the connection (RFC 9113 section 8.2.2).
func sentFields(r *okhttp.Request, p okhttp.Protocol) okhttp.Headers {
	if p != okhttp.HTTP2 {
		return r.Headers()
	}
	return r.Headers().Without("Connection").Without("Keep-Alive").Without("Proxy-Connection").Without("Transfer-Encoding").Without("Upgrade")
}

// statusLine renders the first line of a response (RFC 9112 section 4).
func statusLine(r *okhttp.Response) string {
	return fmt.Sprintf("%s %03d %s", versionName(r.Protocol), r.Status, r.Message)
}

// versionName names a protocol as the first lines of messages do; HTTP/2 has none, so it is as curl writes it.
func versionName(p okhttp.Protocol) string {
	if p == okhttp.HTTP2 {
		return "HTTP/2"
	}
	return strings.ToUpper(string(p))
}

// informationalLine gives the interim response the usual phrase: the event does not carry that of the server.
func informationalLine(e okhttp.InformationalEvent, p okhttp.Protocol) string {
	if p == okhttp.HTTP2 {
		return fmt.Sprintf("HTTP/2 %03d ", e.Status)
	}
	return fmt.Sprintf("HTTP/1.1 %03d %s", e.Status, http.StatusText(e.Status))
}

// printable replaces what could command a terminal; bytes above ASCII stay as they are.
func printable(text string) string {
	clean := []byte(text)
	for i, c := range clean {
		if c < ' ' && c != '\t' || c == 0x7f {
			clean[i] = '?'
		}
	}
	return string(clean)
}
