package okhttp

import (
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// Headers is an immutable, ordered list of header fields (RFC 9110, section 5). Names compare without case; their
// spelling and order are kept, and a name may occur more than once. The zero value is empty. Headers is safe for
// concurrent use.
type Headers struct {
	nv []string // name, value, name, value …; never modified once it is here
}

// NewHeaders makes headers of alternating names and values. Spaces and tabs around both are removed. A malformed name
// or value fails with a [*HeaderError], and so does an odd number of strings.
func NewHeaders(nameValue ...string) (Headers, error) {
	if len(nameValue)%2 != 0 {
		return Headers{}, &HeaderError{Part: "count", Index: -1, Count: len(nameValue)}
	}
	nv := make([]string, len(nameValue))
	for i := 0; i < len(nv); i += 2 {
		name, value := ascii.TrimOWS(nameValue[i]), ascii.TrimOWS(nameValue[i+1])
		if err := checkHeader(name, value, false); err != nil {
			return Headers{}, err
		}
		nv[i], nv[i+1] = name, value
	}
	return Headers{nv}, nil
}

// HeadersFrom copies an [http.Header]. Names come in alphabetical order, because a map has none; the values of one name
// keep theirs. Nothing is checked here; a malformed field is refused before it is sent, at the latest.
func HeadersFrom(header http.Header) Headers {
	names, n := make([]string, 0, len(header)), 0
	for name, values := range header {
		names = append(names, name)
		n += len(values)
	}
	slices.Sort(names)
	nv := make([]string, 0, 2*n)
	for _, name := range names {
		for _, value := range header[name] {
			nv = append(nv, name, value)
		}
	}
	return Headers{nv}
}

// UncheckedHeaders takes over a list of alternating names and values without checking or copying it: for fields as they came from a server or
// a file, which may be such as cannot be made by [NewHeaders]. The list must not be modified afterwards; a name without a value is left out.
func UncheckedHeaders(nameValue []string) Headers {
	return Headers{nameValue[: len(nameValue)&^1 : len(nameValue)&^1]}
}

// headersOf takes over nv without copying or checking it: for fields that a codec or this package made.
func headersOf(nv []string) Headers { return Headers{nv} }

// Get returns the first value of that name, "" if there is none, as [http.Header.Get] does.
func (h Headers) Get(name string) string {
	for i := 0; i < len(h.nv); i += 2 {
		if ascii.EqualFold(h.nv[i], name) {
			return h.nv[i+1]
		}
	}
	return ""
}

// Last returns the last value of that name and whether there is one. Where a field must be single and a peer repeats
// it, OkHttp takes the last.
func (h Headers) Last(name string) (string, bool) {
	for i := len(h.nv) - 2; i >= 0; i -= 2 {
		if ascii.EqualFold(h.nv[i], name) {
			return h.nv[i+1], true
		}
	}
	return "", false
}

// Values returns the values of that name in order.
func (h Headers) Values(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(h.nv); i += 2 {
			if ascii.EqualFold(h.nv[i], name) && !yield(h.nv[i+1]) {
				return
			}
		}
	}
}

// All returns every name and value in order.
func (h Headers) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := 0; i < len(h.nv); i += 2 {
			if !yield(h.nv[i], h.nv[i+1]) {
				return
			}
		}
	}
}

// Len returns the number of fields, each repetition of a name counted.
func (h Headers) Len() int { return len(h.nv) / 2 }

// With returns a copy in which the field replaces every field of that name; it stands at the end. Spaces and tabs
// around the value are removed. A malformed name or value fails with a [*HeaderError].
func (h Headers) With(name, value string) (Headers, error) {
	if err := checkHeader(name, value, false); err != nil {
		return Headers{}, err
	}
	return h.set(name, ascii.TrimOWS(value)), nil
}

// Add returns a copy with the field at the end, after any others of that name. Spaces and tabs around the value are
// removed. A malformed name or value fails with a [*HeaderError].
func (h Headers) Add(name, value string) (Headers, error) {
	if err := checkHeader(name, value, false); err != nil {
		return Headers{}, err
	}
	return h.append(name, ascii.TrimOWS(value)), nil
}

// AddNonASCII is [Headers.Add] for a value with characters beyond ASCII, which goes out as the bytes it has: UTF-8, in a
// Go string. RFC 9110, section 5.5, calls such bytes opaque, and servers disagree about them; use it for a server known
// to want them. Control characters are still refused.
func (h Headers) AddNonASCII(name, value string) (Headers, error) {
	if err := checkHeader(name, value, true); err != nil {
		return Headers{}, err
	}
	return h.append(name, ascii.TrimOWS(value)), nil
}

// Without returns a copy without the fields of that name.
func (h Headers) Without(name string) Headers {
	if !h.has(name) {
		return h
	}
	return Headers{h.filter(name, 0)}
}

// HTTP returns the fields as an [http.Header], under canonical names ([http.CanonicalHeaderKey]). The caller owns it.
func (h Headers) HTTP() http.Header { return Headers{slices.Clone(h.nv)}.shared() }

// shared is HTTP without a copy: changing a value in place changes these headers, which nobody else may have then. Appending does not, since
// the values are slices that cannot grow into each other.
func (h Headers) shared() http.Header {
	header := make(http.Header, h.Len())
	for i := 0; i < len(h.nv); i += 2 {
		name := http.CanonicalHeaderKey(h.nv[i])
		if former, ok := header[name]; ok {
			header[name] = append(former, h.nv[i+1])
		} else {
			header[name] = h.nv[i+1 : i+2 : i+2]
		}
	}
	return header
}

// String returns one "name: value" line a field, with ██ for the values of Authorization, Cookie, Proxy-Authorization
// and Set-Cookie.
func (h Headers) String() string {
	var b strings.Builder
	for name, value := range h.All() {
		if sensitiveHeader(name) {
			value = "██"
		}
		b.WriteString(name)
		b.WriteString(": ")
		b.WriteString(value)
		b.WriteByte('\n')
	}
	return b.String()
}

// set is With for a field that needs no check.
func (h Headers) set(name, value string) Headers {
	return Headers{append(h.filter(name, 2), name, value)}
}

// append is Add for a field that needs no check.
func (h Headers) append(name, value string) Headers {
	nv := make([]string, 0, len(h.nv)+2)
	return Headers{append(append(nv, h.nv...), name, value)}
}

// filter copies the fields of other names and leaves room for more strings.
func (h Headers) filter(name string, room int) []string {
	nv := make([]string, 0, len(h.nv)+room)
	for i := 0; i < len(h.nv); i += 2 {
		if !ascii.EqualFold(h.nv[i], name) {
			nv = append(nv, h.nv[i], h.nv[i+1])
		}
	}
	return nv
}

// has reports whether there is a field of that name.
func (h Headers) has(name string) bool {
	_, ok := h.Last(name)
	return ok
}

// hasToken reports whether token is in the comma-separated list that the fields of that name form together (RFC 9110,
// section 5.6.1). Case does not count.
func (h Headers) hasToken(name, token string) bool {
	return http1.HasToken(h.nv, name, token)
}
