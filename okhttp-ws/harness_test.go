package okws

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// pair returns a client's and a server's end, face to face in memory.
func pair(t *testing.T, client, server *Config) (c, s *Conn) {
	t.Helper()
	a, b := okio.SocketPair(8192)
	return pairOver(t, a, b, client, server)
}

func pairOver(t *testing.T, a, b okio.Socket, client, server *Config) (c, s *Conn) {
	t.Helper()
	cs, err := client.settings()
	if err != nil {
		t.Fatal(err)
	}
	ss, err := server.settings()
	if err != nil {
		t.Fatal(err)
	}
	var agreed extensions
	if offer := cs.Compression.offer(); offer.deflate {
		agreed = ss.Compression.accept(parseOffers([]string{offer.String()}))
	}
	c, s = newConn(a, cs, true, agreed), newConn(b, ss, false, agreed)
	t.Cleanup(func() {
		_ = c.CloseNow()
		_ = s.CloseNow()
	})
	c.schedulePings()
	s.schedulePings()
	return c, s
}

// end returns one end, whose peer is written by hand.
func end(t *testing.T, client bool, cfg *Config, agreed extensions) (*Conn, *hand) {
	t.Helper()
	a, b := okio.SocketPair(0)
	set, err := cfg.settings()
	if err != nil {
		t.Fatal(err)
	}
	c := newConn(a, set, client, agreed)
	t.Cleanup(func() {
		_ = c.CloseNow()
		b.Cancel(nil) // or c would give it time to notice the end
	})
	c.schedulePings()
	return c, &hand{t, b}
}

// hand is a peer that sends bytes as they are told.
type hand struct {
	t *testing.T
	okio.Socket
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (h *hand) send(hex string) {
	h.t.Helper()
	h.write(unhex(h.t, hex))
}

func (h *hand) write(p []byte) {
	h.t.Helper()
	if err := h.push(p); err != nil {
		h.t.Errorf("write: %v", err)
	}
}

// push is write to an end that may have gone.
func (h *hand) push(p []byte) error {
	var b okio.Buffer
	_, _ = b.Write(p)
	return h.Sink().WriteBuffer(&b, b.Len())
}

// rest returns what comes until the end of the stream.
func (h *hand) rest() string {
	var b okio.Buffer
	for {
		if _, err := h.Source().ReadBuffer(&b, 1<<20); err != nil {
			break
		}
	}
	return b.Snapshot().Hex()
}

// want wants bytes next.
func (h *hand) want(hex string) {
	h.t.Helper()
	want := unhex(h.t, hex)
	var b okio.Buffer
	for b.Len() < int64(len(want)) {
		if _, err := h.Source().ReadBuffer(&b, int64(len(want))-b.Len()); err != nil {
			h.t.Errorf("after %s: %v", b.Snapshot().Hex(), err)
			return
		}
	}
	if got := b.Snapshot().Hex(); got != okio.ByteString(want).Hex() {
		h.t.Errorf("got %s, want %s", got, okio.ByteString(want).Hex())
	}
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// wantMessage wants a message next.
func wantMessage(t *testing.T, c *Conn, kind Type, want string) {
	t.Helper()
	got, p, err := c.Read(t.Context())
	if err != nil || got != kind || string(p) != want {
		if len(p) > 100 {
			p = p[:100]
		}
		t.Fatalf("read %v %q, %v; want %v of %d bytes", got, p, err, kind, len(want))
	}
}

func wantClose(t *testing.T, err error, code Code, reason string) {
	t.Helper()
	var closed *CloseError
	if !errors.As(err, &closed) || closed.Code != code || closed.Reason != reason {
		t.Errorf("%v, want the peer's close frame with %d %q", err, code, reason)
	}
}

// wantViolation wants a protocol error.
func wantViolation(t *testing.T, err error, code Code, detail string) {
	t.Helper()
	var broken *ProtocolError
	if !errors.As(err, &broken) || broken.Code != code || !strings.Contains(broken.Detail, detail) {
		t.Errorf("%v, want a violation %d %q", err, code, detail)
	}
}

func background() context.Context { return context.Background() }

const ms = time.Millisecond

func timeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
