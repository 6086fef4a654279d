package record_test

import (
	"fmt"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/record"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// TestUnused counts the stubs that a recorder was given, in the modes that answer with them, and none that it has recorded itself.
func TestUnused(t *testing.T) {
	stubs, err := stub.Parse("rec.json", []byte("[{\"name\": \"a\", \"request\": {\"path\": \"/a\"}, \"response\": {}},\n{\"request\": {\"path\": \"/b\"}, \"response\": {}}]"))
	if err != nil {
		t.Fatal(err)
	}
	const a, b = `"a" (path /a) of rec.json:1: [0]`, "path /b of rec.json:2: [1]"
	for mode, want := range map[record.Mode][2]string{
		record.Once: {fmt.Sprintf("%q", []string{a, b}), fmt.Sprintf("%q", []string{b})}, record.Replay: {fmt.Sprintf("%q", []string{a, b}), fmt.Sprintf("%q", []string{b})},
		record.Always: {"[]", "[]"}, record.PassThrough: {"[]", "[]"},
	} {
		var origin mockserver.Dispatcher
		if mode != record.Replay {
			origin = route.New(route.Route{Match: match.Method("GET"), Responses: []mockserver.Response{mockserver.Reply(200)}})
		}
		p := recording(t, origin, record.Config{Mode: mode, Stubs: stubs})
		if got := fmt.Sprintf("%q", p.recorder.Unused()); got != want[0] {
			t.Errorf("%v: unused %s, want %s", mode, got, want[0])
		}
		p.ask("GET", "/a", "")
		p.ask("GET", "/new", "")
		if got := fmt.Sprintf("%q", p.recorder.Unused()); got != want[1] {
			t.Errorf("%v: unused %s, want %s", mode, got, want[1])
		}
	}
}
