package mockserver

import (
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http1"
)

// A Request is what the server received. It does not change once it is recorded; where its client gives up before there is a response, the journal has
// another one with that Failure from then on, and whoever took it before has the one without; see Missed, too.
type Request struct {
	// ConnIndex counts the connections of the server, in the order in which they were accepted, from 0.
	ConnIndex int
	// Index counts the requests on the connection, from 0. 0 tells a new connection from one that was kept alive.
	Index int

	// Method, Target and Proto make up the request line, as received. They are empty if it could not be read.
	Method string
	Target string
	Proto  string // "HTTP/2", "HTTP/1.1" or "HTTP/1.0"
	// Authority is the host, and the port if one was given: the Host header or, on HTTP/2, ":authority".
	Authority string
	// Headers are the fields in the order and spelling of the wire, without the pseudo-header fields of HTTP/2.
	Headers okhttp.Headers

	// Upgrade is the protocol that the client asks to switch to: the Upgrade header if Connection names it (RFC 9110 section 7.8) or, on HTTP/2,
	// ":protocol" of an extended CONNECT (RFC 8441). It is empty if the client does not ask.
	Upgrade string

	// Body is the content without its framing, up to the limit of [WithBodyLimit]. It is nil if the request announced none, and
	// empty, not nil, if it announced none of length 0.
	Body []byte
	// BodySize is the length of the content in bytes, beyond any limit.
	BodySize int64
	// ChunkSizes are the sizes of the chunks of a chunked body of HTTP/1.1, the first 10,000 of them, without the one of size 0 that ends it. It is nil for
	// other bodies.
	ChunkSizes []int64
	// Trailers are the fields after a chunked body, or after a body of HTTP/2.
	Trailers okhttp.Headers

	// Failure is why the request could not be read, nil if it was: an [http1.ProtocolError], an [http1.TooLargeError], or an error of
	// the connection, or [ErrClosed] if the server ended meanwhile. The other fields hold what came before. It is one that is [ErrClientGone] if all came, and
	// the client was found to be gone before there was a response.
	Failure error

	// Missed says what was scripted of the response to the request and did not strike, each with the reason: an effect whose moment did not come, or what the version of HTTP
	// does not have. It is known when the response is about to be sent: the journal has another request with it from then on, as with a Failure that comes
	// later.
	Missed []string

	// Tunnel is the destination, "host:port", that the client asked a proxy for which this server is the end of, too: by CONNECT
	// ([Response.InTunnel], [WithHTTPProxy]) or by SOCKS ([WithSOCKS5]). It is empty without a tunnel, and for CONNECT itself.
	Tunnel string

	// TLS describes the connection and the handshake, ServerName (SNI) and the client's certificates among it. It is nil without TLS.
	TLS *tls.ConnectionState
	// Received is when the request was recorded: when its body was read, and before it is answered.
	Received time.Time
	// LocalAddr and RemoteAddr are the ends of the connection.
	LocalAddr, RemoteAddr net.Addr

	chance *dice         // of the server; nil if there is none
	came   [moments]bool // with an effect, before the request was read whole
}

// Rand returns the chance of the server that received the request, for a [Dispatcher] that chooses: its numbers follow [WithSeed], and those that effects and delays take come out
// of the same sequence. It is safe for concurrent use. For a request that no server received it is that of package rand.
func (r *Request) Rand() rand.Source {
	if r.chance == nil {
		return anyChance{}
	}
	return r.chance
}

// anyChance is chance without a seed.
type anyChance struct{}

func (anyChance) Uint64() uint64 { return rand.Uint64() }

// RequestLine returns the request line, for example "GET / HTTP/1.1".
func (r *Request) RequestLine() string {
	if r.Method == "" {
		return ""
	}
	return r.Method + " " + r.Target + " " + r.Proto
}

// shownLine is the request line for reports.
func (r *Request) shownLine() string {
	if r.Method == "" {
		return ""
	}
	return r.Method + " " + target.Shown(r.Target) + " " + r.Proto
}

// String describes the request in one line, for messages of tests. It shows no header, and of a target no user information.
func (r *Request) String() string {
	if r == nil {
		return "no request"
	}
	line := r.shownLine()
	if line == "" {
		line = "unreadable request"
	}
	text := fmt.Sprintf("%s (connection %d, request %d, body of %d bytes)", line, r.ConnIndex, r.Index, r.BodySize)
	if r.Failure != nil {
		text += ": " + r.Failure.Error()
	}
	return text
}

// URL returns the URL that the client asked for, put together from the connection, the Host header and the target (RFC 9110 section
// 7.1). Without a Host header it has the server's own address. For CONNECT it is that of the authority, for "OPTIONS *" that of the
// root. The error is an [okhttp.URLError].
func (r *Request) URL() (okhttp.URL, error) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	lower := strings.ToLower(r.Target)
	switch {
	case r.Method == "CONNECT":
		return okhttp.ParseURL(scheme + "://" + r.Target + "/")
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
		return okhttp.ParseURL(r.Target)
	}
	host := r.Authority
	if host == "" && r.LocalAddr != nil {
		host = r.LocalAddr.String()
	}
	path := r.Target
	if path == "*" {
		path = "/"
	}
	return okhttp.ParseURL(scheme + "://" + host + path)
}

// favicon reports whether a browser asks by itself.
func (r *Request) favicon() bool {
	return r.Method == "GET" && r.Target == "/favicon.ico" && r.Proto != "HTTP/1.0"
}

// begin takes over the head.
func (r *Request) begin(h http1.RequestHead) {
	r.Method, r.Target, r.Proto = h.Method, h.Target, "HTTP/1.1"
	if h.Minor == 0 {
		r.Proto = "HTTP/1.0"
	}
	r.Headers = headersOf(h.Fields)
	r.Authority = r.Headers.Get("Host")
	if http1.HasToken(h.Fields, "connection", "upgrade") {
		r.Upgrade = r.Headers.Get("Upgrade")
	}
}

// headersOf keeps fields that a peer sent. The codec has refused what is not HTTP, but lets control characters pass that a sender
// must not use; such headers lose their order.
func headersOf(fields []string) okhttp.Headers {
	if h, err := okhttp.NewHeaders(fields...); err == nil {
		return h
	}
	var ordered okhttp.Headers
	var err error
	for i := 0; i < len(fields) && err == nil; i += 2 {
		ordered, err = ordered.AddNonASCII(fields[i], fields[i+1])
	}
	if err == nil {
		return ordered
	}
	loose := map[string][]string{}
	for i := 0; i < len(fields); i += 2 {
		loose[fields[i]] = append(loose[fields[i]], fields[i+1])
	}
	return okhttp.HeadersFrom(loose)
}
