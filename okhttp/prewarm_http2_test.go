package okhttp

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// streams2 is a server that speaks HTTP/2 as far as to say how many streams it allows, first and each time that it is told to.
func streams2(first uint32, later <-chan uint32) func(*peer) {
	return func(p *peer) {
		limit := func(n uint32) {
			p.Write(http2.AppendSettings(nil, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Value: n}))
		}
		limit(first)
		if later != nil {
			go func() {
				for n := range later {
					limit(n)
				}
			}()
		}
		io.Copy(io.Discard, p.in)
	}
}

// The facts of section 8.8 for connections that carry several calls.
func TestPrewarmHTTP2(t *testing.T) {
	for name, tt := range map[string]struct {
		policy  int
		changed uint32 // the limit of the first connection, later
		want    int
		idle    int // connections that the pool keeps beside
	}{
		"as many as a connection carries":      {5, 0, 1, 5},
		"one more":                             {6, 0, 2, 5},
		"the server lowers it":                 {5, 3, 2, 5},
		"but not below":                        {3, 3, 1, 5},
		"the server raises it":                 {6, 8, 2, 5},
		"one more, and none is kept beside":    {6, 0, 2, -1},
		"lowered, and a better one took over":  {5, 3, 1, -1},
		"raised, so that the other one can go": {6, 8, 1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			logged(t, PoolConfig{MaxIdle: tt.idle}, func(t *testing.T, w *world, d *dials, l *poolLog) {
				later := make(chan uint32)
				w.serve("server.test", v4a, streams2(5, later), streams2(5, nil), streams2(5, nil))
				w.prewarm("http://server.test/", AddressPolicy{MinConcurrentCalls: tt.policy})
				time.Sleep(time.Second)
				if tt.changed > 0 {
					later <- tt.changed
				}
				close(later)
				time.Sleep(time.Second)
				synctest.Wait()
				if got := w.client.cfg.pool.Stats(); got != (PoolStats{Connections: tt.want, Idle: tt.want}) {
					t.Errorf("pool %+v, want %d idle", got, tt.want)
				}
				w.wantOpen(d, tt.want)
			}, WithProtocols(HTTP2PriorKnowledge))
		})
	}
}

// A server that does not begin with HTTP/2, or ends at once, is one that fails: it is left alone until the back-off is over.
func TestPrewarmHTTP2Fails(t *testing.T) {
	settings := http2.AppendSettings(nil)
	for name, tt := range map[string]struct {
		script func(*peer)
		took   time.Duration // of one try
		want   string
	}{
		"closes": {func(p *peer) { p.in.ReadByte() }, 0, `
			closed #1 (the server did not begin with HTTP/2)`},
		"speaks HTTP/1.1": {func(p *peer) { p.head(); p.send("HTTP/1.1 400 Bad Request\r\n\r\n") }, 0, `
			closed #1 (the server did not begin with HTTP/2)`},
		"says nothing": {func(p *peer) { io.Copy(io.Discard, p.in) }, 10 * time.Second, `
			closed #1 (the server did not begin with HTTP/2)`},
		"says goodbye": {func(p *peer) {
			p.Write(http2.AppendGoAway(settings, 0, http2.NoError, nil))
			io.Copy(io.Discard, p.in)
		}, 0, ""}, // before or after it is in the pool
		"says goodbye a little later": {func(p *peer) {
			p.Write(settings)
			time.Sleep(100 * time.Millisecond)
			p.Write(http2.AppendGoAway(nil, 0, http2.NoError, nil))
			io.Copy(io.Discard, p.in)
		}, 0, `
			noNewExchanges #1 (the peer says goodbye (GOAWAY): NO_ERROR, after stream 0)
			closed #1 (not fit for another exchange)`},
	} {
		t.Run(name, func(t *testing.T) {
			logged(t, PoolConfig{}, func(t *testing.T, w *world, d *dials, l *poolLog) {
				w.serve("server.test", v4a, repeat(9, tt.script)...)
				w.prewarm("http://server.test/", AddressPolicy{MinConcurrentCalls: 1})
				time.Sleep(50 * time.Second)
				synctest.Wait()
				l.untimed()
				if tt.want != "" {
					l.want(t, `
						connectStart (server.test at 10.0.0.1:80)
						connectEnd #1 (server.test at 10.0.0.1:80)`+tt.want)
				}
				time.Sleep(21*time.Second + tt.took)
				w.wantOpen(d, 0)
				d.mu.Lock()
				defer d.mu.Unlock()
				if len(d.log) != 2 {
					t.Errorf("dialed %q, want twice", d.log)
				}
			}, WithProtocols(HTTP2PriorKnowledge))
		})
	}
}
