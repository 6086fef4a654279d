package okws

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"
)

// pingState is about pings. Conn.mu guards it.
type pingState struct {
	timer *time.Timer // of the schedule, nil if there is none
	due   time.Time   // when the next one is to be sent
	sent  int         // by schedule
	since time.Time   // when the one under way was sent, zero if none is

	asked map[uint64]*ask // by Ping
	last  uint64
}

// ask is a Ping that waits.
type ask struct {
	sent time.Time
	took time.Duration
	done chan struct{}
}

// drop ends the schedule. Conn.mu is held.
func (p *pingState) drop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.asked = nil
}

// forget takes out a Ping that does not wait any more. Conn.mu is held.
func (p *pingState) forget(id uint64) {
	if delete(p.asked, id); len(p.asked) == 0 {
		p.asked = nil // an idle connection holds no map
	}
}

// Ping sends a ping at once, waits for its pong and returns the time between them. Somebody has to read in the meantime. The end of ctx ends the call alone.
func (c *Conn) Ping(ctx context.Context) (time.Duration, error) {
	a := &ask{done: make(chan struct{})}
	c.mu.Lock()
	if c.pings.asked == nil {
		c.pings.asked = map[uint64]*ask{}
	}
	c.pings.last++
	id := c.pings.last
	c.pings.asked[id] = a
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.pings.forget(id)
		c.mu.Unlock()
	}()
	if err := c.writePing(ctx, binary.BigEndian.AppendUint64(nil, id), func() { a.sent = time.Now() }); err != nil {
		return 0, err
	}
	select {
	case <-a.done:
		return a.took, nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-c.ended:
		select {
		case <-a.done:
			return a.took, nil
		default:
		}
		return 0, c.Err()
	}
}

// writePing sends a ping; begin is called under the lock when nothing is in its way any more.
func (c *Conn) writePing(ctx context.Context, payload []byte, begin func()) error {
	if err := c.turnToWrite(ctx); err != nil {
		return err
	}
	if err := c.beginFrame(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	begin()
	c.mu.Unlock()
	err := c.frame(header{op: opPing, fin: true}, payload)
	if err == nil {
		err = c.flush()
	}
	return c.endWrite(ctx, err)
}

// RoundTrip returns how long the last pong took that answered a ping of this side, by schedule or by [Conn.Ping]; zero if there was none yet.
func (c *Conn) RoundTrip() time.Duration { return time.Duration(c.roundTrip.Load()) }

// gotPong notes a pong.
func (c *Conn) gotPong(payload []byte) {
	now := time.Now()
	var took time.Duration
	c.mu.Lock()
	if !c.pings.since.IsZero() {
		took = now.Sub(c.pings.since)
		c.pings.since = time.Time{} // any pong will do (RFC 6455 section 5.5.3)
	}
	if len(payload) == 8 {
		id := binary.BigEndian.Uint64(payload)
		if a := c.pings.asked[id]; a != nil && !a.sent.IsZero() {
			took = now.Sub(a.sent)
			a.took = took
			close(a.done)
			c.pings.forget(id)
		}
	}
	c.mu.Unlock()
	if took > 0 {
		c.roundTrip.Store(int64(took))
	}
	if c.cfg.OnPong != nil {
		c.cfg.OnPong(payload, took)
	}
}

// schedulePings begins to ping by schedule.
func (c *Conn) schedulePings() {
	if c.cfg.PingInterval <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		first := c.nextPing()
		c.pings.due = time.Now().Add(first)
		c.pings.timer = time.AfterFunc(first, c.tick)
	}
}

func (c *Conn) nextPing() time.Duration {
	d := c.cfg.PingInterval
	if c.cfg.PingJitter > 0 {
		d -= time.Duration(rand.Float64() * c.cfg.PingJitter * float64(d))
	}
	return max(d, 1)
}

// tick sends a ping when one is due, or notices that the pong to the last one is missing. It runs on a goroutine of the timer.
func (c *Conn) tick() {
	send, err := c.reviewPings(time.Now())
	switch {
	case err != nil:
		_ = c.fail(err)
	case send:
		_ = c.writePing(context.Background(), nil, c.pings.begin)
		_, _ = c.reviewPings(time.Now())
	}
}

// begin notes a ping by schedule.
func (p *pingState) begin() {
	p.sent++
	p.since = time.Now()
}

// reviewPings decides what is to be done now, and sets the timer for the next time, unless a ping is to be sent.
func (c *Conn) reviewPings(now time.Time) (send bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &c.pings
	if c.err != nil || c.sentClose {
		return false, nil
	}
	left := c.cfg.PongTimeout - now.Sub(p.since)
	if !p.since.IsZero() && left <= 0 {
		return false, &TimeoutError{fmt.Sprintf("sent ping but didn't receive pong within %dms (after %d successful ping/pongs)",
			c.cfg.PongTimeout.Milliseconds(), p.sent-1)}
	}
	if !now.Before(p.due) {
		p.due = now.Add(c.nextPing())
		if p.since.IsZero() {
			return true, nil
		}
	}
	wait := p.due.Sub(now)
	if !p.since.IsZero() {
		wait = min(wait, left)
	}
	p.timer.Reset(wait)
	return false, nil
}
