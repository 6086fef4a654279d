package okhttp

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// resolutionDelay is how long IPv4 addresses that came first wait for IPv6 ones (RFC 8305 section 3).
const resolutionDelay = 50 * time.Millisecond

// lookup is the resolving of one host name. Its answers may arrive while earlier ones are being connected to.
type lookup struct {
	host   string
	races  bool // families take turns, beginning with IPv6
	cancel context.CancelFunc

	mu      sync.Mutex
	waiting [2][]netip.Addr // that came and were not taken: IPv6 and IPv4; the first alone if families do not take turns
	turn    int             // the family whose turn it is
	known   []netip.Addr    // that need not be found
	all     []netip.Addr    // that were found
	ech     string
	started bool // the first address may be taken, although others may come that go before it
	over    bool
	cut     bool          // it was given up: there may be more addresses
	err     error         // if no address came
	changed chan struct{} // closed when something changed, and replaced
	delay   *time.Timer
}

// look starts resolving, to addresses other than those that are known. A resolver that answers at once is asked here, another on a goroutine.
func (p *planner) look(ctx context.Context, host string, known []netip.Addr) *lookup {
	l := &lookup{host: host, races: p.cfg.fastFallback, known: known, changed: make(chan struct{})}
	ctx, l.cancel = context.WithCancel(ctx)
	if f, ok := p.cfg.dns.(*dnsFunc); ok {
		addrs, err := f.f(ctx, host)
		l.answer(DNSAnswer{Addrs: addrs})
		l.end(err)
		return l
	}
	p.spawn(func() {
		var err error
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{v}
			}
			l.end(err)
		}()
		var answer DNSAnswer
		for answer, err = range p.cfg.dns.Lookup(ctx, host) {
			if l.answer(answer); err != nil {
				return
			}
		}
	})
	return l
}

func (l *lookup) answer(a DNSAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	for _, ip := range a.Addrs {
		if ip = ip.Unmap(); slices.Contains(l.all, ip) || slices.Contains(l.known, ip) {
			continue
		}
		family := 0
		if l.races && ip.Is4() {
			family = 1
		}
		l.waiting[family] = append(l.waiting[family], ip)
		l.all = append(l.all, ip)
	}
	if a.ECHConfigList != nil {
		l.ech = string(a.ECHConfigList)
	}
	switch {
	case len(l.all) == 0:
	case len(l.waiting[0]) > 0:
		l.started = true
	case l.delay == nil:
		l.delay = time.AfterFunc(resolutionDelay, l.start)
	}
	l.tell()
}

// start lets connecting begin with what came.
func (l *lookup) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started = true
	l.tell()
}

// end notes that no more answers come. An error matters only if there were none before it.
func (l *lookup) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	if len(l.all) == 0 {
		l.err = l.nothing(err)
	}
	l.stop()
}

// nothing is the failure of a look-up that found nothing.
func (l *lookup) nothing(err error) error {
	if len(l.known) > 0 && err == nil {
		return errors.New("no other address of " + l.host)
	}
	return unknownHost(l.host, err)
}

// giveUp ends the look-up because nobody waits for it any more.
func (l *lookup) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.cut = true
		l.stop()
	}
}

// stop lets nothing more come. The lock is held.
func (l *lookup) stop() {
	l.over, l.started = true, true
	if l.delay != nil {
		l.delay.Stop()
	}
	l.cancel()
	l.tell()
}

// tell wakes who waits for a change. The lock is held.
func (l *lookup) tell() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// take returns the next address. Without one, it returns what to wait for; without that, nothing more comes.
func (l *lookup) take() (addr netip.Addr, pending <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.started {
		for range l.waiting {
			family := l.waiting[l.turn]
			if len(family) == 0 {
				l.turn = 1 - l.turn
				continue
			}
			addr, l.waiting[l.turn] = family[0], family[1:]
			if l.races {
				l.turn = 1 - l.turn
			}
			return addr, nil, nil
		}
	}
	if l.over {
		return addr, nil, l.err
	}
	return addr, l.changed, nil
}

// more reports whether take may still return an address, or an error, or would have if the look-up had not been given up.
func (l *lookup) more() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.over || l.cut || l.err != nil || len(l.waiting[0])+len(l.waiting[1]) > 0
}

// missed reports whether the look-up was given up, and what it had found until then, with what was known before.
func (l *lookup) missed() (known []netip.Addr, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.known, l.all), l.cut
}

// found returns the addresses that came so far.
func (l *lookup) found() []netip.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[:len(l.all):len(l.all)]
}

func (l *lookup) keys() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ech
}
