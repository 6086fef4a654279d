package oksse

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// A store is asked where to go on from, once, and told of what the loop has handled.
func TestStore(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		store := IDFuncs{
			LoadID: func() (string, bool, error) { s.note("load"); return "5", true, nil },
			SaveID: func(id string) error { s.note("save %q", id); return nil },
		}
		stream := s.stream(&Config{Store: store, LastEventID: "4"})
		s.collect(t.Context(), stream, 3)
		s.wantLog(`
			load
			0s (6,message,a) #1
			save "6"
			0s (6,message,b) #1
			save "7"
			3s (8,message,c) #2`) // broken off: it may not have been handled
		s.collect(t.Context(), stream, -1)
		s.wantVisits("0s:5 3s:7 3s:8 6s:-")
		if got := s.log[len(s.log)-2:]; got[0] != `save ""` || !strings.Contains(got[1], "204") {
			t.Errorf("noted %q", got)
		}
	}, sends("id: 6\ndata: a\n\ndata: b\n\nid: 7\n\n"), sends("id: 8\ndata: c\n\ndata: d\n\n"), sends("id\n\n"), refuses(204))
}

// An ID that was taken back is kept too: what the configuration starts from does not come back.
func TestStoreOfClearedID(t *testing.T) {
	for name, c := range map[string]struct {
		stored string
		saved  bool
		visits string
		saves  string
	}{
		"nothing is stored":  {"", false, "0s:4 3s:-", `""`},
		"none is stored":     {"", true, "0s:- 3s:-", ""},
		"one is stored":      {"5", true, "0s:5 3s:-", `""`},
		"one that cannot be": {"5\x01", true, "0s:4 3s:-", `""`},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var saves []string
				store := IDFuncs{
					LoadID: func() (string, bool, error) { return c.stored, c.saved, nil },
					SaveID: func(id string) error { saves = append(saves, strconv.Quote(id)); return nil },
				}
				s.collect(t.Context(), s.stream(&Config{Store: store, LastEventID: "4"}), -1)
				s.wantVisits(c.visits)
				if got := strings.Join(saves, " "); got != c.saves {
					t.Errorf("saved %s, want %s", got, c.saves)
				}
			}, sends("id\n\n"), refuses(204))
		})
	}
}

func TestStoreFails(t *testing.T) {
	bad := errors.New("bad")
	for op, store := range map[string]IDFuncs{
		"load": {LoadID: func() (string, bool, error) { return "", false, bad }},
		"save": {SaveID: func(string) error { return bad }},
		"end":  {SaveID: func(string) error { return bad }},
	} {
		text := "id: 1\ndata: a\n\n"
		if op == "end" {
			op, text = "save", "id: 1\n\n"
		}
		inScene(t, func(t *testing.T, s *scene) {
			err := s.collect(t.Context(), s.stream(&Config{Store: store}), -1)
			var failed *StoreError
			if !errors.As(err, &failed) || failed.Op != op || !errors.Is(err, bad) || err.Error() != "oksse: cannot "+op+" the last event ID: bad" {
				t.Error(err)
			}
		}, sends(text))
	}
	var none IDFuncs
	if id, saved, err := none.Load(); id != "" || saved || err != nil || none.Save("x") != nil {
		t.Error("functions that are not there")
	}
}

func TestFileStore(t *testing.T) {
	fsys, path := new(okio.FakeFileSystem), okio.ParsePath("/ids/feed")
	fsys.EmulateUnix()
	if err := okio.CreateDirectories(fsys, okio.ParsePath("/ids"), 0); err != nil {
		t.Fatal(err)
	}
	store := FileStore(fsys, path)
	wantLoad := func(want string, saved bool) {
		t.Helper()
		if got, ok, err := store.Load(); got != want || ok != saved || err != nil {
			t.Errorf("%q, %v, %v, want %q, %v", got, ok, err, want, saved)
		}
	}
	wantLoad("", false)
	for _, id := range []string{"1", "é ", ""} {
		if err := store.Save(id); err != nil {
			t.Fatal(err)
		}
		wantLoad(id, true)
	}
	write := func(text string) {
		k, err := fsys.Sink(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		out := okio.NewBufferedSink(k)
		out.WriteString(text)
		out.Close()
	}
	write("")
	wantLoad("", false)
	write("by hand")
	wantLoad("by hand", true)
	for text, want := range map[string]string{"a\nb\n": "holds no last event ID", strings.Repeat("x", mostID+1): "too large"} {
		write(text)
		if _, _, err := store.Load(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	write(strings.Repeat("x", mostID))
	wantLoad(strings.Repeat("x", mostID), true)
	fsys.SetFault(func(op okio.FakeOp) error { return io.ErrShortWrite })
	if _, _, err := store.Load(); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
	if err := store.Save("2"); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
	fsys.SetFault(nil)
	if err := fsys.CheckNoOpenFiles(); err != nil {
		t.Error(err)
	}
}
