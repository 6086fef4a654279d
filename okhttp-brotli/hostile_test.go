package okbrotli_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-brotli"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// Every way to cut a stream short is an unexpected end.
func TestTruncation(t *testing.T) {
	whole := packed(t, hello)
	if got, err := decode(okio.NewBufferString(whole)); got != hello || err != nil {
		t.Fatal(got, err)
	}
	for n := range len(whole) {
		if got, err := decode(okio.NewBufferString(whole[:n])); err != io.ErrUnexpectedEOF || !strings.HasPrefix(hello, got) {
			t.Errorf("the first %d of %d bytes: %q, %v", n, len(whole), got, err)
		}
	}
}

// Failures are those of the call and name the coding.
func TestDamage(t *testing.T) {
	whole := packed(t, hello)
	for _, tt := range []struct {
		name, body string
		is         error  // nil: any
		says       string // ditto
	}{
		{"cut", whole[:len(whole)-1], io.ErrUnexpectedEOF, "unexpected EOF"},
		{"cut in the header", whole[:1], io.ErrUnexpectedEOF, "unexpected EOF"},
		{"followed by a byte", whole + "x", nil, "excessive input"},
		{"followed by itself", whole + whole, nil, "excessive input"},
		{"garbage", strings.Repeat("\xff", 32), nil, ""},
		{"text", "<!DOCTYPE html>", nil, ""},
		{"large window, 2^30", "\x11\x1e\x06", nil, "a window of more than 16 MiB is needed"},
		{"large window, 2^10", "\x11\x0a\x06", nil, "a window of more than 16 MiB is needed"},
		{"reserved", "\x91\x0a\x06", nil, "a window of more than 16 MiB is needed"},
		{"distance before the beginning", "\x0b\x80\x80\x00\x03", nil, ""},
	} {
		resp := newExchange(t, okbrotli.New(nil), send(tt.body)).do("GET")
		_, err := io.Copy(io.Discard, resp.Body)
		var d *okcompress.DecodeError
		var call *okhttp.Error
		if !errors.As(err, &d) || d.Coding != "br" || !errors.As(err, &call) || call.Phase != okhttp.PhaseResponseBody || !call.Sent {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if !strings.Contains(err.Error(), "content coding br: ") || !strings.Contains(err.Error(), tt.says) || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, again := resp.Body.ReadBuffer(new(okio.Buffer), 1); again != err {
			t.Errorf("%s: then %v", tt.name, again)
		}
	}
}

// A connection that breaks is no damaged data.
func TestConnectionBreaks(t *testing.T) {
	whole := packed(t, hello)
	for _, n := range []int{1, len(whole) / 2, len(whole)} {
		e := newExchange(t, okbrotli.New(nil), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, whole[:n])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		_, err := io.Copy(io.Discard, e.do("GET").Body)
		var call *okhttp.Error
		var d *okcompress.DecodeError
		if !errors.As(err, &call) || errors.As(err, &d) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// All windows that RFC 7932 has are accepted. Each is tried on an empty last metablock.
func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		bits, pattern, length int // section 9.1
	}{
		{16, 0b0, 1}, {17, 0b0000001, 7}, {18, 0b0011, 4}, {19, 0b0101, 4}, {20, 0b0111, 4}, {21, 0b1001, 4}, {22, 0b1011, 4}, {23, 0b1101, 4}, {24, 0b1111, 4},
		{10, 0b0100001, 7}, {11, 0b0110001, 7}, {12, 0b1000001, 7}, {13, 0b1010001, 7}, {14, 0b1100001, 7}, {15, 0b1110001, 7},
	} {
		stream := tt.pattern | 0b11<<tt.length // ISLAST, ISLASTEMPTY
		data := string([]byte{byte(stream)})
		if stream > 0xff {
			data += string([]byte{byte(stream >> 8)})
		}
		if got, err := decode(okio.NewBufferString(data)); got != "" || err != nil {
			t.Errorf("a window of 2^%d: %q, %v", tt.bits, got, err)
		}
	}
}

// A bomb is refused at the limit, and on the way there memory stays flat.
func TestBomb(t *testing.T) {
	const limit, piece = 32 << 20, 1 << 20
	head, again := zeros(t, piece)
	if len(again) > piece/10_000 {
		t.Fatalf("%d bytes are no bomb", len(again))
	}
	e := newExchange(t, okbrotli.New(&okcompress.Config{MaxDecoded: limit}), send(head+strings.Repeat(again, 2*limit/piece)))
	resp := e.do("GET")
	before := heap()
	var got, peak int64
	var b okio.Buffer
	var err error
	for check := int64(0); err == nil; {
		var n int64
		n, err = resp.Body.ReadBuffer(&b, 64<<10)
		b.Clear()
		if got += n; got > check {
			check += 16 << 20
			peak = max(peak, heap()-before)
		}
	}
	var large *okhttp.TooLargeError
	if !errors.As(err, &large) || large.Limit != limit || got != limit {
		t.Errorf("%d bytes, %v", got, err)
	}
	if peak > 20<<20 {
		t.Errorf("%d MiB were held", peak>>20)
	}
}

// What is announced and does not come takes no more than the largest window.
func TestAnnouncedLength(t *testing.T) {
	// A window of 2^24, a metablock that is not the last of 2^24 bytes in six nibbles, not compressed.
	bits := uint64(0b1111 | 0b0<<4 | 0b10<<5 | 0xffffff<<7 | 1<<31)
	data := []byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24), 'a', 'b', 'c'}
	src, err := okbrotli.Brotli().Decoder(okio.NewBufferString(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	var b okio.Buffer
	if n, err := src.ReadBuffer(&b, 100); n != 3 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if held := heap() - before; held > 20<<20 {
		t.Errorf("%d MiB are held", held>>20)
	}
	if n, err := src.ReadBuffer(&b, 100); n != 0 || err != io.ErrUnexpectedEOF {
		t.Errorf("then %d bytes, %v", n, err)
	}
	if held := heap() - before; held > 1<<20 {
		t.Errorf("%d KiB are held after the failure", held>>10)
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

// drip delivers one byte at a time.
type drip struct{ okio.Source }

func (d drip) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	return d.Source.ReadBuffer(dst, min(most, 1))
}

// Whatever comes, the outcome does not depend on how it is cut nor on what a decoder did before, and what the encoder writes is read.
func FuzzDecode(f *testing.F) {
	f.Add(packed(f, hello))
	f.Add(packed(f, strings.Repeat("x", 1000)) + "y")
	f.Add(packed(f, strings.Repeat(hello, 100))[:20])
	for _, s := range []string{"", "\x06", "\x11\x1e\x06", "\x0b\x80\x58\x03", "\x81\x16\x00\x58", "\x1b\x76\x00\x00\x14\x4a\xac\x9b", "\x1b\x01\x00\x00\x046\xe00\xcb0X\xf02 \x9b020"} {
		f.Add(s)
	}
	// The decoder numbers the places at which it finds the same damage. Which of them is first depends on how much of the data is there.
	found := func(err error) string { return strings.TrimRight(fmt.Sprint(err), "_0123456789") }
	f.Fuzz(func(t *testing.T, data string) {
		const most = 1 << 20
		read := func(src okio.Source, piece int64) (string, error) {
			out, err := okbrotli.Brotli().Decoder(src)
			if err != nil {
				t.Fatal(err)
			}
			var b okio.Buffer
			for err == nil && b.Len() < most {
				var n int64
				before := b.Len()
				n, err = out.ReadBuffer(&b, min(piece, most-before))
				if n == 0 && err == nil || n != b.Len()-before {
					t.Fatalf("%d bytes said, %d came, %v", n, b.Len()-before, err)
				}
			}
			if err := out.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			text, _ := b.ReadText(b.Len())
			return text, err
		}
		whole, err := read(okio.NewBufferString(data), 64<<10)
		for _, piece := range []int64{64 << 10, 7} {
			again, why := read(drip{okio.NewBufferString(data)}, piece)
			same := again == whole || err != io.EOF && strings.HasPrefix(again, whole) // what came before an error comes sooner
			if !same || found(why) != found(err) {
				t.Errorf("in pieces: %d bytes, %v; whole: %d bytes, %v", len(again), why, len(whole), err)
			}
		}
		if got, err := read(okio.NewBufferString(packed(t, data)), 64<<10); got != data && len(data) < most || err != nil && err != io.EOF {
			t.Errorf("packed and unpacked: %d bytes of %d, %v", len(got), len(data), err)
		}
	})
}
