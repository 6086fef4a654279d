package mockserver_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// chances are the things that a server does at random, or by count. A seed decides about the first, and has no say in the second.
func chances() map[string]struct {
	d     mockserver.Dispatcher
	fixed string // the sequence of a thing that is not random
} {
	type chance = struct {
		d     mockserver.Dispatcher
		fixed string
	}
	ok := mockserver.Reply(200).Text("0123456789")
	on := func(m mockserver.Moment, e mockserver.Effect) chance {
		d := answer(ok.On(m, e))
		return chance{peeker{d.Dispatch, func(r *mockserver.Request) mockserver.Response {
			if r.Method == "" { // a connection
				return mockserver.Response{}
			}
			return d.Dispatch(context.Background(), r)
		}}, ""}
	}
	some := func(e mockserver.Effect) mockserver.Effect { return mockserver.Sometimes{Probability: 0.5, Effect: e} }
	between := mockserver.WaitBetween{Min: time.Millisecond, Max: time.Second}
	normal := mockserver.WaitLogNormal{Median: 50 * time.Millisecond, Sigma: 0.7, Max: time.Minute}
	return map[string]chance{
		"Sometimes at RequestHead":    on(mockserver.RequestHead, some(mockserver.Wait{For: time.Second})),
		"Sometimes at RequestBody":    on(mockserver.RequestBody, some(mockserver.Wait{For: time.Second})),
		"Sometimes at ResponseStart":  on(mockserver.ResponseStart, some(mockserver.CloseSocket{})),
		"Sometimes at ResponseBody":   on(mockserver.ResponseBody, some(mockserver.Reset{})),
		"Sometimes at ResponseEnd":    on(mockserver.ResponseEnd, some(mockserver.ShutdownConnection{})),
		"Sometimes resets the stream": on(mockserver.ResponseStart, some(mockserver.CloseStream{Code: http2.InternalError})),
		"Sometimes within Sometimes":  on(mockserver.ResponseStart, some(some(mockserver.Wait{For: time.Second}))),
		"Sequence":                    on(mockserver.ResponseStart, mockserver.Sequence(some(mockserver.Wait{For: time.Second}), between, some(mockserver.CloseSocket{}))),
		"EveryNth of Sometimes":       on(mockserver.ResponseStart, mockserver.EveryNth(2, some(mockserver.Wait{For: time.Second}))),
		"WaitBetween":                 on(mockserver.ResponseStart, between),
		"WaitLogNormal":               on(mockserver.ResponseBody, normal),
		"HeadDelayOf":                 {answer(ok.HeadDelayOf(between)), ""},
		"BodyDelayOf":                 {answer(ok.BodyDelayOf(normal)), ""},
		"Request.Rand": {mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
			return ok.HeadDelay(time.Duration(rand.New(r.Rand()).IntN(1000)) * time.Millisecond)
		}), ""},
		"EveryNth": {answer(ok.On(mockserver.ResponseStart, mockserver.EveryNth(3, mockserver.Wait{For: time.Second}))), strings.Repeat("0s 0s 1s ", 10)},
		"First":    {answer(ok.On(mockserver.ResponseStart, mockserver.First(2, mockserver.Wait{For: time.Second}))), "1s 1s " + strings.Repeat("0s ", 28)},
		"Sometimes, surely": {answer(ok.On(mockserver.ResponseStart, mockserver.Sometimes{Probability: 1, Effect: mockserver.Wait{For: time.Second}})),
			strings.Repeat("1s ", 30)},
		"Sometimes, never": {answer(ok.On(mockserver.ResponseStart, mockserver.Sometimes{Effect: mockserver.Wait{For: time.Second}})), strings.Repeat("0s ", 30)},
	}
}

// sequence makes 30 requests one after the other, and says of each how long it took, and whether the answer was whole and the connection a new one.
func sequence(t *testing.T, opts ...mockserver.Option) string {
	s := memory(t, opts...)
	client := s.Client(okhttp.WithRetryOnConnectionFailure(false), okhttp.WithReadTimeout(time.Hour))
	defer client.Close()
	var b strings.Builder
	for range 30 {
		begun := time.Now()
		resp, err := client.Post(t.Context(), s.URL("/"), okhttp.Bytes("", []byte("0123456789")))
		if err == nil {
			_, err = resp.Body.Text()
		}
		// Before a connection in memory is used again for what would be lost otherwise, the client reads for a millisecond: a socket could be looked at without.
		took := time.Since(begun).Truncate(10 * time.Millisecond)
		synctest.Wait() // what ends the connection has been seen
		if err != nil {
			b.WriteString("!")
		}
		fmt.Fprint(&b, took, " ")
	}
	last := -1
	for _, r := range s.Requests() {
		if r.ConnIndex != last && last >= 0 {
			fmt.Fprint(&b, r.ConnIndex, "@", r.Index, " ")
		}
		last = r.ConnIndex
	}
	return b.String()
}

// TestSeed has two servers of one seed do the same, request by request, and one of another seed something else.
func TestSeed(t *testing.T) {
	for version, opts := range versions {
		for name := range chances() {
			t.Run(name+" over "+version, func(t *testing.T) {
				var got [3]string
				for i, seed := range []uint64{1, 1, 2} {
					synctest.Test(t, func(t *testing.T) {
						got[i] = sequence(t, append(opts, mockserver.WithSeed(seed), mockserver.WithDispatcher(chances()[name].d))...)
					})
				}
				if got[0] != got[1] {
					t.Errorf("one seed:\n%s\n%s", got[0], got[1])
				}
				fixed := chances()[name].fixed
				if fixed == "" && got[0] == got[2] || fixed != "" && got[2] != fixed {
					t.Errorf("another seed:\n%s\n%s", got[0], got[2])
				}
				if fixed != "" && got[0] != fixed {
					t.Errorf("got  %s\nwant %s", got[0], fixed)
				}
			})
		}
	}
}

// TestSeedOfGarbage looks at the bytes, after what a server of HTTP/2 says by itself.
func TestSeedOfGarbage(t *testing.T) {
	get2 := func(t *testing.T) string {
		block, err := http2.NewHeaderEncoder().AppendRequest(nil, http2.RequestHead{Method: "GET", Path: "/", Authority: "a", Scheme: "http"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return http2.ClientPreface + string(http2.AppendHeaders(http2.AppendSettings(nil), 1, block, true, 16384))
	}
	for version, request := range map[string]func(*testing.T) string{"HTTP/1.1": func(*testing.T) string { return lines(get) }, "HTTP/2": get2} {
		var got [3]string
		for i, seed := range []uint64{1, 1, 2} {
			s := memory(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithSeed(seed),
				mockserver.WithDispatcher(answer(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Garbage{Bytes: 100}))))
			for range 3 {
				w := dial(t, s)
				if _, err := io.WriteString(w.conn, request(t)); err != nil {
					t.Fatal(err)
				}
				w.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
				all, err := io.ReadAll(w.conn)
				if err != nil || len(all) < 100 {
					t.Fatalf("%s: got %d bytes, %v", version, len(all), err)
				}
				got[i] += string(all[len(all)-100:])
			}
		}
		if got[0] != got[1] || got[0] == got[2] || got[0][:100] == got[0][100:200] {
			t.Errorf("%s: garbage %x\n%x\n%x", version, got[0], got[1], got[2])
		}
	}
}

// TestSeedAtTheStart is of connections that are closed as soon as they are accepted.
func TestSeedAtTheStart(t *testing.T) {
	var got [3]string
	for i, seed := range []uint64{1, 1, 2} {
		s := memory(t, mockserver.WithSeed(seed))
		for range 30 {
			s.Enqueue(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.Sometimes{Probability: 0.5, Effect: mockserver.CloseSocket{}}))
			w := dial(t, s)
			_, _ = io.WriteString(w.conn, lines(get))
			n, _ := w.conn.Read(make([]byte, 1))
			got[i] += fmt.Sprint(n)
			w.conn.Close()
		}
	}
	if got[0] != got[1] || got[0] == got[2] {
		t.Errorf("connections %q", got)
	}
}

// TestRandOfARequestByHand is no source of a seed, and safe for concurrent use.
func TestRandOfARequestByHand(t *testing.T) {
	r := new(mockserver.Request)
	if a, b := r.Rand().Uint64(), r.Rand().Uint64(); a == b {
		t.Errorf("twice %d", a)
	}
}

// TestSeedIsTold where chance had a part in what a test failed with.
func TestSeedIsTold(t *testing.T) {
	for _, tt := range []struct {
		name      string
		e         mockserver.Effect
		fail, say bool
	}{
		{"failed, by chance", mockserver.WaitBetween{}, true, true},
		{"failed, without chance", mockserver.Wait{}, true, false},
		{"passed", mockserver.WaitBetween{}, false, false},
	} {
		tb := newCleaned(t)
		s := mockserver.New(tb, mockserver.WithSeed(4711))
		s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, tt.e))
		w := dial(t, s)
		w.send(get)
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		if tt.fail {
			tb.Fail()
		}
		tb.end()
		if log := tb.logged(); tt.say != (log == "mockserver: what was random followed WithSeed(4711)") || !tt.say && log != "" {
			t.Errorf("%s: logged %q", tt.name, log)
		}
	}
}
