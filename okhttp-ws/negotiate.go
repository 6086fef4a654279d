package okws

import (
	"cmp"
	"iter"
	"slices"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// Negotiation is what a server answers to a client's opening handshake, for servers that are not of net/http: send the fields of Headers with 101, or over HTTP/2
// those of TunnelHeaders with 200 (RFC 8441), and call Serve.
type Negotiation struct {
	set    *Config
	agreed extensions
	chosen string
	key    string
}

// Negotiate reads a client's headers. It does not look at the method, Connection, Upgrade, Origin or the version, which are for the server to check. A nil cfg means the
// defaults.
func Negotiate(h okhttp.Headers, cfg *Config) (*Negotiation, error) {
	set, err := cfg.settings()
	if err != nil {
		return nil, err
	}
	n := negotiate(h.Values("Sec-WebSocket-Protocol"), slices.Collect(h.Values("Sec-WebSocket-Extensions")), set)
	n.key = h.Get("Sec-WebSocket-Key")
	return n, nil
}

func negotiate(protocols iter.Seq[string], offers []string, set *Config) *Negotiation {
	n := &Negotiation{set: set, agreed: set.Compression.accept(parseOffers(offers))}
	offered := tokens(protocols)
	for _, p := range set.Subprotocols {
		if slices.Contains(offered, p) {
			n.chosen = p
			break
		}
	}
	return n
}

// Headers returns the fields of a response with status 101.
func (n *Negotiation) Headers() (okhttp.Headers, error) { return collect(n.fields()) }

// TunnelHeaders returns the fields of a response to an extended CONNECT.
func (n *Negotiation) TunnelHeaders() (okhttp.Headers, error) { return collect(n.choices) }

func collect(fields iter.Seq2[string, string]) (okhttp.Headers, error) {
	var list []string
	for name, value := range fields {
		list = append(list, name, value)
	}
	return okhttp.NewHeaders(list...)
}

func (n *Negotiation) choices(yield func(name, value string) bool) {
	if n.chosen != "" && !yield("Sec-WebSocket-Protocol", n.chosen) {
		return
	}
	if n.agreed.deflate {
		yield("Sec-WebSocket-Extensions", n.agreed.String())
	}
}

// fields are those of the answer to an upgrade, tunnelFields of one to an extended CONNECT.
func (n *Negotiation) fields() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		if yield("Upgrade", "websocket") && yield("Connection", "Upgrade") && yield("Sec-WebSocket-Accept", acceptOf(n.key)) {
			n.choices(yield)
		}
	}
}

func (n *Negotiation) tunnelFields() iter.Seq2[string, string] { return n.choices }

// Serve makes the server's end of the connection after the response was sent. The socket belongs to it. Call it once.
func (n *Negotiation) Serve(socket okio.Socket) *Conn {
	n.set.FrameTimeout = cmp.Or(n.set.FrameTimeout, defaultServerWait)
	n.set.WriteTimeout = cmp.Or(n.set.WriteTimeout, defaultServerWait)
	c := newConn(socket, n.set, false, n.agreed)
	c.subprotocol = n.chosen
	c.schedulePings()
	return c
}
