package oksse

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Caller makes calls: an [okhttp.Client], or something around one.
type Caller interface {
	NewCall(req *okhttp.Request, opts ...okhttp.CallOption) *okhttp.Call
}

const (
	eventStream = "text/event-stream"
	lastEventID = "Last-Event-ID"
)

// accepting adds an Accept header, unless there is one.
func accepting(req *okhttp.Request) (*okhttp.Request, error) {
	return withDefaults(req, "Accept", eventStream)
}

// withDefaults adds headers, names and values in turn, of which there are none of that name.
func withDefaults(req *okhttp.Request, nameValue ...string) (*okhttp.Request, error) {
	h := req.Headers()
	for i := 0; i < len(nameValue); i += 2 {
		if _, has := h.Last(nameValue[i]); has {
			continue
		}
		var err error
		if h, err = h.Add(nameValue[i], nameValue[i+1]); err != nil {
			return nil, err
		}
	}
	return req.With(okhttp.WithHeaders(h))
}

// maxResumeID is how long an ID may be that goes out as a header. Servers take no more in one, as a rule.
const maxResumeID = 16 << 10

// resumable reports whether a stream can be resumed from an ID: it has to be the value of a header. The standard keeps out only NUL and line breaks, so a
// server can make others; those are in the events that have them, and nowhere else.
func resumable(id string) bool {
	for i := range len(id) {
		if c := id[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return len(id) <= maxResumeID
}

// resuming sets the Last-Event-ID header, whose value is UTF-8 (HTML standard, section 9.2.3), or removes it.
func resuming(req *okhttp.Request, id string) (*okhttp.Request, error) {
	h := req.Headers().Without(lastEventID)
	if id != "" {
		var err error
		if h, err = h.AddNonASCII(lastEventID, id); err != nil {
			return nil, err
		}
	}
	return req.With(okhttp.WithHeaders(h))
}

// isEventStream looks at the essence of a media type alone.
func isEventStream(contentType string) bool {
	essence, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.Trim(essence, " \t"), eventStream)
}
