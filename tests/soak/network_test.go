package soak

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// network is between the client and the sites: names with several addresses, some of which do not answer, refuse, or are far.
type network struct {
	sites []*site
	open  atomic.Int64 // connections

	mu  sync.Mutex
	rng *rand.Rand
}

func (n *network) chance(of int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rng.IntN(of)
}

// Lookup implements okhttp.DNS. The addresses say which site it is, and come in one answer or in several, or not at all.
func (n *network) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(host, "s"), ".test"))
		if err != nil || n.chance(100) == 0 {
			yield(okhttp.DNSAnswer{}, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
			return
		}
		v6 := netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))
		v4 := []netip.Addr{netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}), netip.AddrFrom4([4]byte{198, 51, 100, byte(i + 1)})}
		switch n.chance(4) {
		case 0:
			yield(okhttp.DNSAnswer{Addrs: append(v4, v6)}, nil)
		case 1:
			if yield(okhttp.DNSAnswer{Addrs: v4}, nil) && pause(ctx, time.Duration(n.chance(100))*time.Millisecond) == nil {
				yield(okhttp.DNSAnswer{Addrs: []netip.Addr{v6}}, nil)
			}
		case 2:
			if yield(okhttp.DNSAnswer{Addrs: []netip.Addr{v6}}, nil) && pause(ctx, time.Duration(n.chance(20))*time.Millisecond) == nil {
				yield(okhttp.DNSAnswer{}, errors.New("the server misbehaves"))
			}
		case 3:
			yield(okhttp.DNSAnswer{Addrs: v4[:1]}, nil)
		}
	}
}

// DialContext implements okhttp.Dialer.
func (n *network) DialContext(ctx context.Context, _, addr string) (net.Conn, error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, err
	}
	bytes := at.Addr().AsSlice()
	switch n.chance(20) {
	case 0:
		<-ctx.Done()
		return nil, ctx.Err()
	case 1:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case 2:
		if err := pause(ctx, time.Duration(n.chance(400))*time.Millisecond); err != nil {
			return nil, err
		}
	case 3: // does not notice that it is not wanted any more
		time.Sleep(time.Duration(n.chance(300)) * time.Millisecond)
		ctx = context.WithoutCancel(ctx)
	}
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", n.sites[int(bytes[len(bytes)-1])-1].listen.Addr().String())
	if err != nil {
		return nil, err
	}
	n.open.Add(1)
	return &counted{TCPConn: c.(*net.TCPConn), open: &n.open}, nil
}

// counted is a connection that is missed until it is closed.
type counted struct {
	*net.TCPConn
	open *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.TCPConn.Close()
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
