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
	// OnData is given n bytes of content. What it does not read is skipped.
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
	case c.streams[b.stream] == nil && !c.wasReset(b.stream):
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
		err = &StreamError{b.promised, RefusedStream, "too many pushed streams are open"}
	case c.left || c.err != nil:
		err = &StreamError{b.promised, RefusedStream, "the connection is to end"}
	default:
		if invalid := ValidRequest(fields); invalid != nil {
			err = streamError(b.promised, invalid)
		}
	}
	if err == nil {
		s := c.newStream(b.promised)
		s.promised, s.finished = true, true
		c.pushes++
		c.push(pushEvent{kind: pushRequest, stream: s, fields: fields})
	}
	c.mu.Unlock()
	return err
}

// push has the handler told. The lock is held.
func (c *Conn) push(e pushEvent) {
	c.pushed = append(c.pushed, e)
	if len(c.pushed) == 1 {
		go c.runPushes()
	}
}

// runPushes tells the handler until there is nothing more to tell.
func (c *Conn) runPushes() {
	c.mu.Lock()
	for len(c.pushed) > 0 {
		e := c.pushed[0]
		c.mu.Unlock()
		cancel := c.tellPush(e)
		c.mu.Lock()
		c.pushed = c.pushed[1:]
		if e.data != nil {
			c.unread -= int(e.bytes)
			e.stream.credit(e.bytes)
		}
		if cancel {
			e.stream.reset(Cancel)
		}
		c.mu.Unlock()
		c.flush()
		c.mu.Lock()
	}
	c.pushed = nil
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
