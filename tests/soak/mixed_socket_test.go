package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	okws "github.com/okhttp-go/ok/okhttp-ws"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okio"
)

// howMany is what a client asks for at the end: the number of messages that its server has read before.
const howMany = "how many?"

var errCut = errors.New("cut off by the server of the test")

// socket answers with a web socket that echoes, until chance has it end.
func (f *faulty) socket(rng *rand.Rand, r *mockserver.Request) mockserver.Response {
	agreed, err := okws.Negotiate(r.Headers, &okws.Config{FrameTimeout: 2 * time.Second, WriteTimeout: 2 * time.Second, CloseTimeout: time.Second})
	if err != nil {
		return mockserver.Reply(400)
	}
	headers, err := agreed.Headers()
	if err != nil {
		f.t.Error(err)
		return mockserver.Reply(500)
	}
	resp := mockserver.Reply(101).Socket(mockserver.SocketHandlerFunc(func(ctx context.Context, _ *mockserver.Request, s okio.Socket) {
		echo(ctx, rng, agreed.Serve(s), s)
	}))
	for name, value := range headers.All() {
		resp = resp.AddHeader(name, value)
	}
	if effect, ok := fault(rng); ok {
		resp = resp.On(mockserver.ResponseStart, effect)
	}
	return resp
}

func echo(ctx context.Context, rng *rand.Rand, conn *okws.Conn, s okio.Socket) {
	var pings sync.WaitGroup
	defer func() {
		_ = conn.CloseNow() // for pings that wait
		pings.Wait()
	}()
	for n := 0; ; n++ {
		kind, message, err := conn.Read(ctx)
		if err != nil {
			return
		}
		switch rng.IntN(200) {
		case 0:
			s.Cancel(errCut)
			return
		case 1:
			_ = conn.Close(1001, "going away")
			return
		case 2:
			_ = conn.CloseNow()
			return
		case 3:
			if pause(ctx, time.Duration(rng.IntN(300))*time.Millisecond) != nil {
				return
			}
		case 4:
			pings.Go(func() { _, _ = conn.Ping(ctx) }) // its pong comes while the next message is awaited
		}
		if string(message) == howMany {
			message = fmt.Append(nil, n)
		}
		if rng.IntN(5) > 0 {
			err = conn.Write(ctx, kind, message)
		} else {
			err = inPieces(ctx, rng, conn, kind, message)
		}
		if err != nil {
			return
		}
	}
}

// inPieces writes a message in fragments.
func inPieces(ctx context.Context, rng *rand.Rand, conn *okws.Conn, kind okws.Type, message []byte) error {
	w, err := conn.NextWriter(ctx, kind)
	if err != nil {
		return err
	}
	for len(message) > 0 && err == nil {
		n := 1 + rng.IntN(len(message))
		if _, err = w.Write(message[:n]); err == nil {
			err = w.Flush()
		}
		message = message[n:]
	}
	return errors.Join(err, w.Close())
}

// socketRound speaks to a web socket until it has enough or something goes wrong.
func (m *mixed) socketRound(ctx context.Context, rng *rand.Rand, y *tally) {
	conn, err := okws.Dial(ctx, m.client, m.any(rng).URL("/socket"), &okws.Config{CloseTimeout: time.Second, FrameTimeout: time.Second, PingInterval: 2 * time.Second})
	if err != nil {
		y.failed(err)
		return
	}
	defer conn.CloseNow()
	id := m.ids.Add(1)
	limit, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	say := func(text string) (string, error) {
		if err := conn.Write(limit, okws.Text, []byte(text)); err != nil {
			return "", err
		}
		_, got, err := conn.Read(limit)
		return string(got), err
	}
	rounds := 1 + rng.IntN(60)
	for i := range rounds {
		want := strings.Repeat(fmt.Sprintf("%d.%d ", id, i), 1+rng.IntN(500))
		got, err := say(want)
		if err != nil {
			y.failed(err)
			return
		}
		if got != want {
			m.t.Errorf("web socket %d sent %.40q and got %.40q back", id, want, got)
			return
		}
		y.parts.Add(1)
	}
	got, err := say(howMany)
	if err != nil {
		y.failed(err)
		return
	}
	if got != fmt.Sprint(rounds) {
		m.t.Errorf("web socket %d sent %d messages, and %s arrived", id, rounds, got)
		return
	}
	if err := conn.Close(1000, "enough"); err != nil && !errors.Is(err, io.EOF) {
		y.failed(err)
		return
	}
	y.good.Add(1)
}
