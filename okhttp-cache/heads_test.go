package okcache

import (
	"strconv"
	"testing"
)

// A head is parsed once, and again when it has changed.
func TestHeads(t *testing.T) {
	head := func(n int) string {
		return "http://site.test/\nGET\n0\nHTTP/1.1 " + strconv.Itoa(n) + " OK\n2\nOkHttp-Sent-Millis: 1\nOkHttp-Received-Millis: 2\n"
	}
	var h heads
	parse := func(key string, n int) *entry {
		e, err := h.parse(key, head(n))
		if err != nil || e.status != n {
			t.Fatalf("%+v, %v", e, err)
		}
		return e
	}
	first := parse("a", 200)
	if parse("a", 200) != first {
		t.Error("parsed again")
	}
	if parse("a", 201) == first || parse("a", 200) == first {
		t.Error("not parsed again")
	}
	if e, err := h.parse("a", "nonsense\n"); err == nil {
		t.Errorf("%+v", e)
	}
	for i := range 3 * maxHeads {
		parse(strconv.Itoa(i), 200)
	}
	if n := len(h.m); n > maxHeads {
		t.Errorf("%d heads", n)
	}
}
