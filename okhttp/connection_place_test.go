package okhttp

import (
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// A call that finds a connection the moment it is in the pool finds that the connection knows its place there.
func TestPlacedBeforeFound(t *testing.T) {
	p := NewConnectionPool(PoolConfig{})
	defer p.Close()
	addr := address{host: "server.test"}
	for range 300 {
		near, far := net.Pipe()
		conn := &Connection{route: &Route{}, raw: near, address: addr, http2: http2.NewClient(near, http2.Config{})}
		var both sync.WaitGroup
		both.Go(func() { p.addUnless(conn) })
		both.Go(func() {
			for {
				if e, _ := p.p.Acquire(addr, time.Now(), func(*pooled) bool { return true }); e != nil {
					if e.Conn.entry != e {
						t.Errorf("the place of the connection is %p, not %p", e.Conn.entry, e)
					}
					return
				}
				runtime.Gosched()
			}
		})
		both.Wait()
		far.Close()
		p.p.Remove(conn.entry)
	}
}
