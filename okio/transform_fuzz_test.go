package okio

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"testing"
)

// A limit source delivers the first bytes of what it has, and what it says about the rest follows from the lengths.
func FuzzLimitSource(f *testing.F) {
	f.Add(uint16(18), int32(16), true, uint16(10))
	f.Add(uint16(18), int32(16), false, uint16(10))
	f.Add(uint16(14), int32(16), true, uint16(10))
	f.Add(uint16(40000), int32(segN), true, uint16(segN))
	f.Add(uint16(0), int32(-1), true, uint16(0))
	f.Fuzz(func(t *testing.T, length uint16, limit int32, exact bool, piece uint16) {
		data := randomText(int(length))
		want := int64(max(limit, 0))
		for _, byReading := range []bool{false, true} {
			up := NewBufferString(data)
			s := NewLimitSource(up, int64(limit), exact)
			var got Buffer
			var err error
			for err == nil {
				before := got.Len()
				if byReading {
					p := make([]byte, int(piece)+1)
					var n int
					n, err = s.(io.Reader).Read(p)
					_, _ = got.Write(p[:n])
				} else {
					_, err = s.ReadBuffer(&got, int64(piece)+1)
				}
				if err == nil && got.Len() == before {
					t.Fatal("no progress and no error")
				}
			}
			if text := string(got.Snapshot()); text != data[:min(int64(length), want, got.Len())] {
				t.Fatalf("%d of %d bytes, limit %d: other bytes", len(text), length, want)
			}
			var wrong *LengthError
			isWrong := errors.As(err, &wrong)
			switch have := int64(length); {
			case have < want:
				if !isWrong || wrong.Got != have || wrong.Expected != want || !errors.Is(err, io.ErrUnexpectedEOF) || got.Len() != have {
					t.Fatalf("%d of %d bytes: %v after %d", have, want, err, got.Len())
				}
			case have > want && exact:
				if !isWrong || wrong.Got <= want || wrong.Got > have || errors.Is(err, io.ErrUnexpectedEOF) || got.Len() > want {
					t.Fatalf("%d bytes, exactly %d: %v after %d", have, want, err, got.Len())
				}
			default:
				if err != io.EOF || got.Len() != want {
					t.Fatalf("%d bytes, limit %d: %v after %d", have, want, err, got.Len())
				}
				if left := up.Len(); left != have-want {
					t.Fatalf("%d bytes left of %d, limit %d", left, have, want)
				}
			}
		}
	})
}

// Raw deflate is what compress/flate says it is, up to where it ends, however it comes in; and what is written comes back.
func FuzzInflater(f *testing.F) {
	for _, seed := range []string{"4b4c4a0600", "0300", "0100000000ffff", "01050000ff68656c6c6f", "07", "4b04a200", "cb48cdc9c95728cf2fca49010000"} {
		p, _ := DecodeHex(seed)
		f.Add([]byte(p), int8(1), uint16(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, level int8, piece uint16) {
		const most = 1 << 20
		head := func(r io.Reader) (string, error) {
			p, err := io.ReadAll(io.LimitReader(r, most))
			return string(p), err
		}
		up := NewBufferedSource(NewBufferString(string(data)))
		got, err := head(NewBufferedSource(NewInflaterSource(up)))
		slow, slowErr := head(struct{ io.Reader }{NewBufferedSource(NewInflaterSource(drip(string(data))))})
		if got != slow || (err == nil) != (slowErr == nil) {
			t.Fatalf("%d bytes, %v; byte by byte %d bytes, %v", len(got), err, len(slow), slowErr)
		}
		r := bytes.NewReader(data)
		want, stdErr := head(flate.NewReader(r))
		if (err == nil) != (stdErr == nil) || err == nil && got != want {
			t.Fatalf("%d bytes, %v; compress/flate has %d bytes, %v", len(got), err, len(want), stdErr)
		}
		if bad := (*FormatError)(nil); err != nil && !errors.As(err, &bad) {
			t.Fatalf("%v is no FormatError", err)
		}
		if err == nil && len(got) < most {
			if rest, _ := up.ReadN(up.Buffer().Len()); len(rest) != r.Len() {
				t.Fatalf("%d bytes left behind the stream, compress/flate leaves %d", len(rest), r.Len())
			}
		}

		var packed Buffer
		k, err := NewDeflaterSink(&packed, int(level)%10)
		if err != nil {
			k, err = NewDeflaterSink(&packed, -1)
		}
		mustSink(t, k, err)
		src := NewBufferString(string(data))
		for src.Len() > 0 {
			if err := k.WriteBuffer(src, min(src.Len(), int64(piece)+1)); err != nil {
				t.Fatal(err)
			}
			if piece%3 == 0 {
				if err := k.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if back, err := readAll(NewInflaterSource(&packed)); back != string(data) || err != nil {
			t.Fatalf("round trip: %d bytes of %d, %v", len(back), len(data), err)
		}
	})
}

// A throttled stream delivers what is there, whole, whatever its settings: no grant is empty or more than was asked for.
func FuzzThrottler(f *testing.F) {
	f.Add(int64(20), int64(5), int64(10), int64(100))
	f.Add(int64(0), int64(1), int64(1), int64(1))
	f.Add(int64(1<<62), int64(1<<40), int64(1<<62), int64(1<<62))
	f.Fuzz(func(t *testing.T, rate, wait, most, n int64) {
		x := new(Throttler)
		if err := x.Set(rate, wait, most); err != nil {
			return
		}
		n = max(n, 1)
		for range 10 {
			granted, d, _ := x.grant(n)
			if granted < 0 || granted > n || d < 0 || (granted == 0) == (d == 0) || rate > 0 && granted > x.max {
				t.Fatalf("grant of %d at %d by %d to %d: %d, %v", n, rate, x.wait, x.max, granted, d)
			}
			if full := x.time(x.max); rate > 0 && d > full {
				t.Fatalf("wait of %v for what takes %v at most", d, full)
			}
			// Time passes, seen from the budget.
			x.allocated = x.allocated.Add(-max(0, min(d, 1<<40)))
		}
	})
}
