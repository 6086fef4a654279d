package mockserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// pacer lets bytes pass as a throttle allows: n bytes take ceil(n/bytes)-1 periods.
type pacer struct {
	throttle
	passed int64 // since the last wait
}

// most returns how many of up to n bytes may be in hand at once.
func (p *pacer) most(n int64) int64 {
	if p.bytes == 0 {
		return n
	}
	return min(n, p.bytes-p.passed%p.bytes)
}

// pass waits before n bytes go on if their turn has not come, after calling flush, if there is one.
func (p *pacer) pass(ctx context.Context, n int64, flush func() error) error {
	if p.bytes > 0 && p.passed == p.bytes {
		if flush != nil {
			if err := flush(); err != nil {
				return err
			}
		}
		p.passed = 0
		if err := sleep(ctx, p.period); err != nil {
			return err
		}
	}
	p.passed += n
	return nil
}

// gate is the share that a body has of a throttler. Its sink drops what passes.
type gate struct{ sink okio.Sink }

// gatePatience is how long a wait for the throttler goes on before it looks whether the server has closed.
const gatePatience = 100 * time.Millisecond

func newGate(t *okio.Throttler) *gate {
	if t == nil {
		return nil
	}
	g := &gate{t.Sink(okio.Discard())}
	okio.TimeoutOf(g.sink).SetLimit(gatePatience)
	return g
}

// pass waits until n bytes may go on.
func (g *gate) pass(ctx context.Context, n int, flush func() error) error {
	if g == nil {
		return nil
	}
	if err := flush(); err != nil { // of what came before
		return err
	}
	var waste okio.Buffer
	defer waste.Clear()
	if _, err := waste.Write(make([]byte, n)); err != nil {
		return err
	}
	for {
		err := g.sink.WriteBuffer(&waste, waste.Len())
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

func byteReader(p []byte) io.Reader { return bytes.NewReader(p) }

// delivery is the sending of a body, as it is on the wire.
type delivery struct {
	sink   *okio.BufferedSink
	body   io.Reader
	length int64 // -1 if it is not known
	live   bool  // the bytes are sent when they come
	stop   int64 // where the effect is due; -1 for nowhere
	strike func() (goesOn bool)
	sizes  []int64 // of the pieces that are sent one by one, the last one repeats; nil for no matter

	pace pacer
	gate *gate
}

// deliver sets a delivery up for a response.
func (r *Response) deliver(sink *okio.BufferedSink, body io.Reader, length int64, strike func() bool) *delivery {
	d := &delivery{sink: sink, body: body, length: length, live: r.content.live, stop: r.effects[ResponseBody].at(length), strike: strike}
	d.pace.throttle = r.throttle
	if n := int64(r.dribble.pieces); n > 0 && length > 0 {
		d.pace.throttle = throttle{bytes: (length + n - 1) / n}
		if gaps := (length+d.pace.bytes-1)/d.pace.bytes - 1; gaps > 0 {
			d.pace.period = r.dribble.over / time.Duration(gaps)
		}
	}
	d.gate = newGate(r.joint)
	return d
}

// run sends the body at the pace that the script gives, and has the effect strike at its point; struck says that this was the end.
func (d *delivery) run(ctx context.Context) (struck bool, err error) {
	piece := make([]byte, min(pieceSize, uint64(d.length))) // all of it, if the length is -1
	var sent, inPiece int64
	nth := 0
	for ended := false; ; {
		if d.stop >= 0 && (sent == d.stop || ended) {
			if err := d.sink.Flush(); err != nil {
				return false, err
			}
			if d.stop = -1; !d.strike() {
				return true, nil
			}
		}
		if ended { // by the end of the server, perhaps, which must not look whole
			return false, context.Cause(ctx)
		}
		most := d.pace.most(int64(len(piece)))
		if d.stop >= 0 {
			most = min(most, d.stop-sent)
		}
		if len(d.sizes) > 0 {
			most = min(most, d.sizes[min(nth, len(d.sizes)-1)]-inPiece)
		}
		n, err := d.body.Read(piece[:most])
		if n > 0 {
			if err := d.pass(ctx, piece[:n]); err != nil {
				return false, err
			}
			sent += int64(n)
			inPiece += int64(n)
			full := len(d.sizes) > 0 && inPiece == d.sizes[min(nth, len(d.sizes)-1)]
			if full {
				nth, inPiece = nth+1, 0
			}
			if full || d.live && sent != d.length {
				if err := d.sink.Flush(); err != nil {
					return false, err
				}
			}
		}
		if ended = err == io.EOF || sent == d.length; !ended && err != nil {
			return false, fmt.Errorf("mockserver: reading the body: %w", err)
		}
	}
}

// pass sends bytes when it is their turn.
func (d *delivery) pass(ctx context.Context, p []byte) error {
	if err := d.pace.pass(ctx, int64(len(p)), d.sink.Flush); err != nil {
		return err
	}
	if err := d.gate.pass(ctx, len(p), d.sink.Flush); err != nil {
		return err
	}
	_, err := d.sink.Write(p)
	return err
}
