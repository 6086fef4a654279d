package mockserver

import (
	"bytes"
	"context"
	"io"
	"slices"
	"time"

	"github.com/okhttp-go/ok/okhttp-sse"
)

// SSE begins a response that is a stream of server-sent events (HTML standard, section 9.2): 200 with the type text/event-stream and
// Cache-Control: no-store, each event sent by itself, and the end after the last one. An event that cannot be written is a fault of the script.
func SSE(events ...oksse.Event) Response {
	steps := make([]SSEStep, len(events))
	for i, e := range events {
		steps[i].Event = e
	}
	return SSESteps(steps...)
}

// SSEStep is one step of a stream of events, in its time.
type SSEStep struct {
	// Delay is the wait before it.
	Delay time.Duration
	// Event is what is sent, unless one of the others is set.
	Event oksse.Event
	// Comment is sent as a comment, if it is not empty.
	Comment string
	// Text is sent as it stands, if it is not empty: half of an event, for example, or what is none.
	Text string
	// Hold keeps the stream open without sending anything until the client is gone or the server closes. No step follows it.
	Hold bool
}

// SSESteps is [SSE] for streams that take their time, break the rules, or do not end.
func SSESteps(steps ...SSEStep) Response {
	r := Reply(200).Header("Content-Type", "text/event-stream").Header("Cache-Control", "no-store")
	var ready []sseStep
	for i, step := range steps {
		var b bytes.Buffer
		e, err := oksse.NewEncoder(&b), error(nil)
		switch {
		case step.Hold:
		case step.Text != "":
			b.WriteString(step.Text)
		case step.Comment != "":
			err = e.Comment(step.Comment)
		default:
			err = e.Encode(step.Event)
		}
		if err != nil {
			return r.fail("SSE: step %d: %w", i, err)
		}
		ready = append(ready, sseStep{step.Delay, b.Bytes(), step.Hold})
	}
	r.content = content{length: -1, live: true, open: func(ctx context.Context) (io.ReadCloser, error) {
		return &sseReader{ctx: ctx, steps: slices.Clone(ready)}, nil
	}}
	return r
}

type sseStep struct {
	delay time.Duration
	text  []byte
	hold  bool
}

// sseReader is a stream on its way. A read is never of more than one step.
type sseReader struct {
	ctx   context.Context
	steps []sseStep
}

func (r *sseReader) Read(p []byte) (int, error) {
	if len(r.steps) == 0 {
		return 0, io.EOF
	}
	step := &r.steps[0]
	if err := sleep(r.ctx, step.delay); err != nil {
		return 0, err
	}
	step.delay = 0
	if step.hold {
		<-r.ctx.Done()
		return 0, context.Cause(r.ctx)
	}
	n := copy(p, step.text)
	if step.text = step.text[n:]; len(step.text) == 0 {
		r.steps = r.steps[1:]
	}
	return n, nil
}

func (r *sseReader) Close() error { return nil }
