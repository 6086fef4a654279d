package okws

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// acceptGUID is what a server appends to the key (RFC 6455 section 1.3).
const acceptGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

const version = "13"

func freshKey() string {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	return base64.StdEncoding.EncodeToString(nonce[:])
}

// acceptOf answers a key.
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + acceptGUID))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// NewRequest makes a request for a web socket: a GET whose URL may begin with ws: or wss:, which stand for http: and https:. Set what else the server is to see, such
// as Origin, with its options.
func NewRequest(rawURL string, opts ...okhttp.RequestOption) (*okhttp.Request, error) {
	for from, to := range map[string]string{"ws:": "http:", "wss:": "https:"} {
		if len(rawURL) >= len(from) && strings.EqualFold(rawURL[:len(from)], from) {
			rawURL = to + rawURL[len(from):]
			break
		}
	}
	return okhttp.NewRequest("GET", rawURL, opts...)
}

// handshakeRequest adds the headers of an opening handshake (RFC 6455 section 4.1).
func handshakeRequest(req *okhttp.Request, key string, cfg *Config) (*okhttp.Request, error) {
	if req.Method() != "GET" {
		return nil, &ArgumentError{"Request must be GET: " + req.Method()}
	}
	const extensionsName = "Sec-WebSocket-Extensions"
	if _, set := req.Headers().Last(extensionsName); set {
		return nil, &okhttp.ProtocolError{Detail: "Request header not permitted: '" + extensionsName + "'"}
	}
	opts := []okhttp.RequestOption{
		okhttp.Upgrade("websocket"), okhttp.Header("Sec-WebSocket-Key", key), okhttp.Header("Sec-WebSocket-Version", version),
	}
	if offer := cfg.Compression.offer(); offer.deflate {
		opts = append(opts, okhttp.Header(extensionsName, offer.String()))
	}
	if len(cfg.Subprotocols) > 0 {
		opts = append(opts, okhttp.Header("Sec-WebSocket-Protocol", strings.Join(cfg.Subprotocols, ", ")))
	}
	return req.With(opts...)
}

// checkResponse decides whether a response completes the handshake.
func checkResponse(resp *okhttp.Response, key string) *HandshakeError {
	h := resp.Headers()
	refused := func(detail string) *HandshakeError { return &HandshakeError{Response: resp, Detail: detail} }
	expected := func(name, want, got string, ok bool) *HandshakeError {
		if ok {
			got = "'" + got + "'"
		} else {
			got = "'null'"
		}
		return refused("Expected '" + name + "' header value '" + want + "' but was " + got)
	}
	if resp.Protocol == okhttp.HTTP2 { // RFC 8441 section 5: the stream is what was asked for, and nothing has to be proved
		if resp.Status/100 != 2 {
			return refused("Expected HTTP 2xx response but was '" + status(resp) + "'")
		}
	} else {
		if resp.Status != 101 {
			return refused("Expected HTTP 101 response but was '" + status(resp) + "'")
		}
		if value, ok := h.Last("Connection"); !hasToken(h.Values("Connection"), "Upgrade") {
			return expected("Connection", "Upgrade", value, ok)
		}
		if value, ok := h.Last("Upgrade"); !strings.EqualFold(value, "websocket") {
			return expected("Upgrade", "websocket", value, ok)
		}
		if value, ok := h.Last("Sec-WebSocket-Accept"); value != acceptOf(key) {
			return expected("Sec-WebSocket-Accept", acceptOf(key), value, ok)
		}
	}
	if err := checkSubprotocol(resp); err != nil {
		return err
	}
	if _, ok := resp.Socket(); !ok {
		return refused("Web Socket socket missing: bad interceptor?")
	}
	return nil
}

// checkSubprotocol wants the server's choice to be one of those offered, which the application may also have put into the header itself.
func checkSubprotocol(resp *okhttp.Response) *HandshakeError {
	chosen := strings.Join(slices.Collect(resp.Headers().Values("Sec-WebSocket-Protocol")), ", ") // more than one is none (RFC 6455 section 11.3.4)
	if _, ok := resp.Headers().Last("Sec-WebSocket-Protocol"); !ok || hasExactToken(resp.Request().Headers().Values("Sec-WebSocket-Protocol"), chosen) {
		return nil
	}
	return &HandshakeError{Response: resp, Detail: "Expected 'Sec-WebSocket-Protocol' header value to be one of those offered but was '" + chosen + "'"}
}

func status(resp *okhttp.Response) string {
	return strings.TrimRight(strconv.Itoa(resp.Status)+" "+resp.Message, " ")
}

// tokens lists what stands between the commas of header values.
func tokens(values func(func(string) bool)) (list []string) {
	for value := range values {
		for token := range strings.SplitSeq(value, ",") {
			if token = trimBlanks(token); token != "" {
				list = append(list, token)
			}
		}
	}
	return list
}

func hasToken(values func(func(string) bool), want string) bool {
	return slices.ContainsFunc(tokens(values), func(s string) bool { return strings.EqualFold(s, want) })
}

func hasExactToken(values func(func(string) bool), want string) bool {
	return slices.Contains(tokens(values), want)
}

// isToken reports whether s is a token of RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"(),/:;<=>?@[\\]{}", c) >= 0 {
			return false
		}
	}
	return s != ""
}

// quoted renders what came from elsewhere, cut short.
func quoted(s string) string {
	const most = 64
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
