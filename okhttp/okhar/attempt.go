package okhar

import (
	"net"
	"slices"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// attempt is what becomes an entry.
type attempt struct {
	active   bool // something happened that makes an entry
	over     bool // it is to be recorded, once nobody is reading
	recorded bool

	began, sendBegan, sent, answered, ended time.Time
	dns, connect, ssl                       stopwatch
	securing                                []*okhttp.Route // whose TLS handshakes are going on

	wire     *okhttp.Request
	response *okhttp.Response
	err      error
	comment  string

	protocol okhttp.Protocol
	serverIP string
	port     string // of this end

	uploaded, downloaded int64
	complete             bool // downloaded counts all that came
	posted, body         capture
	reading              bool // the program is reading from the body
}

// stopwatch adds up spans of time, which may overlap.
type stopwatch struct {
	used    bool
	running int
	since   time.Time
	total   time.Duration
}

func (s *stopwatch) start(now time.Time) {
	if s.running++; s.running == 1 {
		s.used, s.since = true, now
	}
}

func (s *stopwatch) stop(now time.Time) {
	if s.running == 0 {
		return
	}
	if s.running--; s.running == 0 {
		s.total += now.Sub(s.since)
	}
}

// end stops all that is running.
func (s *stopwatch) end(now time.Time) {
	s.running = min(s.running, 1)
	s.stop(now)
}

// read returns the milliseconds, -1 if the watch was never started.
func (s *stopwatch) read() float64 {
	if !s.used {
		return -1
	}
	return milliseconds(s.total)
}

func milliseconds(d time.Duration) float64 {
	return float64(max(d, 0).Microseconds()) / 1000
}

// sending begins the request: whatever was going on for a connection is no matter of this attempt any more.
func (a *attempt) sending(now time.Time) {
	a.sendBegan, a.sent = now, now
	a.dns.end(now)
	a.connect.end(now)
	a.ssl.end(now)
}

// secured ends the handshake of a route, if there is one: routes that are tried at the same time fail at any time.
func (a *attempt) secured(route *okhttp.Route, now time.Time) {
	if i := slices.Index(a.securing, route); i >= 0 {
		a.securing = slices.Delete(a.securing, i, i+1)
		a.ssl.stop(now)
	}
}

func (a *attempt) fail(err error, now time.Time) {
	a.err = err
	if !a.complete { // else something failed after the exchange
		a.ended = now
	}
}

// on tells which connection an attempt uses.
func (a *attempt) on(c *okhttp.Connection) {
	if c == nil {
		return
	}
	a.protocol = c.Protocol()
	if route := c.Route(); route != nil && route.Addr().IsValid() {
		a.serverIP = route.Addr().Addr().String()
	}
	if local := c.LocalAddr(); local != nil {
		if _, port, err := net.SplitHostPort(local.String()); err == nil {
			a.port = port
		}
	}
}

// timings splits the time of an attempt so that the parts add up to all of it; ssl is a part of connect.
func (a *attempt) timings() (t timings, total float64) {
	for _, s := range []*stopwatch{&a.dns, &a.connect, &a.ssl} {
		s.end(a.ended)
	}
	t.DNS, t.Connect, t.SSL = a.dns.read(), a.connect.read(), a.ssl.read()
	latest := func(x, y time.Time) time.Time {
		if x.After(y) {
			return x
		}
		return y
	}
	ready := a.sendBegan
	if ready.IsZero() {
		ready = a.ended
		if !a.answered.IsZero() {
			ready = a.answered // by a cache
		}
	}
	sent := latest(ready, a.sent)
	answered := a.ended
	if !a.answered.IsZero() {
		answered = latest(sent, a.answered)
	}
	t.Blocked = milliseconds(ready.Sub(a.began) - a.dns.total - a.connect.total)
	t.Send = milliseconds(sent.Sub(ready))
	t.Wait = milliseconds(answered.Sub(sent))
	t.Receive = milliseconds(a.ended.Sub(answered))
	return t, milliseconds(max(a.ended.Sub(a.began), 0))
}

// version returns how archives name a protocol.
func version(p okhttp.Protocol) string {
	if p == okhttp.HTTP2 {
		return "HTTP/2"
	}
	return strings.ToUpper(string(p))
}
