package stub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// TestUnused names the file, the line and the key of stubs that no request used.
func TestUnused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.json":  "\n{\"name\": \"a\", \"request\": {\"path\": \"/a\"}, \"response\": {}}",
		"many.json": "{\"stubs\": [{\"request\": {\"path\": \"/b\"}, \"response\": {}},\n\n{\"request\": {\"headers\": {\"Authorization\": \"Bearer sesame\"}}, \"response\": {}}]}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := stub.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	routes := route.New(list...)
	check := func(want ...string) {
		t.Helper()
		if got := routes.Unused(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("unused %q\nwant   %q", got, want)
		}
	}
	many, one := filepath.Join(dir, "many.json"), filepath.Join(dir, "one.json")
	secret := "header Authorization a certain value of " + many + ":3: stubs[1]"
	check("path /b of "+many+":1: stubs[0]", secret, `"a" (path /a) of `+one+":2")
	routes.Dispatch(t.Context(), &mockserver.Request{Method: "GET", Target: "/a"})
	check("path /b of "+many+":1: stubs[0]", secret)
}
