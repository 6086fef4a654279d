package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// With --parallel the URLs are under way at the same time, no more of them than --parallel-max.
func TestParallel(t *testing.T) {
	var now, most atomic.Int32
	together := make(chan struct{})
	meet := sync.OnceFunc(func() { close(together) }) // three may be at it again later
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			m := most.Load()
			if n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		if n == 3 {
			meet()
		}
		<-together
		io.WriteString(w, r.URL.Path+"\n")
	})
	args := []string{"-Z", "--parallel-max", "3"}
	for i := range 9 {
		args = append(args, fmt.Sprint(url, "/", i))
	}
	r := okcurl(t, args...)
	if lines := strings.Split(strings.TrimSpace(r.out), "\n"); r.code != 0 || len(lines) != 9 || most.Load() != 3 {
		t.Errorf("%+v, %d at the same time", r, most.Load())
	}
	if r := okcurl(t, "-Z", url+"/a", "nonsense://", url+"/b"); r.code != exitScheme || len(r.out) != 6 {
		t.Errorf("%+v", r)
	}
}

// Several bars: each has a line as long as it goes on, below what is finished and whatever else is written.
func TestBars(t *testing.T) {
	var screen bytes.Buffer
	now := time.Unix(0, 0)
	b := newBars(&screen, func() time.Time { return now })
	one := b.begin("dir/one.bin", 1000)
	two := b.begin("a name that is much too long.bin", -1)
	now = now.Add(time.Second)
	one.add(500)
	fmt.Fprintln(b, "okcurl: something else")
	two.add(10)
	one.add(500)
	one.finish()
	two.finish()
	if got, want := rendered(screen.String()), strings.Join([]string{
		"okcurl: something else",
		"one.bin            [==========] 100%  1000 B of 1000 B  1000 B/s  00:01",
		"a name that is mu… 10 B  10 B/s  00:01",
		"",
	}, "\n"); got != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
	}
}

// rendered is what a terminal shows in the end: lines, moves up, and clearing to the end.
func rendered(text string) string {
	var lines []string
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			var n int
			fmt.Sscanf(rest, "%dA", &n)
			_, text, _ = strings.Cut(rest, "\x1b[J")
			lines = lines[:len(lines)-n]
			continue
		}
		line, rest, _ := strings.Cut(text, "\n")
		lines, text = append(lines, line), rest
	}
	return strings.Join(lines, "\n") + "\n"
}

// One family of addresses: a host that has none of it is not found.
func TestFamily(t *testing.T) {
	url := serve(t, echo)
	port := url[strings.LastIndexByte(url, ':')+1:]
	named := "http://both.test:" + port + "/"
	resolve := []string{"--resolve", "both.test:" + port + ":127.0.0.1"}
	if r := okcurl(t, append(resolve, "-4", named)...); r.out != "GET /\n" {
		t.Errorf("%+v", r)
	}
	if r := okcurl(t, append(resolve, "-4", "--no-ipv4", named)...); r.out != "GET /\n" {
		t.Errorf("%+v", r)
	}
	if r := okcurl(t, "-6", "http://127.0.0.1.nip.test:"+port+"/"); r.code != exitResolve {
		t.Errorf("%+v", r)
	}
}
