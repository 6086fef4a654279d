package okhttp

import (
	"context"
	"io"
	"net"
	"slices"
	"testing"
	"time"
)

// cannedConn answers every write with the same response, without a kernel in between: what is left is the cost of the call itself.
type cannedConn struct {
	answer []byte
	left   []byte
}

func (c *cannedConn) Write(p []byte) (int, error) {
	c.left = c.answer
	return len(p), nil
}

func (c *cannedConn) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}

func (*cannedConn) Close() error                     { return nil }
func (*cannedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*cannedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*cannedConn) SetDeadline(time.Time) error      { return nil }
func (*cannedConn) SetReadDeadline(time.Time) error  { return nil }
func (*cannedConn) SetWriteDeadline(time.Time) error { return nil }

type cannedDialer struct{ answer []byte }

func (d *cannedDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return &cannedConn{answer: d.answer}, nil
}

// benchAnswer is a response of 1 KiB with the fields of a usual one.
func benchAnswer() []byte {
	head := "HTTP/1.1 200 OK\r\nDate: Tue, 01 Dec 2026 10:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: 1024\r\n" +
		"Server: bench\r\nCache-Control: no-store\r\nX-Request-Id: 0123456789abcdef\r\nVary: Accept-Encoding\r\n\r\n"
	return append([]byte(head), make([]byte, 1024)...)
}

// benchGet makes a call and reads its response.
func benchGet(b testing.TB, ctx context.Context, client *Client, p []byte) {
	resp, err := client.Get(ctx, "http://127.0.0.1:8080/1k")
	if err != nil {
		b.Fatal(err)
	}
	for {
		if _, err := resp.Body.Read(p); err != nil {
			if err != io.EOF {
				b.Fatal(err)
			}
			break
		}
	}
	resp.Body.Close()
}

// BenchmarkGet is a GET of 1 KiB on a warm connection, under a context that can be canceled.
func BenchmarkGet(b *testing.B) {
	client := New(WithDialer(&cannedDialer{benchAnswer()}))
	defer client.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	p := make([]byte, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		benchGet(b, ctx, client, p)
	}
}

// extra is something that a user adds to a client, with nothing in it, and the most that it may cost a call.
type extra struct {
	name   string
	opt    Option
	nanos  float64
	allocs float64
}

func extras() []extra {
	listener := &EventListener{CallStart: func(CallStart) {}, CallEnd: func(CallEnd) {}}
	return []extra{
		{"interceptor", intercept(onward), 150, 1},
		{"network-interceptor", interceptNetwork(onward), 150, 1},
		{"listener", WithEventListener(func(*Call) *EventListener { return listener }), 60, 0},
	}
}

// TestCosts holds each of them to its allocations.
func TestCosts(t *testing.T) {
	p := make([]byte, 64<<10)
	allocs := func(opt Option) float64 {
		client := New(WithDialer(&cannedDialer{benchAnswer()}), opt)
		defer client.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		least := testing.AllocsPerRun(1, func() { benchGet(t, ctx, client, p) })
		for range 50 { // a sync.Pool that is empty, by chance, costs more
			least = min(least, testing.AllocsPerRun(1, func() { benchGet(t, ctx, client, p) }))
		}
		return least
	}
	none := allocs(nil)
	for _, e := range extras() {
		got := allocs(e.opt) - none
		t.Logf("%s: %v allocations over the %v of a call without", e.name, got, none)
		if got > e.allocs {
			t.Errorf("%s: %v allocations over the %v of a call without, want at most %v", e.name, got, none, e.allocs)
		}
	}
}

// BenchmarkCosts measures what each of them takes. A round is many short turns of calls with and without, one after another, of which the
// quickest quarter counts: whatever else the machine does concerns all alike, and interrupts some. It reports the median of what is over none
// in each round, and logs the range; -benchtime=26x makes 25 rounds after one to warm up.
func BenchmarkCosts(b *testing.B) {
	const turns, calls = 400, 25
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	p := make([]byte, 64<<10)
	list := extras()
	clients := []*Client{New(WithDialer(&cannedDialer{benchAnswer()}))}
	for _, e := range list {
		clients = append(clients, New(WithDialer(&cannedDialer{benchAnswer()}), e.opt))
	}
	part := func(list []float64, of int) float64 {
		slices.Sort(list)
		return list[len(list)/of]
	}
	var none []float64
	over := make([][]float64, len(list)) // nanoseconds a call, by round
	for round := 0; b.Loop(); round++ {
		took := make([][]float64, len(clients))
		for turn := range turns {
			for i := range clients {
				i = (i + turn) % len(clients) // each goes first in its turn
				began := time.Now()
				for range calls {
					benchGet(b, ctx, clients[i], p)
				}
				took[i] = append(took[i], float64(time.Since(began))/calls)
			}
		}
		if base := part(took[0], 4); round > 0 {
			none = append(none, base)
			for i := range list {
				over[i] = append(over[i], part(took[i+1], 4)-base)
			}
		}
	}
	for _, c := range clients {
		c.Close()
	}
	if len(none) == 0 {
		return
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(part(none, 2), "none-ns")
	for i, e := range list {
		b.ReportMetric(part(over[i], 2), e.name+"-ns")
		b.Logf("%s: %.0f ns over none, %.0f to %.0f in %d rounds; at most %.0f", e.name, part(over[i], 2), over[i][0], over[i][len(over[i])-1], len(none), e.nanos)
	}
}
