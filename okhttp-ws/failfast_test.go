package okws

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// What cannot be text any more is refused while the rest of the message is still to come: inside a frame, across fragments, and out of a compressed message, whoever reads it.
func TestImpossibleTextFailsFast(t *testing.T) {
	packed := deflated(t, newDeflater(false, 15, 6), []byte("good \xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited, and what nobody sends"))
	enough := len(packed) - 10
	for name, stream := range map[string][]sent{
		"in a frame":                     {{0x81, "good \xce\xba\xed\xa0\x80 and more"}},
		"across fragments":               {{0x01, "good \xed"}, {0x89, "!"}, {0x80, "\xa0 and more"}},
		"compressed":                     {{0xc1, string(packed)}},
		"compressed, across fragments":   {{0x41, string(packed[:8])}, {0x89, "!"}, {0x80, string(packed[8:])}},
		"compressed, the end is to come": {{0x41, string(packed[:enough])}},
	} {
		for _, client := range []bool{true, false} {
			for way, read := range map[string]func(t *testing.T, c *Conn) error{
				"Read":       func(t *testing.T, c *Conn) error { _, _, err := c.Read(t.Context()); return err },
				"NextReader": readStream,
			} {
				bubble(t, func(t *testing.T) {
					c, h := end(t, client, nil, extensions{deflate: true, serverNoContextTakeover: true, clientNoContextTakeover: true})
					wire := wires(!client, stream...)
					if name != "compressed, the end is to come" {
						wire = wire[:len(wire)-5] // nor does the rest ever come
					}
					go func() { _ = h.push(wire) }()
					wantViolation(t, read(t, c), CodeInvalidPayload, "a text message is not UTF-8")
					if t.Failed() {
						t.Logf("%s, %s, client %v", name, way, client)
					}
				})
			}
		}
	}
}

func readStream(t *testing.T, c *Conn) error {
	_, r, err := c.NextReader(t.Context())
	for p := make([]byte, 3); err == nil; {
		_, err = r.Read(p)
	}
	return err
}

// A server that compresses but leaves out what it was asked for has not accepted the offer (RFC 7692 sections 7.1.1.1 and 7.1.2.1).
func TestAnswerMeetsOffer(t *testing.T) {
	for _, c := range []struct {
		asked   Compression
		answer  string
		want    bool
		lenient bool // taken with Lenient
	}{
		{Compression{PeerNoContextTakeover: true}, "permessage-deflate; server_no_context_takeover", true, true},
		{Compression{PeerNoContextTakeover: true}, "permessage-deflate; server_no_context_takeover; client_no_context_takeover", true, true},
		{Compression{PeerNoContextTakeover: true}, "permessage-deflate", false, true},
		{Compression{PeerNoContextTakeover: true}, "permessage-deflate; client_no_context_takeover", false, true},
		{Compression{PeerNoContextTakeover: true}, "", true, true}, // it does not compress at all
		{Compression{}, "permessage-deflate; server_no_context_takeover", true, true},
		{Compression{NoContextTakeover: true}, "permessage-deflate", true, true}, // a hint to the server, which need not repeat it (7.1.1.2)
		{Compression{PeerMaxWindowBits: 10}, "permessage-deflate; server_max_window_bits=10", true, true},
		{Compression{PeerMaxWindowBits: 10}, "permessage-deflate; server_max_window_bits=9", true, true},
		{Compression{PeerMaxWindowBits: 10}, "permessage-deflate; server_max_window_bits=11", false, true},
		{Compression{PeerMaxWindowBits: 10}, "permessage-deflate", false, true},
		{Compression{PeerMaxWindowBits: 10}, "permessage-deflate; server_max_window_bits=16", false, false},
		{Compression{}, "permessage-deflate; server_max_window_bits=12", true, true},
	} {
		e := parseExtensions([]string{c.answer})
		if got := e.acceptable(&c.asked); got != c.want {
			t.Errorf("%+v, %q: %v", c.asked, c.answer, got)
		}
		c.asked.Lenient = true
		if got := e.acceptable(&c.asked); got != c.lenient {
			t.Errorf("%+v, %q: %v", c.asked, c.answer, got)
		}
	}
}

// A server whose connections cannot be taken over answers without anything of the upgrade that did not come about.
func TestAcceptFailsClean(t *testing.T) {
	r := httptest.NewRequest("GET", "http://server.test/", nil)
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
		"Sec-Websocket-Protocol": "chat", "Sec-Websocket-Extensions": "permessage-deflate"} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Server", "here")
	_, err := Accept(w, r, &AcceptConfig{Config: Config{Subprotocols: []string{"chat"}}, Header: http.Header{"X-Own": {"1"}}})
	if err == nil || w.Code != 500 || w.Header().Get("Server") != "here" {
		t.Fatalf("answered %d %v, %v", w.Code, w.Header(), err)
	}
	for _, name := range []string{"Upgrade", "Connection", "Sec-Websocket-Accept", "Sec-Websocket-Protocol", "Sec-Websocket-Extensions", "X-Own"} {
		if value, set := w.Header()[name]; set {
			t.Errorf("%s: %q", name, value)
		}
	}
}
