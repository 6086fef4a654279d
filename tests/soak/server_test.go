package soak

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// site is one host: a server that does to each request what chance says.
type site struct {
	name   string
	listen net.Listener
	others func(*rand.Rand) string // the URL of any site
	think  time.Duration           // before it answers, at the most

	mu    sync.Mutex
	rng   *rand.Rand
	seen  map[string]int // how often the whole of a request that must not be repeated came, by its id
	conns map[net.Conn]struct{}
	over  bool
	tasks sync.WaitGroup
	http2 *http.Server // nil: it speaks HTTP/1.1, by itself
}

func listenSite(name string, seed uint64, think time.Duration, others func(*rand.Rand) string) (*site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &site{
		name: name, listen: l, others: others, think: think,
		rng: rand.New(rand.NewPCG(seed, 1)), seen: map[string]int{}, conns: map[net.Conn]struct{}{},
	}, nil
}

// start accepts connections, over TLS if there is a configuration.
func (s *site) start(config *tls.Config) {
	l := s.listen
	s.tasks.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = struct{}{}
			rng := rand.New(rand.NewPCG(s.rng.Uint64(), 2))
			if s.over {
				c.Close()
			}
			s.tasks.Go(func() { s.serve(c, config, rng) })
			s.mu.Unlock()
		}
	})
}

// close ends the server and waits for all it does.
func (s *site) close() {
	if s.http2 != nil {
		s.http2.Close()
	}
	s.listen.Close()
	s.mu.Lock()
	s.over = true
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.tasks.Wait()
}

func (s *site) serve(raw net.Conn, config *tls.Config, rng *rand.Rand) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, raw)
		raw.Close()
	}()
	p := &visit{site: s, raw: raw, Conn: raw, rng: rng}
	if config != nil {
		if p.chance(20) { // says nothing, until the client has enough of it
			_, _ = io.Copy(io.Discard, raw)
			return
		}
		p.Conn = tls.Server(raw, config)
	}
	p.in = bufio.NewReader(p.Conn)
	for p.one() {
	}
}

// visit is a connection to a site.
type visit struct {
	*site
	net.Conn // what is spoken over
	raw      net.Conn
	in       *bufio.Reader
	rng      *rand.Rand
}

// chance is true once in n times.
func (v *visit) chance(n int) bool { return v.rng.IntN(n) == 0 }

func (v *visit) send(text string) bool {
	_, err := io.WriteString(v.Conn, text)
	return err == nil
}

// pause lets time pass, in which the other side may go away.
func (v *visit) pause(d time.Duration) bool {
	_ = v.raw.SetReadDeadline(time.Now().Add(d))
	_, err := v.in.Peek(1)
	_ = v.raw.SetReadDeadline(time.Time{})
	return err != nil && err != io.EOF // what a client sends meanwhile, it sends too early
}

func (v *visit) reset() bool {
	if tcp, ok := v.raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	return false
}

// one handles one request, and reports whether another may follow on the connection.
func (v *visit) one() bool {
	if v.chance(200) {
		return false // closes while it is idle
	}
	r, err := http.ReadRequest(v.in)
	if err != nil {
		return false
	}
	if v.chance(60) {
		return v.reset() // before the body was read
	}
	if v.chance(60) {
		v.send("HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno") // the same, with an answer
		return false
	}
	if r.Header.Get("Expect") != "" && !v.send("HTTP/1.1 100 Continue\r\n\r\n") {
		return false
	}
	length, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return false
	}
	if !v.pause(time.Duration(v.rng.Int64N(int64(v.think)))) { // so that many calls are under way, on few processors
		return false
	}
	id := r.Header.Get("X-Id")
	if r.Method == "POST" {
		v.mu.Lock()
		v.seen[id]++
		v.mu.Unlock()
	}
	return v.answer(r, id, length)
}

// late is the id of a forged response that comes when the connection may have been looked at already: then nobody can tell.
const late = "late"

// body is what a response to a request has: its id, over and over.
func body(id string, n int) string { return strings.Repeat(id+" ", n) }

// answer answers a request, well in half of the cases.
func (v *visit) answer(r *http.Request, id string, got int64) bool {
	content := body(id, 1+v.rng.IntN(40))
	if v.chance(50) {
		content = body(id, 20_000)
	}
	head := func(status string, fields ...string) string {
		return "HTTP/1.1 " + status + "\r\nX-Id: " + id + "\r\nX-Got: " + fmt.Sprint(got) + "\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n"
	}
	sized := func(n int) string { return fmt.Sprintf("Content-Length: %d", n) }
	ok := head("200 OK", sized(len(content)))
	half := content[:len(content)/2]
	switch v.rng.IntN(40) {
	case 0:
		return v.reset()
	case 1:
		v.send(ok[:len(ok)/2])
		return v.reset()
	case 2:
		v.send(ok + half)
		return v.reset()
	case 3:
		v.send(ok + half)
		return false
	case 4:
		v.send(ok) // and closes after the head
		return false
	case 5:
		return v.pause(time.Minute) // never answers
	case 6:
		return v.send(ok+half) && v.pause(time.Minute) // nor to the end
	case 7:
		v.send("SSH-2.0-OpenSSH_9.9\r\n\r\n")
		return false
	case 8:
		v.send("HTTP/1.1 200 OK\r\nX-Id : " + id + "\r\n\r\n")
		return false
	case 9: // a slow head
		for _, part := range []string{ok[:5], ok[5:20], ok[20:]} {
			if !v.send(part) || !v.pause(time.Duration(v.rng.IntN(20))*time.Millisecond) {
				return false
			}
		}
		return v.send(content)
	case 10:
		return v.send(ok + content + "HTTP/1.1 200 OK\r\nX-Id: forged\r\nContent-Length: 6\r\n\r\nforged")
	case 11: // a little later
		return v.send(ok+content) && v.pause(time.Duration(v.rng.IntN(3))*time.Millisecond) && v.send("HTTP/1.1 200 OK\r\nX-Id: "+late+"\r\nContent-Length: 6\r\n\r\nforged")
	case 12:
		v.send(head("200 OK") + content) // ends with the connection
		return false
	case 13:
		v.send(head("200 OK", "Connection: close", sized(len(content))) + content)
		return false
	case 14:
		v.send(head("200 OK", "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\nzz\r\n", len(content), content))
		return false
	case 15:
		v.send(head("200 OK", "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n", len(content), content)) // no last chunk
		return false
	case 16:
		return v.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok + content)
	case 17, 18:
		return v.send(head("302 Found", "Location: "+v.others(v.rng)+"/", sized(len(half))) + half)
	case 19:
		if r.Method == "POST" { // it did not act, and says so
			v.mu.Lock()
			v.seen[id]--
			v.mu.Unlock()
		}
		return v.send(head("503 Busy", "Retry-After: 0", sized(0)))
	case 20:
		return v.send(head("204 No Content"))
	case 21:
		v.send(head("200 OK", "X-Long: "+strings.Repeat("x", 300_000), sized(0)))
		return false
	case 22: // closes although it did not say so
		v.send(ok + content)
		return false
	case 23, 24, 25, 26:
		chunks := head("200 OK", "Transfer-Encoding: chunked", "Trailer: X-End")
		for rest := content; rest != ""; {
			n := min(len(rest), 1+v.rng.IntN(4000))
			chunks += fmt.Sprintf("%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		return v.send(chunks + "0\r\nX-End: " + id + "\r\n\r\n")
	}
	return v.send(ok + content)
}
