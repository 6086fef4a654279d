package okws

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
)

// hammer has many goroutines use both ends of a connection at random, and checks what comes: no message twice, none in part, and those of one writer in order.
type hammer struct {
	t    *testing.T
	seed uint64

	mu       sync.Mutex
	arrived  map[uint64]bool // by message
	sent     map[uint64]bool // those whose writing succeeded
	lastUsed uint32          // of the numbers of writers
}

func newHammer(t *testing.T, seed uint64) *hammer {
	return &hammer{t: t, seed: seed, arrived: map[uint64]bool{}, sent: map[uint64]bool{}}
}

// hammerHand is one goroutine that uses one end.
type hammerHand struct {
	*hammer
	*rand.Rand
	conn   *Conn
	writer uint32
	number uint32
	seen   map[uint32]uint32 // the last number of each writer
}

func (h *hammer) hand(c *Conn) *hammerHand {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lastUsed++
	return &hammerHand{hammer: h, Rand: rand.New(rand.NewPCG(h.seed, uint64(h.lastUsed))), conn: c, writer: h.lastUsed, seen: map[uint32]uint32{}}
}

// message makes the next one: who writes it, its number, and as many bytes that follow from these as are left. All bytes are ASCII, so that it is text too.
func (h *hammerHand) message() (id uint64, p []byte) {
	h.number++
	id = uint64(h.writer)<<32 | uint64(h.number)
	size := h.IntN(300)
	switch h.IntN(12) {
	case 0:
		size = h.IntN(100_000)
	case 1, 2:
		size = h.IntN(9_000)
	}
	return id, hammered(id, size)
}

func hammered(id uint64, size int) []byte {
	p := make([]byte, 0, 20+size)
	for shift := 60; shift >= 0; shift -= 4 {
		p = append(p, 'a'+byte(id>>shift&15))
	}
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(size))
	for _, b := range n {
		p = append(p, 'a'+b>>4, 'a'+b&15)
	}
	for i := range size {
		p = append(p, 'A'+byte((id+uint64(i)*uint64(i))%41%26))
	}
	return p
}

// wrote notes that a message was written, if it was.
func (h *hammerHand) wrote(id uint64, err error) {
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent[id] = true
}

// got checks a message that came whole.
func (h *hammerHand) got(p []byte) {
	if len(p) < 24 {
		h.t.Errorf("a message of %d bytes", len(p))
		return
	}
	var id uint64
	for _, b := range p[:16] {
		id = id<<4 | uint64(b-'a')
	}
	if !bytes.Equal(p, hammered(id, len(p)-24)) {
		h.t.Errorf("message %#x of %d bytes did not come as it was sent: %.60q", id, len(p), p)
		return
	}
	writer, number := uint32(id>>32), uint32(id)
	if number <= h.seen[writer] {
		h.t.Errorf("message %d of writer %d came after %d", number, writer, h.seen[writer])
	}
	h.seen[writer] = number
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.arrived[id] {
		h.t.Errorf("message %#x came twice", id)
	}
	h.arrived[id] = true
}

// context ends at a moment of which nobody knows, which may be now.
func (h *hammerHand) context() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(background(), time.Duration(h.IntN(3000))*time.Microsecond)
	if h.IntN(20) == 0 {
		cancel()
	}
	return ctx, cancel
}

func (h *hammerHand) kind() Type { return Type(1 + h.IntN(2)) }

// reading are the ways to read that lose no message; the ends of their contexts are no ends of the connection.
var reading = map[string]func(h *hammerHand, ctx context.Context){
	"Read": func(h *hammerHand, ctx context.Context) {
		if _, p, err := h.conn.Read(ctx); err == nil {
			h.got(p)
		}
	},
	"ReadInto": func(h *hammerHand, ctx context.Context) {
		if _, p, err := h.conn.ReadInto(ctx, []byte("before")); err == nil {
			h.got(bytes.TrimPrefix(p, []byte("before")))
		}
	},
	"Messages": func(h *hammerHand, ctx context.Context) {
		for m, err := range h.conn.Messages(ctx) {
			if err == nil {
				h.got(m.Data)
			}
			if h.IntN(5) == 0 {
				return
			}
		}
	},
}

// writing are the ways to write.
var writing = map[string]func(h *hammerHand, ctx context.Context){
	"Write": func(h *hammerHand, ctx context.Context) {
		id, p := h.message()
		h.wrote(id, h.conn.Write(ctx, h.kind(), p))
	},
	"WriteText": func(h *hammerHand, ctx context.Context) {
		id, p := h.message()
		h.wrote(id, h.conn.WriteText(ctx, string(p)))
	},
	"WriteWith": func(h *hammerHand, ctx context.Context) {
		id, p := h.message()
		h.wrote(id, h.conn.WriteWith(ctx, h.kind(), p, h.IntN(2) == 0))
	},
	"NextWriter": func(h *hammerHand, ctx context.Context) {
		w, err := h.conn.NextWriter(ctx, h.kind())
		if err != nil {
			return
		}
		id, p := h.message()
		for len(p) > 0 && err == nil {
			n := min(1+h.IntN(20_000), len(p))
			if _, err = w.Write(p[:n]); err == nil && h.IntN(3) == 0 {
				err = w.Flush()
			}
			p = p[n:]
			if h.IntN(4) == 0 {
				time.Sleep(time.Duration(h.IntN(200)) * time.Microsecond)
			}
		}
		if err == nil { // otherwise what is missing must not be left out
			h.wrote(id, w.Close())
		}
	},
}

// asking are what neither reads nor writes messages.
var asking = map[string]func(h *hammerHand, ctx context.Context){
	"Ping":        func(h *hammerHand, ctx context.Context) { _, _ = h.conn.Ping(ctx) },
	"Err":         func(h *hammerHand, _ context.Context) { _ = h.conn.Err() },
	"RoundTrip":   func(h *hammerHand, _ context.Context) { _ = h.conn.RoundTrip() },
	"Compressed":  func(h *hammerHand, _ context.Context) { _ = h.conn.Compressed() },
	"Extensions":  func(h *hammerHand, _ context.Context) { _ = h.conn.Extensions() },
	"Subprotocol": func(h *hammerHand, _ context.Context) { _ = h.conn.Subprotocol() },
	"Response":    func(h *hammerHand, _ context.Context) { _ = h.conn.Response() },
	"LocalAddr":   func(h *hammerHand, _ context.Context) { _ = h.conn.LocalAddr() },
	"RemoteAddr":  func(h *hammerHand, _ context.Context) { _ = h.conn.RemoteAddr() },
	"Done": func(h *hammerHand, ctx context.Context) {
		select {
		case <-h.conn.Done():
			if h.conn.Err() == nil {
				h.t.Error("the connection is done, and nobody knows why")
			}
		case <-ctx.Done():
		}
	},
}

// losing are the ways to read that lose messages.
var losing = map[string]func(h *hammerHand, ctx context.Context){
	"NextReader": func(h *hammerHand, ctx context.Context) {
		_, r, err := h.conn.NextReader(ctx)
		if err != nil {
			return
		}
		if h.IntN(4) == 0 {
			_, _ = r.Read(make([]byte, 10))
		} else if p, err := io.ReadAll(r); err == nil {
			h.got(p)
		}
	},
	"Discard": func(h *hammerHand, ctx context.Context) { _ = h.conn.Discard(ctx) },
}

// ending are what can end the connection, each now and then only.
var ending = map[string]func(h *hammerHand, ctx context.Context){
	"Bind": func(h *hammerHand, ctx context.Context) {
		stop, err := h.conn.Bind(ctx, CodeGoingAway)
		if err != nil {
			h.t.Error(err)
			return
		}
		if h.IntN(10) > 0 {
			stop()
		}
	},
	"Close":    func(h *hammerHand, _ context.Context) { _ = h.conn.Close(CodeNormal, "enough") },
	"CloseNow": func(h *hammerHand, _ context.Context) { _ = h.conn.CloseNow() },
	"NetConn": func(h *hammerHand, _ context.Context) {
		n := h.conn.NetConn(Binary)
		_ = n.SetDeadline(time.Now().Add(time.Duration(h.IntN(1000)) * time.Microsecond))
		_, _ = n.Read(make([]byte, 100))
		_ = n.SetReadDeadline(time.Now().Add(time.Duration(h.IntN(1000)) * time.Microsecond))
		_ = n.SetWriteDeadline(time.Now().Add(time.Duration(h.IntN(1000)) * time.Microsecond))
		_, _ = n.Read(make([]byte, 100))
		id, p := h.message()
		_, err := n.Write(p)
		h.wrote(id, err)
		_, _ = n.LocalAddr(), n.RemoteAddr()
		if h.IntN(4) == 0 {
			_ = n.Close()
		}
	},
}

type hammerOps = map[string]func(*hammerHand, context.Context)

// use does n things at random.
func (h *hammerHand) use(n int, ops ...hammerOps) {
	all := hammerOps{}
	for _, some := range ops {
		maps.Copy(all, some)
	}
	names := slices.Sorted(maps.Keys(all))
	for range n {
		ctx, cancel := h.context()
		all[names[h.IntN(len(names))]](h, ctx)
		cancel()
		if h.IntN(3) == 0 {
			time.Sleep(time.Duration(h.IntN(500)) * time.Microsecond)
		}
	}
}

// Nothing that a program can call is missing below.
func TestHammerHasAllMethods(t *testing.T) {
	for m := range reflect.TypeFor[*Conn]().Methods() {
		found := false
		for _, ops := range []hammerOps{reading, writing, asking, losing, ending} {
			found = found || ops[m.Name] != nil
		}
		if !found {
			t.Errorf("nobody calls Conn.%s", m.Name)
		}
	}
}

// gentle uses both ends in ways that neither lose messages nor end the connection: everything arrives.
func (h *hammer) gentle(c, s *Conn) {
	stop, halt := context.WithCancel(background())
	var readers, writers sync.WaitGroup
	for _, conn := range []*Conn{c, s} {
		for range 3 {
			reader := h.hand(conn)
			readers.Go(func() {
				for stop.Err() == nil && conn.Err() == nil {
					reader.use(1, reading)
				}
			})
		}
		for range 4 {
			writer := h.hand(conn)
			names := slices.Sorted(maps.Keys(writing))
			writers.Go(func() {
				for range 12 {
					writing[names[writer.IntN(len(names))]](writer, background())
					writer.use(1, asking)
				}
			})
		}
	}
	writers.Wait()
	if _, err := c.Ping(background()); err != nil { // all that was written before has been read by the server
		h.t.Error(err)
	}
	if _, err := s.Ping(background()); err != nil {
		h.t.Error(err)
	}
	halt()
	readers.Wait()
	if c.Err() != nil || s.Err() != nil {
		h.t.Errorf("the ends are %v and %v", c.Err(), s.Err())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !maps.Equal(h.sent, h.arrived) || len(h.sent) != 8*12 {
		h.t.Errorf("%d messages arrived of %d", len(h.arrived), len(h.sent))
	}
}

// wild uses both ends in all ways.
func (h *hammer) wild(c, s *Conn) {
	var work sync.WaitGroup
	for _, conn := range []*Conn{c, s} {
		for i := range 8 {
			hand := h.hand(conn)
			work.Go(func() {
				for range 10 {
					hand.use(4, reading, writing, asking, losing)
					if i == 0 || hand.IntN(20) == 0 {
						hand.use(1, ending)
					}
				}
			})
		}
	}
	work.Wait()
	_ = c.CloseNow()
	_ = s.CloseNow()
	for _, conn := range []*Conn{c, s} {
		<-conn.Done()
		first := conn.Err()
		_, _, err := conn.Read(background())
		var closed *CloseError
		if first == nil || err == nil || err != first && !errors.As(err, &closed) {
			h.t.Errorf("the end is %v, and reading says %v", first, err)
		}
		if conn.Write(background(), Text, nil) == nil {
			h.t.Error("something was written after the end")
		}
	}
}

// All methods of both ends, called by many goroutines in a random order with contexts that end at random, over a plain connection.
func TestHammer(t *testing.T) {
	for name, cfg := range hammerConfigs {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(hammerSeeds) {
				bubble(t, func(t *testing.T) {
					c, s := pair(t, cfg, cfg)
					newHammer(t, seed).gentle(c, s)
				})
				bubble(t, func(t *testing.T) {
					c, s := pair(t, cfg, cfg)
					newHammer(t, seed).wild(c, s)
				})
				c, s := pair(t, cfg, cfg) // with the clock that all have
				newHammer(t, seed).wild(c, s)
			}
		})
	}
}

const hammerSeeds = 4

var hammerConfigs = map[string]*Config{
	"plain":      {Compression: Compression{Off: true}, CloseTimeout: 20 * ms, PingInterval: 5 * ms, PongTimeout: time.Minute},
	"compressed": {Compression: Compression{Threshold: 100}, CloseTimeout: 20 * ms},
	"no context": {Compression: Compression{Threshold: -1, NoContextTakeover: true, PeerNoContextTakeover: true}, CloseTimeout: 20 * ms},
}

// The same through the handshake, over HTTP/1.1 and over HTTP/2 (RFC 8441).
func TestHammerSite(t *testing.T) {
	for name, cfg := range hammerConfigs {
		for _, use := range []func(*hammer, *Conn, *Conn){(*hammer).gentle, (*hammer).wild} {
			test := func(tunnel bool) func(*testing.T, *site) {
				return func(t *testing.T, w *site) {
					servers := make(chan *Conn, 1)
					hold := func(s *Conn) {
						servers <- s
						<-s.Done()
					}
					if tunnel {
						w.serveTunnels(true, hold)
					} else {
						w.serve(w.accepting(&AcceptConfig{Config: *cfg}, hold))
					}
					c, err := Dial(t.Context(), w.client, "ws://server.test/", cfg)
					if err != nil {
						t.Fatal(err)
					}
					s := <-servers
					use(newHammer(t, 1), c, s)
					_ = c.CloseNow()
					_ = s.CloseNow() // nobody reads there any more who would notice
				}
			}
			t.Run(name, func(t *testing.T) {
				inSite(t, test(false))
				inSite(t, test(true), priorKnowledge...)
			})
		}
	}
}
