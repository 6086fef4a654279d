package okhar

import (
	"net/http"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

const stamp = "2006-01-02T15:04:05.000Z07:00"

// entry makes an entry of an attempt that is over.
func (r *Recorder) entry(a *attempt) *entry {
	e := &entry{
		Started:    a.began.UTC().Format(stamp),
		Request:    r.request(a),
		Response:   r.response(a),
		ServerIP:   a.serverIP,
		Connection: a.port,
		Comment:    a.comment,
	}
	e.Timings, e.Time = a.timings()
	if a.err != nil {
		e.Error = a.err.Error()
	}
	return e
}

func (r *Recorder) request(a *attempt) request {
	req := a.wire
	q := request{
		Method:      req.Method(),
		URL:         r.redact.url(req.URL()),
		HTTPVersion: version(a.protocol),
		Cookies:     []cookie{},
		Headers:     r.sentFields(a),
		Query:       []pair{},
		HeadersSize: -1,
		BodySize:    a.uploaded,
	}
	for name, value := range req.URL().QueryAll() {
		q.Query = append(q.Query, pair{name, r.redact.parameter(name, value)})
	}
	for line := range req.Headers().Values("Cookie") {
		for part := range strings.SplitSeq(line, ";") {
			if name, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
				q.Cookies = append(q.Cookies, cookie{Name: name, Value: r.redact.cookie(value)})
			}
		}
	}
	if body := req.Body(); body != nil {
		contentType := req.Headers().Get("Content-Type")
		if contentType == "" {
			contentType = body.ContentType()
		}
		q.PostData = r.postData(&a.posted, contentType, req.Headers())
	}
	if isHTTP1(a.protocol) && !a.sendBegan.IsZero() {
		q.HeadersSize = headSize(req.Method()+" "+target(req.URL())+" HTTP/1.1", req.Headers())
	}
	return q
}

func (r *Recorder) response(a *attempt) response {
	resp := a.response
	if resp == nil {
		return response{Cookies: []cookie{}, Headers: []pair{}, HeadersSize: -1, BodySize: -1}
	}
	s := response{
		Status:      resp.Status,
		StatusText:  resp.Message,
		HTTPVersion: version(resp.Protocol),
		Cookies:     []cookie{},
		Headers:     r.headers(resp.Headers()),
		HeadersSize: -1,
		BodySize:    -1,
	}
	if location, ok := resp.Headers().Last("Location"); ok {
		s.RedirectURL = r.redact.header("Location", location)
	}
	for line := range resp.Headers().Values("Set-Cookie") {
		if c, err := http.ParseSetCookie(line); err == nil {
			s.Cookies = append(s.Cookies, r.setCookie(c, a.answered))
		}
	}
	switch {
	case a.sendBegan.IsZero():
		s.BodySize = 0 // of a cache
	case a.complete:
		s.BodySize = a.downloaded
	}
	if isHTTP1(resp.Protocol) && !a.sendBegan.IsZero() {
		s.HeadersSize = headSize("HTTP/1.1 200 "+resp.Message, resp.Headers())
	}
	s.Content = r.content(a)
	return s
}

func (r *Recorder) setCookie(c *http.Cookie, at time.Time) cookie {
	k := cookie{Name: c.Name, Value: r.redact.cookie(c.Value), Path: c.Path, Domain: c.Domain, HTTPOnly: c.HttpOnly, Secure: c.Secure}
	switch expires := c.Expires; {
	case c.MaxAge > 0: // counts before Expires (RFC 6265 section 4.1.2.2)
		k.Expires = at.Add(time.Duration(c.MaxAge) * time.Second).UTC().Format(stamp)
	case c.MaxAge < 0:
		k.Expires = at.UTC().Format(stamp)
	case !expires.IsZero():
		k.Expires = expires.UTC().Format(stamp)
	}
	return k
}

func (r *Recorder) headers(h okhttp.Headers) []pair {
	list := make([]pair, 0, h.Len())
	for name, value := range h.All() {
		list = append(list, pair{name, r.redact.header(name, value)})
	}
	return list
}

func isHTTP1(p okhttp.Protocol) bool { return p == okhttp.HTTP10 || p == okhttp.HTTP11 }

// headSize returns how many bytes a head takes in HTTP/1 (RFC 9112 section 2.1), with one space before each value.
func headSize(start string, h okhttp.Headers) int64 {
	n := len(start) + len("\r\n\r\n")
	for name, value := range h.All() {
		n += len(name) + len(": ") + len(value) + len("\r\n")
	}
	return int64(n)
}
