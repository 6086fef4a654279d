package adapters

import (
	"context"

	"github.com/okhttp-go/ok/okhttp"
	okws "github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/tests/bench"
)

func init() {
	bench.Register("ok-ws", okWS{})
	bench.Register("ok-ws-fresh", okWS{fresh: true})
}

// okWS is this project's web socket under a context that can be canceled: with memory for messages that is used again, as gws and the floor do, or a new slice
// for each message, as gorilla and coder do.
type okWS struct{ fresh bool }

func (a okWS) DialWS(ctx context.Context, c bench.WSConfig) (bench.WSConn, error) {
	cfg := &okws.Config{MaxMessage: 64 << 20, Compression: okws.Compression{Off: !c.Deflate, Threshold: -1, Level: 1, NoContextTakeover: true, PeerNoContextTakeover: true}}
	client := okhttp.New()
	conn, err := okws.Dial(ctx, client, c.URL, cfg)
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	w := &okWSConn{Conn: conn, client: client, fresh: a.fresh}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w, nil
}

type okWSConn struct {
	*okws.Conn
	client *okhttp.Client
	fresh  bool
	memory []byte
	ctx    context.Context
	cancel context.CancelFunc
}

func (w *okWSConn) Echo(msg []byte, n int) error {
	for ; n > 0; n-- {
		if err := w.Write(w.ctx, okws.Text, msg); err != nil {
			return err
		}
		if w.fresh {
			w.memory = nil
		}
		_, p, err := w.ReadInto(w.ctx, w.memory[:0])
		if err != nil {
			return err
		}
		if w.memory = p; len(p) != len(msg) {
			return check(len(p), len(msg))
		}
	}
	return nil
}

func (w *okWSConn) Close() error {
	w.cancel()
	_ = w.CloseNow()
	return w.client.Close()
}
