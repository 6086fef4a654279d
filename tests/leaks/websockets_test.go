package leaks

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	okws "github.com/okhttp-go/ok/okhttp-ws"
)

// upgrading accepts connections, answers their upgrade and then holds on to them with next to no memory of its own.
func upgrading(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	var done sync.WaitGroup
	done.Go(func() {
		r := bufio.NewReader(nil)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
			r.Reset(c)
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			sum := sha1.Sum([]byte(req.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
			fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
				base64.StdEncoding.EncodeToString(sum[:]))
		}
	})
	t.Cleanup(func() {
		l.Close()
		done.Wait()
		for _, c := range conns {
			c.Close()
		}
	})
	return "ws://" + l.Addr().String() + "/"
}

// memory is what the heap and the stacks take, once nothing more can be freed.
func memory() uint64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// An idle web socket costs 8 KiB at the most, besides what the kernel has for it, and no goroutine; the stack of one that waits in Read comes on top.
// WEBSOCKETS=9000 opens as many.
func TestIdleWebSockets(t *testing.T) {
	n := 1000
	if text := os.Getenv("WEBSOCKETS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, reading := range []bool{false, true} {
		t.Run(fmt.Sprintf("reading %v", reading), func(t *testing.T) {
			url := upgrading(t)
			client := okhttp.New()
			defer client.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			conns := make([]*okws.Conn, 0, n)
			before, goroutines := memory(), runtime.NumGoroutine()
			var readers sync.WaitGroup
			for range n {
				conn, err := okws.Dial(ctx, client, url, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.CloseNow()
				conns = append(conns, conn)
				if reading {
					readers.Go(func() { conn.Read(ctx) })
				}
			}
			runtime.Gosched()
			each := int64(memory()-before) / int64(n)
			more := runtime.NumGoroutine() - goroutines
			t.Logf("%d idle web sockets: %d bytes and %.2f goroutines each", n, each, float64(more)/float64(n))
			most := int64(8 << 10)
			if reading {
				most *= 2
			}
			if each > most && !underRace {
				t.Errorf("%d bytes each, want %d at the most", each, most)
			}
			if want := map[bool]int{false: 0, true: n}[reading]; more > want+20 {
				t.Errorf("%d goroutines more, want %d", more, want)
			}
			cancel()
			for _, c := range conns {
				c.CloseNow()
			}
			readers.Wait()
		})
	}
}
