package main

import (
	"strings"
	"testing"
)

// The demo shows what it says it does.
func TestDemo(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"look up demo.test", "TLS done: TLSv1.3", "-> 200 over h2: hello", "-> 200 over h2: how are you?", "-> 200 over h2: packed and unpacked", "retry: true",
		"-> 200 over h2: at the second try", "call timeout",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "connect to "); n != 2 {
		t.Errorf("%d connections, want 2: one for all, one after the server hung up", n)
	}
}
