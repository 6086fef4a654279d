package okio

import (
	"crypto/cipher"
	"crypto/rc4"
	"errors"
	"io"
	"testing"
)

func newRC4(t testing.TB) cipher.Stream {
	t.Helper()
	x, err := rc4.NewCipher([]byte("a key for tests"))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestStreamCipher(t *testing.T) {
	for _, size := range []int{0, 1, 32, segN, 16*segN + segN/2} {
		plain := []byte(randomText(size))
		secret := make([]byte, size)
		newRC4(t).XORKeyStream(secret, plain)
		for _, piece := range []int{max(size, 1), segN + 1, 1000} {
			var out Buffer
			pump(t, NewStreamCipherSink(&out, newRC4(t)), plain, piece)
			if !out.Equal(NewBufferString(string(secret))) {
				t.Errorf("%d bytes: sink differs in pieces of %d", size, piece)
			}
		}
		if got, err := readAll(NewStreamCipherSource(NewBufferString(string(secret)), newRC4(t))); got != string(plain) || err != nil {
			t.Errorf("%d bytes: source differs: %v", size, err)
		}
		if size < 2*segN {
			if got, err := readAll(NewStreamCipherSource(drip(string(secret)), newRC4(t))); got != string(plain) || err != nil {
				t.Errorf("%d bytes: source differs byte by byte: %v", size, err)
			}
		}
	}
}

// Nothing is read ahead, and an error beneath loses nothing: the next read goes on.
func TestStreamCipherSourceReadsNoMore(t *testing.T) {
	up := NewBufferString("abcdef")
	s := NewStreamCipherSource(up, newRC4(t))
	var b Buffer
	if n, err := s.ReadBuffer(&b, 2); n != 2 || err != nil || up.Len() != 4 {
		t.Fatal(n, err, up.Len())
	}
	if n, err := s.ReadBuffer(&b, 0); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, err := s.ReadBuffer(&b, -1); err == nil {
		t.Error("a negative count passes")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.ReadBuffer(&b, 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// The same for a key stream.
func FuzzStreamCipher(f *testing.F) {
	f.Add([]byte("abc"), uint16(0), uint16(0), uint16(0), true)
	f.Add([]byte("0123456789abcdef"), uint16(50000), uint16(segN), uint16(15), false)
	f.Fuzz(func(t *testing.T, data []byte, least, in, out uint16, share bool) {
		data = repeated(data, least)
		src := NewBufferString(string(data))
		kept := new(Buffer)
		if share {
			kept = src.Clone()
		}
		var secret, plain Buffer
		k := NewStreamCipherSink(&secret, newRC4(t))
		for src.Len() > 0 {
			if err := k.WriteBuffer(src, min(src.Len(), int64(in)+1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		want := make([]byte, len(data))
		newRC4(t).XORKeyStream(want, data)
		if string(secret.Snapshot()) != string(want) {
			t.Fatal("other bytes than in one go")
		}
		if share && string(kept.Snapshot()) != string(data) {
			t.Fatal("changed what is shared")
		}
		s := NewStreamCipherSource(&secret, newRC4(t))
		for {
			if _, err := s.ReadBuffer(&plain, int64(out)+1); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if string(plain.Snapshot()) != string(data) {
			t.Fatal("the round trip changes the bytes")
		}
	})
}
