package http2

import (
	"golang.org/x/net/http2/hpack"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

const (
	// maxTableSize is the most that the table of an encoder holds, whatever its peer would allow.
	maxTableSize = 16 << 10
	// shortCookie is the length from which a cookie is too long to be guessed byte by byte from the sizes of requests (RFC 7541 section 7.1).
	shortCookie = 20
	// keptNames is how many names an encoder remembers in lower case.
	keptNames = 128
)

// HeaderEncoder compresses the header blocks of one direction of a connection, in the order in which they are sent (RFC 7541). Authorization,
// Proxy-Authorization, and Cookie of less than 20 bytes are marked as never to be indexed, here and by those who pass them on. It is not safe for concurrent
// use.
type HeaderEncoder struct {
	hp    *hpack.Encoder
	out   blockWriter
	lower map[string]string
	memo  memo
}

// NewHeaderEncoder returns an encoder whose dynamic table has the 4096 bytes that a connection begins with.
func NewHeaderEncoder() *HeaderEncoder {
	e := &HeaderEncoder{}
	e.hp = hpack.NewEncoder(&e.out)
	e.hp.SetMaxDynamicTableSizeLimit(maxTableSize)
	return e
}

// SetTableSize follows the peer's HEADER_TABLE_SIZE, up to 16 KiB. It is to be called when the setting is applied, before its acknowledgement is
// sent; the next block begins with the change.
func (e *HeaderEncoder) SetTableSize(n uint32) {
	if n = min(n, maxTableSize); n != e.hp.MaxDynamicTableSize() {
		e.hp.SetMaxDynamicTableSize(n)
		e.memo.clear() // the next block has to begin with the change
	}
}

// Append writes one block to dst: the pseudo-header fields, alternating names and values, then the fields in their order, with names in lower case.
// Everything else is written as it is given, allowed or not; see [HeaderEncoder.AppendRequest] and its siblings for what is.
func (e *HeaderEncoder) Append(dst []byte, fields []string, pseudo ...string) []byte {
	e.begin(dst)
	for i := 0; i+1 < len(pseudo); i += 2 {
		e.write(pseudo[i], pseudo[i+1])
	}
	for i := 0; i+1 < len(fields); i += 2 {
		e.write(e.lowerCase(fields[i]), fields[i+1])
	}
	return e.finish()
}

func (e *HeaderEncoder) begin(dst []byte) { e.out = blockWriter{block: dst} }

func (e *HeaderEncoder) write(name, value string) {
	// The error is that of the blockWriter, which has none.
	_ = e.hp.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: sensitive(name, value)})
}

func (e *HeaderEncoder) finish() []byte {
	block := e.out.block
	if e.out.block = nil; e.out.changed {
		e.memo.clear()
	}
	return block
}

// sensitive reports whether a field must not enter the tables, where somebody who can add fields to the same connection could find it by trying.
func sensitive(name, value string) bool {
	switch name {
	case "authorization", "proxy-authorization":
		return true
	case "cookie":
		return len(value) < shortCookie
	}
	return false
}

// lowerCase returns the name in lower case. Names come in few spellings, again and again, so those that need changing are remembered.
func (e *HeaderEncoder) lowerCase(name string) string {
	i := 0
	for i < len(name) && !ascii.IsUpper(name[i]) {
		i++
	}
	if i == len(name) {
		return name
	}
	if known, ok := e.lower[name]; ok {
		return known
	}
	b := []byte(name)
	for ; i < len(b); i++ {
		if ascii.IsUpper(b[i]) {
			b[i] += 'a' - 'A'
		}
	}
	switch {
	case e.lower == nil:
		e.lower = make(map[string]string)
	case len(e.lower) >= keptNames:
		clear(e.lower)
	}
	known := string(b)
	if len(known) <= maxTableSize/keptNames {
		e.lower[name] = known
	}
	return known
}

// A blockWriter appends what hpack writes, a field at a time.
type blockWriter struct {
	block   []byte
	changed bool // the table does with this block
}

func (w *blockWriter) Write(p []byte) (int, error) {
	// A literal that is added to the table, or a change of its size (RFC 7541 sections 6.2.1 and 6.3).
	w.changed = w.changed || p[0]&0xc0 == 0x40 || p[0]&0xe0 == 0x20
	w.block = append(w.block, p...)
	return len(p), nil
}
