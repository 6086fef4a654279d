//go:build unix

package interop

import (
	"bufio"
	"io"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestProxyLikeCurl compares what a proxy sees of okcurl and of curl. Where curl has more to say, or says it otherwise, the difference is named.
func TestProxyLikeCurl(t *testing.T) {
	path, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	for name, tt := range map[string]struct {
		args  string // PROXY is the proxy's host and port
		socks bool
		curls []string // the lines that only curl sends
		ours  []string
	}{
		"forward":              {"-x http://PROXY http://server.test/a/b?c=d%20e#f", false, []string{"Proxy-Connection: Keep-Alive"}, []string{"Connection: Keep-Alive"}},
		"forward, port":        {"-x http://PROXY http://server.test:8080", false, []string{"Proxy-Connection: Keep-Alive"}, []string{"Connection: Keep-Alive"}},
		"forward, IPv6":        {"-x http://PROXY http://[2001:db8::1]/", false, []string{"Proxy-Connection: Keep-Alive"}, []string{"Connection: Keep-Alive"}},
		"forward, user":        {"-x http://PROXY -U aladdin:sesame http://server.test/", false, []string{"Proxy-Connection: Keep-Alive"}, []string{"Connection: Keep-Alive"}},
		"forward, user of URL": {"-x http://alad%3Adin:s%20@PROXY http://server.test/", false, nil, nil},
		"forward, own fields":  {"-x http://PROXY -u a:b -A me http://server.test/", false, []string{"Proxy-Connection: Keep-Alive"}, []string{"Connection: Keep-Alive"}},
		"tunnel":               {"-x http://PROXY -A me https://server.test/a", false, []string{"User-Agent: me"}, []string{"User-Agent: *"}},
		"tunnel, port":         {"-x http://PROXY -A me https://server.test:8443/a", false, []string{"User-Agent: me"}, []string{"User-Agent: *"}},
		"tunnel, IPv6":         {"-x http://PROXY -A me https://[2001:db8::1]/", false, []string{"User-Agent: me"}, []string{"User-Agent: *"}},
		"tunnel, user":         {"-x http://PROXY -U aladdin:sesame -A me -H X-Own:v https://server.test/", false, []string{"User-Agent: me"}, []string{"User-Agent: *"}},
		"socks5h":              {"--socks5-hostname PROXY http://server.test/", true, nil, nil},
		"socks5h, address":     {"--socks5-hostname PROXY http://192.0.2.1:81/", true, nil, nil},
		"socks5":               {"--socks5 PROXY http://192.0.2.1/", true, nil, nil},
		"socks5, IPv6":         {"--socks5 PROXY http://[2001:db8::1]/", true, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			seen := recordProxy(t, tt.socks)
			args := strings.Fields(strings.ReplaceAll(tt.args, "PROXY", seen.addr))
			cmd := exec.Command(path, append([]string{"-s", "-q", "--max-time", "20"}, args...)...)
			cmd.Env = []string{}
			out, _ := cmd.CombinedOutput()
			theirs := seen.next(t, out)
			if name == "forward, user of URL" { // Basic has no place for a colon in a name: curl sends it all the same
				curl(args...).want(t, 5, "")
				return
			}
			o := curl(args...)
			ours := seen.next(t, []byte(o.err))
			if tt.socks {
				if theirs[0] != ours[0] {
					t.Errorf("curl asks for %q, okcurl for %q", theirs, ours)
				}
				return
			}
			for i, line := range ours {
				switch {
				case strings.HasPrefix(line, "User-Agent: okhttp-go/"):
					ours[i] = "User-Agent: *"
				case strings.HasPrefix(line, "User-Agent: okcurl/"):
					ours[i] = "User-Agent: curl"
				}
			}
			for i, line := range theirs {
				if strings.HasPrefix(line, "User-Agent: curl/") {
					theirs[i] = "User-Agent: curl"
				}
			}
			slices.Sort(ours[1:])
			slices.Sort(theirs[1:])
			onlyTheirs, onlyOurs := linesOnlyIn(theirs, ours), linesOnlyIn(ours, theirs)
			if theirs[0] != ours[0] || !slices.Equal(onlyTheirs, tt.curls) || !slices.Equal(onlyOurs, tt.ours) {
				t.Errorf("curl sends\n%s\nokcurl sends\n%s", strings.Join(theirs, "\n"), strings.Join(ours, "\n"))
			}
		})
	}
}

func linesOnlyIn(lines, others []string) (rest []string) {
	for _, line := range lines {
		if !slices.Contains(others, line) {
			rest = append(rest, line)
		}
	}
	return rest
}

// proxyRecorder is a proxy that notes what each connection asks for, and grants nothing.
type proxyRecorder struct {
	addr string
	seen chan []string
}

func (r *proxyRecorder) next(t *testing.T, said []byte) []string {
	t.Helper()
	select {
	case lines := <-r.seen:
		return lines
	case <-time.After(patience):
		t.Fatalf("nothing was asked for: %s", said)
		return nil
	}
}

func recordProxy(t *testing.T, socks bool) *proxyRecorder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &proxyRecorder{l.Addr().String(), make(chan []string, 10)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.SetDeadline(time.Now().Add(patience))
			if socks {
				r.seen <- []string{socksAsked(c)}
			} else {
				r.seen <- headLines(c)
				io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			}
			c.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return r
}

func headLines(c net.Conn) (lines []string) {
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimSuffix(line, "\r\n"); err != nil || line == "" {
			return lines
		}
		lines = append(lines, line)
	}
}

// socksAsked is the request as it is on the wire (RFC 1928 section 4), which is refused.
func socksAsked(c net.Conn) string {
	in := bufio.NewReader(c)
	greeting := make([]byte, 2)
	io.ReadFull(in, greeting)
	io.CopyN(io.Discard, in, int64(greeting[1]))
	io.WriteString(c, "\x05\x00")
	head, _ := in.Peek(5)
	if len(head) < 5 {
		return ""
	}
	n := map[byte]int{1: 4 + 4 + 2, 3: 4 + 1 + int(head[4]) + 2, 4: 4 + 16 + 2}[head[3]]
	request := make([]byte, n)
	io.ReadFull(in, request)
	io.WriteString(c, "\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00")
	return string(request)
}
