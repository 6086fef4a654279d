package okws

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// samples are what family 12 compresses: text that is alike, numbers, and bytes that nothing can make smaller.
func samples(n int) map[string][]byte {
	r := rand.New(rand.NewPCG(9, 10))
	noise := make([]byte, n)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var numbers []byte
	for i := 0; len(numbers) < n; i++ {
		numbers = fmt.Appendf(numbers, `{"n":%d,"square":%d},`, i, i*i)
	}
	return map[string][]byte{"prose": []byte(strings.Repeat("Half a league, half a league onward, ", n/37+1)[:n]), "numbers": numbers[:n], "noise": noise}
}

// Families 12 and 13: messages of all sizes with every form of permessage-deflate that two sides can agree on (RFC 7692 section 7.1), several times so that context counts,
// whole and as streams.
func TestFamilyDeflate(t *testing.T) {
	sizes := []int{0, 1, 64, 1024, 16384, 65536}
	if underRace {
		sizes = []int{0, 1, 64, 1024, 34000} // more than the widest window
	}
	for _, c := range []struct {
		name           string
		client, server Compression
		agreed         string
	}{
		{"default", Compression{}, Compression{}, "permessage-deflate"},
		{"no context of the client", Compression{NoContextTakeover: true}, Compression{}, "permessage-deflate; client_no_context_takeover"},
		{"no context of the server", Compression{PeerNoContextTakeover: true}, Compression{}, "permessage-deflate; server_no_context_takeover"},
		{"no context that the server wants", Compression{}, Compression{NoContextTakeover: true, PeerNoContextTakeover: true},
			"permessage-deflate; server_no_context_takeover; client_no_context_takeover"},
		{"a window of the server", Compression{PeerMaxWindowBits: 9}, Compression{}, "permessage-deflate; server_max_window_bits=9"},
		{"the least window of both", Compression{PeerMaxWindowBits: 8, OfferClientWindow: true}, Compression{PeerMaxWindowBits: 8},
			"permessage-deflate; server_max_window_bits=8; client_max_window_bits=8"},
		{"the widest window of both", Compression{PeerMaxWindowBits: 15, OfferClientWindow: true}, Compression{PeerMaxWindowBits: 15},
			"permessage-deflate; server_max_window_bits=15; client_max_window_bits=15"},
		{"windows without context", Compression{PeerMaxWindowBits: 10, OfferClientWindow: true, NoContextTakeover: true, PeerNoContextTakeover: true},
			Compression{PeerMaxWindowBits: 11}, "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=11"},
		{"fast", Compression{Level: 1}, Compression{Level: 9}, "permessage-deflate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c.client.Threshold, c.server.Threshold = -1, -1
				near, far := pair(t, &Config{Compression: c.client}, &Config{Compression: c.server})
				if got := near.Extensions(); got != c.agreed {
					t.Errorf("agreed on %q", got)
				}
				go echo(far)
				for _, n := range sizes {
					for name, want := range samples(n) {
						for round := range 3 {
							written := make(chan error, 1)
							go func() {
								if round < 2 {
									written <- near.Write(t.Context(), Binary, want)
									return
								}
								w, err := near.NextWriter(t.Context(), Binary)
								must(t, err)
								for rest := want; len(rest) > 0; rest = rest[min(len(rest), 10000):] {
									_, err := w.Write(rest[:min(len(rest), 10000)])
									must(t, err)
								}
								written <- w.Close()
							}()
							if kind, got, err := near.Read(t.Context()); err != nil || kind != Binary || !bytes.Equal(got, want) {
								t.Fatalf("%s of %d bytes came back as %d, %v", name, n, len(got), err)
							}
							must(t, <-written)
						}
					}
				}
				must(t, near.Close(CodeNormal, ""))
			})
		})
	}
}

// What a peer compresses is read in fragments cut anywhere, with control frames between them, in both roles.
func TestFamilyDeflateFragments(t *testing.T) {
	d := newDeflater(true, 15, 6)
	text := []byte(strings.Repeat("what is said over and over ", 8))
	first, second := deflated(t, d, text), deflated(t, d, text)
	agreed := extensions{deflate: true}
	for cut := range len(first) + 1 {
		for _, client := range []bool{true, false} {
			stream := wires(!client, sent{0x41, string(first[:cut])}, sent{0x89, "!"}, sent{0x80, string(first[cut:])}, sent{0xc1, string(second)}, closes)
			o := converse(t, client, nil, agreed, stream, 3)
			if want := brief("text", text); len(o.messages) != 2 || o.messages[0] != want || o.messages[1] != want || len(o.answers) != 2 || o.answers[0] != "pong !" {
				t.Errorf("client %v, cut at %d: %+v", client, cut, o)
			}
		}
	}
}
