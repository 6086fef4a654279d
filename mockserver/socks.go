package mockserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"
)

// SOCKS5 is a proxy role (RFC 1928). See [WithSOCKS5].
type SOCKS5 struct {
	// User and Password are what the client has to show (RFC 1929), unless both are empty.
	User, Password string
	// Reply, if not nil, answers a request for a destination, "host:port" with a name or an address, as the client gave it: 0 opens the tunnel, other
	// codes (RFC 1928 section 6) refuse it: 1 general failure, 2 not allowed, 3 network unreachable, 4 host unreachable, 5 refused, 6 TTL expired. A panic is 1,
	// and fails the test of [New].
	Reply func(destination string) byte
}

// WithSOCKS5 makes the server a SOCKS5 proxy, to all destinations, which lead back to the server: in the tunnel follow TLS, if the server has that, and
// requests as usual, whose [Request.Tunnel] is the destination. Clients that do not begin with SOCKS are served as usual. A client that
// fails, or is refused, is recorded as a [Request] with a Failure and no method.
func WithSOCKS5(role SOCKS5) Option { return option(func(c *config) { c.socks = &role }) }

// socksLimit bounds the time of a handshake.
const socksLimit = time.Minute

// A SOCKSError is the failure of a client of a proxy.
type SOCKSError struct {
	Destination string // empty if the client did not come that far
	Detail      string
	Err         error // of the connection, or nil
}

func (e *SOCKSError) Error() string {
	text := "socks5: "
	if e.Destination != "" {
		text += "to " + strconv.Quote(e.Destination) + ": "
	}
	text += e.Detail
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *SOCKSError) Unwrap() error { return e.Err }

// socks takes the role of a SOCKS proxy towards a client that begins so, and returns what the tunnel is carried by, nil if there is none.
func (c *connection) socks(conn net.Conn) net.Conn {
	role := c.server.cfg.socks
	if role == nil {
		return conn
	}
	begun, conn := beginning(conn)
	if len(begun) == 0 || begun[0] != 5 {
		return conn
	}
	c.limit(time.Now().Add(socksLimit))
	destination, err := role.serve(conn)
	c.limit(time.Time{})
	if err == nil {
		c.tunnel = destination
		return conn
	}
	failed, fault := (*SOCKSError)(nil), (*panicError)(nil)
	switch isFailed := errors.As(err, &failed); {
	case isFailed && errors.As(failed.Err, &fault):
		c.server.fault(fault)
		failed.Err = fault.short()
	case isFailed && failed.Err != nil:
		failed.Err = c.failure(failed.Err)
	}
	r := c.newRequest()
	r.Tunnel, r.Failure = destination, err
	c.record(r)
	c.log(r, 0)
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, ErrClosed) {
		return nil
	}
	c.bid(conn)
	return nil
}

// serve is the handshake with a client.
func (s *SOCKS5) serve(conn io.ReadWriter) (destination string, err error) {
	fail := func(detail string, err error) (string, error) {
		return destination, &SOCKSError{Destination: destination, Detail: detail, Err: err}
	}
	var head [2]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return fail("reading the greeting", err)
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(conn, methods); err != nil {
		return fail("reading the methods", err)
	}
	if err := s.authenticate(conn, methods); err != nil {
		return destination, err
	}
	var request [4]byte
	if _, err := io.ReadFull(conn, request[:]); err != nil {
		return fail("reading the request", err)
	}
	host, reply, err := readSOCKSHost(conn, request[3])
	if err != nil {
		return fail("reading the destination", err)
	}
	var port [2]byte
	if reply == 0 {
		if _, err := io.ReadFull(conn, port[:]); err != nil {
			return fail("reading the port", err)
		}
		destination = net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port[:]))))
	}
	var fault error
	switch {
	case request[0] != 5:
		return fail(fmt.Sprintf("expected version 5 of a request but got %d", request[0]), nil)
	case reply == 0 && request[1] != 1:
		reply = 7 // command not supported
	case reply == 0 && s.Reply != nil:
		reply, fault = s.decide(destination)
	}
	if _, err := conn.Write([]byte{5, reply, 0, 1, 0, 0, 0, 0, 0, 0}); err != nil {
		return fail("writing the reply", err)
	}
	if fault != nil {
		return fail("refused with 1", fault)
	}
	switch reply {
	case 0:
		return destination, nil
	case 7:
		return fail(fmt.Sprintf("expected the command CONNECT, 1, but got %d", request[1]), nil)
	case 8:
		return fail(fmt.Sprintf("expected an address of type 1, 3 or 4 but got %d", request[3]), nil)
	}
	return fail(fmt.Sprintf("refused with %d", reply), nil)
}

// decide asks the script, whose panic is a general failure.
func (s *SOCKS5) decide(destination string) (reply byte, fault error) {
	defer func() {
		if p := recover(); p != nil {
			reply, fault = 1, newPanicError("SOCKS5.Reply", p)
		}
	}()
	return s.Reply(destination), nil
}

// authenticate chooses one of the methods that a client offers, and has it show what that takes.
func (s *SOCKS5) authenticate(conn io.ReadWriter, methods []byte) error {
	want := login{s.User, s.Password}
	method := byte(0)
	if want.needed() {
		method = 2
	}
	offered := false
	for _, m := range methods {
		offered = offered || m == method
	}
	if !offered {
		_, _ = conn.Write([]byte{5, 0xff})
		return &SOCKSError{Detail: fmt.Sprintf("expected method %d to be offered but got % x", method, methods)}
	}
	if _, err := conn.Write([]byte{5, method}); err != nil {
		return &SOCKSError{Detail: "writing the method", Err: err}
	}
	if method == 0 {
		return nil
	}
	var version [1]byte
	user, password := []byte(nil), []byte(nil)
	_, err := io.ReadFull(conn, version[:])
	if err == nil {
		user, err = readShort(conn)
	}
	if err == nil {
		password, err = readShort(conn)
	}
	if err != nil {
		return &SOCKSError{Detail: "reading the credentials", Err: err}
	}
	if version[0] != 1 || !want.fits(string(user), string(password)) {
		_, _ = conn.Write([]byte{1, 1})
		return &SOCKSError{Detail: "the credentials are not those of the proxy"}
	}
	if _, err := conn.Write([]byte{1, 0}); err != nil {
		return &SOCKSError{Detail: "writing the welcome", Err: err}
	}
	return nil
}

// readSOCKSHost reads a name or an address. A reply other than 0 says that its type is not known.
func readSOCKSHost(conn io.Reader, kind byte) (host string, reply byte, err error) {
	switch kind {
	case 1, 4:
		p := make([]byte, map[byte]int{1: 4, 4: 16}[kind])
		if _, err := io.ReadFull(conn, p); err != nil {
			return "", 0, err
		}
		addr, _ := netip.AddrFromSlice(p)
		return addr.String(), 0, nil
	case 3:
		name, err := readShort(conn)
		return string(name), 0, err
	}
	return "", 8, nil
}

// readShort reads up to 255 bytes after their number.
func readShort(conn io.Reader) ([]byte, error) {
	var n [1]byte
	if _, err := io.ReadFull(conn, n[:]); err != nil {
		return nil, err
	}
	p := make([]byte, n[0])
	_, err := io.ReadFull(conn, p)
	return p, err
}
