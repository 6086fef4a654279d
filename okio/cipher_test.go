package okio

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"errors"
	"fmt"
	"io"
	"testing"
)

// ecb is the block mode that is none: every block on its own. The standard library leaves it out, with reason.
type ecb struct {
	block   cipher.Block
	decrypt bool
}

func (m ecb) BlockSize() int { return m.block.BlockSize() }

func (m ecb) CryptBlocks(dst, src []byte) {
	size := m.block.BlockSize()
	if len(src)%size != 0 || len(dst) < len(src) {
		panic(fmt.Sprintf("ecb: %d bytes to %d", len(src), len(dst)))
	}
	for ; len(src) > 0; dst, src = dst[size:], src[size:] {
		if m.decrypt {
			m.block.Decrypt(dst, src)
		} else {
			m.block.Encrypt(dst, src)
		}
	}
}

// A blockSuite makes the modes of both directions afresh.
type blockSuite struct {
	name             string
	size             int
	encrypt, decrypt func() cipher.BlockMode
}

func blockSuites(t testing.TB) []blockSuite {
	t.Helper()
	key := []byte("0123456789abcdefFEDCBA98")
	iv := []byte("an initial value")
	var all []blockSuite
	for _, c := range []struct {
		name string
		make func() (cipher.Block, error)
	}{
		{"AES", func() (cipher.Block, error) { return aes.NewCipher(key[:16]) }},
		{"DES", func() (cipher.Block, error) { return des.NewCipher(key[:8]) }},
		{"3DES", func() (cipher.Block, error) { return des.NewTripleDESCipher(key) }},
	} {
		block, err := c.make()
		if err != nil {
			t.Fatal(err)
		}
		size := block.BlockSize()
		all = append(all,
			blockSuite{c.name + "-CBC", size,
				func() cipher.BlockMode { return cipher.NewCBCEncrypter(block, iv[:size]) },
				func() cipher.BlockMode { return cipher.NewCBCDecrypter(block, iv[:size]) }},
			blockSuite{c.name + "-ECB", size,
				func() cipher.BlockMode { return ecb{block, false} },
				func() cipher.BlockMode { return ecb{block, true} }})
	}
	return all
}

// oneShot encrypts with the mode alone.
func oneShot(m cipher.BlockMode, data []byte, pad bool) []byte {
	out := bytes.Clone(data)
	if pad {
		n := m.BlockSize() - len(data)%m.BlockSize()
		out = append(out, bytes.Repeat([]byte{byte(n)}, n)...)
	}
	m.CryptBlocks(out, out)
	return out
}

func mustSource(t testing.TB, s Source, err error) Source {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustSink(t testing.TB, k Sink, err error) Sink {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// pump writes data to k in pieces, closes it, and checks that the pieces were taken.
func pump(t testing.TB, k Sink, data []byte, piece int) {
	t.Helper()
	src := NewBufferString(string(data))
	for src.Len() > 0 {
		if err := k.WriteBuffer(src, min(src.Len(), int64(piece))); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Fact 103.
func TestBlockCipher(t *testing.T) {
	for _, suite := range blockSuites(t) {
		for _, pad := range []bool{true, false} {
			encrypting, decrypting := NoPadding, NoPadding
			if pad {
				encrypting, decrypting = AddPKCS7, RemovePKCS7
			}
			large := 16*segN + segN/2
			if poison {
				large = 2*segN + segN/2 // the race detector makes DES slow
			}
			sizes := []int{0, 32, large}
			if pad {
				sizes = append(sizes, 1, 7, 8, 15, 16, 17, segN-1, segN+1)
			}
			for _, size := range sizes {
				t.Run(fmt.Sprintf("%s/%v/%d", suite.name, pad, size), func(t *testing.T) {
					plain := []byte(randomText(size))
					secret := oneShot(suite.encrypt(), plain, pad)
					pieces := []int{max(size, 1), segN, segN - 5, 1}
					if size > 2*segN {
						pieces = []int{size, segN + 1, 1001}
					}
					for _, piece := range pieces {
						var out Buffer
						k, err := NewBlockCipherSink(&out, suite.encrypt(), encrypting)
						pump(t, mustSink(t, k, err), plain, piece)
						if !out.Equal(NewBufferString(string(secret))) {
							t.Errorf("sink encrypts otherwise in pieces of %d", piece)
						}
						out.Clear()
						k, err = NewBlockCipherSink(&out, suite.decrypt(), decrypting)
						pump(t, mustSink(t, k, err), secret, piece)
						if !out.Equal(NewBufferString(string(plain))) {
							t.Errorf("sink decrypts otherwise in pieces of %d", piece)
						}
					}
					ups := []func(p []byte) Source{
						func(p []byte) Source { return NewBufferString(string(p)) },
						func(p []byte) Source { return FromReader(bytes.NewReader(p)) },
					}
					if !poison || size <= segN+1 { // a poisoned segment for each byte takes minutes
						ups = append(ups, func(p []byte) Source { return drip(string(p)) })
					}
					for _, up := range ups {
						s, err := NewBlockCipherSource(up(plain), suite.encrypt(), encrypting)
						if got, err := readAll(mustSource(t, s, err)); got != string(secret) || err != nil {
							t.Errorf("source encrypts %d bytes otherwise: %v", len(got), err)
						}
						s, err = NewBlockCipherSource(up(secret), suite.decrypt(), decrypting)
						if got, err := readAll(mustSource(t, s, err)); got != string(plain) || err != nil {
							t.Errorf("source decrypts %d bytes otherwise: %v", len(got), err)
						}
					}
				})
			}
		}
	}
}

// A reader of one byte at a time sees the same, and what is read by nobody else stays.
func TestBlockCipherByteByByte(t *testing.T) {
	suite := blockSuites(t)[0]
	plain := randomText(100)
	s, err := NewBlockCipherSource(NewBufferString(string(oneShot(suite.encrypt(), []byte(plain), true))), suite.decrypt(), RemovePKCS7)
	mustSource(t, s, err)
	var out Buffer
	for range len(plain) {
		if n, err := s.ReadBuffer(&out, 1); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	for range 2 {
		if n, err := s.ReadBuffer(&out, 1); n != 0 || err != io.EOF {
			t.Fatal(n, err)
		}
	}
	if got := out.Snapshot(); got != ByteString(plain) {
		t.Errorf("%q", got)
	}
}

// What others share must not change under their hands.
func TestCiphersLeaveSharedBytesAlone(t *testing.T) {
	const size = 3*segN + 48
	plain := randomText(size)
	aes := blockSuites(t)[0]
	ciphers := []struct {
		name   string
		sink   func(k Sink) Sink
		source func(s Source) Source
	}{
		{"stream", func(k Sink) Sink { return NewStreamCipherSink(k, newRC4(t)) }, func(s Source) Source { return NewStreamCipherSource(s, newRC4(t)) }},
		{"block", func(k Sink) Sink {
			x, err := NewBlockCipherSink(k, aes.encrypt(), NoPadding)
			return mustSink(t, x, err)
		}, func(s Source) Source {
			x, err := NewBlockCipherSource(s, aes.encrypt(), NoPadding)
			return mustSource(t, x, err)
		}},
	}
	for _, c := range ciphers {
		var want Buffer
		pump(t, c.sink(&want), []byte(plain), size)
		t.Run(c.name, func(t *testing.T) {
			// A root that is shared, a view of it, and a root whose only other holder has gone.
			for _, kind := range []string{"root", "view", "view alone", "alone"} {
				original := NewBufferString(plain)
				given := original
				var kept *Buffer
				switch kind {
				case "root":
					kept = original.Clone()
				case "view":
					kept, given = original, original.Clone()
				case "view alone":
					given = original.Clone()
					original.Clear()
				}
				var out Buffer
				k := c.sink(&out)
				for _, n := range []int64{16, segN, given.Len() - segN - 16} {
					if err := k.WriteBuffer(given, n); err != nil {
						t.Fatal(err)
					}
				}
				if err := k.Close(); err != nil || !out.Equal(&want) {
					t.Errorf("%s: sink: other bytes, %v", kind, err)
				}
				if kept != nil && string(kept.Snapshot()) != plain {
					t.Errorf("%s: the sink changed what a clone shares", kind)
				}

				original = NewBufferString(plain)
				given = original
				kept = nil
				switch kind {
				case "root":
					kept = original.Clone()
				case "view":
					kept, given = original, original.Clone()
				case "view alone":
					given = original.Clone()
					original.Clear()
				}
				dst := NewBufferString("before")
				before := dst.Clone() // the place that new bytes go to is shared too
				s := c.source(given)
				for {
					_, err := s.ReadBuffer(dst, 10000)
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if err := dst.Skip(6); err != nil || !dst.Equal(&want) {
					t.Errorf("%s: source: other bytes, %v", kind, err)
				}
				if kept != nil && string(kept.Snapshot()) != plain {
					t.Errorf("%s: the source changed what a clone shares", kind)
				}
				if got := before.Snapshot(); got != "before" {
					t.Errorf("%s: %q", kind, got)
				}
				checkRing(t, dst)
			}
		})
	}
}

// Blocks lie across the segments of what comes in, whatever those are like.
func TestBlockCipherOddSegments(t *testing.T) {
	suite := blockSuites(t)[0]
	plain := randomText(5*segN + 3)
	secret := string(oneShot(suite.encrypt(), []byte(plain), true))
	for _, size := range []int64{shareMinimum + 1, 1500, segN - 1} {
		// Views of so many bytes each, which do not merge.
		whole := NewBufferString(secret)
		var odd Buffer
		for at := int64(0); at < whole.Len(); at += size {
			if err := whole.CopyTo(&odd, at, min(size, whole.Len()-at)); err != nil {
				t.Fatal(err)
			}
		}
		s, err := NewBlockCipherSource(odd.Clone(), suite.decrypt(), RemovePKCS7)
		if got, err := readAll(mustSource(t, s, err)); got != plain || err != nil {
			t.Errorf("source over segments of %d: %d bytes, %v", size, len(got), err)
		}
		var out Buffer
		k, err := NewBlockCipherSink(&out, suite.decrypt(), RemovePKCS7)
		mustSink(t, k, err)
		if err := errors.Join(k.WriteBuffer(&odd, odd.Len()), k.Close()); err != nil || string(out.Snapshot()) != plain {
			t.Errorf("sink of segments of %d: %d bytes, %v", size, out.Len(), err)
		}
		if string(whole.Snapshot()) != secret {
			t.Error("changed what is shared")
		}
	}
}

func TestCipherSinks(t *testing.T) {
	suite := blockSuites(t)[0]
	kinds := map[string]func(Sink) Sink{
		"stream": func(k Sink) Sink { return NewStreamCipherSink(k, newRC4(t)) },
		"block": func(k Sink) Sink {
			x, err := NewBlockCipherSink(k, suite.encrypt(), AddPKCS7)
			return mustSink(t, x, err)
		},
	}
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			k := make(Discard())
			src := filled('x', 20)
			for _, n := range []int64{-1, 21} {
				if err := k.WriteBuffer(src, n); err == nil || src.Len() != 20 {
					t.Errorf("%d: %v, %d left", n, err, src.Len())
				}
			}
			if err := k.WriteBuffer(src, 0); err != nil {
				t.Error(err)
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
			for _, err := range []error{k.WriteBuffer(src, 1), k.Flush()} {
				if !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
			}

			// Whole segments pass by themselves, the rest when flushed; what is short of a block stays.
			var down Buffer
			k = make(&down)
			mustSinkWrite(t, k, randomText(40))
			if down.Len() != 0 {
				t.Errorf("%d bytes passed without a flush", down.Len())
			}
			if err := k.Flush(); err != nil {
				t.Error(err)
			}
			if want := map[string]int64{"stream": 40, "block": 32}[name]; down.Len() != want {
				t.Errorf("%d bytes after a flush, want %d", down.Len(), want)
			}
			mustSinkWrite(t, k, randomText(5*segN))
			if down.Len() < 4*segN {
				t.Errorf("%d bytes passed of 5 segments", down.Len())
			}

			broken := errors.New("broken")
			bad := &errSink{write: broken, close: errors.New("later")}
			k = make(bad)
			src = filled('x', 10*segN)
			for range 2 {
				if err := k.WriteBuffer(src, src.Len()); err != broken {
					t.Error(err)
				}
			}
			if src.Len() < 8*segN {
				t.Errorf("%d bytes left: more was taken than was tried", src.Len())
			}
			if err := k.Close(); err != broken {
				t.Errorf("close: %v, want the first failure", err)
			}
			if last := bad.calls[len(bad.calls)-1]; last != "close" {
				t.Errorf("the sink beneath was not closed: %v", bad.calls)
			}

			own := NewBufferedSink(new(Buffer))
			_, _ = own.WriteString("header")
			k = make(own)
			if err := k.WriteBuffer(own.Buffer(), 6); err == nil || own.Buffer().Len() != 6 {
				t.Errorf("moved into itself: %v", err)
			}
			p := NewPipe(10)
			if TimeoutOf(make(p.Sink())) != TimeoutOf(p.Sink()) {
				t.Error("not the Timeout beneath")
			}
		})
	}
	p := NewPipe(10)
	s, err := NewBlockCipherSource(p.Source(), suite.encrypt(), NoPadding)
	if TimeoutOf(mustSource(t, s, err)) != TimeoutOf(p.Source()) || TimeoutOf(NewStreamCipherSource(p.Source(), newRC4(t))) != TimeoutOf(p.Source()) {
		t.Error("not the Timeout beneath")
	}
}

// Whatever is cut where and shared with whom, a block cipher stream makes what the mode makes in one go, and back.
func FuzzBlockCipher(f *testing.F) {
	f.Add([]byte("abc"), uint16(0), uint16(0), uint16(0), true)
	f.Add([]byte("0123456789abcdef"), uint16(50000), uint16(segN), uint16(15), false)
	suite := blockSuites(f)[0]
	f.Fuzz(func(t *testing.T, data []byte, least, in, out uint16, share bool) {
		data = repeated(data, least)
		src := NewBufferString(string(data))
		kept := new(Buffer)
		if share {
			kept = src.Clone()
		}
		var secret Buffer
		k, err := NewBlockCipherSink(&secret, suite.encrypt(), AddPKCS7)
		mustSink(t, k, err)
		for src.Len() > 0 {
			if err := k.WriteBuffer(src, min(src.Len(), int64(in)+1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if want := oneShot(suite.encrypt(), data, true); string(secret.Snapshot()) != string(want) {
			t.Fatal("other bytes than in one go")
		}
		if share && string(kept.Snapshot()) != string(data) {
			t.Fatal("changed what is shared")
		}
		var plain Buffer
		s, err := NewBlockCipherSource(&secret, suite.decrypt(), RemovePKCS7)
		mustSource(t, s, err)
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

		// Data that is no ciphertext: an error or a result, the same from a source and a sink.
		s, err = NewBlockCipherSource(NewBufferString(string(data)), suite.decrypt(), RemovePKCS7)
		got, gotErr := readAll(mustSource(t, s, err))
		plain.Clear()
		k, err = NewBlockCipherSink(&plain, suite.decrypt(), RemovePKCS7)
		mustSinkWrite(t, mustSink(t, k, err), string(data))
		if sinkErr := k.Close(); fmt.Sprint(sinkErr) != fmt.Sprint(gotErr) || string(plain.Snapshot()) != got {
			t.Fatalf("source: %d bytes, %v; sink: %d bytes, %v", len(got), gotErr, plain.Len(), sinkErr)
		}
	})
}
