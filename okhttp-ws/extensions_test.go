package okws

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Section 9.2 and facts 69 to 75: what a response can say.
func TestParseExtensions(t *testing.T) {
	on := extensions{deflate: true}
	with := func(change func(*extensions)) extensions {
		e := on
		change(&e)
		return e
	}
	unknown := with(func(e *extensions) { e.unknown = true })
	for _, c := range []struct {
		values []string
		want   extensions
	}{
		{nil, extensions{}},
		{[]string{""}, extensions{}},
		{[]string{"permessage-deflate"}, on},
		{[]string{"Permessage-DEFLATE"}, on},
		{[]string{", permessage-deflate"}, unknown},
		{[]string{"permessage-deflate;"}, on},
		{[]string{"permessage-deflate, permessage-deflate"}, unknown},
		{[]string{"permessage-deflate", "permessage-deflate"}, unknown},
		{[]string{"", "permessage-deflate"}, on},
		{[]string{"unknown-ext"}, extensions{unknown: true}},
		{[]string{"permessage-deflate; client_no_context_takeover"}, with(func(e *extensions) { e.clientNoContextTakeover = true })},
		{[]string{"permessage-deflate; SERVER_NO_CONTEXT_TAKEOVER"}, with(func(e *extensions) { e.serverNoContextTakeover = true })},
		{[]string{"permessage-deflate; client_no_context_takeover=true"}, with(func(e *extensions) { e.clientNoContextTakeover, e.unknown = true, true })},
		{[]string{"permessage-deflate; client_no_context_takeover; client_no_context_takeover"},
			with(func(e *extensions) { e.clientNoContextTakeover, e.unknown = true, true })},
		{[]string{"permessage-deflate; client_max_window_bits\t =\t \"8\"\t "}, with(func(e *extensions) { e.clientMaxWindowBits, e.clientMaxWindowBitsHint = 8, true })},
		{[]string{"permessage-deflate; server_max_window_bits=15"}, with(func(e *extensions) { e.serverMaxWindowBits = 15 })},
		{[]string{"permessage-deflate; server_max_window_bits=true"}, unknown},
		{[]string{"permessage-deflate; server_max_window_bits"}, unknown},
		{[]string{"permessage-deflate; server_max_window_bits=0"}, unknown},
		{[]string{"permessage-deflate; server_max_window_bits=9; server_max_window_bits=9"}, with(func(e *extensions) { e.serverMaxWindowBits, e.unknown = 9, true })},
		{[]string{"permessage-deflate; unknown_parameter=15"}, unknown},
		{[]string{`permessage-deflate; unknown=",;"`}, unknown},
	} {
		if got := parseExtensions(c.values); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.values, got, c.want)
		}
	}
}

// What a server makes of offers: it takes the first that it understands (RFC 7692 section 5.1).
func TestAcceptOffers(t *testing.T) {
	for _, c := range []struct {
		offers string
		own    Compression
		want   string
	}{
		{"", Compression{}, ""},
		{"permessage-deflate", Compression{}, "permessage-deflate"},
		{"permessage-deflate", Compression{Off: true}, ""},
		{"permessage-bzip2, permessage-deflate", Compression{}, "permessage-deflate"},
		{"permessage-deflate; x, permessage-deflate; server_max_window_bits=10", Compression{}, "permessage-deflate; server_max_window_bits=10"},
		{"permessage-deflate; server_max_window_bits=7, permessage-deflate", Compression{}, "permessage-deflate"},
		{"permessage-deflate; server_max_window_bits", Compression{}, ""},
		{"permessage-deflate; client_max_window_bits=16", Compression{}, ""},
		{"permessage-deflate; client_max_window_bits", Compression{}, "permessage-deflate"},
		{"permessage-deflate; client_max_window_bits", Compression{PeerMaxWindowBits: 10}, "permessage-deflate; client_max_window_bits=10"},
		{"permessage-deflate; client_max_window_bits=9", Compression{PeerMaxWindowBits: 10}, "permessage-deflate; client_max_window_bits=9"},
		{"permessage-deflate", Compression{PeerMaxWindowBits: 10}, "permessage-deflate"},
		{"permessage-deflate; server_no_context_takeover; client_no_context_takeover", Compression{},
			"permessage-deflate; server_no_context_takeover; client_no_context_takeover"},
		{"permessage-deflate", Compression{NoContextTakeover: true, PeerNoContextTakeover: true}, "permessage-deflate; server_no_context_takeover; client_no_context_takeover"},
	} {
		agreed := c.own.accept(parseOffers([]string{c.offers}))
		if got := agreed.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.offers, got, c.want)
		}
	}
}

// Facts 51, 52: what servers answer to the offer, which is exactly permessage-deflate.
func TestExtensionAnswers(t *testing.T) {
	for _, answer := range []string{"permessage-deflate", "permessage-deflate; client_no_context_takeover", "permessage-deflate; server_no_context_takeover",
		"permessage-deflate; server_max_window_bits=15", "permessage-deflate; server_max_window_bits=8"} {
		t.Run(answer, func(t *testing.T) {
			inSite(t, func(t *testing.T, w *site) {
				w.serve(func(rw http.ResponseWriter, r *http.Request) {
					if got := r.Header["Sec-Websocket-Extensions"]; len(got) != 1 || got[0] != "permessage-deflate" {
						t.Errorf("offered %q", got)
					}
					r.Header.Set("Sec-Websocket-Extensions", answer) // as if the client had asked for that
					w.accepting(nil, echo)(rw, r)
				})
				c, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range []string{strings.Repeat("large ", 20000), "", "large large large large", strings.Repeat("large ", 200), strings.Repeat("large ", 201)} {
					done := make(chan error, 1)
					go func() { done <- c.WriteWith(t.Context(), Text, []byte(text), true) }()
					wantMessage(t, c, Text, text)
					must(t, <-done)
				}
				must(t, c.Close(1000, ""))
			})
		})
	}
	for _, answer := range []string{"unknown_parameter=15", "client_max_window_bits=15", "server_max_window_bits=7", "server_max_window_bits=16"} {
		t.Run(answer, func(t *testing.T) {
			inSite(t, func(t *testing.T, w *site) {
				ended := make(chan string, 2)
				w.serveRaw(func(p *rawPeer) {
					p.upgrade("Sec-WebSocket-Extensions", "permessage-deflate; "+answer)
					frame := make([]byte, 6+2+len(unexpectedExtensions))
					_, _ = io.ReadFull(p.in, frame)
					for i := range frame[6:] {
						frame[6+i] ^= frame[2+i%4]
					}
					ended <- fmt.Sprintf("%x %x %s", frame[:2], frame[6:8], frame[8:])
					p.send("\x88\x02\x03\xf2")
				}, func(p *rawPeer) { p.upgrade("Sec-WebSocket-Extensions", "permessage-deflate; "+answer) })
				r := newRecorder(t)
				ws := w.open(r.listener(), nil)
				ws.SendText("lost")
				r.want("open", "closing 1010", "closed 1010")
				if got := <-ended; got != fmt.Sprintf("88%x 03f2 unexpected Sec-WebSocket-Extensions in response header", 0x80|2+len(unexpectedExtensions)) {
					t.Errorf("the server got %s", got)
				}
				_, err := Dial(t.Context(), w.client, "ws://server.test/", nil)
				if refused := (*HandshakeError)(nil); !errors.As(err, &refused) || refused.Detail != unexpectedExtensions {
					t.Errorf("Dial: %v", err)
				}
			})
		})
	}
}

// A server that names a window which it was not offered is borne with where the application says so.
func TestLenientWindow(t *testing.T) {
	e := parseExtensions([]string{"permessage-deflate; client_max_window_bits=15"})
	for want, own := range map[bool]*Compression{false: {}, true: {Lenient: true}} {
		if e.acceptable(own) != want {
			t.Errorf("%+v: not %v", own, want)
		}
	}
	if e = parseExtensions([]string{"permessage-deflate; client_max_window_bits=10"}); e.acceptable(&Compression{Lenient: true}) || !e.acceptable(&Compression{OfferClientWindow: true}) {
		t.Error("a smaller window")
	}
	if e = parseExtensions([]string{"permessage-deflate"}); e.acceptable(&Compression{Off: true}) {
		t.Error("what was not offered")
	}
}
