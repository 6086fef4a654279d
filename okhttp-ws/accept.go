package okws

import (
	"cmp"
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// AcceptConfig says how a server takes web sockets. The zero value, and nil, mean the defaults.
type AcceptConfig struct {
	Config

	// Origins are patterns of hosts, of [path.Match], whose pages may connect besides those of the server's own host: "*.example.com", with a port where it is
	// not that of the scheme, or with a scheme: "https://app.example.com". "*" allows all. Requests without an Origin do not come from browsers and are always let in.
	Origins []string

	// CheckOrigin decides instead of Origins and the server's host. It is called by each request's handler, also without an Origin, and has to be safe for concurrent use.
	CheckOrigin func(r *http.Request) bool

	// Header is sent with the response that accepts; it is not kept. The fields of the handshake itself take the place of those that it has.
	Header http.Header
}

// Accept answers a request that opens a web socket, and takes its connection over from the server of net/http. The handler may return; the connection lives until it is
// closed, and its limits are those of Config.
//
// A request that cannot be accepted was answered when Accept returns a [*HandshakeError]: with 426 if it is no upgrade or for another version, 403 for an origin that may
// not, 400 for what is wrong, 405 for another method, 500 where the server cannot give the connection away. An [*ArgumentError] tells of a cfg that cannot be right, and answering is left to the handler then. Any other error
// is the connection's, which has ended.
//
// Over HTTP/2 a web socket is a stream that an extended CONNECT opens (RFC 8441). net/http allows these where the process was started with http2xconnect=1 in the environment
// variable GODEBUG. Such a connection ends with the handler, which must call [Conn.CloseNow] before it returns, whatever else uses the connection; two more goroutines
// serve it. Another protocol than websocket is answered with 501.
func Accept(w http.ResponseWriter, r *http.Request, cfg *AcceptConfig) (*Conn, error) {
	if cfg == nil {
		cfg = &AcceptConfig{}
	}
	set, err := cfg.Config.settings()
	if err != nil {
		return nil, err
	}
	check, fields, take := checkRequest, (*Negotiation).fields, hijack
	if isTunnel(r) {
		check, fields, take = checkTunnel, (*Negotiation).tunnelFields, openTunnel
	}
	if fault := check(r); fault != nil {
		return nil, refuse(w, r, fault)
	}
	if !cfg.allows(r) {
		return nil, refuse(w, r, &HandshakeError{Status: http.StatusForbidden, Detail: "the origin " + quoted(r.Header.Get("Origin")) + " may not connect"})
	}
	a := negotiate(slices.Values(r.Header.Values("Sec-WebSocket-Protocol")), r.Header.Values("Sec-WebSocket-Extensions"), set)
	a.key = r.Header.Get("Sec-WebSocket-Key")
	h := w.Header().Clone() // that of w is of the answer if this fails
	if h == nil {
		h = http.Header{}
	}
	for name, values := range cfg.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	for name, value := range fields(a) {
		h.Set(name, value)
	}
	socket, addrs, err := take(w, r, h)
	if err != nil {
		return nil, err
	}
	c := a.Serve(socket)
	c.addrs = addrs
	return c, nil
}

// refuse answers a request that cannot be accepted.
func refuse(w http.ResponseWriter, r *http.Request, err *HandshakeError) error {
	switch err.Status {
	case http.StatusUpgradeRequired:
		if r.ProtoMajor < 2 { // there are no such fields in HTTP/2
			w.Header().Set("Upgrade", "websocket")
			w.Header().Set("Connection", "Upgrade")
		}
		fallthrough
	case http.StatusBadRequest:
		w.Header().Set("Sec-WebSocket-Version", version)
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "GET")
	}
	http.Error(w, err.Detail, err.Status)
	return err
}

// checkRequest looks at the client's part of the handshake (RFC 6455 section 4.2.1).
func checkRequest(r *http.Request) *HandshakeError {
	bad := func(status int, detail string) *HandshakeError {
		return &HandshakeError{Status: status, Detail: detail}
	}
	values := func(name string) func(func(string) bool) { return slices.Values(r.Header.Values(name)) }
	switch {
	case r.Method != http.MethodGet:
		return bad(http.StatusMethodNotAllowed, "Expected the method GET but was "+quoted(r.Method))
	case !r.ProtoAtLeast(1, 1):
		return bad(http.StatusUpgradeRequired, "Expected HTTP/1.1 or later but was "+r.Proto)
	case !hasToken(values("Connection"), "Upgrade"):
		return bad(http.StatusUpgradeRequired, "Expected 'Connection' header value 'Upgrade' but was "+quoted(r.Header.Get("Connection")))
	case !hasToken(values("Upgrade"), "websocket"):
		return bad(http.StatusUpgradeRequired, "Expected 'Upgrade' header value 'websocket' but was "+quoted(r.Header.Get("Upgrade")))
	case r.ContentLength != 0: // it would be taken for frames
		return bad(http.StatusBadRequest, "Expected a request without content")
	}
	if got := r.Header.Values("Sec-WebSocket-Version"); len(got) != 1 || got[0] != version {
		return bad(http.StatusUpgradeRequired, "Expected 'Sec-WebSocket-Version' header value '13' but was "+quoted(strings.Join(got, ", ")))
	}
	if keys := r.Header.Values("Sec-WebSocket-Key"); len(keys) != 1 || !isKey(keys[0]) {
		return bad(http.StatusBadRequest, "Expected 'Sec-WebSocket-Key' header value to be 16 bytes in base64 but was "+quoted(strings.Join(keys, ", ")))
	}
	return nil
}

func isKey(key string) bool {
	nonce, err := base64.StdEncoding.DecodeString(key)
	return err == nil && len(nonce) == 16
}

// allows decides about the page that the request comes from (RFC 6455 section 10.2).
func (cfg *AcceptConfig) allows(r *http.Request) bool {
	if cfg.CheckOrigin != nil {
		return cfg.CheckOrigin(r)
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	u, err := url.Parse(origins[0])
	if err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return true
	}
	for _, pattern := range cfg.Origins {
		subject := origins[0]
		if err == nil && !strings.Contains(pattern, "://") {
			subject = cmp.Or(u.Host, subject)
		}
		if pattern == "*" {
			return true
		}
		if ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(subject)); ok {
			return true
		}
	}
	return false
}

// hijack sends the response and takes the connection over.
func hijack(w http.ResponseWriter, r *http.Request, fields http.Header) (okio.Socket, func() (local, remote net.Addr), error) {
	control := http.NewResponseController(w)
	conn, buffered, err := control.Hijack()
	if err != nil {
		return nil, nil, refuse(w, r, &HandshakeError{Status: http.StatusInternalServerError, Detail: "the connection cannot be taken over: " + err.Error()})
	}
	_ = conn.SetDeadline(time.Time{})
	var early okio.Buffer
	if n := buffered.Reader.Buffered(); n > 0 {
		p, _ := buffered.Reader.Peek(n)
		_, _ = early.Write(p)
	}
	var head okio.Buffer
	_, _ = head.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
	_ = fields.Write(&head)
	_, _ = head.WriteString("\r\n")
	socket := okio.NewSocket(conn)
	okio.TimeoutOf(socket.Sink()).SetLimit(defaultServerWait)
	if err := socket.Sink().WriteBuffer(&head, head.Len()); err != nil {
		socket.Cancel(context.Canceled)
		_ = conn.Close()
		return nil, nil, err
	}
	okio.TimeoutOf(socket.Sink()).SetLimit(0)
	addrs := func() (local, remote net.Addr) { return conn.LocalAddr(), conn.RemoteAddr() }
	if early.Len() > 0 {
		return &begun{socket, begunSource{socket.Source(), &early}}, addrs, nil
	}
	return socket, addrs, nil
}
