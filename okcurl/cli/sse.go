package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

// streamCaller makes the calls of a stream.
type streamCaller struct {
	*transfer
	client *okhttp.Client
}

// NewCall implements [oksse.Caller].
func (c streamCaller) NewCall(req *okhttp.Request, opts ...okhttp.CallOption) *okhttp.Call {
	return c.watched(c.client.NewCall(req, opts...))
}

// follow prints the events of a stream until it ends for good.
func (t *transfer) follow(ctx context.Context, client *okhttp.Client, req *okhttp.Request) *failure {
	interruptible := ctx
	ctx, cancel := t.o.within(ctx)
	defer cancel()
	if t.dest.open() != nil {
		return nil // the failure is the destination's
	}
	opened := false
	stream := oksse.NewStream(streamCaller{t, client}, req, &oksse.Config{
		LastEventID:  t.o.lastEventID,
		IdleTimeout:  max(t.o.readTimeout, 0),
		YieldRetries: true,
		OnOpen:       func(*okhttp.Response) { opened = true },
	})
	write := eventWriter(t.dest, t.o.sseJSON)
	for e, err := range stream.Events(ctx) {
		retry, again := errors.AsType[*oksse.RetryError](err)
		switch {
		case again && !opened:
			return t.o.classify(interruptible, retry.Err)
		case again:
			t.tell(retry)
		case err != nil:
			return t.streamFailure(interruptible, err)
		default:
			if write(e) != nil {
				return nil // the failure is the destination's
			}
		}
	}
	return nil
}

// tell says why there is a pause.
func (t *transfer) tell(retry *oksse.RetryError) {
	if t.o.silent {
		return
	}
	reason := "the server ended it"
	switch {
	case errors.Is(retry.Err, oksse.ErrIdle):
		reason = "nothing came for " + t.o.readTimeout.String()
	case !errors.Is(retry.Err, oksse.ErrEnded):
		reason = t.o.classify(context.Background(), retry.Err).text
	}
	fmt.Fprintf(t.err, "okcurl: the stream broke off: %s; connecting again in %v\n", reason, retry.Delay)
}

// streamFailure finds the code and the words for what ended a stream for good.
func (t *transfer) streamFailure(ctx context.Context, err error) *failure {
	if errors.Is(err, oksse.ErrCanceled) {
		if ctx.Err() == nil {
			return &failure{exitTimeout, "time limit (--max-time) reached while following the stream"}
		}
		return classify(ctx, err)
	}
	if status, ok := errors.AsType[*oksse.StatusError](err); ok {
		if status.Status == 204 {
			return nil
		}
		return &failure{exitStatus, fmt.Sprintf("the server answered %03d, not with a stream", status.Status)}
	}
	if typ, ok := errors.AsType[*oksse.ContentTypeError](err); ok {
		if typ.Got == "" {
			return &failure{exitWeirdReply, "the response is no event stream: it has no type"}
		}
		return &failure{exitWeirdReply, "the response is no event stream: its type is " + printable(typ.Got)}
	}
	if large, ok := errors.AsType[*oksse.EventTooLargeError](err); ok {
		return &failure{exitReceive, fmt.Sprintf("an event is larger than %d bytes", large.Limit)}
	}
	return t.o.classify(ctx, err)
}

// eventWriter returns what prints an event.
func eventWriter(w io.Writer, asJSON bool) func(oksse.Event) error {
	if !asJSON {
		return oksse.NewEncoder(w).Encode
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	return func(e oksse.Event) error {
		line := struct {
			ID    string `json:"id,omitempty"`
			Type  string `json:"type"`
			Data  string `json:"data"`
			Retry *int64 `json:"retry,omitempty"`
		}{ID: e.ID, Type: e.Type, Data: e.Data}
		if e.HasRetry {
			ms := e.Retry.Milliseconds()
			line.Retry = &ms
		}
		return lines.Encode(line)
	}
}
