package mockserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// A SocketScript is a [SocketHandler] that does one thing after the other, for exchanges whose two sides talk at the same time:
//
//	script := new(mockserver.SocketScript).Expect("ping\n").Send("pong\n").ExpectEnd().End()
//	server.Enqueue(mockserver.Reply(200).Socket(script))
//	… the client speaks …
//	err := script.Wait(t.Context())
//
// The zero value does nothing. Steps are added, by the methods that return the script, before it is used. It is for one exchange; a second one is refused. The first step that fails ends the
// script, breaks the socket off, so that the client does not wait for the rest, and fails the test of [New]. Failures show the beginning of what was expected and of what came, as it is.
type SocketScript struct {
	steps []scriptStep

	mu    sync.Mutex
	begun bool
	at    int           // the step that runs
	state func() string // of it, nil for none
	over  chan struct{} // closed in the end; made by the first who needs it
	err   error         // what failed first
}

// scriptStep is one step of a script.
type scriptStep struct {
	name string
	run  func(ctx context.Context, s *scriptSocket) error
}

// scriptSocket is the socket of a script that runs.
type scriptSocket struct {
	okio.Socket
	source *okio.BufferedSource
	sink   *okio.BufferedSink
	script *SocketScript
}

// waitLimit is how long Wait waits with a context that has no deadline.
const waitLimit = 5 * time.Second

// mostShown bounds how much of a text is in a failure.
const mostShown = 100

var (
	errScriptCancel = errors.New("mockserver: the script cancels the socket")
	errScriptTwice  = errors.New("mockserver: a SocketScript is for one exchange, and got a second one")
)

func (s *SocketScript) add(name string, run func(ctx context.Context, s *scriptSocket) error) *SocketScript {
	s.steps = append(s.steps, scriptStep{name, run})
	return s
}

// Expect wants the client to send exactly that next. More may follow, which is for the next step. What differs fails at once, without waiting for the rest.
func (s *SocketScript) Expect(text string) *SocketScript {
	return s.add("Expect("+quoted(text)+")", func(_ context.Context, k *scriptSocket) error {
		var got strings.Builder
		k.progress(func() string { return "got " + quoted(got.String()) + " so far" })
		for got.Len() < len(text) {
			more, err := k.source.Request(1)
			if err == nil && !more {
				err = io.EOF
			}
			if err != nil {
				return fmt.Errorf("got %s, and then %w", quoted(got.String()), err)
			}
			piece, err := k.source.ReadN(min(int64(len(text)-got.Len()), k.source.Buffer().Len()))
			if err != nil {
				return err
			}
			k.change(func() { got.Write(piece) })
			if !strings.HasPrefix(text, got.String()) {
				return fmt.Errorf("got %s", quoted(got.String()))
			}
		}
		return nil
	})
}

// ExpectEnd wants the client to have sent all: the content of the request ends, or the client its side of the connection.
func (s *SocketScript) ExpectEnd() *SocketScript {
	return s.add("ExpectEnd", func(_ context.Context, k *scriptSocket) error {
		if err := k.next(); err != io.EOF {
			return fmt.Errorf("got %w", err)
		}
		return nil
	})
}

// ExpectError wants reading to fail, because the client cancels its request or breaks the connection off.
func (s *SocketScript) ExpectError() *SocketScript {
	return s.add("ExpectError", func(ctx context.Context, k *scriptSocket) error {
		err := k.next()
		if more := (*moreError)(nil); err == io.EOF || errors.As(err, &more) || ctx.Err() != nil {
			return fmt.Errorf("got %w", err)
		}
		return nil
	})
}

// Send sends a text at once.
func (s *SocketScript) Send(text string) *SocketScript {
	return s.add("Send("+quoted(text)+")", func(_ context.Context, k *scriptSocket) error {
		if _, err := k.sink.WriteString(text); err != nil {
			return err
		}
		return k.sink.Flush()
	})
}

// End ends what the server sends: the content of the response, with the trailers of [Response.Trailer], or its side of the connection. Without it that comes when the script is over.
func (s *SocketScript) End() *SocketScript {
	return s.add("End", func(_ context.Context, k *scriptSocket) error { return k.sink.Close() })
}

// Cancel breaks the socket off: over HTTP/2 the stream is reset, over HTTP/1.1 the connection closed.
func (s *SocketScript) Cancel() *SocketScript {
	return s.add("Cancel", func(_ context.Context, k *scriptSocket) error {
		k.Socket.Cancel(errScriptCancel)
		return nil
	})
}

// Sleep lets time pass.
func (s *SocketScript) Sleep(d time.Duration) *SocketScript {
	return s.add("Sleep("+d.String()+")", func(ctx context.Context, _ *scriptSocket) error { return sleep(ctx, d) })
}

// Wait waits until the script is over, and returns what failed first, with the number of the step, from 0; nil if all went as it was scripted. It waits until ctx ends, or, if ctx has no deadline, for 5
// seconds; then the error says what the script is at.
func (s *SocketScript) Wait(ctx context.Context) error {
	if _, ok := ctx.Deadline(); !ok {
		limited, cancel := context.WithTimeout(ctx, waitLimit)
		defer cancel()
		ctx = limited
	}
	select {
	case <-s.ended():
	case <-ctx.Done():
		select {
		case <-s.ended(): // at the same moment
		default:
			return fmt.Errorf("mockserver: socket script: %s: %w", s.where(), context.Cause(ctx))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// ended is closed when the script is over.
func (s *SocketScript) ended() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		s.over = make(chan struct{})
	}
	return s.over
}

// where says what the script is at.
func (s *SocketScript) where() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.begun:
		return "no exchange has come to it"
	case s.state != nil:
		return s.step() + ": " + s.state()
	}
	return s.step()
}

// step names the step that runs. The lock is held.
func (s *SocketScript) step() string {
	if s.at >= len(s.steps) {
		return "after the last step"
	}
	return fmt.Sprintf("step %d, %s", s.at, s.steps[s.at].name)
}

// ServeSocket implements [SocketHandler].
func (s *SocketScript) ServeSocket(ctx context.Context, r *Request, k okio.Socket) {
	s.mu.Lock()
	second := s.begun
	s.begun = true
	s.mu.Unlock()
	if second {
		blameScript(ctx, r, errScriptTwice)
		k.Cancel(errScriptTwice)
		return
	}
	defer close(s.ended())
	socket := &scriptSocket{k, okio.NewBufferedSource(k.Source()), okio.NewBufferedSink(k.Sink()), s}
	for i, step := range s.steps {
		s.enter(i)
		err := step.run(ctx, socket)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		err = s.failed(err)
		if ctx.Err() == nil {
			blameScript(ctx, r, err)
		}
		k.Cancel(err)
		return
	}
	s.enter(len(s.steps))
}

// blameScript reports a failure to the test of the server.
func blameScript(ctx context.Context, r *Request, err error) {
	if server, ok := ctx.Value(serverKey{}).(*Server); ok {
		server.fault(fmt.Errorf("%w; in answer to %v", err, r))
	}
}

func (s *SocketScript) enter(step int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.state = step, nil
}

// failed notes the failure of the step that runs.
func (s *SocketScript) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = fmt.Errorf("mockserver: socket script: %s: %w", s.step(), err)
	return s.err
}

// progress has f say how far the step that runs is. It is called under the lock of the script.
func (k *scriptSocket) progress(f func() string) { k.change(func() { k.script.state = f }) }

// change changes what f of progress says.
func (k *scriptSocket) change(do func()) {
	k.script.mu.Lock()
	defer k.script.mu.Unlock()
	do()
}

// next is what reading ends with, a *moreError if it does not.
func (k *scriptSocket) next() error {
	more, err := k.source.Request(1)
	switch {
	case err != nil:
		return err
	case !more:
		return io.EOF
	}
	piece, err := k.source.ReadN(min(k.source.Buffer().Len(), mostShown))
	if err != nil {
		return err
	}
	return &moreError{string(piece)}
}

// moreError is more content where none was expected.
type moreError struct{ begin string }

func (e *moreError) Error() string { return "more: " + quoted(e.begin) }

// quoted is a text for a failure.
func quoted(text string) string {
	if len(text) > mostShown {
		return fmt.Sprintf("%q and %d bytes more", text[:mostShown], len(text)-mostShown)
	}
	return fmt.Sprintf("%q", text)
}
