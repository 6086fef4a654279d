package okhttp

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func mustHeaders(t testing.TB, nameValue ...string) Headers {
	t.Helper()
	h, err := NewHeaders(nameValue...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHeadersAccess(t *testing.T) {
	h := mustHeaders(t, "Accept", "a", "X-One", " 1\t", "accept", "b", " ACCEPT ", "c", "Empty", "")
	if h.Len() != 5 {
		t.Errorf("Len = %d, want 5", h.Len())
	}
	if got := h.Get("aCCept"); got != "a" {
		t.Errorf("Get = %q, want the first", got)
	}
	if got, ok := h.Last("aCCept"); got != "c" || !ok {
		t.Errorf("Last = %q, %v", got, ok)
	}
	if got, ok := h.Last("none"); got != "" || ok || h.Get("none") != "" {
		t.Errorf("Last of none = %q, %v", got, ok)
	}
	if got, ok := h.Last("Empty"); got != "" || !ok {
		t.Errorf("Last of an empty value = %q, %v", got, ok)
	}
	if got := slices.Collect(h.Values("ACCEPT")); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("Values = %q", got)
	}
	for range h.Values("accept") {
		break // stopping early is allowed
	}
	var all []string
	for name, value := range h.All() {
		all = append(all, name, value)
		if len(all) == 8 {
			break
		}
	}
	if want := []string{"Accept", "a", "X-One", "1", "accept", "b", "ACCEPT", "c"}; !slices.Equal(all, want) {
		t.Errorf("All = %q, want %q", all, want)
	}
	if mustHeaders(t, "K", "v").Get("\u212a") != "" {
		t.Error("KELVIN SIGN is taken for K")
	}
}

func TestHeadersChange(t *testing.T) {
	h := mustHeaders(t, "A", "1", "b", "2", "a", "3")
	with, err1 := h.With("a", " 4 ")
	add, err2 := h.Add("A", "5\t")
	fromEmpty, err3 := Headers{}.With("x", "y")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		got  Headers
		want []string
	}{
		{"With", with, []string{"b", "2", "a", "4"}},
		{"Add", add, []string{"A", "1", "b", "2", "a", "3", "A", "5"}},
		{"Without", h.Without("a"), []string{"b", "2"}},
		{"Without none", h.Without("c"), []string{"A", "1", "b", "2", "a", "3"}},
		{"With on the zero value", fromEmpty, []string{"x", "y"}},
		{"the original", h, []string{"A", "1", "b", "2", "a", "3"}},
	} {
		if !slices.Equal(tt.got.nv, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, tt.got.nv, tt.want)
		}
	}
}

// TestHeadersDoNotShare derives twice from one value: neither may see the other's fields.
func TestHeadersDoNotShare(t *testing.T) {
	given := []string{"a", "1"}
	h := mustHeaders(t, given...)
	given[1] = "changed"
	base, _ := h.Add("b", "2")
	x, _ := base.Add("x", "3")
	y, _ := base.Add("y", "4")
	z, _ := base.With("z", "5")
	if h.Get("a") != "1" || x.Get("y")+x.Get("z")+y.Get("x")+z.Get("x") != "" || base.Len() != 2 {
		t.Errorf("got %v, %v, %v, %v", h, x, y, z)
	}
	std := h.HTTP()
	std.Set("A", "changed")
	std["New"] = []string{"x"}
	if h.Get("a") != "1" || h.Len() != 1 {
		t.Errorf("got %v", h)
	}
}

func TestHeadersHTTP(t *testing.T) {
	h := mustHeaders(t, "content-type", "a", "X-B", "1", "x-b", "2")
	std := h.HTTP()
	if got, want := fmt.Sprint(std), "map[Content-Type:[a] X-B:[1 2]]"; got != want {
		t.Errorf("HTTP = %s, want %s", got, want)
	}
	std["lower"] = []string{"é"}
	std["None"] = nil
	for range 20 { // a map has no order; ours must not depend on it
		back := HeadersFrom(std)
		if want := []string{"Content-Type", "a", "X-B", "1", "X-B", "2", "lower", "é"}; !slices.Equal(back.nv, want) {
			t.Fatalf("HeadersFrom = %q, want %q", back.nv, want)
		}
	}
	if h := HeadersFrom(nil); h.Len() != 0 || len(h.HTTP()) != 0 {
		t.Errorf("HeadersFrom(nil) = %v", h)
	}
	if err := HeadersFrom(std).check(); err != nil {
		t.Errorf("check = %v", err)
	}
	if err := HeadersFrom(http.Header{"A": {"b\r\nc: d"}}).check(); err == nil {
		t.Error("check accepts a line break")
	}
}

func TestHeaderErrors(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"", "v", "okhttp: header name is empty"},
		{"a b", "v", `okhttp: unexpected char 0x20 at 1 in header name: "a b"`},
		{"a:", "v", `okhttp: unexpected char 0x3a at 1 in header name: "a:"`},
		{":a", "v", `okhttp: unexpected char 0x3a at 0 in header name: ":a"`},
		{"é", "v", `okhttp: unexpected char 0xe9 at 0 in header name: "é"`},
		{"a\x00", "v", `okhttp: unexpected char 0x00 at 1 in header name: "a\x00"`},
		{"a\n", "v", `okhttp: unexpected char 0x0a at 1 in header name: "a\n"`},
		{"X", "abc\n", `okhttp: unexpected char 0x0a at 3 in X value`},
		{"X", "abc\r\nY: z", `okhttp: unexpected char 0x0d at 3 in X value`},
		{"X", "\x00", `okhttp: unexpected char 0x00 at 0 in X value`},
		{"X", "\x7f", `okhttp: unexpected char 0x7f at 0 in X value`},
		{"X", "caf\u00e9", `okhttp: unexpected char 0xe9 at 3 in X value`}, // fact 94
		{"X", strings.Repeat("é", 1000), `okhttp: unexpected char 0xe9 at 0 in X value`},
		{"authorization", "secret\u00e9", "okhttp: unexpected char 0xe9 at 6 in authorization value"}, // fact 94
		{"Cookie", "secret\n", "okhttp: unexpected char 0x0a at 6 in Cookie value"},
		{"Proxy-Authorization", "secret\n", "okhttp: unexpected char 0x0a at 6 in Proxy-Authorization value"},
		{"SET-COOKIE", "secret\n", "okhttp: unexpected char 0x0a at 6 in SET-COOKIE value"},
		{"Authorization: secret", "", `okhttp: unexpected char 0x3a at 13 in header name: "Authorization"`},
	} {
		h := mustHeaders(t, "k", "v")
		_, err1 := h.With(tt.name, tt.value)
		_, err2 := h.Add(tt.name, tt.value)
		_, err3 := NewHeaders("k", "v", tt.name, tt.value)
		for i, err := range []error{err1, err2, err3} {
			var e *HeaderError
			if !errors.As(err, &e) || err.Error() != tt.want {
				t.Errorf("%d: %q: %q gives %v, want %s", i, tt.name, tt.value, err, tt.want)
				continue
			}
			if strings.Contains(fmt.Sprintf("%#v", *e), "secret") {
				t.Errorf("%d: the error holds the secret: %#v", i, *e)
			}
		}
	}
	_, err := NewHeaders("a", "b", "c")
	var e *HeaderError
	if !errors.As(err, &e) || e.Part != "count" || err.Error() != "okhttp: expected alternating header names and values, got 3 strings" {
		t.Errorf("odd count: %v", err)
	}
}

// Fact 94.
func TestHeadersAddNonASCII(t *testing.T) {
	h, err := Headers{}.AddNonASCII("X", " caf\u00e9 \xff")
	if err != nil || h.Get("x") != "caf\u00e9 \xff" {
		t.Errorf("got %q, %v", h.nv, err)
	}
	for _, value := range []string{"é\n", "é\r", "é\x00", "é\x7f"} {
		if _, err := (Headers{}).AddNonASCII("X", value); err == nil {
			t.Errorf("%q is accepted", value)
		}
	}
	if _, err := (Headers{}).AddNonASCII("é", "v"); err == nil {
		t.Error("a name beyond ASCII is accepted")
	}
}

func TestHeadersString(t *testing.T) {
	h := mustHeaders(t, "A", "1", "authorization", "Basic secret", "Cookie", "secret", "Set-Cookie", "secret",
		"Proxy-Authorization", "secret", "A", "", "Cookies", "x")
	want := "A: 1\nauthorization: ██\nCookie: ██\nSet-Cookie: ██\nProxy-Authorization: ██\nA: \nCookies: x\n"
	if got := fmt.Sprintf("%v", h); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Headers{}).String(); got != "" {
		t.Errorf("the zero value is %q", got)
	}
}

func TestHeadersHasToken(t *testing.T) {
	h := mustHeaders(t, "Connection", "keep-alive, Upgrade", "connection", ",close ,\t foo\t,", "Upgrade", "websocket")
	for token, want := range map[string]bool{
		"upgrade": true, "KEEP-ALIVE": true, "close": true, "foo": true,
		"keep": false, "alive": false, "websocket": false, "keep-alive, Upgrade": false,
	} {
		if got := h.hasToken("Connection", token); got != want {
			t.Errorf("hasToken(%q) = %v, want %v", token, got, want)
		}
	}
}

func TestHeadersAllocations(t *testing.T) {
	h := mustHeaders(t, "Content-Type", "text/plain", "Connection", "keep-alive, close", "X", "y")
	for name, f := range map[string]func(){
		"Get":      func() { h.Get("CONNECTION") },
		"Last":     func() { h.Last("content-type") },
		"hasToken": func() { h.hasToken("connection", "Close") },
		"Without":  func() { h.Without("none") },
		"check":    func() { _ = h.check() },
		"All": func() {
			for range h.All() {
			}
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() { h.Add("a", "b") }); n != 1 {
		t.Errorf("Add: %v allocations, want 1", n)
	}
}
