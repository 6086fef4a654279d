package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	oksse "github.com/okhttp-go/ok/okhttp-sse"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// events answers with a stream that goes on after the last event that the client has, and breaks when chance says so, in the middle of an event too.
func (f *faulty) events(rng *rand.Rand, r *mockserver.Request) mockserver.Response {
	switch rng.IntN(30) {
	case 0:
		return mockserver.Reply(503).Header("Retry-After", "0")
	case 1:
		for range 10 {
			effect, ok := fault(rng)
			if !ok {
				continue
			}
			return mockserver.Reply(200).Header("Content-Type", "text/event-stream").On(mockserver.ResponseStart, effect)
		}
	}
	last, _ := strconv.Atoi(r.Headers.Get("Last-Event-ID"))
	return mockserver.Reply(200).Header("Content-Type", "text/event-stream").Socket(mockserver.SocketHandlerFunc(func(ctx context.Context, _ *mockserver.Request, s okio.Socket) {
		send := func(text string) bool {
			var b okio.Buffer
			if _, err := b.WriteString(text); err != nil {
				return false
			}
			return s.Sink().WriteBuffer(&b, b.Len()) == nil && s.Sink().Flush() == nil
		}
		for i := last + 1; ; i++ {
			event := fmt.Sprintf("id: %d\nevent: count\ndata: %s\ndata: end of %d\n\n", i, strings.Repeat("x", rng.IntN(400)), i)
			switch rng.IntN(60) {
			case 0:
				return // in good order
			case 1:
				send(event[:rng.IntN(len(event))]) // which is no event
				return
			case 2:
				send(event[:rng.IntN(len(event))])
				s.Cancel(errCut)
				return
			case 3: // silence, in the middle of one
				if send(event[:len(event)/2]) {
					_ = pause(ctx, time.Second)
				}
				return
			case 4:
				event = ": a comment\n\nretry: 5\n\n" + event
			case 5:
				if pause(ctx, time.Duration(rng.IntN(200))*time.Millisecond) != nil {
					return
				}
			}
			if !send(event) {
				return
			}
		}
	}))
}

// eventRound follows a stream for some events. Each comes once and whole, however often the connection breaks.
func (m *mixed) eventRound(ctx context.Context, rng *rand.Rand, y *tally) {
	req, err := okhttp.NewRequest("GET", m.any(rng).URL("/events"))
	if err != nil {
		m.t.Error(err)
		return
	}
	limit, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	stream := oksse.NewStream(m.client, req, &oksse.Config{
		RetryBase: 5 * time.Millisecond, RetryMax: 50 * time.Millisecond, IdleTimeout: 500 * time.Millisecond, RetryStatus: []int{503}, StableAfter: time.Second,
	})
	defer stream.Close()
	next, enough := 1, 1+rng.IntN(60)
	for event, err := range stream.Events(limit) {
		if err != nil {
			y.failed(err)
			return
		}
		if event.ID != fmt.Sprint(next) || !strings.HasSuffix(event.Data, fmt.Sprint("\nend of ", next)) || event.Type != "count" {
			m.t.Errorf("event %d was wanted, and %s %q came: %.60q", next, event.Type, event.ID, event.Data)
			return
		}
		y.parts.Add(1)
		if next++; next > enough {
			y.good.Add(1)
			return
		}
	}
	y.failed(fmt.Errorf("the stream ended after %d events", next-1))
}
