package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	okws "github.com/okhttp-go/ok/okhttp-ws"
)

// idleRoom is the most that an idle web socket may cost besides the kernel's memory, in bytes: with the goroutine that waits in Read, its stack, and all that the
// handshake left behind.
const idleRoom = 8 << 10

// idleCost is what a process holds for each of its idle web sockets.
type idleCost struct {
	Heap, Stack, Goroutines float64
}

func (c idleCost) bytes() float64 { return c.Heap + c.Stack }

func (c idleCost) String() string {
	return fmt.Sprintf("%.0f bytes: %.0f of heap, %.0f of stack; %.2f goroutines", c.bytes(), c.Heap, c.Stack, c.Goroutines)
}

// held is what the process holds at rest.
func held() idleCost {
	for range 4 { // stacks shrink by half in each
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return idleCost{float64(m.HeapAlloc), float64(m.StackInuse), float64(runtime.NumGoroutine())}
}

// each is what was held more than before, for each of n.
func (c idleCost) each(before idleCost, n int) idleCost {
	by := float64(n)
	return idleCost{(c.Heap - before.Heap) / by, (c.Stack - before.Stack) / by, (c.Goroutines - before.Goroutines) / by}
}

// idleServer is the variable that makes this program the server of TestIdleWebSockets.
const idleServer = "OK_SOAK_IDLE_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv("OK_SOAK_HEAP") != "" {
		runtime.MemProfileRate = 1
	}
	if os.Getenv(idleServer) != "" {
		serveIdle()
		return
	}
	os.Exit(m.Run())
}

// serveIdle accepts web sockets and reads from each. For each line of input it says what one costs.
func serveIdle() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var open atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := okws.Accept(w, r, nil)
		if err != nil {
			return
		}
		go func() { // the handler returns, so that net/http can let go of what it has
			open.Add(1)
			_ = c.Discard(context.Background())
		}()
	})}
	go func() { _ = server.Serve(l) }()
	fmt.Println(l.Addr())
	before := held()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		now := held().each(before, max(1, int(open.Load())))
		_ = json.NewEncoder(os.Stdout).Encode(now)
		saveHeap("server")
	}
}

// saveHeap writes a profile of the heap in the directory that OK_SOAK_HEAP names, if it does.
func saveHeap(role string) {
	if dir := os.Getenv("OK_SOAK_HEAP"); dir != "" {
		f, err := os.Create(dir + "/" + role + ".heap")
		if err != nil {
			panic(err)
		}
		_ = pprof.Lookup("heap").WriteTo(f, 0)
		_ = f.Close()
	}
}

// An idle web socket costs at most idleRoom in both roles, and no goroutine but the one that reads. There are as many as OK_SOAK_SOCKETS says. Those of clients are in this
// process, those of the server in another, which is this program too.
func TestIdleWebSockets(t *testing.T) {
	n := 1000
	if s := os.Getenv("OK_SOAK_SOCKETS"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), idleServer+"=1")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the server did not start")
	}
	url := "ws://" + lines.Text()

	client := okhttp.New()
	conns := make([]*okws.Conn, n)
	var readers sync.WaitGroup
	before := held()
	for i := range conns {
		if conns[i], err = okws.Dial(t.Context(), client, url, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range conns { // the pong was read, so its reader waits for more: on both sides
		readers.Go(func() { _, _, _ = c.Read(context.Background()) })
		if _, err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	costs := map[string]idleCost{"client": held().each(before, n)}
	saveHeap("client")
	if _, err := fmt.Fprintln(in); err != nil || !lines.Scan() {
		t.Fatal("the server does not answer", err)
	}
	var server idleCost
	if err := json.Unmarshal(lines.Bytes(), &server); err != nil {
		t.Fatal(err)
	}
	costs["server"] = server
	for role, cost := range costs {
		t.Logf("%d idle web sockets, each on the %s's side: %v", n, role, cost)
		if mostCallers > 1000 && runtime.GOOS == "linux" && cost.bytes() > idleRoom { // the race detector's frames are larger, and so is what others keep for a socket
			t.Errorf("an idle web socket of a %s costs %.0f bytes, more than %d", role, cost.bytes(), idleRoom)
		}
		if cost.Goroutines > 1.05 {
			t.Errorf("an idle web socket of a %s has %.2f goroutines", role, cost.Goroutines)
		}
	}
	for _, c := range conns {
		_ = c.CloseNow()
	}
	readers.Wait()
	client.Close()
	_ = in.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
}
