package okio

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// values is what Buffer and BufferedSource have in common to read with.
type values interface {
	io.Reader
	io.ByteScanner
	io.RuneScanner
	ReadUint16() (uint16, error)
	ReadUint32() (uint32, error)
	ReadUint64() (uint64, error)
	ReadUint16LE() (uint16, error)
	ReadUint32LE() (uint32, error)
	ReadUint64LE() (uint64, error)
	ReadDecimal() (int64, error)
	ReadHex() (uint64, error)
	ReadN(n int64) ([]byte, error)
	ReadText(n int64) (string, error)
	ReadByteString(n int64) (ByteString, error)
	ReadLine() (string, error)
	ReadLineLimit(limit int64) (string, error)
	Skip(n int64) error
	PeekN(n int) ([]byte, error)
}

// eachForm runs a test on the data in a Buffer, in a BufferedSource that gets it at once and in one that gets it byte by
// byte.
func eachForm(t *testing.T, data string, test func(t *testing.T, in values)) {
	t.Helper()
	t.Run("buffer", func(t *testing.T) { test(t, NewBufferString(data)) })
	t.Run("source", func(t *testing.T) { test(t, NewBufferedSource(NewBufferString(data))) })
	t.Run("drip", func(t *testing.T) { test(t, NewBufferedSource(drip(data))) })
}

func rest(t *testing.T, in values) string {
	t.Helper()
	p, err := io.ReadAll(struct{ io.Reader }{in})
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

func TestFixedWidth(t *testing.T) {
	eachForm(t, "\xab\xcd\xef\x01\xab\xcd\xef\x10", func(t *testing.T, in values) {
		for _, want := range []uint16{0xabcd, 0xef01} {
			if v, err := in.ReadUint16(); v != want || err != nil {
				t.Errorf("%x, %v", v, err)
			}
		}
		for _, want := range []uint16{0xcdab, 0x10ef} {
			if v, err := in.ReadUint16LE(); v != want || err != nil {
				t.Errorf("%x, %v", v, err)
			}
		}
		if _, err := in.ReadUint16(); err != io.EOF {
			t.Error(err)
		}
	})
	const eight = "\xab\xcd\xef\x10\x87\x65\x43\x21"
	eachForm(t, eight+eight+eight+eight, func(t *testing.T, in values) {
		for _, want := range []uint32{0xabcdef10, 0x87654321} {
			if v, err := in.ReadUint32(); v != want || err != nil {
				t.Errorf("%x, %v", v, err)
			}
		}
		for _, want := range []uint32{0x10efcdab, 0x21436587} {
			if v, err := in.ReadUint32LE(); v != want || err != nil {
				t.Errorf("%x, %v", v, err)
			}
		}
		if v, err := in.ReadUint64(); v != 0xabcdef1087654321 || err != nil {
			t.Errorf("%x, %v", v, err)
		}
		if v, err := in.ReadUint64LE(); v != 0x2143658710efcdab || err != nil {
			t.Errorf("%x, %v", v, err)
		}
	})
}

func TestFixedWidthShort(t *testing.T) {
	for _, c := range []struct {
		width int
		read  func(values) error
	}{
		{2, func(in values) error { _, err := in.ReadUint16(); return err }},
		{2, func(in values) error { _, err := in.ReadUint16LE(); return err }},
		{4, func(in values) error { _, err := in.ReadUint32(); return err }},
		{4, func(in values) error { _, err := in.ReadUint32LE(); return err }},
		{8, func(in values) error { _, err := in.ReadUint64(); return err }},
		{8, func(in values) error { _, err := in.ReadUint64LE(); return err }},
	} {
		for have := range c.width {
			data := strings.Repeat("x", have)
			eachForm(t, data, func(t *testing.T, in values) {
				want := io.ErrUnexpectedEOF
				if have == 0 {
					want = io.EOF
				}
				if err := c.read(in); err != want {
					t.Errorf("%d of %d bytes: %v", have, c.width, err)
				}
				if got := rest(t, in); got != data {
					t.Errorf("%d of %d bytes: %q left", have, c.width, got)
				}
			})
		}
	}
}

func TestFixedWidthLevels(t *testing.T) {
	b := filled('a', segN-1)
	_, _ = b.WriteString("bc")
	wantLevels(t, b, segN, 1)
	b = filled('a', segN-4)
	b.WriteUint32(1)
	b.WriteUint32(2)
	wantLevels(t, b, segN, 4)
	b = filled('a', segN-3)
	b.WriteUint32(0x01020304)
	b.WriteUint32LE(0x01020304)
	wantLevels(t, b, segN-3, 8)
	_ = b.Skip(segN - 3)
	if got := b.Snapshot().Hex(); got != "0102030404030201" {
		t.Error(got)
	}
}

func TestReadDecimal(t *testing.T) {
	for _, c := range []struct {
		in      string
		want    int64
		rest    string
		problem string
		err     error
	}{
		{in: "-9223372036854775808zzz", want: math.MinInt64, rest: "zzz"},
		{in: "9223372036854775807", want: math.MaxInt64},
		{in: "00000001", want: 1},
		{in: "-000001", want: -1},
		{in: "-0", want: 0},
		{in: strings.Repeat("0", segN+1) + "1", want: 1},
		{in: "12-3", want: 12, rest: "-3"},
		{in: "7+", want: 7, rest: "+"},
		{in: "12345678901234567890", problem: "number too large: 12345678901234567890"},
		{in: "9223372036854775808", problem: "number too large: 9223372036854775808"},
		{in: "-9223372036854775809", problem: "number too large: -9223372036854775809"},
		{in: " ", problem: "expected a digit or '-' but was 0x20"},
		{in: "+1", problem: "expected a digit or '-' but was 0x2b"},
		{in: "- ", problem: "expected a digit but was 0x20"},
		{in: "--1", problem: "expected a digit but was 0x2d"},
		{in: strings.Repeat("0", maxDigits+1), problem: "number of more than 65536 characters"},
		{in: "", err: io.EOF},
		{in: "-", err: io.ErrUnexpectedEOF},
	} {
		eachForm(t, c.in, func(t *testing.T, in values) {
			v, err := in.ReadDecimal()
			checkNumber(t, c.in, err, c.problem, c.err)
			if err == nil && v != c.want {
				t.Errorf("%.40q: %d", c.in, v)
			}
			left := c.rest
			if err != nil {
				left = c.in // nothing is consumed
			}
			if got := rest(t, in); got != left {
				t.Errorf("%.40q: %.40q left", c.in, got)
			}
		})
	}
}

func checkNumber(t *testing.T, in string, err error, problem string, want error) {
	t.Helper()
	var number *NumberError
	switch {
	case problem != "":
		if !errors.As(err, &number) || number.Problem != problem || err.Error() != "okio: "+problem {
			t.Errorf("%.40q: %v, want %s", in, err, problem)
		}
	case err != want:
		t.Errorf("%.40q: %v, want %v", in, err, want)
	}
}

func TestReadHex(t *testing.T) {
	for _, c := range []struct {
		in      string
		want    uint64
		rest    string
		problem string
		err     error
	}{
		{in: "8000000000000000", want: 1 << 63},
		{in: "FFFFFFFFFFFFFFFe", want: math.MaxUint64 - 1},
		{in: "00000000000000001", want: 1},
		{in: "FF", want: 255},
		{in: "aBcDg", want: 0xabcd, rest: "g"},
		{in: "0x1", want: 0, rest: "x1"},
		{in: "fffffffffffffffff", problem: "number too large: fffffffffffffffff"},
		{in: "1234567890ABCDEF1", problem: "number too large: 1234567890abcdef1"},
		{in: " ", problem: "expected leading [0-9a-fA-F] character but was 0x20"},
		{in: "-1", problem: "expected leading [0-9a-fA-F] character but was 0x2d"},
		{in: strings.Repeat("0", maxDigits+1), problem: "number of more than 65536 characters"},
		{in: "", err: io.EOF},
	} {
		eachForm(t, c.in, func(t *testing.T, in values) {
			v, err := in.ReadHex()
			checkNumber(t, c.in, err, c.problem, c.err)
			if err == nil && v != c.want {
				t.Errorf("%.40q: %x", c.in, v)
			}
			left := c.rest
			if err != nil {
				left = c.in
			}
			if got := rest(t, in); got != left {
				t.Errorf("%.40q: %.40q left", c.in, got)
			}
		})
	}
}

func TestNumbersAcrossSegments(t *testing.T) {
	for before := range 17 {
		pad := strings.Repeat("x", segN-before)
		for _, form := range []func(string) values{
			func(data string) values { return NewBufferString(data) },
			func(data string) values { return NewBufferedSource(NewBufferString(data)) },
		} {
			in := form(pad + "1234567890123456 ")
			_ = in.Skip(int64(len(pad)))
			if v, err := in.ReadDecimal(); v != 1234567890123456 || err != nil {
				t.Errorf("%d digits before the boundary: %d, %v", before, v, err)
			}
			in = form(pad + "1234567890abcdef ")
			_ = in.Skip(int64(len(pad)))
			if v, err := in.ReadHex(); v != 0x1234567890abcdef || err != nil {
				t.Errorf("%d digits before the boundary: %x, %v", before, v, err)
			}
			if got := rest(t, in); got != " " {
				t.Errorf("%d digits before the boundary: %q left", before, got)
			}
		}
	}
}

func TestWriteNumbers(t *testing.T) {
	check := func(v int64) {
		t.Helper()
		var b Buffer
		b.WriteDecimal(v)
		if got, want := string(b.Snapshot()), strconv.FormatInt(v, 10); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	check(0)
	check(math.MinInt64)
	check(math.MaxInt64)
	for i, p := 0, int64(1); i <= 18; i, p = i+1, p*10 { // 10^18 is the last one
		check(p)
		check(p - 1)
		check(-p)
		check(1 - p)
	}
	for shift := range 64 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1} {
			var b Buffer
			b.WriteHex(v)
			if got, want := string(b.Snapshot()), strconv.FormatUint(v, 16); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}

// A source must not wait for more than the byte that ends a number, and stop at digits that cannot be one.
func TestReadNumberIsLazy(t *testing.T) {
	up := drip("12 rest")
	s := NewBufferedSource(up)
	if v, err := s.ReadDecimal(); v != 12 || err != nil || up.Len() != 4 {
		t.Error(v, err, up.Len())
	}
	up = drip(strings.Repeat("9", 100))
	if _, err := NewBufferedSource(up).ReadDecimal(); err == nil || up.Len() != 81 {
		t.Error(err, up.Len())
	}
}

// FuzzNumbers compares with package strconv.
func FuzzNumbers(f *testing.F) {
	for _, seed := range []string{"0", "-9223372036854775808 ", "9223372036854775808", "ffffffffffffffff", "-", "00x", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		in = in[:min(len(in), maxDigits)]
		end := 0
		for end < len(in) && (in[end] == '-' && end == 0 || '0' <= in[end] && in[end] <= '9') {
			end++
		}
		want, wantErr := strconv.ParseInt(in[:end], 10, 64)
		for _, r := range []values{NewBufferString(in), NewBufferedSource(drip(in))} {
			got, err := r.ReadDecimal()
			if (err == nil) != (wantErr == nil) || err == nil && got != want {
				t.Fatalf("%q: %d, %v; want %d, %v", in, got, err, want, wantErr)
			}
			left := in[end:]
			if err != nil {
				left = in
			}
			if got := rest(t, r); got != left {
				t.Fatalf("%q: %q left", in, got)
			}
		}
		end = 0
		for end < len(in) && strings.IndexByte("0123456789abcdefABCDEF", in[end]) >= 0 {
			end++
		}
		wantHex, wantErr := strconv.ParseUint(in[:end], 16, 64)
		for _, r := range []values{NewBufferString(in), NewBufferedSource(drip(in))} {
			got, err := r.ReadHex()
			if (err == nil) != (wantErr == nil) || err == nil && got != wantHex {
				t.Fatalf("%q: %x, %v; want %x, %v", in, got, err, wantHex, wantErr)
			}
		}
	})
}
