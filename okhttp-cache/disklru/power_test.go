package disklru

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// A powerTest runs a scenario on a file system whose power may go at every call. At each it looks at what would be found afterwards.
type powerTest struct {
	t       *testing.T
	fs      *okio.FakeFileSystem
	options Options
	store   *Store
	seeds   int
	calls   int
	again   bool // the power goes again while the store recovers

	// What the scenario has done, by key: the versions that may be found. 0 is none.
	may map[string][]int
}

// values returns what version n of an entry is. All versions have the same lengths, so that these do not tell mixtures.
func powerValues(key string, n int) [2]string {
	return [2]string{fmt.Sprintf("meta of %s %03d", key, n), strings.Repeat(fmt.Sprintf("body of %s %03d;", key, n), 40)}
}

func (p *powerTest) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *powerTest) open(fs *okio.FakeFileSystem) *Store {
	o := p.options
	o.FileSystem = fs
	store, err := New(okio.ParsePath("/cache"), o)
	p.ok(err)
	store.schedule = func(func()) {}
	return store
}

// set writes version n of an entry.
func (p *powerTest) set(key string, n int) {
	p.t.Helper()
	p.may[key] = append([]int{0, n}, p.may[key]...) // an edit under way may cost the entry
	editor, err := p.store.Edit(key)
	p.ok(err)
	for i, text := range powerValues(key, n) {
		k, err := editor.Sink(i)
		p.ok(err)
		for half := range 2 { // more than one write
			piece := text[len(text)/2*half:]
			if half == 0 {
				piece = text[:len(text)/2]
			}
			p.ok(k.WriteBuffer(okio.NewBufferString(piece), int64(len(piece))))
		}
		p.ok(k.Close())
	}
	p.ok(editor.Commit())
	p.may[key] = []int{n}
}

func (p *powerTest) remove(key string) {
	p.t.Helper()
	p.may[key] = append(p.may[key], 0)
	_, err := p.store.Remove(key)
	p.ok(err)
	p.may[key] = []int{0}
}

// evict makes room. What is evicted may be found again, as it was.
func (p *powerTest) evict(limit int64) {
	p.t.Helper()
	for key := range p.may {
		p.may[key] = append(p.may[key], 0)
	}
	p.ok(p.store.SetMaxSize(limit))
	p.store.cleanup()
	p.ok(p.store.SetMaxSize(1 << 20))
}

func (p *powerTest) abort(key string) {
	p.t.Helper()
	p.may[key] = append(p.may[key], 0)
	editor, err := p.store.Edit(key)
	p.ok(err)
	k, err := editor.Sink(0)
	p.ok(err)
	p.ok(k.WriteBuffer(okio.NewBufferString("given up"), 8))
	p.ok(k.Close())
	p.ok(editor.Abort())
	p.may[key] = p.may[key][:len(p.may[key])-1]
}

// rebuild writes a new journal.
func (p *powerTest) rebuild() {
	p.store.redundant = rebuildThreshold
	p.store.cleanup()
}

func (p *powerTest) reopen() {
	p.t.Helper()
	p.ok(p.store.Close())
	p.store = p.open(p.fs)
	p.ok(p.store.Initialize())
}

// scenario does everything that a store does.
func (p *powerTest) scenario() {
	p.store = p.open(p.fs)
	p.ok(p.store.Initialize())
	p.set("a", 1)
	p.set("b", 1)
	p.set("a", 2) // update
	p.abort("a")
	p.abort("c")
	p.set("c", 1)
	p.remove("b")
	p.set("b", 2) // again, after removal
	if snapshot, err := p.store.Get("a"); err == nil {
		p.ok(snapshot.Close())
	}
	p.rebuild()
	p.remove("b")
	p.set("b", 3)
	p.rebuild()
	p.set("d", 1)
	p.reopen()
	p.set("c", 2)
	p.evict(1200) // which leaves two
	p.set("e", 1)
	p.remove("e")
	p.ok(p.store.Flush())
	p.set("a", 3)
	p.reopen()
	p.set("a", 4)
	p.ok(p.store.Close())
}

// verify opens the store that a loss of power left and looks at its entries.
func (p *powerTest) verify(fs *okio.FakeFileSystem, what string) {
	p.t.Helper()
	store := p.open(fs)
	defer store.Close()
	if err := store.Initialize(); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	for key, may := range p.may {
		n, err := p.version(store, key)
		if err != nil {
			p.t.Fatalf("%s: %s: %v", what, key, err)
		}
		allowed := !p.options.Sync
		for _, m := range may {
			allowed = allowed || m == n
		}
		if !allowed {
			p.t.Fatalf("%s: %s is of version %d, want one of %v", what, key, n, may)
		}
	}
	store.cleanup()
	fs.SetFault(nil)
	editor, err := store.Edit("a")
	p.ok(err)
	p.ok(editor.Abort())
}

// version returns which version of an entry a store has, 0 for none.
func (p *powerTest) version(store *Store, key string) (int, error) {
	snapshot, err := store.Get(key)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer snapshot.Close()
	var have [2]string
	for i := range have {
		text, err := io.ReadAll(okio.NewBufferedSource(snapshot.Source(i)))
		if err != nil {
			return 0, err
		}
		if int64(len(text)) != snapshot.Length(i) {
			return 0, fmt.Errorf("value %d has %d bytes, want %d", i, len(text), snapshot.Length(i))
		}
		have[i] = string(text)
	}
	for n := 1; n < 10; n++ {
		if have == powerValues(key, n) {
			return n, nil
		}
	}
	if p.options.Sync {
		return 0, fmt.Errorf("wrong values %q", have)
	}
	return -1, nil
}

// cut looks at what is found if the power goes now.
func (p *powerTest) cut(call string) {
	for seed := range p.seeds {
		o := okio.CrashOptions{Seed: uint64(seed), Reorder: seed%2 == 1}
		if seed > 0 {
			o.Seed += uint64(p.calls) << 8 // other choices at each call
		}
		what := fmt.Sprintf("call %d, %s, seed %d", p.calls, call, o.Seed)
		after := p.fs.AfterCrash(o)
		if p.again && (p.calls+seed)%4 == 0 {
			after.SetFault(func(op okio.FakeOp) error {
				for seed := range uint64(2) {
					p.verify(after.AfterCrash(okio.CrashOptions{Seed: seed * (o.Seed + 1)}), what+", again at "+op.Name+" "+op.Path.Name())
				}
				return nil
			})
		}
		p.verify(after, what)
		if p.t.Failed() {
			return
		}
	}
}

func testPower(t *testing.T, directories okio.FakeDirectories, sync, again bool, seeds int) {
	fs := &okio.FakeFileSystem{Directories: directories}
	fs.EmulateUnix()
	p := &powerTest{t: t, fs: fs, seeds: seeds, again: again, may: make(map[string][]int)}
	p.options = Options{AppVersion: 1, ValueCount: 2, MaxSize: 1 << 20, Sync: sync, Logger: slog.New(slog.DiscardHandler)}
	fs.SetFault(func(op okio.FakeOp) error {
		p.calls++
		p.cut(op.Name + " " + op.Path.Name())
		return nil
	})
	p.scenario()
	fs.SetFault(nil)
	p.cut("at the end")
	t.Logf("power cut at %d calls, with %d seeds each", p.calls, seeds)
}

// powerSeeds is how many different subsets of what is not durable are tried at each call; DISKLRU_POWER_SEEDS sets it.
func powerSeeds(t *testing.T) int {
	seeds := 8
	if underRace {
		seeds = 4 // at each of the calls: what there is to see is a matter of subsets, not of goroutines
	}
	if text := os.Getenv("DISKLRU_POWER_SEEDS"); text != "" {
		if _, err := fmt.Sscan(text, &seeds); err != nil {
			t.Fatal(err)
		}
	}
	return seeds
}

// With Options.Sync no loss of power leaves a wrong or mixed entry, and what was committed is there.
func TestPowerLossWithSync(t *testing.T) {
	for name, directories := range map[string]okio.FakeDirectories{
		"journaled": okio.DirectoriesJournaled, "synchronous": okio.DirectoriesSynchronous, "deferred": okio.DirectoriesDeferred,
	} {
		t.Run(name, func(t *testing.T) { testPower(t, directories, true, false, powerSeeds(t)) })
	}
}

// Nor does one that follows while the store recovers.
func TestPowerLossTwice(t *testing.T) {
	testPower(t, okio.DirectoriesJournaled, true, true, max(1, (powerSeeds(t)+1)/3))
}

// Without it the store opens, and what it returns has the length that it says.
func TestPowerLossWithoutSync(t *testing.T) {
	for name, directories := range map[string]okio.FakeDirectories{
		"journaled": okio.DirectoriesJournaled, "synchronous": okio.DirectoriesSynchronous, "deferred": okio.DirectoriesDeferred,
	} {
		t.Run(name, func(t *testing.T) { testPower(t, directories, false, false, powerSeeds(t)) })
	}
}
