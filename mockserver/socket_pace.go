package mockserver

import (
	"context"

	"github.com/okhttp-go/ok/okio"
)

// pacedSink is what a handler writes to, at the pace of its response, and up to the effect that strikes within it.
type pacedSink struct {
	okio.Sink
	ctx    context.Context
	pace   pacer
	gate   *gate
	stop   int64 // where the effect is due; -1 for nowhere
	sent   int64
	strike func() (goesOn bool)
	struck bool // and did not go on
	closed bool
}

// paced puts the pace of a response before a sink.
func (r *Response) paced(ctx context.Context, sink okio.Sink, strike func() bool) *pacedSink {
	return &pacedSink{
		Sink: sink, ctx: ctx, pace: pacer{throttle: r.throttle}, gate: newGate(r.joint), stop: r.effects[ResponseBody].at(-1), strike: strike,
	}
}

func (s *pacedSink) Timeout() *okio.Timeout { return okio.TimeoutOf(s.Sink) }

// due performs the effect if its place is reached, or if there is no more.
func (s *pacedSink) due(ended bool) error {
	if s.stop < 0 || s.sent != s.stop && !ended {
		return s.fate()
	}
	s.stop = -1
	if err := s.Sink.Flush(); err != nil {
		return err
	}
	s.struck = !s.strike()
	return s.fate()
}

func (s *pacedSink) fate() error {
	if s.struck {
		return errEffect
	}
	return nil
}

func (s *pacedSink) WriteBuffer(src *okio.Buffer, n int64) error {
	if s.closed {
		return okio.ErrClosed
	}
	for n > 0 {
		if err := s.due(false); err != nil {
			return err
		}
		some := s.pace.most(n)
		if s.stop >= 0 {
			some = min(some, s.stop-s.sent)
		}
		if s.gate != nil {
			some = min(some, pieceSize)
		}
		if err := s.pace.pass(s.ctx, some, s.Sink.Flush); err != nil {
			return err
		}
		if err := s.gate.pass(s.ctx, int(some), s.Sink.Flush); err != nil {
			return err
		}
		if err := s.Sink.WriteBuffer(src, some); err != nil {
			return err
		}
		s.sent += some
		n -= some
	}
	return s.due(false)
}

func (s *pacedSink) Flush() error {
	if err := s.fate(); err != nil {
		return err
	}
	return s.Sink.Flush()
}

// Close ends what is written.
func (s *pacedSink) Close() error {
	if s.closed {
		return s.fate()
	}
	s.closed = true
	if err := s.due(true); err != nil {
		return err
	}
	return s.Sink.Close()
}

// finish has an effect strike that was not due before the handler was done. An end that it makes is no failure.
func (s *pacedSink) finish() error {
	if s.closed || s.struck {
		return nil
	}
	if err := s.due(true); err != nil && !s.struck {
		return err
	}
	return nil
}
