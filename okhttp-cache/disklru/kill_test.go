package disklru

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// A process that writes is killed at a random time, again and again on the same directory. DISKLRU_KILLS sets how often; 500 is what we ask of a release.
//
// The writer says on its standard output what it is about to do and what it has done. So the killer knows which entries have to be there.

const (
	killWriters = 4
	killKeys    = 12 // of each writer
)

func killOptions(maxSize int64) Options {
	return Options{AppVersion: 1, ValueCount: 2, MaxSize: maxSize, Memory: 20_000, Logger: slog.New(slog.DiscardHandler)}
}

// killValues returns the values of a version of an entry: what it is, with a checksum of the body, and the body.
func killValues(key string, n uint64) (meta, body string) {
	random := rand.New(rand.NewPCG(n, 1))
	size := 1000 // of the same length often, so that lengths do not tell a mixture
	if n%4 == 0 {
		size = random.IntN(60_000)
	}
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%016x", random.Uint64())
	}
	body = b.String()
	return fmt.Sprintf("%s %020d %x", key, n, sha256.Sum256([]byte(body))), body
}

func TestKilledWriter(t *testing.T) {
	if dir := os.Getenv("DISKLRU_TEST_WRITER"); dir != "" {
		writeUntilKilled(t, dir)
		return
	}
	kills := 10
	if text := os.Getenv("DISKLRU_KILLS"); text != "" {
		kills, _ = strconv.Atoi(text)
	} else if testing.Short() {
		kills = 3
	}
	for name, maxSize := range map[string]int64{"all fit": 1 << 40, "eviction": 200_000} {
		t.Run(name, func(t *testing.T) {
			k := &killer{t: t, dir: t.TempDir(), maxSize: maxSize, versions: make(map[string]uint64), busy: make(map[string]bool)}
			rounds := 0
			for rounds < (kills+1)/2 || (k.commits == 0 || k.inFlight == 0) && rounds < kills+50 { // on a slow machine it takes some more
				k.round()
				rounds++
			}
			t.Logf("%d kills after %d commits; %d entries were being written, %d of them lost", rounds, k.commits, k.inFlight, k.lost)
			if k.commits == 0 || k.inFlight == 0 {
				t.Error("nobody was killed in the midst of work")
			}
		})
	}
}

// writeUntilKilled is the writer.
func writeUntilKilled(t *testing.T, dir string) {
	maxSize, _ := strconv.ParseInt(os.Getenv("DISKLRU_TEST_SIZE"), 10, 64)
	first, _ := strconv.ParseUint(os.Getenv("DISKLRU_TEST_FIRST"), 10, 64)
	store, err := Open(okio.ParsePath(dir), killOptions(maxSize))
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range uint64(killWriters) {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(first, w))
			for n := first + w; ; n += killWriters {
				key := fmt.Sprintf("w%d-%d", w, random.IntN(killKeys))
				if random.IntN(10) == 0 {
					fmt.Printf("remove %s 0\n", key)
					if _, err := store.Remove(key); err != nil {
						t.Error(err)
					}
					fmt.Printf("removed %s 0\n", key)
				} else {
					fmt.Printf("set %s %d\n", key, n)
					meta, body := killValues(key, n)
					if setValues(store, key, meta, body) {
						fmt.Printf("stored %s %d\n", key, n)
					}
				}
				for i := range 50 { // which makes journals that are written anew
					key := fmt.Sprintf("w%d-%d", random.IntN(killWriters), random.IntN(killKeys))
					if i%10 == 0 { // and some of what it says is in memory then
						if _, err := killVersion(store, key); err != nil {
							t.Error(err)
							fmt.Printf("mixed %s 0\n", key)
						}
					} else if snapshot, err := store.Get(key); err == nil {
						_ = snapshot.Close()
					}
				}
			}
		})
	}
	writers.Wait()
}

// setValues edits an entry in pieces, and reports whether it was stored.
func setValues(store *Store, key string, values ...string) bool {
	editor, err := store.Edit(key)
	if err != nil {
		return false
	}
	for i, text := range values {
		k, err := editor.Sink(i)
		if err != nil {
			return false
		}
		for len(text) > 0 {
			n := min(len(text), 8192)
			if k.WriteBuffer(okio.NewBufferString(text[:n]), int64(n)) != nil {
				return false
			}
			text = text[n:]
		}
		_ = k.Close()
	}
	return editor.Commit() == nil
}

// A killer knows what should be in the directory.
type killer struct {
	t        *testing.T
	dir      string
	maxSize  int64
	versions map[string]uint64 // that were stored last; 0 for none
	busy     map[string]bool   // whose writer had not said that it was ready
	next     uint64

	commits, inFlight, lost int
}

// round lets a writer work for a while, kills it and looks at what is there.
func (k *killer) round() {
	k.t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
	child.Env = append(os.Environ(), "DISKLRU_TEST_WRITER="+k.dir, fmt.Sprint("DISKLRU_TEST_SIZE=", k.maxSize), fmt.Sprint("DISKLRU_TEST_FIRST=", k.next+4))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		k.t.Fatal(err)
	}
	clear(k.busy)
	lines := bufio.NewReader(out)
	var timer *time.Timer
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // what is left is half a line
		}
		if timer == nil {
			timer = time.AfterFunc(time.Duration(rand.IntN(40_000))*time.Microsecond, func() { _ = child.Process.Kill() })
		}
		k.heard(line)
	}
	_ = child.Process.Kill()
	_ = child.Wait() // it was killed
	k.verify()
}

func (k *killer) heard(line string) {
	var word, key string
	var n uint64
	if _, err := fmt.Sscan(line, &word, &key, &n); err != nil {
		k.t.Fatalf("the writer says %q", line)
	}
	k.next = max(k.next, n)
	switch word {
	case "mixed":
		k.t.Errorf("the writer read a mixture of %s", key)
	case "set", "remove":
		k.busy[key] = true
		k.versions[key] += 0 // so that it is looked at, also if it was never stored
	case "stored", "removed":
		k.versions[key] = n
		k.busy[key] = false
		k.commits++
	}
}

func (k *killer) verify() {
	k.t.Helper()
	store, err := Open(okio.ParsePath(k.dir), killOptions(k.maxSize))
	if err != nil {
		k.t.Fatal(err)
	}
	defer store.Close()
	for key, want := range k.versions {
		have, err := killVersion(store, key)
		if err != nil {
			k.t.Fatal(err)
		}
		if again, err := killVersion(store, key); err != nil || again != have { // from memory, what was written long enough ago
			k.t.Fatalf("%s is of version %d at first, then %d, %v", key, have, again, err)
		}
		switch {
		case k.busy[key]:
			k.inFlight++
			if have == 0 {
				k.lost++
			}
			k.versions[key] = have
		case have == want:
		case have == 0 && k.maxSize < 1<<40: // evicted
			k.versions[key] = 0
		default:
			k.t.Fatalf("%s is of version %d, want %d", key, have, want)
		}
	}
}

// killVersion returns which version of an entry a store has, 0 for none, or an error if its values are not those of one version.
func killVersion(store *Store, key string) (uint64, error) {
	snapshot, err := store.Get(key)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer snapshot.Close()
	meta, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(0)))
	if err != nil {
		return 0, err
	}
	body, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(1)))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(meta))
	if len(fields) != 3 || fields[0] != key || fields[2] != fmt.Sprintf("%x", sha256.Sum256(body)) {
		return 0, fmt.Errorf("%s has %q and a body of %d bytes that is not of it", key, meta, len(body))
	}
	return strconv.ParseUint(fields[1], 10, 64)
}
