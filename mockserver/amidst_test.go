package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// TestEndAmidst ends servers at any time of whatever they are at. The bubble fails if a goroutine is left.
func TestEndAmidst(t *testing.T) {
	const rounds = 12
	for round := range uint64(rounds) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { endAmidst(t, rand.New(rand.NewPCG(round, 1))) })
		})
	}
}

func endAmidst(t *testing.T, chance *rand.Rand) {
	effects := []mockserver.Effect{
		mockserver.CloseSocket{}, mockserver.CloseSocket{NoClose: true, Out: true}, mockserver.CloseSocket{NoClose: true, In: true}, mockserver.Reset{}, mockserver.Stall{},
		mockserver.ShutdownConnection{}, mockserver.CloseStream{Code: http2.Cancel}, mockserver.Garbage{Bytes: 100}, mockserver.GoAway{}, mockserver.GoAway{Refuse: true},
		mockserver.Wait{For: time.Second}, mockserver.RefuseConnections{For: 2 * time.Second}, mockserver.IgnoreConnections{For: 2 * time.Second},
		mockserver.SendSettings{Settings: []http2.Setting{{ID: http2.SettingInitialWindowSize, Value: 5000}}},
	}
	handler := mockserver.SocketHandlerFunc(func(_ context.Context, _ *mockserver.Request, s okio.Socket) {
		var b okio.Buffer
		for {
			if _, err := s.Source().ReadBuffer(&b, 1000); err != nil {
				return
			}
			if s.Sink().WriteBuffer(&b, b.Len()) != nil || s.Sink().Flush() != nil {
				return
			}
		}
	})
	body := mockserver.Reply(200).Body(make([]byte, 100_000))
	s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithSeed(chance.Uint64()))
	for range 60 {
		r, skips := body, false
		switch chance.IntN(6) {
		case 0:
			r = r.Throttle(1000, 10*time.Millisecond)
		case 1:
			r = r.HeadDelay(time.Second).Chunked(100)
		case 2:
			r = r.Socket(handler)
		case 3:
			r = r.Push("GET", "/pushed", body.BodyDelay(time.Second)).BodyDelay(time.Second / 2)
		case 4:
			r, skips = r.Continue().TrailersDelay(time.Second).SkipRequestBody(), true
		}
		m := mockserver.Moment(chance.IntN(6))
		e := effects[chance.IntN(len(effects))]
		s.Enqueue(r.On(possible(m, e, skips), mockserver.Sometimes{Probability: 0.7, Effect: e}))
	}
	var clients sync.WaitGroup
	for i := range 6 {
		versions := []okhttp.Protocols{okhttp.HTTP1Only, okhttp.HTTP2PriorKnowledge}
		client := okhttp.New(okhttp.WithDialer(s), okhttp.WithDNS(anywhere), okhttp.WithProtocols(versions[i%2]), okhttp.WithReadTimeout(3*time.Second), okhttp.WithConnectTimeout(3*time.Second))
		clients.Go(func() {
			defer client.Close()
			for range 10 {
				resp, err := client.Post(t.Context(), s.URL("/"), okhttp.Bytes("", make([]byte, 50_000)))
				if err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				if errors.Is(err, context.Canceled) {
					return
				}
			}
		})
	}
	taken := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(taken)
		for {
			if _, err := s.TakeRequest(ctx); err != nil {
				return
			}
		}
	}()
	time.Sleep(time.Duration(chance.Int64N(int64(8 * time.Second))))
	begun := time.Now()
	ends := []func() error{s.Close, s.Close, func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return nil
	}}
	var ending sync.WaitGroup
	for range 2 {
		end := ends[chance.IntN(len(ends))]
		ending.Go(func() {
			if err := end(); err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
	ending.Wait()
	if d := time.Since(begun); d > 3*time.Second {
		t.Errorf("the end took %v", d)
	}
	stop()
	<-taken
	clients.Wait()
}
