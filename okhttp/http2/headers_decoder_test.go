package http2

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// unhex reads hexadecimal with blanks in it.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// block decodes one header block.
func decodeBlock(d *HeaderDecoder, fragments ...[]byte) ([]string, error) {
	for _, f := range fragments {
		if err := d.Decode(f); err != nil {
			return nil, err
		}
	}
	return d.Close()
}

// RFC 7541 appendix C.4: three requests, with Huffman coding.
func TestDecode(t *testing.T) {
	d := NewHeaderDecoder(HeaderLimits{})
	for _, tt := range []struct {
		wire string
		want []string
	}{
		{"8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
			[]string{":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"}},
		{"8286 84be 5886 a8eb 1064 9cbf",
			[]string{":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com", "cache-control", "no-cache"}},
		{"8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
			[]string{":method", "GET", ":scheme", "https", ":path", "/index.html", ":authority", "www.example.com", "custom-key", "custom-value"}},
		{"", nil},
	} {
		got, err := decodeBlock(d, unhex(t, tt.wire))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.wire, got, err, tt.want)
		}
		if cap(got) != len(got) {
			t.Errorf("%s: %d fields in room for %d", tt.wire, len(got), cap(got))
		}
	}
}

// A block can be cut anywhere.
func TestDecodeFragments(t *testing.T) {
	wire := unhex(t, "3f e1 1f 8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff") // with a table of 4096 bytes
	want, err := decodeBlock(NewHeaderDecoder(HeaderLimits{}), wire)
	if err != nil || len(want) != 8 {
		t.Fatal(want, err)
	}
	for i := range wire {
		got, err := decodeBlock(NewHeaderDecoder(HeaderLimits{}), wire[:i], nil, wire[i:])
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("cut at %d: %q, %v", i, got, err)
		}
	}
}

func TestDecodeFails(t *testing.T) {
	for _, tt := range []struct{ name, wire, detail string }{
		{"index 0", "80", "field 0"},
		{"index beyond the tables", "be", "field 62"},
		{"name beyond the tables", "7f 00 01 61", "field 63"},
		{"ends within a string", "40 01 61 05 62", "ends within a field"},
		{"ends within an index", "ff", "ends within a field"},
		{"index of more than 9 bytes", "ff ff ff ff ff ff ff ff ff ff ff 00", "overflow"},
		{"Huffman padding", "40 81 00 01 62", "cannot be decoded"},
		{"string too long", "40 7f 82 ff 0f", "too long"},
		{"table above what was announced", "3f e2 1f", "4097 bytes, expected at most 4096"},
		{"table of 2^32", "3f e1 ff ff ff 0f", "expected at most 4096"},
		{"table in 6 bytes", "3f ff ff ff ff ff 00", "more than 5 bytes"},
		{"ends within a table size", "3f e1", "within the size"},
		{"table size after a field", "40 01 61 01 62 20", "beginning of a header block"},
	} {
		wire := unhex(t, tt.wire)
		for _, byByte := range []bool{false, true} {
			fragments := [][]byte{wire}
			if byByte {
				fragments = slices.Collect(slices.Chunk(wire, 1))
			}
			d := NewHeaderDecoder(HeaderLimits{})
			_, err := decodeBlock(d, fragments...)
			if got := failure(err); got != "connection COMPRESSION_ERROR" || !strings.Contains(err.Error(), tt.detail) {
				t.Errorf("%s: %v, want COMPRESSION_ERROR, %q", tt.name, err, tt.detail)
			}
			if _, again := decodeBlock(d, []byte{0x82}); again != err {
				t.Errorf("%s: then %v", tt.name, again)
			}
			if _, again := d.Close(); again != err {
				t.Errorf("%s: then %v", tt.name, again)
			}
		}
	}
}

// The size of the table changes at the beginning of a block, more than once if it shrank in between (RFC 7541 section 4.2), and has to when we reduced
// it (RFC 9113 section 4.3.1).
func TestDecodeTableSize(t *testing.T) {
	const (
		add  = "40 01 61 01 62" // a: b, into the table
		use  = "be"             // the newest entry
		none = "20"             // no table
	)
	for _, tt := range []struct {
		name   string
		blocks []string
		sizes  map[int][]uint32 // announced and acknowledged before a block
		fails  string           // at the last block
	}{
		{"two updates keep what fits", []string{add, "3e 3f e1 1f" + use}, nil, "field 62"},
		{"two updates, and entries stay", []string{add, "3f 09 3f e1 1f" + use}, nil, ""},
		{"emptied", []string{add, none + use}, nil, "field 62"},
		{"reduced", []string{add, none + "82"}, map[int][]uint32{1: {0}}, ""},
		{"reduced to less than asked", []string{add, none + "82"}, map[int][]uint32{1: {100}}, ""},
		{"reduced and nothing said", []string{add, use}, map[int][]uint32{1: {100}}, "reducing the dynamic table to 100"},
		{"reduced and an empty block", []string{add, ""}, map[int][]uint32{1: {100}}, "reducing the dynamic table to 100"},
		{"reduced, not enough", []string{add, "3f e1 1f"}, map[int][]uint32{1: {100}}, "4096 bytes, expected at most 100"},
		{"reduced, then raised, smallest first", []string{add, none + "3f e1 1f" + "82"}, map[int][]uint32{1: {0, 4096}}, ""},
		{"reduced, then raised, largest only", []string{add, "3f e1 1f" + "82"}, map[int][]uint32{1: {0, 4096}}, "reducing the dynamic table to 0"},
		{"raised, not used", []string{add, use}, map[int][]uint32{1: {8192}}, ""},
		{"raised, used", []string{add, "3f e1 3f" + use}, map[int][]uint32{1: {8192}}, ""},
		{"reduced to what it has", []string{add, use}, map[int][]uint32{1: {4096}}, ""},
		{"reduced above what it has", []string{none + "82", "82"}, map[int][]uint32{1: {100}}, ""},
		{"due only once", []string{none + "82", "82", "82"}, map[int][]uint32{0: {0}}, ""},
	} {
		d := NewHeaderDecoder(HeaderLimits{})
		for i, b := range tt.blocks {
			for _, n := range tt.sizes[i] {
				d.SetTableSize(n)
			}
			_, err := decodeBlock(d, unhex(t, b))
			switch {
			case i < len(tt.blocks)-1 || tt.fails == "":
				if err != nil {
					t.Errorf("%s: block %d: %v", tt.name, i, err)
				}
			case failure(err) != "connection COMPRESSION_ERROR" || !strings.Contains(err.Error(), tt.fails):
				t.Errorf("%s: %v, want %q", tt.name, err, tt.fails)
			}
		}
	}
}

// literals encodes fields that enter the table of the decoder.
func literals(fields ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(fields); i += 2 {
		e.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return b.Bytes()
}

// A block above a limit is lost, and the decoder still knows what the block put into its table.
func TestDecodeLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits HeaderLimits
		fields []string
		want   *TooLargeError
	}{
		{"bytes, at the limit", HeaderLimits{MaxBytes: 10}, []string{"a", "1234", "b", "1234"}, nil},
		{"bytes, above", HeaderLimits{MaxBytes: 9}, []string{"a", "1234", "b", "1234"}, &TooLargeError{What: "header block", Limit: 9}},
		{"bytes of one field", HeaderLimits{MaxBytes: 9}, []string{"a", strings.Repeat("x", 60<<10), "b", "1"}, &TooLargeError{What: "header block", Limit: 9}},
		{"bytes, default", HeaderLimits{}, []string{"a", strings.Repeat("x", DefaultMaxHeaderBytes-1)}, nil},
		{"bytes, default, above", HeaderLimits{}, []string{"a", strings.Repeat("x", DefaultMaxHeaderBytes)}, &TooLargeError{What: "header block", Limit: DefaultMaxHeaderBytes}},
		{"fields, at the limit", HeaderLimits{MaxFields: 2}, []string{"a", "", "b", ""}, nil},
		{"fields, above", HeaderLimits{MaxFields: 2}, []string{"a", "", "b", "", "c", "", "d", ""}, &TooLargeError{What: "header block", Limit: 2, Unit: "fields"}},
		{"fields, default", HeaderLimits{}, slices.Repeat([]string{"a", "b"}, DefaultMaxHeaderFields), nil},
		{"fields, default, above", HeaderLimits{}, slices.Repeat([]string{"a", "b"}, DefaultMaxHeaderFields+1),
			&TooLargeError{What: "header block", Limit: DefaultMaxHeaderFields, Unit: "fields"}},
	} {
		d := NewHeaderDecoder(tt.limits)
		wire := append(literals(tt.fields...), literals("last", "entry")...)
		if tt.want == nil {
			wire = literals(tt.fields...)
		}
		for range 2 {
			got, err := decodeBlock(d, slices.Collect(slices.Chunk(wire, 4<<10))...)
			var large *TooLargeError
			switch {
			case tt.want == nil:
				if err != nil || !slices.Equal(got, tt.fields) {
					t.Errorf("%s: %d fields, %v", tt.name, len(got), err)
				}
			case !errors.As(err, &large) || *large != *tt.want || got != nil:
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
			if tt.want == nil {
				continue
			}
			if next, err := decodeBlock(d, []byte{0xbe}); err == nil && !slices.Equal(next, []string{"last", "entry"}) {
				t.Errorf("%s: the block after it is %q", tt.name, next)
			} else if err != nil && tt.limits.MaxBytes != 9 { // "last: entry" has 9
				t.Errorf("%s: the block after it: %v", tt.name, err)
			}
		}
	}
	if got, want := (&TooLargeError{What: "header block", Limit: 2, Unit: "fields"}).Error(), "header block is larger than the limit of 2 fields"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What no decoder should go on with ends the connection.
func TestDecodeHardLimits(t *testing.T) {
	indexed := bytes.Repeat([]byte{0x82}, 16<<10)
	for _, tt := range []struct {
		name      string
		limits    HeaderLimits
		fragments [][]byte
		want      string
	}{
		{"one byte at a time", HeaderLimits{}, slices.Repeat([][]byte{{0x82}}, 1024), "lost"},
		{"one byte at a time, without end", HeaderLimits{}, slices.Repeat([][]byte{{0x82}}, 1025), "connection ENHANCE_YOUR_CALM"},
		{"empty fragments", HeaderLimits{}, make([][]byte, 1024), "ok"},
		{"empty fragments, without end", HeaderLimits{}, make([][]byte, 1025), "connection ENHANCE_YOUR_CALM"},
		{"a million indexed fields", HeaderLimits{}, slices.Repeat([][]byte{indexed}, 64), "lost"},
		{"and more", HeaderLimits{}, slices.Repeat([][]byte{indexed}, 65), "connection ENHANCE_YOUR_CALM"},
		{"small limits", HeaderLimits{MaxBytes: 100}, slices.Repeat([][]byte{indexed}, 16), "lost"},
		{"small limits, and more", HeaderLimits{MaxBytes: 100}, slices.Repeat([][]byte{indexed}, 17), "connection ENHANCE_YOUR_CALM"},
		{"a string that is announced only", HeaderLimits{}, [][]byte{unhex(t, "40 01 61 7f 82 ff 0f")}, "connection COMPRESSION_ERROR"}, // 256 KiB and 1
		{"a string of the limit", HeaderLimits{}, [][]byte{literals("a", strings.Repeat("\xff", DefaultMaxHeaderBytes))}, "lost"},
		{"small limits, a string of 64 KiB", HeaderLimits{MaxBytes: 100}, [][]byte{literals("a", strings.Repeat("\xff", 64<<10))}, "lost"},
		{"small limits, a longer string", HeaderLimits{MaxBytes: 100}, [][]byte{literals("a", strings.Repeat("\xff", 64<<10+1))}, "connection COMPRESSION_ERROR"},
	} {
		d := NewHeaderDecoder(tt.limits)
		_, err := decodeBlock(d, tt.fragments...)
		got := failure(err)
		if large := (*TooLargeError)(nil); errors.As(err, &large) {
			got = "lost"
		}
		if got != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// A decoder gives back what a large block needed, and its fields belong to the caller.
func TestDecodeMemory(t *testing.T) {
	d := NewHeaderDecoder(HeaderLimits{})
	first, err := decodeBlock(d, literals("a", "1", "b", "2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeBlock(d, literals(slices.Repeat([]string{"c", "3"}, 1000)...)); err != nil {
		t.Fatal(err)
	}
	if cap(d.fields) > keptFields {
		t.Errorf("keeps room for %d fields", cap(d.fields)/2)
	}
	if want := []string{"a", "1", "b", "2"}; !slices.Equal(first, want) {
		t.Errorf("the first block became %q", first)
	}
	for i, s := range d.fields[:cap(d.fields)] {
		if s != "" {
			t.Errorf("keeps %q at %d", s, i)
		}
	}
}

func ExampleHeaderDecoder() {
	var e = NewHeaderEncoder()
	block := e.Append(nil, []string{"Content-Type", "text/plain"}, ":status", "200")

	d := NewHeaderDecoder(HeaderLimits{})
	for len(block) > 0 { // as HEADERS and CONTINUATION bring it
		n := min(len(block), 4)
		if err := d.Decode(block[:n]); err != nil {
			fmt.Println(err)
			return
		}
		block = block[n:]
	}
	fields, err := d.Close()
	fmt.Printf("%q %v\n", fields, err)
	// Output: [":status" "200" "content-type" "text/plain"] <nil>
}
