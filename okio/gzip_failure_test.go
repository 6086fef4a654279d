package okio

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestGzipErrors(t *testing.T) {
	const start, body = "1f8b0800000000000000", "4b4c4a0600"
	for _, c := range []struct{ name, data, want string }{
		{"not gzip", "1f8c0800000000000000" + body, "okio: gzip: ID1ID2: actual 0x00001f8c != expected 0x00001f8b"},
		{"method", "1f8b0700000000000000" + body, "okio: gzip: compression method 7 is not 8"},
		{"reserved flags", "1f8b0820000000000000" + body, "okio: gzip: reserved flags are set: 0x20"},
		{"header checksum", "1f8b08020000000000000000" + body, "okio: gzip: FHCRC: actual 0x0000261d != expected 0x00000000"},
		{"checksum", start + body + "6745230103000000", "okio: gzip: CRC: actual 0x352441c2 != expected 0x01234567"},
		{"length", start + body + "c241243556341200", "okio: gzip: ISIZE: actual 0x00000003 != expected 0x00123456"},
		{"one byte more", gzipABC + "00", "okio: gzip: gzip finished without exhausting source"},
		{"half a magic more", gzipABC + "1f", "okio: gzip: gzip finished without exhausting source"},
		{"cut second member", gzipABC + "1f8b08", "okio: gzip: source exhausted prematurely"},
		{"bad block", start + "ff", "okio: gzip: invalid data: flate: corrupt input before offset 1"},
		{"endless name", "1f8b0808000000000000" + strings.Repeat("61", 1<<16+1), "okio: gzip: file name is longer than 65536 bytes"},
		{"endless comment", "1f8b0810000000000000" + strings.Repeat("61", 1<<17), "okio: gzip: comment is longer than 65536 bytes"},
		{"nothing", "", "okio: gzip: source exhausted prematurely"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewGzipSource(hexBuffer(t, c.data))
			for range 2 { // the error repeats
				_, err := readAll(s)
				var format *FormatError
				if !errors.As(err, &format) || err.Error() != c.want {
					t.Errorf("%v, want %s", err, c.want)
				}
			}
		})
	}
}

func TestGzipTrailingByteFailsTheLastRead(t *testing.T) {
	s := NewBufferedSource(NewGzipSource(hexBuffer(t, gzipABC+"00")))
	if got := mustText(t, s, 3); got != "abc" {
		t.Errorf("%q", got)
	}
	var format *FormatError
	if _, err := s.ReadByte(); !errors.As(err, &format) {
		t.Error(err)
	}
}

// errSink fails as it is told.
type errSink struct {
	write, flush, close error
	calls               []string
	Buffer
}

func (k *errSink) WriteBuffer(src *Buffer, n int64) error {
	k.calls = append(k.calls, "write")
	if k.write != nil {
		return k.write
	}
	return k.Buffer.WriteBuffer(src, n)
}

func (k *errSink) Flush() error { k.calls = append(k.calls, "flush"); return k.flush }

func (k *errSink) Close() error { k.calls = append(k.calls, "close"); return k.close }

func TestGzipSinkCloseReportsTheFirstFailure(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	down := &errSink{write: first, close: second}
	k, _ := NewGzipSink(down, 1)
	_ = k.WriteBuffer(NewBufferString("hello"), 5)
	if err := k.Close(); err != first {
		t.Error(err)
	}
	if strings.Join(down.calls, " ") != "write close" {
		t.Error(down.calls)
	}
}

func TestGzipSourceClose(t *testing.T) {
	up := &funcSource{read: hexBuffer(t, gzipABC).ReadBuffer}
	s := NewGzipSource(up)
	if err := s.Close(); err != nil || up.closed != 1 {
		t.Error(err, up.closed)
	}
	if err := s.Close(); err != nil || up.closed != 1 {
		t.Error(err, up.closed)
	}
	if _, err := s.ReadBuffer(new(Buffer), 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// Errors of the source beneath pass through as they are and repeat.
func TestGzipSourceUpstreamError(t *testing.T) {
	boom := errors.New("boom")
	p := hexBuffer(t, gzipABC[:24])
	s := NewGzipSource(&funcSource{read: func(dst *Buffer, max int64) (int64, error) {
		if p.Len() > 0 {
			return p.ReadBuffer(dst, max)
		}
		return 0, boom
	}})
	for range 2 {
		if _, err := readAll(s); err != boom {
			t.Error(err)
		}
	}
}

// Bad data in a later segment of a stream, read in large slices through the direct path.
func TestGzipDirectReadOfBadData(t *testing.T) {
	var b Buffer
	k, _ := NewGzipSink(&b, 6)
	src := NewBufferString(randomText(20 * segN))
	_ = k.WriteBuffer(src, src.Len())
	_ = k.Close()
	p := []byte(b.Snapshot())
	p[len(p)/2] ^= 0xff
	got, err := io.ReadAll(NewBufferedSource(NewGzipSource(NewBufferString(string(p)))))
	var format *FormatError
	if !errors.As(err, &format) || len(got) == 0 || len(got) > 20*segN {
		t.Error(len(got), err)
	}
}
