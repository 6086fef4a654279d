package record_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// echoing answers with the target, and with a body that is for a file of its own where it ends with "long".
var echoing = mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
	if strings.HasSuffix(r.Target, "long") {
		return mockserver.Reply(200).Text(strings.Repeat(r.Target, 4000))
	}
	return mockserver.Reply(200).Text(r.Target)
})

// recordedTo has requests to paths recorded, going on from what is in a folder, and saves that to another.
func recordedTo(t *testing.T, d mockserver.Dispatcher, mode record.Mode, from, to string, paths ...string) {
	t.Helper()
	c := record.Config{Mode: mode}
	if from != "" {
		var err error
		if c.Stubs, c.Dir, err = stub.Read(from); err != nil {
			t.Fatal(err)
		}
	}
	p := recording(t, d, c)
	for _, path := range paths {
		p.ask("GET", path, "")
	}
	if err := p.recorder.Save(to); err != nil {
		t.Fatal(err)
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names
}

// TestSaveGoesOn has a recording that was taken out asked for anew: what else there is keeps its files.
func TestSaveGoesOn(t *testing.T) {
	dir := t.TempDir()
	recordedTo(t, echoing, record.Once, "", dir, "/a", "/b", "/long")
	if err := os.Remove(filepath.Join(dir, "001-get-a.json")); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "000-own.json")
	if err := os.WriteFile(own, []byte(`{"request": {"path": "/own"}, "response": {"body": "mine"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	renamed := filepath.Join(dir, "z.json")
	if err := os.WriteFile(renamed, []byte(`{"name": "002 GET /b", "request": {"path": "/z"}, "response": {}, "recorded": {"origin": "http://o/"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	recordedTo(t, echoing, record.Once, dir, dir, "/a", "/b", "/own", "/long")
	want := []string{"000-own.json", "002-get-b.json", "003-get-long-1.body", "003-get-long.json", "004-get-a.json", "z.json"}
	if names := namesIn(t, dir); !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	replay := recording(t, nil, replaying(t, dir))
	for path, want := range map[string]string{"/a": "/a", "/b": "/b", "/own": "mine", "/long": strings.Repeat("/long", 4000), "/z": ""} {
		if got := replay.ask("GET", path, ""); got != "200 OK||"+want {
			t.Errorf("%s: got %.40q", path, got)
		}
	}
}

func replaying(t *testing.T, dir string) record.Config {
	t.Helper()
	stubs, folder, err := stub.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return record.Config{Mode: record.Replay, Stubs: stubs, Dir: folder}
}

// TestSaveChanged writes a stub that got another response over the one that there was.
func TestSaveChanged(t *testing.T) {
	dir := t.TempDir()
	recordedTo(t, mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Text("one")
	}), record.Always, "", dir, "/", "/b")
	recordedTo(t, mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Text("two")
	}), record.Always, dir, dir, "/b")
	if names := namesIn(t, dir); !slices.Equal(names, []string{"001-get.json", "002-get-b.json"}) {
		t.Errorf("files %q", names)
	}
	replay := recording(t, nil, replaying(t, dir))
	for _, want := range []string{"200 OK||one", "200 OK||two"} {
		if got := replay.ask("GET", "/b", ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestSaveElsewhere takes the files along that stubs of another folder name.
func TestSaveElsewhere(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	recordedTo(t, echoing, record.Once, "", from, "/long")
	below := filepath.Join(from, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"s.json": `{"name": "001 GET /long", "request": {"path": "/f"}, "response": {"file": "f.txt"}, "recorded": {}}`, "f.txt": "of a file"} {
		if err := os.WriteFile(filepath.Join(below, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recordedTo(t, echoing, record.Once, from, to, "/new")
	if names := namesIn(t, to); !slices.Equal(names, []string{"001-get-long-1.body", "001-get-long.json", "002-get-new.json", "003-get-long.json", "below"}) {
		t.Errorf("files %q", names)
	}
	replay := recording(t, nil, replaying(t, to))
	for path, want := range map[string]string{"/long": strings.Repeat("/long", 4000), "/new": "/new", "/f": "of a file"} {
		if got := replay.ask("GET", path, ""); got != "200 OK||"+want {
			t.Errorf("%s: got %.40q", path, got)
		}
	}
}

// TestTooManyToRecord says what was left out.
func TestTooManyToRecord(t *testing.T) {
	p := recording(t, echoing, record.Config{MaxStubs: 1})
	p.ask("GET", "/a", "")
	p.ask("GET", "/b", "")
	if said := p.recorder.Skipped(); len(p.recorder.Stubs()) != 1 || !slices.Equal(said, []string{"GET /b: as many requests were recorded as may be: 1"}) {
		t.Errorf("skipped %q", said)
	}
}
