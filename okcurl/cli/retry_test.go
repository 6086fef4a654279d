package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestRetry(t *testing.T) {
	var asked atomic.Int32
	// The path says how often to fail and how.
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		n := asked.Add(1)
		how, times, _ := strings.Cut(r.URL.Path[1:], "/")
		if int(n) > len(times) {
			io.WriteString(w, "fine")
			return
		}
		switch how {
		case "drop":
			panic(http.ErrAbortHandler)
		case "half":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "later":
			w.Header().Set("Retry-After", "9")
			w.WriteHeader(503)
			io.WriteString(w, "sorry")
		default:
			w.WriteHeader(map[string]int{"503": 503, "429": 429, "404": 404}[how])
			io.WriteString(w, "sorry")
		}
	})
	file := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		args  string
		code  int
		out   string
		asked int32
		told  int // of retries
	}{
		{"--retry 2 --retry-delay 0 URL/503/xx", 0, "fine", 3, 2},
		{"--retry 2 --retry-delay 0 -d x URL/503/xx", 0, "fine", 3, 2},
		{"--retry 2 --retry-delay 0 URL/429/xxx", 0, "sorry", 3, 2},
		{"--retry 2 --retry-delay 0 -f URL/503/xxx", 22, "", 3, 2},
		{"--retry 2 --retry-delay 0 URL/404/xxx", 0, "sorry", 1, 0},
		{"--retry 2 --retry-delay 0 -f URL/404/xxx", 22, "", 1, 0},
		{"--retry 2 --retry-delay 0 -f --retry-all-errors URL/404/x", 0, "fine", 2, 1},
		{"--retry 2 --retry-delay 0 URL/drop/x", 0, "fine", 2, 1},
		{"--retry 2 --retry-delay 0 -d x URL/drop/x", 52, "", 1, 0}, // may have been acted on
		{"--retry 2 --retry-delay 0 -d x --retry-all-errors URL/drop/x", 0, "fine", 2, 1},
		{"--retry 2 --retry-delay 0 URL/half/x", 18, "half", 1, 0}, // it is on the screen already
		{"--retry 2 --retry-delay 0 -o " + file + " URL/half/x", 0, "", 2, 1},
		{"--retry 9 --retry-delay 10 --retry-max-time 5 URL/503/x", 0, "sorry", 1, 0},
		{"--retry 9 --retry-delay 0 --retry-max-time 5 URL/later/x", 0, "sorry", 1, 0},
		{"-f --retry 9 --retry-delay 0 --retry-max-time 5 URL/later/x", 22, "", 1, 0},
		{"-s --retry 2 --retry-delay 0 URL/503/xx", 0, "fine", 3, 0},
	} {
		asked.Store(0)
		r := okcurl(t, strings.Fields(strings.ReplaceAll(c.args, "URL", url))...)
		if told := strings.Count(r.err, "; trying again in "); r.code != c.code || r.out != c.out || asked.Load() != c.asked || told != c.told {
			t.Errorf("%s: %+v, asked %d times, told of %d retries", c.args, r, asked.Load(), told)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != "fine" {
		t.Errorf("the file has %q", text)
	}
}

// A download goes on where it was broken off.
func TestContinue(t *testing.T) {
	content := "0123456789"
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/plain") {
			io.WriteString(w, content)
			return
		}
		http.ServeContent(w, r, "x", testTime, strings.NewReader(content))
	})
	file := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		has, args string
		code      int
		want      string
	}{
		{"01234", "-C - -o FILE URL/x", 0, content},
		{"", "-C - -o FILE URL/x", 0, content},
		{content, "-C - -o FILE URL/x", 0, content},
		{"01234", "-C 3 -o FILE URL/x", 0, content},
		{"01234", "-C - -o FILE URL/plain", 33, "01234"},
	} {
		if err := os.WriteFile(file, []byte(c.has), 0o600); err != nil {
			t.Fatal(err)
		}
		r := okcurl(t, strings.Fields(strings.NewReplacer("FILE", file, "URL", url).Replace(c.args))...)
		if text, _ := os.ReadFile(file); r.code != c.code || string(text) != c.want {
			t.Errorf("%s after %q: %+v, file %q", c.args, c.has, r, text)
		}
	}
	if r := okcurl(t, "-r", "2-4", url+"/x"); r.out != "234" {
		t.Errorf("%+v", r)
	}
	if r := okcurl(t, "-r", "-2", url+"/x"); r.out != "89" {
		t.Errorf("%+v", r)
	}
}
