package http2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// errGivenUp is why a stream is given up.
var errGivenUp = errors.New("given up")

// reckless runs one stream whose user gives it up somewhere, in any of the ways there are.
func reckless(c *Conn, r *rand.Rand) error {
	s := new(Stream)
	soon := time.Duration(r.IntN(12000)) * time.Microsecond
	fate := r.IntN(6)
	var canceller sync.WaitGroup
	defer canceller.Wait()
	switch fate {
	case 0:
		ctx, cancel := context.WithTimeoutCause(context.Background(), soon, errGivenUp)
		defer cancel()
		s.Bind(ctx)
	case 1:
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		s.Bind(ctx)
		canceller.Go(func() { time.Sleep(soon); cancel(errGivenUp) })
	case 2:
		s.SetLimits(soon, soon, time.Time{})
	case 3:
		s.SetLimits(0, 0, time.Now().Add(soon))
	}
	sends := []int64{0, 0, 1, 5000, 200000}[r.IntN(5)]
	wants := []int{0, 10, 5000, 200000}[r.IntN(4)]
	head := RequestHead{Method: "POST", Path: "/", Authority: "server.test", Scheme: "https"}
	if err := s.Open(c, head, []string{"sends", fmt.Sprint(sends), "wants", fmt.Sprint(wants), "n", fmt.Sprint(r.IntN(9))}, sends == 0); err != nil {
		return err
	}
	if fate == 4 {
		canceller.Go(func() { time.Sleep(soon); s.Cancel(Cancel, errGivenUp) })
	}
	duplex := sends > 0 && r.IntN(3) == 0
	send := func() {
		if err := sendPattern(s, sends, 1000+r.IntN(9000)); err == nil {
			_ = s.Sink().Close()
		}
	}
	if duplex {
		s.Overlap()
		canceller.Go(send)
	} else if sends > 0 {
		send()
	} else {
		_ = s.Sink().Flush()
	}
	_, _, err := s.ReadHead()
	if err == nil && fate == 5 {
		_ = s.Source().Close()
		s.Unbind()
		return nil
	}
	if err == nil {
		_, err = text(s)
	}
	if err != nil {
		s.Cancel(Cancel, err)
	}
	_ = s.Source().Close()
	s.Unbind()
	var reset *StreamResetError
	switch {
	case err == nil, errors.Is(err, errGivenUp), errors.Is(err, os.ErrDeadlineExceeded):
		return nil
	case errors.As(err, &reset) && reset.Remote:
		return nil
	}
	return err
}

// whimsical answers streams, or does not.
func whimsical(c *Conn, handlers *sync.WaitGroup) {
	for {
		s, nv, _, err := c.Accept(time.Time{})
		if err != nil {
			return
		}
		handlers.Go(func() {
			fields := fieldsOf(nv)
			s.SetLimits(time.Second, time.Second, time.Time{})
			defer s.Cancel(Cancel, io.ErrClosedPipe)
			switch fields["n"] {
			case "0":
				s.Cancel(RefusedStream, io.ErrClosedPipe)
				return
			case "1":
				time.Sleep(20 * time.Millisecond)
			case "2": // the answer comes before the request has
			default:
				if _, err := text(s); err != nil {
					return
				}
			}
			var n int64
			_, _ = fmt.Sscan(fields["wants"], &n)
			if s.SendHead(200, nil, false) == nil && sendPattern(s, n, 7000) == nil && s.Sink().Close() == nil {
				_ = s.Source().Close()
				_ = s.AwaitEnd()
			}
		})
	}
}

// Users who give up in all ways and a server that does as it likes, over sockets that hold next to nothing: nobody waits for ever, and nothing is left.
func TestReckless(t *testing.T) {
	calls := 8
	if underRace {
		calls = 3
	}
	for _, room := range []int{64, 1000, 20000} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%d bytes, %d", room, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a, b := okio.ConnPair(room)
					cfg := Config{ConnectionWindow: 1 << 17, MaxStreamWindow: 1 << 16, PingInterval: time.Minute}
					client, server := NewClient(a, cfg), NewServer(b, cfg)
					var handlers, users sync.WaitGroup
					handlers.Go(func() { whimsical(server, &handlers) })
					for user := range min(30, 5+room/20) { // few where each byte takes long
						users.Go(func() {
							r := rand.New(rand.NewPCG(seed, uint64(user)))
							for range calls {
								if err := reckless(client, r); err != nil {
									if client.Err() == nil {
										t.Errorf("%v", err)
									}
									return
								}
							}
						})
					}
					users.Wait()
					time.Sleep(5 * time.Second)
					for name, c := range map[string]*Conn{"client": client, "server": server} {
						waiting := 0
						if c.server {
							waiting = 1 // for another stream
						}
						c.mu.Lock()
						var ce *ConnectionError
						switch {
						case errors.As(c.err, &ce) && ce.Code == EnhanceYourCalm, errors.Is(c.err, errStuck): // too many were given up
						case c.err != nil:
							t.Errorf("the %s ended with %v", name, c.err)
						case len(c.streams) != 0 || c.opened != 0 || c.served != 0 || c.unread != 0 || c.waiting != waiting:
							t.Errorf("the %s has %d streams, %d, %d, %d unread, %d wait", name, len(c.streams), c.opened, c.served, c.unread, c.waiting)
						case c.parked.first != nil || c.queued.first != nil || c.out.Len() != 0 || c.writer != nil:
							t.Errorf("the %s has seats in use, or %d bytes to be sent", name, c.out.Len())
						}
						c.mu.Unlock()
					}
					client.Close()
					server.Close()
					handlers.Wait()
				})
			})
		}
	}
}
