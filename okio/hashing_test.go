package okio

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"hash"
	"io"
	"strings"
	"testing"
)

var sha256OfABC = ByteString("abc").Sum(sha256.New())

// Fact 102: Hash starts afresh, and what it returned stays.
func TestHashingSink(t *testing.T) {
	var b Buffer
	k := NewHashingSink(&b, sha256.New())
	mustSinkWrite(t, k, "abc")
	first := k.Hash()
	mustSinkWrite(t, k, "def")
	second := k.Hash()
	if first != sha256OfABC || second != ByteString("def").Sum(sha256.New()) {
		t.Errorf("%s, %s", first.Hex(), second.Hex())
	}
	if got := k.Hash(); got != ByteString("").Sum(sha256.New()) {
		t.Errorf("after nothing: %s", got.Hex())
	}
	if got := b.Snapshot(); got != "abcdef" {
		t.Errorf("handed on %q", got)
	}
}

func TestHashingSource(t *testing.T) {
	s := NewHashingSource(NewBufferString("abcdef"), sha256.New())
	dst := NewBufferString("already there")
	if n, err := s.ReadBuffer(dst, 3); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	first := s.Hash()
	if n, err := s.ReadBuffer(dst, 100); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	second := s.Hash()
	if first != sha256OfABC || second != ByteString("def").Sum(sha256.New()) {
		t.Errorf("%s, %s", first.Hex(), second.Hex())
	}
	if n, err := s.ReadBuffer(dst, 1); n != 0 || err != io.EOF {
		t.Errorf("at the end %d, %v", n, err)
	}
	if got := dst.Snapshot(); got != "already thereabcdef" {
		t.Errorf("%q", got)
	}
}

// New bytes lie behind others in a segment and cross segments, at either end.
func TestHashingAcrossSegments(t *testing.T) {
	data := randomText(5*segN + 7)
	for _, before := range []int{0, 1, segN - 1, segN, segN + 1} {
		dst := filled('x', before)
		s := NewHashingSource(NewBufferString(data), sha1.New())
		var h ByteString
		for _, max := range []int64{1, segN - 2, segN, 2*segN + 1, 10 * segN} {
			if _, err := s.ReadBuffer(dst, max); err != nil {
				t.Fatal(err)
			}
		}
		h = s.Hash()
		if want := ByteString(data).Sum(sha1.New()); h != want {
			t.Errorf("after %d bytes: %s, want %s", before, h.Hex(), want.Hex())
		}
		if _, err := dst.ReadN(int64(before)); err != nil {
			t.Fatal(err)
		}
		// And out again, in pieces that end within segments.
		k := NewHashingSink(Discard(), sha512.New())
		for dst.Len() > 0 {
			if err := k.WriteBuffer(dst, min(dst.Len(), segN-3)); err != nil {
				t.Fatal(err)
			}
		}
		if h, want := k.Hash(), ByteString(data).Sum(sha512.New()); h != want {
			t.Errorf("sink after %d bytes: %s, want %s", before, h.Hex(), want.Hex())
		}
	}
}

// The reference fails on a missing head here.
func TestHashingNothing(t *testing.T) {
	h := sha256.New()
	k := NewHashingSink(Discard(), h)
	if err := k.WriteBuffer(new(Buffer), 0); err != nil {
		t.Error(err)
	}
	calls := 0
	s := NewHashingSource(&funcSource{read: func(_ *Buffer, max int64) (int64, error) { calls++; return 0, checkCount(max) }}, h)
	if n, err := s.ReadBuffer(new(Buffer), 0); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.ReadBuffer(new(Buffer), -1); n != 0 || err == nil {
		t.Error(n, err)
	}
	if got := s.Hash(); got != ByteString("").Sum(sha256.New()) {
		t.Error(got.Hex())
	}
}

func TestHashingSinkMisuseAndFailure(t *testing.T) {
	k := NewHashingSink(Discard(), sha256.New())
	src := NewBufferString("abc")
	for _, n := range []int64{-1, 4} {
		if err := k.WriteBuffer(src, n); err == nil || src.Len() != 3 {
			t.Errorf("%d: %v, %d left", n, err, src.Len())
		}
	}
	if got := k.Hash(); got != ByteString("").Sum(sha256.New()) {
		t.Errorf("hashed what was refused: %s", got.Hex())
	}
	broken := errors.New("broken")
	down := &errSink{write: broken, flush: broken, close: broken}
	k = NewHashingSink(down, sha256.New())
	for _, err := range []error{k.WriteBuffer(src, 3), k.Flush(), k.Close()} {
		if err != broken {
			t.Error(err)
		}
	}
	if got := k.Hash(); got != sha256OfABC {
		t.Errorf("after a failed write: %s", got.Hex())
	}
}

// A hash goes on from where it is: what was written to it before counts.
func TestHashingGoesOn(t *testing.T) {
	h := md5.New()
	_, _ = h.Write([]byte("Ke"))
	s := NewHashingSource(drip("vin"), h)
	if _, err := readAll(s); err != nil {
		t.Fatal(err)
	}
	if got := s.Hash().Hex(); got != "f1cd318e412b5f7226e5f377a9544ff7" {
		t.Error(got)
	}
}

func TestHashingShowsTheTimeout(t *testing.T) {
	p := NewPipe(1)
	if TimeoutOf(NewHashingSource(p.Source(), md5.New())) != TimeoutOf(p.Source()) || TimeoutOf(NewHashingSink(p.Sink(), md5.New())) != TimeoutOf(p.Sink()) {
		t.Error("not the Timeout beneath")
	}
}

// Fact 76, in each way that there is, and the end of fact 102.
func TestHMAC(t *testing.T) {
	key := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		newHash func() hash.Hash
		want    string
	}{
		{sha1.New, "987af8649982ff7d9fbb1b8aa35099146997af51"},
		{sha256.New, "446d1715583cf1c30dfffbec0df4ff1f9d39d493211ab4c97ed6f3f0eb579b47"},
	} {
		mac, err := NewHMAC(c.newHash, key)
		if err != nil {
			t.Fatal(err)
		}
		if got := ByteString("abc").Sum(mac).Hex(); got != c.want {
			t.Errorf("byte string: %s, want %s", got, c.want)
		}
		if got := NewBufferString("abc").Sum(mac).Hex(); got != c.want {
			t.Errorf("buffer: %s, want %s", got, c.want)
		}
		mac.Reset()
		k := NewHashingSink(Discard(), mac)
		for range 2 {
			mustSinkWrite(t, k, "abc")
			if got := k.Hash().Hex(); got != c.want {
				t.Errorf("sink: %s, want %s", got, c.want)
			}
		}
		s := NewHashingSource(NewBufferString("abc"), mac)
		if _, err := readAll(s); err != nil {
			t.Fatal(err)
		}
		if got := s.Hash().Hex(); got != c.want {
			t.Errorf("source: %s, want %s", got, c.want)
		}
		for _, empty := range [][]byte{nil, {}} {
			if mac, err := NewHMAC(c.newHash, empty); mac != nil || err == nil || err.Error() != "okio: the key of an HMAC is empty" {
				t.Errorf("empty key: %v, %v", mac, err)
			}
		}
	}
}

func TestHashingDoesNotAllocate(t *testing.T) {
	if poison {
		t.Skip("the pool drops segments at random under the race detector")
	}
	h := sha256.New()
	var a, b, c Buffer
	_, _ = a.WriteString(strings.Repeat("x", 3*segN))
	k, s := NewHashingSink(&b, h), NewHashingSource(&b, h)
	if n := testing.AllocsPerRun(100, func() {
		_ = k.WriteBuffer(&a, a.Len())
		_, _ = s.ReadBuffer(&c, b.Len())
		_ = a.WriteBuffer(&c, c.Len())
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// repeated is data often enough for so many bytes: fuzzing goes through long inputs slowly.
func repeated(data []byte, least uint16) []byte {
	if len(data) == 0 {
		return data
	}
	return bytes.Repeat(data, 1+int(least)/len(data))
}

// However the bytes are cut, the hash is that of the whole, and the bytes arrive.
func FuzzHashing(f *testing.F) {
	f.Add([]byte("abc"), uint16(0), uint16(1), uint16(2), uint8(0))
	f.Add([]byte("0123456789"), uint16(50000), uint16(segN-1), uint16(segN+1), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, least, in, out uint16, before uint8) {
		data = repeated(data, least)
		want := sha256.Sum256(data)
		src := NewBufferString(string(data))
		shared := src.Clone()
		var mid Buffer
		k := NewHashingSink(&mid, sha256.New())
		for src.Len() > 0 {
			if err := k.WriteBuffer(src, min(src.Len(), int64(in)+1)); err != nil {
				t.Fatal(err)
			}
		}
		dst := filled('x', int(before))
		s := NewHashingSource(&mid, sha256.New())
		for {
			if _, err := s.ReadBuffer(dst, int64(out)+1); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if a, b := k.Hash(), s.Hash(); a != ByteString(want[:]) || b != a {
			t.Fatalf("%d bytes: sink %s, source %s, want %x", len(data), a.Hex(), b.Hex(), want)
		}
		if err := dst.Skip(int64(before)); before > 0 && err != nil {
			t.Fatal(err)
		}
		if !dst.Equal(shared) {
			t.Fatal("the bytes changed")
		}
	})
}
