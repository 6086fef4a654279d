package record_test

import (
	"testing"

	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// Stubs that come from no folder are saved whole to the one that the program runs in.
func TestSaveHere(t *testing.T) {
	from := t.TempDir()
	recordedTo(t, echoing, record.Once, "", from, "/a", "/b")
	stubs, _, err := stub.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	p := recording(t, echoing, record.Config{Mode: record.Once, Stubs: stubs})
	p.ask("GET", "/c", "")
	if err := p.recorder.Save("."); err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, "."); len(names) != 3 {
		t.Errorf("saved %q", names)
	}
}
