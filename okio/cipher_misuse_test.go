package okio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestBlockCipherBadData(t *testing.T) {
	suite := blockSuites(t)[0]
	encrypted := func(block string) string { return string(oneShot(suite.encrypt(), []byte(block), false)) }
	const full = "0123456789abcde"
	const short = "okio: block cipher: the last block has %d bytes, expected 16"
	for _, c := range []struct {
		name    string
		data    string
		padding Padding
		want    string
		cut     bool
	}{
		{"padding of 0", encrypted(full + "\x00"), RemovePKCS7, "okio: block cipher: bad padding", false},
		{"padding of 17", encrypted(full + "\x11"), RemovePKCS7, "okio: block cipher: bad padding", false},
		{"padding of 255", encrypted(full + "\xff"), RemovePKCS7, "okio: block cipher: bad padding", false},
		{"padding of 2 that is 1", encrypted("0123456789abcd\x01\x02"), RemovePKCS7, "okio: block cipher: bad padding", false},
		{"first of 16 is wrong", encrypted("\x0f" + string(bytes.Repeat([]byte{16}, 15))), RemovePKCS7, "okio: block cipher: bad padding", false},
		{"nothing at all", "", RemovePKCS7, fmt.Sprintf(short, 0), true},
		{"cut to 15", encrypted(full + "\x01")[:15], RemovePKCS7, fmt.Sprintf(short, 15), true},
		{"cut to 31", encrypted(full + "x" + full + "\x01")[:31], RemovePKCS7, fmt.Sprintf(short, 15), true},
		{"cut to 17", encrypted(full + "x" + full + "x")[:17], NoPadding, fmt.Sprintf(short, 1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(err error) {
				t.Helper()
				var bad *FormatError
				if !errors.As(err, &bad) || err.Error() != c.want || errors.Is(err, io.ErrUnexpectedEOF) != c.cut {
					t.Errorf("%v, want %s", err, c.want)
				}
			}
			s, err := NewBlockCipherSource(NewBufferString(c.data), suite.decrypt(), c.padding)
			_, err = readAll(mustSource(t, s, err))
			check(err)
			_, err = s.ReadBuffer(new(Buffer), 1)
			check(err)

			down := new(errSink)
			k, err := NewBlockCipherSink(down, suite.decrypt(), c.padding)
			mustSinkWrite(t, mustSink(t, k, err), c.data)
			check(k.Close())
			if len(down.calls) == 0 || down.calls[len(down.calls)-1] != "close" {
				t.Errorf("the sink beneath was not closed: %v", down.calls)
			}
			if err := k.Close(); err != nil {
				t.Errorf("second close: %v", err)
			}
		})
	}
}

// Every value of the last byte, with a block that ends in that many of it: exactly the valid ones pass.
func TestUnpad(t *testing.T) {
	for size := 1; size <= 255; size++ {
		for length := range 256 {
			block := bytes.Repeat([]byte{0xee}, size)
			for i := max(0, size-length); i < size; i++ {
				block[i] = byte(length)
			}
			block[size-1] = byte(length)
			n, err := unpad(block)
			if want := length >= 1 && length <= size; (err == nil) != want || want && n != size-length {
				t.Fatalf("%d of a block of %d: %d, %v", length, size, n, err)
			}
			if length < 2 || length > size {
				continue
			}
			for _, i := range []int{size - length, size - 2} { // either end of the padding
				block[i] ^= 1
				if _, err := unpad(block); err == nil {
					t.Fatalf("%d of a block of %d with a wrong byte at %d passes", length, size, i)
				}
				block[i] ^= 1
			}
		}
	}
}

type sizedMode struct{ size int }

func (m sizedMode) BlockSize() int { return m.size }

func (m sizedMode) CryptBlocks(dst, src []byte) { copy(dst, src) }

func TestBlockCipherArguments(t *testing.T) {
	for _, c := range []struct {
		size    int
		padding Padding
		want    string
	}{
		{0, NoPadding, "okio: cipher block size 0 is not in 1..16384"},
		{-1, AddPKCS7, "okio: cipher block size -1 is not in 1..255"},
		{256, AddPKCS7, "okio: cipher block size 256 is not in 1..255"},
		{256, RemovePKCS7, "okio: cipher block size 256 is not in 1..255"},
		{segN + 1, NoPadding, "okio: cipher block size 16385 is not in 1..16384"},
		{16, 3, "okio: unknown padding 3"},
	} {
		if _, err := NewBlockCipherSource(new(Buffer), sizedMode{c.size}, c.padding); err == nil || err.Error() != c.want {
			t.Errorf("source: %v, want %s", err, c.want)
		}
		if _, err := NewBlockCipherSink(new(Buffer), sizedMode{c.size}, c.padding); err == nil || err.Error() != c.want {
			t.Errorf("sink: %v, want %s", err, c.want)
		}
	}
	for _, size := range []int{1, 3, 255} { // the odd sizes work
		var out Buffer
		k, err := NewBlockCipherSink(&out, sizedMode{size}, AddPKCS7)
		pump(t, mustSink(t, k, err), []byte(randomText(segN+10)), 100)
		s, err := NewBlockCipherSource(&out, sizedMode{size}, RemovePKCS7)
		if got, err := readAll(mustSource(t, s, err)); got != randomText(segN+10) || err != nil {
			t.Errorf("blocks of %d: %d bytes, %v", size, len(got), err)
		}
	}
	var out Buffer
	k, err := NewBlockCipherSink(&out, sizedMode{segN}, NoPadding)
	pump(t, mustSink(t, k, err), []byte(randomText(3*segN)), 5000)
	if out.Len() != 3*segN {
		t.Errorf("blocks of %d: %d bytes", segN, out.Len())
	}
}

func TestBlockCipherSourceGoesOnAfterAnError(t *testing.T) {
	suite := blockSuites(t)[0]
	secret := oneShot(suite.encrypt(), []byte("twenty bytes of text"), true)
	broken := errors.New("broken")
	data := NewBufferString(string(secret))
	calls := 0
	up := &funcSource{read: func(dst *Buffer, max int64) (int64, error) {
		if calls++; calls%2 == 0 {
			return 0, broken
		}
		return data.ReadBuffer(dst, min(max, 5))
	}}
	s, err := NewBlockCipherSource(up, suite.decrypt(), RemovePKCS7)
	mustSource(t, s, err)
	var out Buffer
	failures := 0
	for {
		_, err := s.ReadBuffer(&out, 100)
		if err == io.EOF {
			break
		}
		if err == broken {
			failures++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if out.Snapshot() != "twenty bytes of text" || failures == 0 {
		t.Errorf("%q after %d failures", out.Snapshot(), failures)
	}
	if n, err := s.ReadBuffer(&out, 0); n != 0 || err != nil {
		t.Error(n, err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.ReadBuffer(&out, 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestCiphersDoNotAllocate(t *testing.T) {
	if poison {
		t.Skip("the pool drops segments at random under the race detector")
	}
	var a, b Buffer
	_, _ = a.Write(make([]byte, 5000))
	stream := NewStreamCipherSink(&b, newRC4(t))
	source := NewStreamCipherSource(&b, newRC4(t))
	m := blockSuites(t)[0]
	var c, d Buffer
	_, _ = c.Write(make([]byte, 5000))
	sink, err := NewBlockCipherSink(&d, m.encrypt(), NoPadding)
	mustSink(t, sink, err)
	if n := testing.AllocsPerRun(100, func() {
		_ = stream.WriteBuffer(&a, a.Len())
		_ = stream.Flush()
		_, _ = source.ReadBuffer(&a, 1<<20)
		_ = sink.WriteBuffer(&c, c.Len())
		_ = sink.Flush()
		_ = c.WriteBuffer(&d, d.Len())
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
