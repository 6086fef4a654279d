package oksse

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// WriterConfig configures a [Writer]. nil and the zero value mean the defaults.
type WriterConfig struct {
	// Heartbeat is the time without an event after which a comment is sent, so that neither proxies nor the client take the connection for dead, and the server
	// notices when the client is gone. 0: 15 s; negative: never.
	Heartbeat time.Duration
	// WriteTimeout bounds each write to the client. It replaces that of the [http.Server], which would end the stream. 0: 30 s; negative: none.
	WriteTimeout time.Duration
	// Retry is the reconnection time that the stream begins with. 0: none, which leaves it to the client.
	Retry time.Duration
}

// ErrWriterClosed is the failure of using a [Writer] after its end.
var ErrWriterClosed = errors.New("oksse: the writer is closed")

// Writer writes events as the answer to a request of net/http. Each event is flushed. It is safe for concurrent use.
//
// Its lock is held while it writes to the client, so it is a channel of one slot, and whoever waits for it ends with the request.
type Writer struct {
	cfg     WriterConfig
	w       http.ResponseWriter
	control *http.ResponseController
	request *http.Request

	lock   chan struct{} // guards the rest
	buf    []byte
	err    error // that ended the stream
	wrote  time.Time
	closed chan struct{}
	ended  chan struct{} // no heartbeat any more
}

// NewWriter begins the answer: status 200, and the headers Content-Type, Cache-Control: no-store and X-Accel-Buffering: no (for proxies that would
// hold events back), except those that are already set. It fails if w cannot flush, with nothing written and an error that is also
// [http.ErrNotSupported]. Call Close before the handler returns; a [Handler] does both. A nil config means the defaults.
func NewWriter(w http.ResponseWriter, r *http.Request, c *WriterConfig) (*Writer, error) {
	s := &Writer{
		w: w, request: r, control: http.NewResponseController(w),
		lock: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	if c != nil {
		s.cfg = *c
	}
	if s.cfg.Heartbeat == 0 {
		s.cfg.Heartbeat = 15 * time.Second
	}
	if s.cfg.WriteTimeout == 0 {
		s.cfg.WriteTimeout = 30 * time.Second
	}
	h := w.Header()
	for i := 0; i < len(streamHeaders); i += 2 {
		if _, has := h[streamHeaders[i]]; !has {
			h.Set(streamHeaders[i], streamHeaders[i+1])
		}
	}
	h.Del("Content-Length")
	// The time limits of the server are for answers that end. Where they cannot be lifted, they stay.
	_ = s.control.SetReadDeadline(time.Time{})
	_ = s.control.SetWriteDeadline(time.Time{})
	err := s.write(nil) // the head
	if err == nil && s.cfg.Retry > 0 {
		err = s.write(append(appendRetry(nil, s.cfg.Retry), '\n'))
	}
	if err != nil {
		return nil, fmt.Errorf("oksse: cannot begin a stream: %w", err)
	}
	if s.cfg.Heartbeat > 0 {
		go s.beat()
	} else {
		close(s.ended)
	}
	return s, nil
}

var streamHeaders = []string{"Content-Type", eventStream, "Cache-Control", "no-store", "X-Accel-Buffering", "no"}

// Request returns the request that the stream answers. Its context ends when the client is gone.
func (s *Writer) Request() *http.Request { return s.request }

// LastEventID returns the ID of the last event that the client has seen, "" if it names none. Go on after it.
func (s *Writer) LastEventID() string { return s.request.Header.Get("Last-Event-Id") }

// Send writes and flushes an event. After a [*FieldError] the stream is as it was; any other error has ended it, [ErrWriterClosed] after Close.
func (s *Writer) Send(e Event) error {
	return s.locked(func() (err error) {
		if s.buf, err = AppendEvent(s.buf[:0], e); err != nil {
			return err
		}
		return s.write(s.buf)
	})
}

// Comment writes a comment, as [Encoder.Comment] does. An error ends the stream.
func (s *Writer) Comment(text string) error {
	return s.locked(func() error {
		s.buf = append(appendLines(s.buf[:0], ":", text), '\n')
		return s.write(s.buf)
	})
}

// sendRaw writes events that were encoded before.
func (s *Writer) sendRaw(p []byte) error {
	return s.locked(func() error { return s.write(p) })
}

// Close ends the stream, and waits until nothing is being written. Closing again does nothing. It returns nil.
func (s *Writer) Close() error {
	s.lock <- struct{}{}
	if s.err != ErrWriterClosed {
		s.err = ErrWriterClosed
		close(s.closed)
	}
	<-s.lock
	<-s.ended
	return nil
}

// locked runs f while nothing else is written.
func (s *Writer) locked(f func() error) error {
	ctx := s.request.Context()
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.err != nil {
		return s.err
	}
	defer func() { s.buf = reuse(s.buf) }()
	return f()
}

// write writes and flushes. What fails is the end of the stream: the client has a part of an event then.
func (s *Writer) write(p []byte) error {
	if limit := s.cfg.WriteTimeout; limit > 0 {
		_ = s.control.SetWriteDeadline(time.Now().Add(limit))
		defer func() { _ = s.control.SetWriteDeadline(time.Time{}) }() // over HTTP/2 it would end a stream that is idle
	}
	var err error
	if len(p) > 0 {
		_, err = s.w.Write(p)
	}
	if err == nil {
		err = s.control.Flush()
	}
	s.err, s.wrote = err, time.Now()
	return err
}

// beat sends comments while there is nothing else.
func (s *Writer) beat() {
	defer close(s.ended)
	for wait := s.cfg.Heartbeat; ; {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.closed:
			timer.Stop()
			return
		case <-s.request.Context().Done():
			timer.Stop()
			return
		}
		if err := s.locked(func() error {
			if wait = s.cfg.Heartbeat - time.Since(s.wrote); wait > 0 {
				return nil
			}
			wait = s.cfg.Heartbeat
			return s.write([]byte(":\n\n"))
		}); err != nil {
			return
		}
	}
}
