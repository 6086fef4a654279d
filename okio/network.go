package okio

import (
	"context"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// networkBacklog is how many connections a listener of a Network holds that were dialed and not yet accepted.
const networkBacklog = 128

// Network is a network in memory: its listeners and dialers meet over connections as [ConnPair] makes them, with 64 KiB a
// direction. http.Server, crypto/tls and any client that takes a dial function run on it unchanged, and inside a
// [testing/synctest] bubble on the bubble's time. The zero value is an empty network, ready for use by several goroutines.
//
// Hosts are names or IP addresses and are compared as such, without resolving: dialing "localhost:80" does not reach a listener
// on "127.0.0.1:80". Ports are numbers.
type Network struct {
	mu        sync.Mutex
	listeners map[pairEndpoint]*networkListener
	nextPort  uint16
}

// pairEndpoint is the normal form of "host:port"; an empty host stands for every host.
type pairEndpoint struct {
	host string
	port uint16
}

func parsePairEndpoint(addr string) (pairEndpoint, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return pairEndpoint{}, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return pairEndpoint{}, &net.AddrError{Err: "port is not a number from 0 to 65535", Addr: addr}
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	}
	return pairEndpoint{strings.ToLower(host), uint16(number)}, nil
}

// anyHost gives the unspecified addresses the meaning they have for a listener.
func (e pairEndpoint) anyHost() pairEndpoint {
	if ip, err := netip.ParseAddr(e.host); err == nil && ip.IsUnspecified() {
		e.host = ""
	}
	return e
}

// addr is a *net.TCPAddr wherever there is an IP address, so that code that wants to see one does.
func (e pairEndpoint) addr() net.Addr {
	if e.host == "" {
		return &net.TCPAddr{IP: net.IPv6unspecified, Port: int(e.port)}
	}
	if ip, err := netip.ParseAddr(e.host); err == nil {
		return net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, e.port))
	}
	return pairAddr{"tcp", net.JoinHostPort(e.host, strconv.Itoa(int(e.port)))}
}

// Listen starts a listener at addr, "host:port". An empty or unspecified host listens for every host; port 0 picks a free port,
// which the listener's Addr tells. It fails with [syscall.EADDRINUSE] if the address is taken, and with a [*net.AddrError]
// if it is none. Up to 128 connections wait for Accept; dials beyond wait for room.
//
// Closing the listener frees Accept with [net.ErrClosed], resets the connections that nobody accepted, and refuses the dials
// that wait.
func (n *Network) Listen(addr string) (net.Listener, error) {
	at, err := parsePairEndpoint(addr)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Err: err}
	}
	at = at.anyHost()
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.port == 0 {
		at.port, err = n.freePort()
	} else if n.taken(at) {
		err = os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: at.addr(), Err: err}
	}
	l := &networkListener{
		network: n, at: at, queue: make(chan *knock, networkBacklog), closed: make(chan struct{}),
	}
	if n.listeners == nil {
		n.listeners = make(map[pairEndpoint]*networkListener)
	}
	n.listeners[at] = l
	return l, nil
}

// taken reports whether a listener at e would have to share its port with one that hears the same host. n.mu is held.
func (n *Network) taken(e pairEndpoint) bool {
	for have := range n.listeners {
		if have.port == e.port && (have.host == e.host || have.host == "" || e.host == "") {
			return true
		}
	}
	return false
}

// firstFreePort is where the range for ports that the system picks begins (RFC 6335 section 6).
const firstFreePort = 49152

// freePort returns a port that no listener uses on any host. n.mu is held.
func (n *Network) freePort() (uint16, error) {
	for range 1<<16 - firstFreePort {
		if port := n.ephemeralPort(); !n.taken(pairEndpoint{port: port}) {
			return port, nil
		}
	}
	return 0, os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)
}

// ephemeralPort takes the next port of the free range, going round. n.mu is held.
func (n *Network) ephemeralPort() uint16 {
	if n.nextPort < firstFreePort {
		n.nextPort = firstFreePort
	}
	port := n.nextPort
	n.nextPort++
	return port
}

// DialContext connects to the listener at addr. The network must be "tcp", "tcp4" or "tcp6", which are not told apart. It
// returns as soon as the connection waits for Accept; while the listener's backlog is full it waits until there is room or ctx
// ends, with ctx's error. Where nobody listens it fails with [syscall.ECONNREFUSED].
func (n *Network) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	switch network {
	case "tcp", "tcp4", "tcp6":
	default:
		return nil, &net.OpError{Op: "dial", Net: network, Err: net.UnknownNetworkError(network)}
	}
	to, err := parsePairEndpoint(addr)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: to.addr(), Err: err}
	}
	if ctx.Err() != nil {
		return fail(ctx.Err())
	}
	l, from := n.find(to)
	if l == nil {
		return fail(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
	client, server := newConnPair(defaultPairLimit, from.addr(), to.addr())
	if err := l.enqueue(ctx, server); err != nil {
		return fail(err)
	}
	return client, nil
}

// find returns the listener that hears to, nil if none does, and an address for the caller's end.
func (n *Network) find(to pairEndpoint) (l *networkListener, from pairEndpoint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l, ok := n.listeners[to]
	if !ok {
		l, ok = n.listeners[pairEndpoint{port: to.port}]
	}
	if !ok {
		return nil, pairEndpoint{}
	}
	return l, pairEndpoint{to.host, n.ephemeralPort()}
}

func (n *Network) remove(l *networkListener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[l.at] == l {
		delete(n.listeners, l.at)
	}
}

// networkListener is what Network.Listen returns.
type networkListener struct {
	network   *Network
	at        pairEndpoint
	queue     chan *knock
	closed    chan struct{}
	closeOnce sync.Once
}

func (l *networkListener) Addr() net.Addr { return l.at.addr() }

func (l *networkListener) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// knock is a connection that waits for Accept. Who settles it first decides what becomes of it: a server may accept it and close the listener before the client looks.
type knock struct {
	conn *pairConn
	fate atomic.Int32
}

const (
	accepted int32 = 1 + iota
	turnedAway
)

func (k *knock) accept() bool { return k.fate.CompareAndSwap(0, accepted) }

// turnAway reports whether the connection is not accepted.
func (k *knock) turnAway() bool {
	if k.fate.CompareAndSwap(0, turnedAway) {
		_ = k.conn.Reset()
	}
	return k.fate.Load() == turnedAway
}

func (l *networkListener) enqueue(ctx context.Context, server *pairConn) error {
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	if l.isClosed() {
		return refused
	}
	k := &knock{conn: server}
	select {
	case l.queue <- k:
	case <-l.closed:
		return refused
	case <-ctx.Done():
		return ctx.Err()
	}
	// Close may have emptied the queue before this one came: nobody else will reset it.
	if l.isClosed() && k.turnAway() {
		return refused
	}
	return nil
}

func (l *networkListener) Accept() (net.Conn, error) {
	for !l.isClosed() {
		select {
		case k := <-l.queue:
			if l.isClosed() {
				k.turnAway()
			} else if k.accept() {
				return k.conn, nil
			}
		case <-l.closed:
		}
	}
	return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
}

func (l *networkListener) Close() error {
	err := error(&net.OpError{Op: "close", Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed})
	l.closeOnce.Do(func() {
		err = nil
		l.network.remove(l)
		close(l.closed)
		for {
			select {
			case k := <-l.queue:
				k.turnAway()
			default:
				return
			}
		}
	})
	return err
}
