package mockserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// A Response is a script of what to answer and how. It is an immutable value: each method returns a changed copy, so parts of a script
// can be shared. [Reply] begins one; the zero value is Reply(200).
//
// Invalid arguments, a header name with a space for example, make the whole response a fault of the script: it is answered with 500 and
// the test of [New] fails with what is wrong.
type Response struct {
	status   int // 0 for 200
	reason   string
	reasoned bool // reason was given
	fields   []string
	content  content
	handler  SocketHandler // in place of content, if not nil
	chunked  bool
	chunks   []int64
	open     bool // the body ends with the connection
	unframed bool // there is no body, and nothing is said of its length
	trailers []string
	late     func() (okhttp.Headers, error) // the trailers that the end of the body gives, or why it is none; nil for none
	infos    []informational
	raw      []byte // in place of head and body, if not nil

	headDelay delay
	bodyDelay delay
	endDelay  time.Duration // before trailers
	throttle  throttle
	slowHead  throttle
	dribble   dribble
	joint     *okio.Throttler
	pushes    []push
	settings  []http2.Setting // sent before the head over HTTP/2
	badChunk  bool            // in place of the last chunk
	lengthOff int64           // what is added to a Content-Length
	lenient   bool            // some fields must not be sent, and are
	effects   [moments]timed
	frames    *strikes // of what is pushed or set over HTTP/2 alone; nil for none
	skipBody  bool
	tunnel    bool // it is a proxy's
	last      bool // the server ends with it

	adapt func(*Request, Response) Response // nil for no change

	unexpected error // what nothing was scripted for
	told       bool  // it stands for a script whose fault was reported
	err        error // the first thing that is wrong with the script
}

// informational is a 1xx response.
type informational struct {
	status int
	fields []string
	delay  time.Duration
}

// throttle lets a number of bytes pass per period.
type throttle struct {
	bytes  int64
	period time.Duration
}

// content is where a body comes from.
type content struct {
	open   func(ctx context.Context) (io.ReadCloser, error) // nil for none; the context ends when nobody takes the body any more
	length int64                                            // -1 if not known
	live   bool                                             // the bytes are not in memory and may take their time
}

// Reply begins a response with that status and an empty body. The reason is that of the hundred, as in "200 OK" and "404 Client Error".
func Reply(status int) Response { return Response{}.Status(status) }

// Status sets the status, which is a final one or 101.
func (r Response) Status(status int) Response {
	if status < 200 && status != 101 || status > 999 {
		return r.fail("status %d: expected 200 to 999, or 101", status)
	}
	r.status = status
	return r
}

// Err returns what is wrong with the script, nil if nothing is.
func (r Response) Err() error {
	switch {
	case r.err != nil || r.raw != nil:
	case r.effects[ResponseBody].chunks > 0 && (len(r.chunks) == 0 || r.content.length < 0):
		return errors.New("mockserver: OnChunk with a response whose chunks have no sizes, or whose length is not known")
	case r.dribble.pieces > 0 && r.content.length < 0:
		return errors.New("mockserver: Dribble with a body whose length is not known")
	}
	if r.err == nil && len(r.trailers) > 0 && !r.encoded() && r.raw == nil {
		return errors.New("mockserver: a response with trailers that is not chunked")
	}
	if r.err == nil {
		return r.never()
	}
	return r.err
}

// never returns which effect cannot strike, whatever the exchange is.
func (r *Response) never() error {
	over := moments // the moment of an effect that surely ends the exchange
	for m, t := range r.effects {
		m := Moment(m)
		switch {
		case t.effect == nil:
			continue
		case m > over:
			return fmt.Errorf("mockserver: an effect at %v cannot strike: the one at %v ends the exchange", m, over)
		case m == RequestBody && r.skipBody:
			return errors.New("mockserver: an effect at RequestBody cannot strike: SkipRequestBody does not read the body")
		case m == ResponseEnd && r.badChunk && r.raw == nil:
			return errors.New("mockserver: an effect at ResponseEnd cannot strike: MalformedChunk ends the exchange")
		}
		if m != RequestBody && surelyEnds(t.effect) {
			over = min(over, m)
		}
	}
	return nil
}

// Code returns the status.
func (r Response) Code() int {
	if r.status == 0 {
		return 200
	}
	return r.status
}

func reasonOf(status int) string {
	switch status / 100 {
	case 1:
		return "Informational"
	case 2:
		return "OK"
	case 3:
		return "Redirection"
	case 4:
		return "Client Error"
	case 5:
		return "Server Error"
	}
	return "Mock Response"
}

// fail remembers the first fault.
func (r Response) fail(format string, args ...any) Response {
	if r.err == nil {
		r.err = fmt.Errorf("mockserver: "+format, args...)
	}
	return r
}

// Reason sets the reason phrase, which may be empty.
func (r Response) Reason(phrase string) Response {
	if strings.ContainsAny(phrase, "\r\n\x00") {
		return r.fail("Reason(%q): expected no line end and no NUL", phrase)
	}
	r.reason, r.reasoned = phrase, true
	return r
}

// Body sets the body, which is copied.
func (r Response) Body(p []byte) Response {
	p = bytes.Clone(p)
	r.handler = nil
	r.content = content{length: int64(len(p)), open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p)), nil }}
	return r
}

// Text sets the body.
func (r Response) Text(s string) Response {
	r.handler = nil
	r.content = content{length: int64(len(s)), open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
	return r
}

// Stream sets a body that is opened anew for each time it is sent. The length is in bytes; -1, for a body of unknown length, sends it
// chunked. Each piece is sent when it comes. A reader that fails, or ends before its length, breaks the connection off; what it has beyond is
// ignored.
func (r Response) Stream(length int64, open func() (io.ReadCloser, error)) Response {
	if length < -1 || open == nil {
		return r.fail("Stream(%d): expected a length of at least -1 and a function", length)
	}
	r.handler = nil
	r.content = content{open: func(context.Context) (io.ReadCloser, error) { return open() }, length: length, live: true}
	return r
}

// Chunked sends the body in the chunked coding (RFC 9112 section 7.1). The sizes are those of the chunks, in bytes; the last one repeats
// until the body is over. Without sizes a body of known length is one chunk.
func (r Response) Chunked(sizes ...int64) Response {
	for _, n := range sizes {
		if n < 1 {
			return r.fail("Chunked: a chunk of %d bytes: expected at least 1", n)
		}
	}
	r.chunked, r.chunks, r.open = true, slices.Clone(sizes), false
	return r
}

// MalformedChunk sends the body chunked, and in place of the last chunk, which would be of size 0, a line that is no size. Then the connection is closed.
// On HTTP/2 it is a DATA frame whose padding is longer than itself.
func (r Response) MalformedChunk() Response {
	r.badChunk, r.chunked, r.open = true, true, false
	return r
}

// WrongLength adds to the Content-Length that the server gives to a body of known length, as a number that may be negative. The body stays as it is.
func (r Response) WrongLength(difference int64) Response {
	r.lengthOff = difference
	return r
}

// UntilClose sends the body without anything that frames it: it ends when the server closes the connection, which it does.
func (r Response) UntilClose() Response {
	r.open, r.chunked, r.chunks = true, false, nil
	return r
}

// Informational appends a response 1xx other than 101 that is sent before this one (RFC 9110 section 15.2), with alternating names and
// values of header fields. It goes out before the request body is read, if the response is enqueued by then or a [Peeker] knows
// it; otherwise before the response. Requests of HTTP/1.0 get none.
func (r Response) Informational(status int, nameValue ...string) Response {
	return r.InformationalAfter(0, status, nameValue...)
}

// InformationalAfter is Informational after a wait.
func (r Response) InformationalAfter(d time.Duration, status int, nameValue ...string) Response {
	if status < 100 || status > 199 || status == 101 {
		return r.fail("Informational(%d): expected 1xx other than 101", status)
	}
	if len(nameValue)%2 != 0 {
		return r.fail("Informational(%d): expected names and values that alternate, but got %d strings", status, len(nameValue))
	}
	info := informational{status: status, delay: d}
	for i := 0; i < len(nameValue); i += 2 {
		info.fields, r.err = appendField(info.fields, nameValue[i], nameValue[i+1], r.err)
	}
	r.infos = append(slices.Clip(r.infos), info)
	return r
}

// Continue is Informational(100), which lets a client go on that sent "Expect: 100-continue".
func (r Response) Continue() Response { return r.Informational(100) }

// Raw sends p, which is copied, verbatim in place of status line, headers and body. It is for responses that are malformed. The
// connection stays open for another request unless the request or an effect at [ResponseEnd] ends it.
func (r Response) Raw(p []byte) Response {
	r.raw = append([]byte{}, p...)
	return r
}

// On lets an effect happen at that moment. nil removes it.
func (r Response) On(m Moment, e Effect) Response { return r.at(m, half, e) }

// OnBytes lets an effect happen at [RequestBody] or [ResponseBody] after so many bytes of the body.
func (r Response) OnBytes(m Moment, bytes int64, e Effect) Response {
	if m != RequestBody && m != ResponseBody {
		return r.fail("OnBytes(%v): expected RequestBody or ResponseBody", m)
	}
	if bytes < 0 {
		return r.fail("OnBytes(%v, %d): expected a number of bytes", m, bytes)
	}
	return r.at(m, bytes, e)
}

// OnChunk lets an effect happen at [ResponseBody] after a number of chunks of a body that is sent in chunks whose sizes are given
// ([Response.Chunked]); on HTTP/2 they are DATA frames.
func (r Response) OnChunk(chunks int, e Effect) Response {
	if chunks < 1 {
		return r.fail("OnChunk(%d): expected at least 1", chunks)
	}
	r = r.at(ResponseBody, 0, e)
	r.effects[ResponseBody].chunks = chunks
	return r
}

func (r Response) at(m Moment, after int64, e Effect) Response {
	if m < 0 || m >= moments {
		return r.fail("On(%v): no such moment", m)
	}
	if e != nil {
		if err := checkEffect(m, e); err != nil {
			return r.fail("%w", err)
		}
		if bad := handshakes(e); bad != nil && ofStream(e) {
			return r.fail("%s with CloseStream at RequestStart: expected effects on the connection, or on its requests", named([]Effect{bad}))
		}
	}
	r.effects[m] = timed{effect: e, after: after, strikes: new(strikes)}
	return r
}

// Adapt lets f change the response when it is due, with the request at hand, which was recorded and must not be changed: to echo a field of
// it, for one. What has to be known before the request body is read is taken from the response as it is before that: 1xx responses,
// [Response.SkipRequestBody], effects up to [RequestBody], throttling of the request. f may run for several requests at once. Its panic is one of a
// [Dispatcher]. nil removes it.
func (r Response) Adapt(f func(*Request, Response) Response) Response {
	r.adapt = f
	return r
}

// SkipRequestBody answers without reading the request body. The connection is closed afterwards, and the recorded body is nil.
func (r Response) SkipRequestBody() Response {
	r.skipBody = true
	return r
}

// ShutdownServer makes the response the last one: connections are refused before its first byte is sent, and the server closes once it, and what
// else is under way, was sent, or after a second.
func (r Response) ShutdownServer() Response {
	r.last = true
	return r
}

// StartsConnection reports whether the response has an effect at [RequestStart] that is for connections which were just accepted, as all are there but those with
// [CloseStream].
func (r Response) StartsConnection() bool {
	e := r.effects[RequestStart].effect
	return e != nil && !ofStream(e)
}

// bodiless reports whether the response to a method has no content (RFC 9110 section 6.4.1).
func (r *Response) bodiless(method string) bool {
	code := r.Code()
	return method == "HEAD" || code == 204 || code == 304 || code == 101 || method == "CONNECT" && code/100 == 2
}

// encoded reports whether the body goes out in the chunked coding.
func (r *Response) encoded() bool { return !r.open && (r.chunked || r.content.length < 0) }

// scriptFault is the answer where the script, or the code behind it, is at fault.
func scriptFault(err error) Response {
	return Reply(500).Header("Content-Type", "text/plain; charset=utf-8").Text(err.Error() + "\n")
}
