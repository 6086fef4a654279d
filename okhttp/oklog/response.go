package oklog

import (
	"errors"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// response prints a response, and reports whether it read ahead for that.
func (e *entry) response(req *okhttp.Request, resp *okhttp.Response) bool {
	if resp.Request() != nil {
		req = resp.Request()
	}
	message, size := "", ""
	if resp.Message != "" {
		message = " " + resp.Message
	}
	if e.level == Basic {
		s := sample{size: resp.Body.Len()}
		size = ", " + s.describe() + " body"
	}
	e.line("<-- ", number(int64(resp.Status)), message, " ", e.redact.url(req.URL()), " (", e.took(), size, ")")
	if e.level < Headers {
		return false
	}
	e.headers(resp.Headers())
	coding, _ := resp.Headers().Last("Content-Encoding")
	gzip := strings.EqualFold(coding, "gzip")
	switch {
	case e.level < Body || !hasContent(req, resp):
		e.line("<-- END HTTP")
	case coding != "" && !gzip && !strings.EqualFold(coding, "identity"):
		e.line("<-- END HTTP (encoded body omitted)")
	case isStream(resp.Body.ContentType()):
		e.line("<-- END HTTP (streaming)")
	default:
		e.responseBody(resp, gzip)
		return true
	}
	return false
}

// hasContent reports whether a response can have a body (RFC 9110 section 6.4.1). After an upgrade there is a connection in its place.
func hasContent(req *okhttp.Request, resp *okhttp.Response) bool {
	switch status := resp.Status; {
	case req.Method() == "HEAD", status < 200, status == 204, status == 304:
		return false
	case req.Method() == "CONNECT":
		return status >= 300
	}
	return true
}

func isStream(contentType string) bool {
	m, err := okhttp.ParseMediaType(contentType)
	return err == nil && m.Type() == "text" && m.Subtype() == "event-stream"
}

// responseBody looks at the body ahead of the program.
func (e *entry) responseBody(resp *okhttp.Response, gzip bool) {
	length := resp.Body.Len()
	ahead := func(limit int64) sample {
		peek := resp.Body.Source().Peek()
		defer func() { _ = peek.Close() }()
		return take(peek, limit, length)
	}
	s := ahead(min(sniffedBytes, e.maxBody))
	if s.more && (gzip || length < 0 || isText(s.data)) {
		s = ahead(e.maxBody)
	}
	switch {
	case errors.Is(s.err, okhttp.ErrUnreadableBody):
		e.line("<-- END HTTP (unreadable body)")
	case s.err != nil:
		if !gzip && isText(s.data) {
			e.line()
			e.text(&s, resp.Body.ContentType())
		}
		e.line("<-- END HTTP (", e.took(), ", body failed after ", number(int64(len(s.data))), " bytes: ", s.err.Error(), ")")
	case gzip:
		e.gzipBody(resp, &s)
	case !isText(s.data):
		e.line()
		e.line("<-- END HTTP (", e.took(), ", binary ", s.describe(), " body omitted)")
	default:
		if length != 0 {
			e.line()
			e.text(&s, resp.Body.ContentType())
		}
		e.line("<-- END HTTP (", e.took(), ", ", s.describe(), " body", s.shown(), ")")
	}
}

func (e *entry) gzipBody(resp *okhttp.Response, s *sample) {
	u := s.unpack(e.maxBody)
	switch {
	case u.err != nil:
		e.line()
		e.line("<-- END HTTP (", e.took(), ", ", s.gzipped(), " body omitted: ", u.err.Error(), ")")
	case !isText(u.data):
		e.line()
		e.line("<-- END HTTP (", e.took(), ", binary ", u.describe(), " body omitted)")
	default:
		u.more = u.more || s.more
		if resp.Body.Len() != 0 {
			e.line()
			e.text(&u.sample, resp.Body.ContentType())
		}
		e.line("<-- END HTTP (", e.took(), ", ", u.describe(), ", ", s.gzipped(), " body", u.shown(), ")")
	}
}
