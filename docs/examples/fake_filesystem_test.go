package examples

import (
	"errors"
	"fmt"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// #region save

// save replaces a file as a whole: whatever happens, there is the old content or the new one.
func save(files okio.FileSystem, p okio.Path, content string) error {
	next := okio.ParsePath(p.String() + ".new")
	err := write(files, next, content)
	if err == nil {
		err = files.AtomicMove(next, p)
	}
	if err != nil {
		return errors.Join(err, files.Delete(next, 0))
	}
	return nil
}

func write(files okio.FileSystem, p okio.Path, content string) (err error) {
	h, err := files.OpenReadWrite(p, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.Truncate(0); err != nil {
		return err
	}
	if _, err := h.WriteAt([]byte(content), 0); err != nil {
		return err
	}
	return h.Sync() // before the move: the two are independent after a crash
}

// #endregion save

func load(files okio.FileSystem, p okio.Path) (string, error) {
	source, err := files.Source(p)
	if err != nil {
		return "", err
	}
	in := okio.NewBufferedSource(source)
	defer in.Close()
	var all okio.Buffer
	if _, err := in.ReadAllTo(&all); err != nil {
		return "", err
	}
	return all.ReadText(all.Len())
}

// settings returns a disk with a file that is safe on it.
func settings(t *testing.T) (*okio.FakeFileSystem, okio.Path) {
	files, p := new(okio.FakeFileSystem), okio.ParsePath("/app/settings")
	if err := okio.CreateDirectories(files, okio.ParsePath("/app"), 0); err != nil {
		t.Fatal(err)
	}
	if err := save(files, p, "the old settings"); err != nil {
		t.Fatal(err)
	}
	files.SyncAll()
	return files, p
}

// #region fake-full
func TestSaveOnFullDisk(t *testing.T) {
	files, p := settings(t) // a FakeFileSystem with "the old settings"
	full := errors.New("no space left on device")
	files.SetFault(func(op okio.FakeOp) error {
		if op.Name == "write" {
			return &okio.FakePartial{Bytes: 3, Err: full} // three bytes fit
		}
		return nil
	})
	if err := save(files, p, "the new settings"); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	files.SetFault(nil)

	if got, err := load(files, p); got != "the old settings" || err != nil {
		t.Errorf("left %q and error %v", got, err)
	}
	if got := fmt.Sprint(files.AllPaths()); got != "[/app /app/settings]" {
		t.Errorf("left %s", got)
	}
	if err := files.CheckNoOpenFiles(); err != nil { // names the line that opened a file and did not close it
		t.Error(err)
	}
}

// #endregion fake-full

// #region fake-crash
func TestSaveOutlivesCrash(t *testing.T) {
	files, p := settings(t)
	moments := 0
	crash := func(moment string) {
		moments++
		for seed := range uint64(20) { // what survives differs from seed to seed
			disk := files.AfterCrash(okio.CrashOptions{Seed: seed, Reorder: true})
			got, err := load(disk, p)
			if err != nil || got != "the old settings" && got != "the new settings" {
				t.Errorf("a crash %s, seed %d, leaves %q and error %v", moment, seed, got, err)
			}
		}
	}
	files.SetFault(func(op okio.FakeOp) error { // is asked before each operation
		crash("before " + op.Name)
		return nil
	})
	if err := save(files, p, "the new settings"); err != nil {
		t.Fatal(err)
	}
	crash("at the end")
	if moments < 6 {
		t.Errorf("saw %d moments", moments)
	}
}

// #endregion fake-crash
