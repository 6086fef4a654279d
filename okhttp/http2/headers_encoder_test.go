package http2

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// RFC 7541 appendix C.4: three requests, with Huffman coding.
func TestEncode(t *testing.T) {
	e := NewHeaderEncoder()
	for _, tt := range []struct {
		pseudo, fields []string
		want           string
	}{
		{[]string{":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"}, nil,
			"8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff"},
		{[]string{":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"}, []string{"Cache-Control", "no-cache"},
			"8286 84be 5886 a8eb 1064 9cbf"},
		{[]string{":method", "GET", ":scheme", "https", ":path", "/index.html", ":authority", "www.example.com"}, []string{"Custom-Key", "custom-value"},
			"8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf"},
	} {
		got := e.Append([]byte("before"), tt.fields, tt.pseudo...)
		if want := "6265666f7265" + strings.ReplaceAll(tt.want, " ", ""); hex.EncodeToString(got) != want {
			t.Errorf("%q %q: %x, want %s", tt.pseudo, tt.fields, got, want)
		}
	}
}

// sensitiveFields returns the names of the fields of a block that are never to be indexed.
func sensitiveFields(t *testing.T, block []byte) (names []string) {
	t.Helper()
	fields, err := hpack.NewDecoder(4096, nil).DecodeFull(block)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		if f.Sensitive {
			names = append(names, f.Name+"="+f.Value)
		}
	}
	return names
}

func TestEncodeSensitive(t *testing.T) {
	e := NewHeaderEncoder()
	fields := []string{
		"Authorization", "Bearer a token that is longer than twenty bytes",
		"proxy-authorization", "x",
		"COOKIE", "1234567890123456789",
		"cookie", "12345678901234567890",
		"set-cookie", "a=b",
		"x-authorization", "x",
	}
	want := []string{
		"authorization=Bearer a token that is longer than twenty bytes",
		"proxy-authorization=x",
		"cookie=1234567890123456789",
	}
	for i := range 2 { // the second time too, when other fields are in the table
		if got := sensitiveFields(t, e.Append(nil, fields[:6])); !slices.Equal(got, want) {
			t.Errorf("block %d: %q, want %q", i, got, want)
		}
	}
	if got := sensitiveFields(t, NewHeaderEncoder().Append(nil, fields[6:])); got != nil {
		t.Errorf("%q", got)
	}
}

func TestEncodeTableSize(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sizes []uint32
		want  string // how the next block begins
	}{
		{"none", nil, "82"},
		{"what it is", []uint32{4096}, "82"},
		{"smaller", []uint32{100}, "3f45 82"},
		{"none at all", []uint32{0}, "20 82"},
		{"larger", []uint32{8192}, "3fe13f 82"},
		{"the largest", []uint32{16384}, "3fe17f 82"},
		{"above the largest", []uint32{1<<32 - 1}, "3fe17f 82"},
		{"smaller and back", []uint32{100, 4096}, "3f45 3fe11f 82"},
		{"smaller, smaller and larger", []uint32{100, 0, 200, 100}, "20 3f45 82"},
		{"larger and back", []uint32{8192, 4096}, "3fe11f 82"},
	} {
		e := NewHeaderEncoder()
		for _, n := range tt.sizes {
			e.SetTableSize(n)
		}
		got := e.Append(nil, nil, ":method", "GET")
		if want := strings.ReplaceAll(tt.want, " ", ""); hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s", tt.name, got, want)
		}
		if got := e.Append(nil, nil, ":method", "GET"); hex.EncodeToString(got) != "82" {
			t.Errorf("%s: the next block is %x", tt.name, got)
		}
	}
}

func TestLowerCase(t *testing.T) {
	e := NewHeaderEncoder()
	long := strings.Repeat("X", 1000)
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"accept", "accept"},
		{"Accept-Encoding", "accept-encoding"},
		{"ETag", "etag"},
		{"x-ALL_[]", "x-all_[]"},
		{"K\u212a", "k\u212a"}, // the Kelvin sign is not ASCII
		{long, strings.ToLower(long)},
	} {
		for range 2 {
			if got := e.lowerCase(tt.in); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
			}
		}
	}
	if _, kept := e.lower[long]; kept {
		t.Error("keeps a long name")
	}
	for i := range 1000 {
		e.lowerCase("X-" + strings.Repeat("a", i%100) + string(rune('a'+i/100)))
	}
	if len(e.lower) > keptNames {
		t.Errorf("keeps %d names", len(e.lower))
	}
}

// typical is a request of a browser, in the spelling of HTTP/1.1.
var typical = []string{
	"Host", "www.example.com",
	"Connection", "Keep-Alive",
	"User-Agent", "okhttp-go/1.0",
	"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
	"Accept-Language", "en-US,en;q=0.5",
	"Accept-Encoding", "gzip, deflate, br, zstd",
	"Cookie", "session=0123456789abcdef0123456789abcdef; theme=dark",
	"Authorization", "Bearer 0123456789abcdef",
	"X-Request-Source", "frontend",
}

var typicalHead = RequestHead{Method: "GET", Path: "/path/to/a/resource?with=query", Authority: "www.example.com", Scheme: "https"}

func TestEncodeAllocations(t *testing.T) {
	e := NewHeaderEncoder()
	dst, err := e.AppendRequest(nil, typicalHead, typical)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if dst, err = e.AppendRequest(dst[:0], typicalHead, typical); err != nil {
			panic(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a request", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		dst = e.Append(dst[:0], typical, ":status", "200")
	}); n != 0 {
		t.Errorf("%v allocations for a block", n)
	}
}

func TestDecodeAllocations(t *testing.T) {
	e, d := NewHeaderEncoder(), NewHeaderDecoder(HeaderLimits{})
	fields := []string{"Content-Type", "text/html; charset=utf-8", "Server", "nginx", "Cache-Control", "max-age=3600"}
	var wire []byte
	for range 2 {
		var err error
		if wire, err = e.AppendResponse(wire[:0], 200, fields); err != nil {
			t.Fatal(err)
		}
		if _, err := decodeBlock(d, wire); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { // the second block has nothing but indexes
		if d.Decode(wire) != nil {
			panic(d.failed)
		}
		if _, err := d.Close(); err != nil {
			panic(err)
		}
	}); n != 1 {
		t.Errorf("%v allocations, want 1, the fields", n)
	}
}

func BenchmarkAppendRequest(b *testing.B) {
	e := NewHeaderEncoder()
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = e.AppendRequest(dst[:0], typicalHead, typical)
	}
}

func BenchmarkDecode(b *testing.B) {
	e := NewHeaderEncoder()
	first, _ := e.AppendRequest(nil, typicalHead, typical)
	again, _ := e.AppendRequest(nil, typicalHead, typical)
	b.Run("indexed", func(b *testing.B) {
		d := NewHeaderDecoder(HeaderLimits{})
		if _, err := decodeBlock(d, first); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			d.Decode(again)
			if _, err := d.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("literal", func(b *testing.B) {
		d := NewHeaderDecoder(HeaderLimits{})
		b.ReportAllocs()
		for b.Loop() {
			d.Decode(first)
			if _, err := d.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkValidResponse(b *testing.B) {
	nv := []string{":status", "200", "content-type", "text/html; charset=utf-8", "server", "nginx", "cache-control", "max-age=3600",
		"content-length", "12345", "date", "Mon, 01 Dec 2026 00:00:00 GMT"}
	b.ReportAllocs()
	for b.Loop() {
		if err := ValidResponse(nv); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidRequest(b *testing.B) {
	e, d := NewHeaderEncoder(), NewHeaderDecoder(HeaderLimits{})
	wire, _ := e.AppendRequest(nil, typicalHead, typical)
	nv, err := decodeBlock(d, wire)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := ValidRequest(nv); err != nil {
			b.Fatal(err)
		}
	}
}
