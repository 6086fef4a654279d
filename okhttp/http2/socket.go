package http2

import (
	"github.com/okhttp-go/ok/okio"
)

// Socket returns the stream as a socket: what a tunnel is after CONNECT (RFC 9113 section 8.5, RFC 8441). Its two directions have time limits of
// their own, which take the place of those of SetLimits; Disarm does nothing, and Interrupt is for reading. The end of the sink is END_STREAM. Closing both, or canceling it, ends
// the stream, with a reset if the peer has not sent all.
func (s *Stream) Socket() okio.Socket {
	k := &streamSocket{stream: s}
	k.source.stream, k.sink.stream = s, s
	k.source.timeout.HandleInterrupt(func() { s.halt(true) }, func() { s.halt(false) })
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	k.source.limit(s.reading)
	k.sink.limit(s.writing)
	return k
}

// halt says whether reading fails rather than waits, also if it waits now.
func (s *Stream) halt(on bool) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.halted = on; on {
		c.interrupt(&s.reader)
	}
}

type streamSocket struct {
	stream *Stream
	source socketSource
	sink   socketSink
}

func (k *streamSocket) Source() okio.Source { return &k.source }
func (k *streamSocket) Sink() okio.Sink     { return &k.sink }
func (k *streamSocket) Cancel(cause error)  { k.stream.Cancel(Cancel, cause) }

// socketHalf is what the two directions have in common.
type socketHalf struct {
	stream  *Stream
	timeout okio.Timeout
}

func (h *socketHalf) Timeout() *okio.Timeout { return &h.timeout }

func (h *socketHalf) limit(l limits) {
	h.timeout.SetLimit(l.each)
	h.timeout.SetDeadline(l.by)
}

// obey gives a direction of the stream the limits that were set on the socket.
func (h *socketHalf) obey(l *limits) {
	h.stream.conn.mu.Lock()
	defer h.stream.conn.mu.Unlock()
	*l = limits{h.timeout.Limit(), h.timeout.Deadline()}
}

type socketSource struct{ socketHalf }

func (r *socketSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	r.obey(&r.stream.reading)
	return r.stream.read(dst, most)
}

func (r *socketSource) Close() error { return r.stream.Source().Close() }

type socketSink struct{ socketHalf }

func (w *socketSink) WriteBuffer(src *okio.Buffer, n int64) error {
	w.obey(&w.stream.writing)
	return w.stream.Sink().WriteBuffer(src, n)
}

func (w *socketSink) Flush() error {
	w.obey(&w.stream.writing)
	return w.stream.Sink().Flush()
}

func (w *socketSink) Close() error { return w.stream.Sink().Close() }
