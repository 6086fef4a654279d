package oksse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

const (
	refusalBytes = 64 << 10        // of an answer that is no stream, which its error keeps
	refusalTime  = 5 * time.Second // to read them
)

// connect makes one attempt, from its request to the end of its events.
func (r *run) connect(retry *RetryError) outcome {
	r.attempt++
	r.enter(Connecting)
	req, err := r.build(retry)
	if err != nil {
		return outcome{err: err, final: true}
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	resp, err := r.caller.NewCall(req, r.cfg.CallOptions...).Execute(ctx)
	if err != nil {
		return outcome{err: err, final: futile(err) || !r.repeatable(req, err)}
	}
	over := false
	defer func() {
		if !over {
			cancel(nil) // closing must not wait for what may still come
		}
		resp.Body.Close()
	}()
	if resp.Status != 200 || !isEventStream(resp.Body.ContentType()) {
		over = true // as far as it is wanted
		out := r.refused(resp, cancel)
		out.final = out.final || !r.repeatable(req, out.err)
		return out
	}
	out := r.follow(ctx, cancel, resp)
	over = out.err == ErrEnded
	out.final = out.final || out.err != nil && !r.repeatable(req, out.err)
	return out
}

// refused is the outcome of an answer that is no stream.
func (r *run) refused(resp *okhttp.Response, cancel context.CancelCauseFunc) outcome {
	late := time.AfterFunc(refusalTime, func() { cancel(nil) })
	body, _ := io.ReadAll(io.LimitReader(resp.Body, refusalBytes))
	late.Stop()
	if resp.Status == 200 {
		return outcome{err: &ContentTypeError{Got: resp.Body.ContentType(), Body: body}, final: true}
	}
	wait, _ := resp.RetryAfter()
	return outcome{
		err:   &StatusError{Status: resp.Status, Headers: resp.Headers(), Body: body},
		final: !slices.Contains(r.cfg.RetryStatus, resp.Status),
		wait:  min(wait, r.cfg.ServerRetryMax),
	}
}

// follow hands on the events of a connection.
func (r *run) follow(ctx context.Context, cancel context.CancelCauseFunc, resp *okhttp.Response) (out outcome) {
	resp.LiftCallTimeout()
	resp.SetReadTimeout(0)
	opened := time.Now()
	r.enter(Open)
	if r.cfg.OnOpen != nil {
		r.cfg.OnOpen(resp.With(okhttp.WithoutBody()))
	}
	body := io.Reader(resp.Body)
	if d := r.cfg.IdleTimeout; d > 0 {
		body = &watched{r: body, limit: d, late: func() { cancel(ErrIdle) }}
	}
	last := r.LastEventID()
	d := NewDecoder(body, &DecoderConfig{
		MaxEventBytes: r.cfg.MaxEventBytes, LastEventID: last, OnComment: r.cfg.OnComment,
		OnRetry: func(wait time.Duration) { r.wait = min(wait, r.cfg.ServerRetryMax) },
	})
	for r.ctx.Err() == nil {
		e, err := d.Next()
		if err != nil {
			return r.broke(ctx, d, err, outcome{success: out.success || time.Since(opened) >= r.cfg.StableAfter})
		}
		out.success = true
		e.Attempt = r.attempt
		e.ClearID = e.ClearID || e.ID == "" && r.named // by the connection before
		r.named = e.ID != ""
		if e.ID != last {
			last = e.ID
			if resumable(last) {
				r.setLast(last)
			}
		}
		if !r.yield(e, nil) {
			return outcome{}
		}
		if err := r.save(e.ID); err != nil {
			return outcome{err: err, final: true}
		}
	}
	return outcome{err: ErrCanceled}
}

// broke is the outcome of a connection that brings nothing any more.
func (r *run) broke(ctx context.Context, d *Decoder, err error, out outcome) outcome {
	id := d.LastEventID()
	if resumable(id) {
		r.setLast(id)
	}
	if failed := r.save(id); failed != nil {
		return outcome{err: failed, final: true}
	}
	switch {
	case err == io.EOF:
		err = ErrEnded
	case context.Cause(ctx) == ErrIdle:
		err = fmt.Errorf("%w: nothing came for %v", ErrIdle, r.cfg.IdleTimeout)
	}
	var large *EventTooLargeError
	out.err, out.final = err, errors.As(err, &large) && !r.cfg.RetryTooLarge
	return out
}

// watched is a reader each of whose reads has a time limit. While nobody reads, none runs.
type watched struct {
	r     io.Reader
	limit time.Duration
	late  func()
	timer *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	if w.timer == nil {
		w.timer = time.AfterFunc(w.limit, w.late)
	} else {
		w.timer.Reset(w.limit)
	}
	defer w.timer.Stop()
	return w.r.Read(p)
}
