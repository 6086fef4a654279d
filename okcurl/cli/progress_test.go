package cli

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		elapsed     time.Duration
		want        string
	}{
		{0, 2048, 0, "[                        ]   0%  0 B of 2.0 KiB"},
		{1024, 2048, 2 * time.Second, "[============            ]  50%  1.0 KiB of 2.0 KiB  512 B/s  00:02"},
		{2048, 2048, 4 * time.Second, "[========================] 100%  2.0 KiB of 2.0 KiB  512 B/s  00:04"},
		{0, 0, time.Second, "[========================] 100%  0 B of 0 B  0 B/s  00:01"},
		{3 << 20, -1, 90 * time.Second, "3.0 MiB  34.1 KiB/s  01:30"},
		{1 << 30, 4 << 40, time.Second, "[                        ]   0%  1.0 GiB of 4.0 TiB  1.0 GiB/s  1:08:15"},
		{1, 1 << 60, time.Second, "[                        ]   0%  1 B of 1.0 EiB  1 B/s  277:46:40"},
	} {
		p := &progress{done: c.done, total: c.total}
		if got := p.line(c.elapsed); got != c.want {
			t.Errorf("%d of %d after %v: %q, want %q", c.done, c.total, c.elapsed, got, c.want)
		}
	}
}

func TestProgressIsThrottled(t *testing.T) {
	var screen bytes.Buffer
	now := time.Unix(0, 0)
	p := newProgress(&screen, 1000, func() time.Time { return now })
	for range 1000 { // a millisecond each
		now = now.Add(time.Millisecond)
		p.add(1)
	}
	p.finish()
	if drawn := strings.Count(screen.String(), "\r"); drawn != 11 {
		t.Errorf("drawn %d times in a second, want every 100 ms and at the end", drawn)
	}
	for _, line := range strings.Split(strings.TrimSuffix(screen.String(), "\n"), "\r")[1:] {
		if len(line) != progressLine {
			t.Errorf("%d columns: %q", len(line), line)
		}
	}
	if !strings.HasSuffix(strings.TrimRight(screen.String(), " \n"), "100%  1000 B of 1000 B  1000 B/s  00:01") {
		t.Errorf("the end: %q", screen.String())
	}
}

// TestProgressBar runs transfers as if standard error were a terminal, or not.
func TestProgressBar(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 1<<20)) })
	for _, c := range []struct {
		args   string
		screen bool
		want   bool
	}{
		{"-o " + os.DevNull, true, true},
		{"-o " + os.DevNull, false, false},
		{"-s -o " + os.DevNull, true, false},
		{"-v -o " + os.DevNull, true, false},
		{"-o -", true, false},
		{"", true, false},
	} {
		o, err := parse(append(strings.Fields(c.args), url))
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		s, err := newSession(o, strings.NewReader(""), &out, &errs)
		if err != nil {
			t.Fatal(err)
		}
		s.screen = c.screen
		if code := s.run(t.Context()); code != 0 {
			t.Errorf("%s: exit %d", c.args, code)
		}
		s.client.Close()
		if got := strings.Contains(errs.String(), "1.0 MiB"); got != c.want {
			t.Errorf("%s, screen %t: %q", c.args, c.screen, errs.String())
		}
	}
}

func TestIsTerminal(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(file) || isTerminal(&bytes.Buffer{}) {
		t.Error("a file and a buffer are not terminals")
	}
}
