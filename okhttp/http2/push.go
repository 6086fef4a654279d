package http2

import (
	"fmt"

	"github.com/okhttp-go/ok/okio"
)

// PushHandler is told of the streams that a server pushes (RFC 9113 section 8.4), in the order of what comes, on one goroutine per connection. What
// it returns as cancel resets the stream; frames that were under way still come after that.
type PushHandler interface {
	// OnRequest is told of the promise, with the headers of the request that it answers.
	OnRequest(stream uint32, fields []string) (cancel bool)
	// OnHeaders is told of a block of headers, of the response or of trailers. last says that nothing follows.
	OnHeaders(stream uint32, fields []string, last bool) (cancel bool)
	// OnData is given n bytes of content. What it does not read is skipped. last says that nothing follows; n may be 0 then.
	OnData(stream uint32, data *okio.BufferedSource, n int64, last bool) (cancel bool)
	// OnReset is told of the end of a stream before its time.
	OnReset(stream uint32, code ErrorCode)
}

// pushEvent is one of these calls, to be made.
type pushEvent struct {
	kind   pushKind
	stream *Stream
	fields []string
	data   *okio.Buffer
	bytes  int64 // of data
	last   bool
	code   ErrorCode
}

type pushKind uint8

const (
	pushRequest pushKind = iota
	pushHeaders
	pushData
	pushReset
)

// takePromise takes the announcement of a pushed stream.
func (c *Conn) takePromise(b headerBlock, fields []string, failed error) error {
	c.mu.Lock()
	var err error
	switch {
	case c.server || c.cfg.Push == nil:
		err = &ConnectionError{ProtocolErrorCode, "a stream was pushed, which the settings do not allow"}
	case c.ours(b.promised) || b.promised <= c.lastID:
		err = &ConnectionError{ProtocolErrorCode, fmt.Sprintf("stream %d cannot be pushed: its number is not a new one of the server's", b.promised)}
	case !c.ours(b.stream) || !c.promisable(b.stream):
		err = &ConnectionError{ProtocolErrorCode, fmt.Sprintf("a stream was pushed along stream %d, which is not open", b.stream)}
	}
	if err != nil {
		c.mu.Unlock()
		return err
	}
	c.lastID = b.promised
	switch {
	case failed != nil:
		err = streamError(b.promised, failed)
	case c.pushes >= c.cfg.MaxConcurrentStreams:
		err = &StreamError{Stream: b.promised, Code: RefusedStream, Detail: "too many pushed streams are open"}
	case c.left || c.err != nil:
		err = &StreamError{Stream: b.promised, Code: RefusedStream, Detail: "the connection is to end"}
	default:
		if invalid := ValidRequest(fields); invalid != nil {
			err = streamError(b.promised, invalid)
		} else if m := methodOf(fields); m != "GET" && m != "HEAD" {
			err = &StreamError{Stream: b.promised, Code: ProtocolErrorCode, Detail: "a request was promised that is not GET or HEAD"}
		}
	}
	if err == nil {
		s := new(Stream)
		c.begin(s, b.promised)
		s.promised, s.finished, s.bodiless = true, true, methodOf(fields) == "HEAD"
		c.pushes++
		c.push(pushEvent{kind: pushRequest, stream: s, fields: fields})
	}
	c.mu.Unlock()
	return err
}

// promisable reports whether a stream can be pushed along another one: that is open, or was when the server did it. The lock is held.
func (c *Conn) promisable(along uint32) bool {
	s := c.streams[along]
	return s != nil && !s.ended || s == nil && c.wasReset(along)
}

// methodOf returns the method of a valid request.
func methodOf(fields []string) string {
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == ":method" {
			return fields[i+1]
		}
	}
	return ""
}

// push has the handler told. The lock is held.
func (c *Conn) push(e pushEvent) {
	e.stream.queued += e.bytes
	c.pushed = append(c.pushed, e)
	if !c.pushing {
		c.pushing = true
		go c.runPushes()
	}
}

// runPushes tells the handler until there is nothing more to tell.
func (c *Conn) runPushes() {
	c.mu.Lock()
	for len(c.pushed) > 0 {
		e := c.pushed[0]
		c.pushed[0] = pushEvent{}
		c.pushed = c.pushed[1:]
		c.mu.Unlock()
		cancel := c.tellPush(e)
		c.tellWindows()
		c.mu.Lock()
		if e.data != nil {
			c.unread -= int(e.bytes)
			e.stream.queued -= e.bytes
			e.stream.credit(e.bytes)
		}
		if cancel {
			e.stream.reset(Cancel)
		}
		c.flushAside()
	}
	c.pushed, c.pushing = nil, false
	c.mu.Unlock()
}

func (c *Conn) tellPush(e pushEvent) (cancel bool) {
	h, id := c.cfg.Push, e.stream.id
	defer func() {
		if recover() != nil { // the user's code failed, and nobody is here to be told
			cancel = true
		}
	}()
	switch e.kind {
	case pushRequest:
		return h.OnRequest(id, e.fields)
	case pushHeaders:
		return h.OnHeaders(id, e.fields, e.last)
	case pushData:
		defer e.data.Clear()
		return h.OnData(id, okio.NewBufferedSource(e.data), e.bytes, e.last)
	default:
		h.OnReset(id, e.code)
		return false
	}
}
