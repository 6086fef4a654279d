package mockserver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Sequence is an effect that consists of several, in their order. None can come after one that ends the exchange whenever it is met, nor after one for the handshake of TLS.
func Sequence(effects ...Effect) Effect { return sequence(append([]Effect{}, effects...)) }

type sequence []Effect

// Sometimes happens with a probability from 0 to 1. The server's choices are those of the seed of [WithSeed], one after the other, so that a script whose
// requests come one after the other misbehaves in the same way each time.
type Sometimes struct {
	Probability float64
	Effect      Effect
}

// EveryNth happens each nth time that its moment comes, in all exchanges of responses that have it together: the nth, the 2nth and so on.
func EveryNth(n int, e Effect) Effect {
	return &counted{what: e, n: int64(n), due: func(times, n int64) bool { return times%n == 0 }}
}

// First happens the first n times that its moment comes, in all exchanges of responses that have it together: a client that tries again may get
// through.
func First(n int, e Effect) Effect {
	return &counted{what: e, n: int64(n), due: func(times, n int64) bool { return times <= n }}
}

// counted is an effect that depends on how often its moment came.
type counted struct {
	what  Effect
	n     int64
	due   func(times, n int64) bool
	times atomic.Int64
}

func (sequence) effect()  {}
func (Sometimes) effect() {}
func (*counted) effect()  {}

// checkEffect returns what is wrong with an effect at a moment.
func checkEffect(m Moment, e Effect) error {
	switch e := e.(type) {
	case nil:
		return fmt.Errorf("an effect that is nil, within another one")
	case sequence:
		for i, one := range e {
			if err := checkEffect(m, one); err != nil {
				return err
			}
			if last := i == len(e)-1; last {
				break
			} else if surelyEnds(one) {
				return fmt.Errorf("a Sequence with %s before another effect, which cannot strike: expected it last", named(certain(one)))
			} else if bad := handshakes(one); bad != nil {
				return fmt.Errorf("a Sequence with %s before another effect: expected it last", named([]Effect{bad}))
			}
		}
	case Sometimes:
		if !(e.Probability >= 0 && e.Probability <= 1) {
			return fmt.Errorf("Sometimes with a probability of %v: expected 0 to 1", e.Probability)
		}
		return checkEffect(m, e.Effect)
	case *counted:
		if e.n < 1 {
			return fmt.Errorf("EveryNth or First with %d: expected at least 1", e.n)
		}
		return checkEffect(m, e.what)
	case FailHandshake, BadCertificate:
		if m != RequestStart {
			return fmt.Errorf("%T at %v: expected RequestStart", e, m)
		}
	case GoAway, SendSettings:
		if m == RequestStart {
			return fmt.Errorf("%T at RequestStart, when there is no HTTP/2 yet: expected RequestHead or later", e)
		}
	case Garbage:
		if e.Bytes < 0 {
			return fmt.Errorf("Garbage of %d bytes: expected a number of bytes", e.Bytes)
		}
	case WaitBetween:
		if e.Min > e.Max {
			return fmt.Errorf("WaitBetween %v and %v: expected the first to be the less", e.Min, e.Max)
		}
	case WaitLogNormal:
		if e.Median < 0 || !(e.Sigma >= 0) || e.Max < 0 {
			return fmt.Errorf("WaitLogNormal of median %v, sigma %v and maximum %v: expected none to be negative", e.Median, e.Sigma, e.Max)
		}
	}
	return nil
}

// ofStream reports whether an effect at RequestStart is for each request, and not for the connection: there is a CloseStream within.
func ofStream(e Effect) bool {
	return slices.ContainsFunc(leaves(e), func(one Effect) bool { _, ok := one.(CloseStream); return ok })
}

// handshakes returns the effect on a handshake that is within another one, nil for none.
func handshakes(e Effect) Effect {
	for _, one := range leaves(e) {
		if shakes(one) {
			return one
		}
	}
	return nil
}

// leaves returns the effects that one is made of, whether they are chosen or not.
func leaves(e Effect) (list []Effect) {
	switch e := e.(type) {
	case nil:
		return nil
	case sequence:
		for _, one := range e {
			list = append(list, leaves(one)...)
		}
		return list
	case Sometimes:
		return leaves(e.Effect)
	case *counted:
		return leaves(e.what)
	}
	return []Effect{e}
}

// longest is how many times its median a WaitLogNormal lasts at most.
const longest = 100

// plan makes the choices that an effect depends on. What comes of it happens in that order.
func (s *Server) plan(e Effect) []Effect {
	switch e := e.(type) {
	case nil:
		return nil
	case sequence:
		var list []Effect
		for _, one := range e {
			list = append(list, s.plan(one)...)
			if ends(list) {
				break
			}
		}
		return list
	case Sometimes:
		if s.dice.chance() < e.Probability {
			return s.plan(e.Effect)
		}
		return nil
	case *counted:
		if e.due(e.times.Add(1), e.n) {
			return s.plan(e.what)
		}
		return nil
	case WaitBetween:
		return []Effect{Wait{e.Min + time.Duration(s.dice.chance()*float64(e.Max-e.Min))}}
	case WaitLogNormal:
		d := time.Duration(float64(e.Median) * min(math.Exp(e.Sigma*s.dice.normal()), longest))
		if e.Max > 0 {
			d = min(d, e.Max)
		}
		return []Effect{Wait{d}}
	}
	return []Effect{e}
}

// ends reports whether no exchange goes on after a plan.
func ends(plan []Effect) bool {
	if len(plan) == 0 {
		return false
	}
	switch e := plan[len(plan)-1].(type) {
	case Wait, WaitBetween, WaitLogNormal, Write, SendSettings, RefuseConnections, IgnoreConnections, BadCertificate:
		return false
	case GoAway:
		return e.Refuse
	}
	return true
}

// dice is the chance of a server.
type dice struct {
	mu   sync.Mutex
	rng  *rand.Rand
	used bool
}

func newDice(seed uint64) *dice { return &dice{rng: rand.New(rand.NewPCG(seed, 0))} }

// Uint64 implements [rand.Source].
func (d *dice) Uint64() uint64 { return drawn(d, (*rand.Rand).Uint64) }

func (d *dice) chance() float64 { return drawn(d, (*rand.Rand).Float64) }

func (d *dice) normal() float64 { return drawn(d, (*rand.Rand).NormFloat64) }

func (d *dice) bytes(n int) []byte {
	return drawn(d, func(r *rand.Rand) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		return p
	})
}

// drawn is one choice.
func drawn[T any](d *dice, draw func(*rand.Rand) T) T {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used = true
	return draw(d.rng)
}

// wasUsed reports whether anything was chosen.
func (d *dice) wasUsed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used
}
