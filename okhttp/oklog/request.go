package oklog

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

func (e *entry) request(req *okhttp.Request, protocol string) {
	body := req.Body()
	size := ""
	if e.level == Basic && body != nil {
		size = " (" + number(body.Len()) + "-byte body)"
	}
	e.line("--> ", req.Method(), " ", e.redact.url(req.URL()), protocol, size)
	if e.level < Headers {
		return
	}
	if body != nil {
		if _, has := req.Headers().Last("Content-Type"); !has && body.ContentType() != "" {
			e.line("Content-Type: ", body.ContentType())
		}
		if _, has := req.Headers().Last("Content-Length"); !has && body.Len() >= 0 {
			e.line("Content-Length: ", number(body.Len()))
		}
	}
	e.headers(req.Headers())
	if e.level < Body || body == nil {
		e.endRequest(req, "")
		return
	}
	coding, _ := req.Headers().Last("Content-Encoding")
	gzip := strings.EqualFold(coding, "gzip")
	switch {
	case coding != "" && !gzip && !strings.EqualFold(coding, "identity"):
		e.endRequest(req, "encoded body omitted")
	case body.IsDuplex():
		e.endRequest(req, "duplex request body omitted") // it may wait for the response
	case body.IsOneShot():
		e.endRequest(req, "one-shot body omitted")
	default:
		e.requestBody(req, body, gzip)
	}
}

func (e *entry) endRequest(req *okhttp.Request, remark string) {
	if remark != "" {
		remark = " (" + remark + ")"
	}
	e.line("--> END ", req.Method(), remark)
}

// requestBody opens the body for the log, and closes it after what is printed of it.
func (e *entry) requestBody(req *okhttp.Request, body *okhttp.Body, gzip bool) {
	r, err := body.Open(e.ctx)
	if err != nil {
		e.endRequest(req, "body failed: "+err.Error())
		return
	}
	s := take(okio.FromReader(r), e.maxBody, body.Len())
	_ = r.Close() // what it fails with here, it fails with again when it is sent
	if s.err != nil {
		e.endRequest(req, "body failed after "+number(int64(len(s.data)))+" bytes: "+s.err.Error())
		return
	}
	e.line()
	if gzip {
		u := s.unpack(e.maxBody)
		switch {
		case u.err != nil:
			e.endRequest(req, s.describe()+" body omitted: "+u.err.Error())
		case !isText(u.data):
			e.endRequest(req, "binary "+u.describe()+" body omitted")
		default:
			e.endRequest(req, u.describe()+", "+s.gzipped()+" body")
		}
		return
	}
	if !isText(s.data) {
		e.endRequest(req, "binary "+s.describe()+" body omitted")
		return
	}
	e.text(&s, req.Headers().Get("Content-Type"), body.ContentType())
	e.endRequest(req, s.describe()+" body"+s.shown())
}

// text prints a sample, in the charset of the first type that is given.
func (e *entry) text(s *sample, contentTypes ...string) {
	p, contentType := s.data, ""
	if s.more {
		p = whole(p)
	}
	for _, t := range contentTypes {
		if contentType == "" {
			contentType = t
		}
	}
	e.line(decode(p, contentType))
}

// describe returns the size as an adjective.
func (s *sample) describe() string {
	if s.size < 0 {
		return "unknown-length"
	}
	return number(s.size) + "-byte"
}

func (u *unpacked) describe() string {
	if !u.whole {
		return "unknown-length"
	}
	return u.sample.describe()
}

// gzipped returns the size of a sample that gzip made.
func (s *sample) gzipped() string {
	if s.size < 0 {
		return "over-" + number(int64(len(s.data))) + "-gzipped-byte"
	}
	return number(s.size) + "-gzipped-byte"
}

// shown returns how much of the body is printed, if not all of it is.
func (s *sample) shown() string {
	if !s.more {
		return ""
	}
	return ", first " + number(int64(len(s.data))) + " bytes shown"
}
