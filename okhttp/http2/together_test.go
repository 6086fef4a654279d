package http2

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// pattern is the content that both sides expect: byte i of stream id.
func pattern(dst []byte, id uint32, at int64) {
	for i := range dst {
		n := uint64(at) + uint64(i)
		dst[i] = byte(n ^ n>>8 ^ uint64(id)*31)
	}
}

// sendPattern sends n bytes in pieces.
func sendPattern(s *Stream, n int64, piece int) error {
	var b okio.Buffer
	chunk := make([]byte, piece)
	for at := int64(0); at < n; {
		part := chunk[:min(int64(piece), n-at)]
		pattern(part, s.ID(), at)
		b.Write(part)
		if err := s.Sink().WriteBuffer(&b, b.Len()); err != nil {
			return err
		}
		at += int64(len(part))
	}
	return nil
}

// takePattern reads until the end, at most most bytes at a time, and checks what comes.
func takePattern(s *Stream, most int64) (at int64, err error) {
	var b okio.Buffer
	want := make([]byte, 1<<14)
	got := make([]byte, 1<<14)
	for {
		if _, err = s.Source().ReadBuffer(&b, most); err != nil {
			if err == io.EOF {
				err = nil
			}
			return at, err
		}
		for b.Len() > 0 {
			n, _ := b.Read(got)
			pattern(want[:n], s.ID(), at)
			if string(got[:n]) != string(want[:n]) {
				return at, fmt.Errorf("stream %d: other content than was sent, from %d on", s.ID(), at)
			}
			at += int64(n)
		}
	}
}

// serve answers each stream with as much content as field "want" says, after it has taken the request.
func serve(c *Conn, handlers *sync.WaitGroup, report func(error)) {
	for {
		s, fields, _, err := c.Accept(time.Time{})
		if err != nil {
			return
		}
		handlers.Go(func() {
			fields := fieldsOf(fields)
			n, err := takePattern(s, 1<<20)
			if err == nil && strconv.FormatInt(n, 10) != fields["sends"] {
				report(fmt.Errorf("stream %d: %d bytes came, want %s", s.ID(), n, fields["sends"]))
			}
			if err != nil {
				return // the client cancelled
			}
			want, _ := strconv.ParseInt(fields["wants"], 10, 64)
			if err := s.SendHead(200, []string{"content-length", fields["wants"]}, false); err != nil {
				return
			}
			if err := sendPattern(s, want, 10000); err != nil {
				return
			}
			_ = s.Sink().Close()
		})
	}
}

func fieldsOf(nv []string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(nv); i += 2 {
		m[nv[i]] = nv[i+1]
	}
	return m
}

// exchange runs one stream, to its end or until it is cancelled somewhere. It reports whether it came whole.
func exchange(c *Conn, r *rand.Rand, report func(error)) {
	sizes := []int64{0, 1, 100, 16384, 30000, 150000}
	sends, wants := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
	head := RequestHead{Method: "POST", Path: "/", Authority: "server.test", Scheme: "https"}
	s, err := c.Open(head, []string{"sends", fmt.Sprint(sends), "wants", fmt.Sprint(wants)}, sends == 0)
	if err != nil {
		report(err)
		return
	}
	cause := errors.New("cancelled")
	fate := r.IntN(4)
	var canceller sync.WaitGroup
	defer canceller.Wait()
	if fate == 0 {
		after := time.Duration(r.IntN(2000)) * time.Microsecond
		canceller.Go(func() {
			time.Sleep(after)
			s.Cancel(Cancel, cause)
		})
	}
	fine := func(err error) bool {
		if err != nil && (fate != 0 || err != cause) {
			report(fmt.Errorf("stream %d: %w", s.ID(), err))
		}
		return err == nil
	}
	if sends > 0 && (!fine(sendPattern(s, sends, 1000+r.IntN(40000))) || !fine(s.Sink().Close())) {
		return
	}
	if _, _, err := s.ReadHead(); !fine(err) {
		return
	}
	if fate == 1 {
		s.Source().Close()
		return
	}
	n, err := takePattern(s, 1000+int64(r.IntN(100000)))
	if fine(err) && n != wants {
		report(fmt.Errorf("stream %d: %d bytes came, want %d", s.ID(), n, wants))
	}
	s.Source().Close()
}

// together runs exchanges of many goroutines over one connection between a client and a server, and checks that nothing is left once what was
// under way has come.
func together(t *testing.T, a, b net.Conn, seed uint64, users, each int, settle func()) {
	var failures atomic.Int32
	report := func(err error) {
		if failures.Add(1) < 5 {
			t.Errorf("%v", err)
		}
	}
	cfg := Config{ConnectionWindow: 1 << 17, MaxConcurrentStreams: users}
	client, server := NewClient(a, cfg), NewServer(b, cfg)
	var handlers, all sync.WaitGroup
	handlers.Go(func() { serve(server, &handlers, report) })
	for user := range users {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(user)))
			for range each {
				exchange(client, r, report)
			}
		})
	}
	all.Wait()
	if settle != nil {
		settle()
	}
	for name, c := range map[string]*Conn{"client": client, "server": server} {
		c.mu.Lock()
		if c.err != nil {
			t.Errorf("the %s ended with %v", name, c.err)
		}
		if name == "client" && (len(c.streams) != 0 || c.opened != 0 || c.unread != 0 && settle != nil || c.waiting != 0) {
			t.Errorf("%d streams, %d open, %d bytes unread, %d wait", len(c.streams), c.opened, c.unread, c.waiting)
		}
		c.mu.Unlock()
	}
	client.Close()
	handlers.Wait()
	if n := len(server.streams); n != 0 || server.unread != 0 {
		t.Errorf("the server has %d streams, %d bytes unread", n, server.unread)
	}
	server.Close()
}

func TestTogether(t *testing.T) {
	a, b := okio.ConnPair(1 << 16)
	together(t, a, b, 1, 100, 4, nil)
}

// The same in a bubble, where nothing may be left, and over a socket that is always full.
func TestTogetherInBubble(t *testing.T) {
	for seed := range uint64(2) {
		synctest.Test(t, func(t *testing.T) {
			a, b := okio.ConnPair(4000)
			together(t, a, b, seed, 20, 5, func() { time.Sleep(time.Second) })
		})
	}
}

// When a side is closed under way, everything ends.
func TestCloseUnderWay(t *testing.T) {
	for _, side := range []string{"client", "server", "socket"} {
		t.Run(side, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := okio.ConnPair(4000)
				client, server := NewClient(a, Config{}), NewServer(b, Config{})
				var all sync.WaitGroup
				var began, failed atomic.Int32
				end := func() {
					switch side {
					case "client":
						client.Close()
					case "server":
						server.Close()
					default:
						a.(interface{ Reset() error }).Reset()
					}
				}
				all.Go(func() { serve(server, &all, func(error) {}) })
				for user := range 50 {
					all.Go(func() {
						r := rand.New(rand.NewPCG(1, uint64(user)))
						for client.Err() == nil {
							if began.Add(1) == 100 {
								end()
							}
							exchange(client, r, func(error) { failed.Add(1) })
						}
					})
				}
				all.Wait()
				client.Close()
				server.Close()
				if failed.Load() < 1 {
					t.Error("nothing was under way")
				}
			})
		})
	}
}
