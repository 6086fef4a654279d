package okcompress_test

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// decode runs an algorithm without HTTP around it.
func decode(a okcompress.Algorithm, data string) (string, error) {
	src, err := a.Decoder(okio.NewBufferString(data))
	if err != nil {
		return "", err
	}
	defer func() { _ = src.Close() }()
	p, err := io.ReadAll(okio.NewBufferedSource(src))
	return string(p), err
}

// Every way to cut a stream short, and a change of any of its bytes that a checksum covers, is an error that names the coding.
func TestDamage(t *testing.T) {
	for _, tt := range []struct {
		coding, made string
		algorithm    okcompress.Algorithm
	}{
		{"gzip", "gzip", okcompress.Gzip()},
		{"deflate", "deflate", okcompress.Deflate()},
		{"deflate", "raw", okcompress.Deflate()},
		{"zstd", "zstd", okcompress.Zstd()},
	} {
		whole := packed(t, hello, tt.made)
		if got, err := decode(tt.algorithm, whole); got != hello || err != nil {
			t.Fatalf("%s: %q, %v", tt.made, got, err)
		}
		for n := 1; n < len(whole); n++ {
			if got, err := decode(tt.algorithm, whole[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes decode to %q", tt.made, n, len(whole), got)
			}
		}
		if _, err := decode(tt.algorithm, whole+"x"); err == nil {
			t.Errorf("%s: what follows is not noticed", tt.made)
		}
		damaged := []byte(whole)
		damaged[len(whole)-6] ^= 0x55
		bodies := map[string]string{"cut": whole[:len(whole)-1], "damaged": string(damaged), "followed": whole + "x"}
		if tt.made == "raw" {
			delete(bodies, "damaged") // it has no checksum
		}
		for name, body := range bodies {
			resp := newExchange(t, all(nil), send(body, tt.coding)).do("GET")
			_, err := io.Copy(io.Discard, resp.Body)
			var d *okcompress.DecodeError
			var call *okhttp.Error
			if !errors.As(err, &d) || d.Coding != tt.coding || !errors.As(err, &call) || call.Phase != okhttp.PhaseResponseBody || !call.Sent {
				t.Errorf("%s %s: %v", name, tt.made, err)
				continue
			}
			if !strings.Contains(err.Error(), "content coding "+tt.coding) {
				t.Errorf("%s %s: the message does not name the coding: %v", name, tt.made, err)
			}
			if _, again := resp.Body.ReadBuffer(new(okio.Buffer), 1); again != err {
				t.Errorf("%s %s: then %v", name, tt.made, again)
			}
		}
	}
}

// A connection that breaks is no damaged data.
func TestConnectionBreaks(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "zstd"} {
		whole := packed(t, hello, coding)
		for _, n := range []int{1, len(whole) / 2, len(whole)} {
			e := newExchange(t, all(nil), func(w http.ResponseWriter, _ *http.Request) {
				conn, rw, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				answerChunk(rw.Writer, coding, whole[:n])
			})
			_, err := io.Copy(io.Discard, e.do("GET").Body)
			var call *okhttp.Error
			var d *okcompress.DecodeError
			if !errors.As(err, &call) || errors.As(err, &d) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s after %d bytes: %v", coding, n, err)
			}
		}
	}
}

// answerChunk sends a head and one chunk, but not the last.
func answerChunk(w *bufio.Writer, coding, data string) {
	_, _ = w.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: " + coding + "\r\n\r\n")
	_, _ = w.WriteString(string("0123456789abcdef"[len(data)>>4]) + string("0123456789abcdef"[len(data)&15]) + "\r\n" + data + "\r\n")
	_ = w.Flush()
}

func TestZstdWindow(t *testing.T) {
	frame := func(head ...byte) string {
		return "\x28\xb5\x2f\xfd" + string(head) + "\x19\x00\x00" + "abc" // a raw block of 3 bytes, the last
	}
	single := func(size uint64) []byte {
		return binary.LittleEndian.AppendUint64([]byte{3<<6 | 1<<5}, size)
	}
	for _, tt := range []struct {
		name  string
		frame string
		ok    bool
	}{
		{"1 KiB", frame(0, 0<<3), true},
		{"8 MiB", frame(0, 13<<3), true},
		{"9 MiB", frame(0, 13<<3|1), false},
		{"16 MiB", frame(0, 14<<3), false},
		{"the largest", frame(0, 0xff), false},
		{"its own window", frame(single(3)...), true},
		{"its own window, 8 MiB and a byte", frame(single(8<<20 + 1)...), false},
		{"its own window, all there is", frame(single(1<<64 - 2)...), false},
	} {
		got, err := decode(okcompress.Zstd(), tt.frame)
		if tt.ok && (err != nil || got != "abc") || !tt.ok && err == nil {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
		if !tt.ok && !errors.Is(err, zstd.ErrWindowSizeExceeded) && !errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			t.Errorf("%s: refused for %v", tt.name, err)
		}
	}
}

func TestLimit(t *testing.T) {
	body := strings.Repeat("x", 1000)
	for _, tt := range []struct {
		limit   int64
		codings []string
		ok      bool
	}{
		{0, []string{"gzip"}, true},
		{-1, []string{"gzip"}, true},
		{1000, []string{"gzip"}, true},
		{999, []string{"gzip"}, false},
		{1000, []string{"zstd"}, true},
		{999, []string{"zstd"}, false},
		{1000, []string{"deflate"}, true},
		{999, []string{"deflate"}, false},
		{1000, []string{"zstd", "gzip"}, true},
		{999, []string{"zstd", "gzip"}, false},
	} {
		i := all(&okcompress.Config{MaxDecoded: tt.limit})
		resp := newExchange(t, i, send(packed(t, body, tt.codings...), tt.codings...)).do("GET")
		var b okio.Buffer
		var err error
		for err == nil {
			_, err = resp.Body.ReadBuffer(&b, 64<<10)
		}
		var large *okhttp.TooLargeError
		switch {
		case tt.ok && (err != io.EOF || b.Len() != 1000):
			t.Errorf("%v: %d bytes, %v", tt, b.Len(), err)
		case !tt.ok && (!errors.As(err, &large) || large.Limit != tt.limit || b.Len() != tt.limit):
			t.Errorf("%v: %d bytes, %v", tt, b.Len(), err)
		}
		b.Clear()
	}
}

// What one coding yields is bounded even if the next makes little of it.
func TestLimitBetweenCodings(t *testing.T) {
	inner := packed(t, "small", "gzip") + strings.Repeat(packed(t, "", "gzip"), 1000) // many members without content
	i := all(&okcompress.Config{MaxDecoded: 10_000})
	_, err := newExchange(t, i, send(packed(t, inner, "gzip"), "gzip, gzip")).do("GET").Body.Text()
	var large *okhttp.TooLargeError
	if !errors.As(err, &large) {
		t.Error(err)
	}
}

// A bomb is refused at the limit, and on the way there memory stays flat. Its pieces are made beforehand, to be quick.
func TestBomb(t *testing.T) {
	const limit, piece = 96 << 20, 1 << 20
	for _, coding := range []string{"gzip", "deflate", "zstd"} {
		head, again, enough := "", packed(t, strings.Repeat("\x00", piece), coding), 2*limit/piece
		if coding == "deflate" { // which is one stream, of which a part that was flushed can be repeated
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			_ = z.Flush()
			head = b.String()
			b.Reset()
			_, _ = z.Write(make([]byte, piece))
			_ = z.Flush()
			again = b.String() // deflate's window makes later pieces refer to zeros, which they follow as well
		}
		e := newExchange(t, all(&okcompress.Config{MaxDecoded: limit}), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			_, _ = io.WriteString(w, head)
			for range enough {
				_, _ = io.WriteString(w, again)
			}
		})
		resp := e.do("GET")
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var got, peak int64
		var b okio.Buffer
		var err error
		for check := int64(0); err == nil; {
			var n int64
			n, err = resp.Body.ReadBuffer(&b, 64<<10)
			b.Clear()
			if got += n; got > check {
				check += 16 << 20
				runtime.GC()
				runtime.ReadMemStats(&now)
				peak = max(peak, int64(now.HeapAlloc)-int64(before.HeapAlloc))
			}
		}
		var large *okhttp.TooLargeError
		if !errors.As(err, &large) || got != limit {
			t.Errorf("%s: %d bytes, %v", coding, got, err)
		}
		if peak > 24<<20 {
			t.Errorf("%s: %d MiB were held", coding, peak>>20)
		}
	}
}

func TestDeflateHeaders(t *testing.T) {
	whole := packed(t, hello, "deflate")
	for _, tt := range []struct{ name, data, want string }{
		{"preset dictionary", "\x78\xbb" + whole[2:], "preset dictionary"},
		{"wrong checksum", whole[:len(whole)-1] + "\x00", "the checksum is"},
		{"one byte", "x", ""},
	} {
		if _, err := decode(okcompress.Deflate(), tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func FuzzDecoders(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "raw", "zstd"} {
		f.Add(packed(f, hello, coding))
	}
	f.Add("\x28\xb5\x2f\xfd\x00\x68\x19\x00\x00abc")
	f.Fuzz(func(t *testing.T, data string) {
		for _, a := range []okcompress.Algorithm{okcompress.Gzip(), okcompress.Deflate(), okcompress.Zstd()} {
			src, err := a.Decoder(okio.NewBufferString(data))
			if err != nil {
				t.Fatal(err)
			}
			var b okio.Buffer
			for total := int64(0); err == nil && total < 1<<20; b.Clear() {
				var n int64
				n, err = src.ReadBuffer(&b, 8<<10)
				if n == 0 && err == nil || n != b.Len() {
					t.Fatalf("%s: %d bytes said, %d came", a.Token, n, b.Len())
				}
				total += n
			}
			if err := src.Close(); err != nil {
				t.Errorf("%s: close: %v", a.Token, err)
			}
		}
	})
}
