package okws

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// protocolField is where net/http puts the pseudo-header field of an extended CONNECT.
const protocolField = ":protocol"

// isTunnel reports whether a request is an extended CONNECT (RFC 8441).
func isTunnel(r *http.Request) bool {
	return r.Method == http.MethodConnect && r.ProtoMajor >= 2 && len(r.Header[protocolField]) > 0
}

// checkTunnel is checkRequest for an extended CONNECT (RFC 8441 section 5).
func checkTunnel(r *http.Request) *HandshakeError {
	if got := r.Header[protocolField]; len(got) != 1 || !strings.EqualFold(got[0], "websocket") {
		return &HandshakeError{Status: http.StatusNotImplemented, Detail: "Expected ':protocol' value 'websocket' but was " + quoted(strings.Join(got, ", "))}
	}
	if got := r.Header.Values("Sec-WebSocket-Version"); len(got) != 1 || got[0] != version {
		return &HandshakeError{Status: http.StatusBadRequest, Detail: "Expected 'Sec-WebSocket-Version' header value '13' but was " + quoted(strings.Join(got, ", "))}
	}
	return nil
}

// openTunnel answers an extended CONNECT and returns its stream as a socket.
func openTunnel(w http.ResponseWriter, r *http.Request, fields http.Header) (okio.Socket, func() (local, remote net.Addr), error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // the server's are for requests
	_ = control.SetWriteDeadline(time.Time{})
	maps.Copy(w.Header(), fields)
	w.WriteHeader(http.StatusOK)
	if err := control.Flush(); err != nil {
		return nil, nil, fmt.Errorf("okws: the answer to an extended CONNECT: %w", err)
	}
	near, far := okio.ConnPair(16 << 10)
	s := &tunnel{Socket: okio.NewSocket(near), sink: tunnelSink{w: w, control: control}}
	s.sink.idle.L = &s.sink.mu
	go receive(far, r.Body)
	context.AfterFunc(r.Context(), func() { s.sink.detach(context.Cause(r.Context())) })
	return s, func() (local, remote net.Addr) {
		local, _ = r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
			remote = net.TCPAddrFromAddrPort(at)
		}
		return local, remote
	}, nil
}

// receive passes on what comes, until it ends: reading from a request's body cannot be interrupted and go on later.
func receive(to net.Conn, body io.Reader) {
	_, _ = io.CopyBuffer(to, body, make([]byte, 4<<10)) // how it ended is seen by what is missing
	_ = to.(interface{ CloseWrite() error }).CloseWrite()
}

// tunnel is the stream of an extended CONNECT as a socket. What is received comes through memory.
type tunnel struct {
	okio.Socket
	sink tunnelSink
}

func (s *tunnel) Sink() okio.Sink { return &s.sink }

func (s *tunnel) Cancel(cause error) {
	s.Socket.Cancel(cause)
	s.sink.detach(cause)
}

// tunnelSink writes to a handler's response. The writer must not be used when the handler has returned, nor by two goroutines: so detach returns only when nobody does, and
// who has called [Conn.CloseNow] can return.
type tunnelSink struct {
	timeout okio.Timeout
	control *http.ResponseController

	mu      sync.Mutex
	idle    sync.Cond
	w       http.ResponseWriter
	writing bool
	gone    error // why the writer is not used any more
}

func (k *tunnelSink) Timeout() *okio.Timeout { return &k.timeout }

// do runs f with the writer, within the limits of the sink.
func (k *tunnelSink) do(f func(w http.ResponseWriter) error) (err error) {
	k.mu.Lock()
	for k.writing {
		k.idle.Wait()
	}
	if k.gone != nil {
		defer k.mu.Unlock()
		return k.gone
	}
	k.writing = true
	k.mu.Unlock()
	if at, ok := k.timeout.Next(time.Now()); ok {
		timer := time.AfterFunc(time.Until(at), func() { k.detach(&TimeoutError{"timeout: the peer took nothing"}) })
		defer timer.Stop()
	}
	defer func() {
		if v := recover(); v != nil { // net/http's way to say that the handler has returned
			err = fmt.Errorf("okws: the handler has returned: %v", v)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.writing = false
		k.idle.Broadcast()
		if k.gone != nil {
			err = k.gone
		}
	}()
	return f(k.w)
}

func (k *tunnelSink) WriteBuffer(src *okio.Buffer, n int64) error {
	return k.do(func(w http.ResponseWriter) error {
		for n > 0 {
			p, err := src.PeekN(int(min(n, 16<<10)))
			if err != nil {
				return err
			}
			if _, err := w.Write(p); err != nil {
				return err
			}
			n -= int64(len(p))
			if err := src.Skip(int64(len(p))); err != nil {
				return err
			}
		}
		return nil
	})
}

func (k *tunnelSink) Flush() error {
	return k.do(func(http.ResponseWriter) error { return k.control.Flush() })
}

// Close leaves the end of the stream to the handler, which sends it by returning.
func (k *tunnelSink) Close() error { return nil }

// detach gives the writer up, and waits until nobody uses it: a write that is under way is ended by resetting the stream.
func (k *tunnelSink) detach(cause error) {
	if cause == nil {
		cause = okio.ErrCanceled
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone == nil {
		k.gone = cause
		if k.writing {
			_ = k.control.SetWriteDeadline(time.Unix(1, 0))
		}
	}
	for k.writing {
		k.idle.Wait()
	}
	k.w = nil
}
