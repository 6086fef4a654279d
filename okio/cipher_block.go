package okio

import (
	"crypto/cipher"
	"fmt"
	"io"
)

// NewBlockCipherSource returns a source of what s delivers, sent through m block by block: decrypted or encrypted, as m
// does. Bytes are changed where they lie, except where a clone or a copy shares them, which keeps what it has. It reads
// ahead, a segment or so, and removes padding only when s has ended. It owns s and m.
//
// Data that ends within a block, or whose padding is wrong, fails with a [*FormatError], which repeats. It is an error if the
// block size of m is not in 1..16384, or in 1..255 with padding.
//
// A block cipher does not notice when the data was tampered with, and whoever lets an attacker see whether padding was
// right, if only by the time that it takes to fail, lets him decrypt without the key (a padding oracle). The check here
// takes the same time wherever the padding is wrong, but that does not help once the error gets out: verify a code over the
// encrypted bytes, such as that of [NewHMAC], before anything is decrypted. A [cipher.AEAD] does both, but has no place
// here: it must not let go of a byte before it has seen all of them, so it works on whole records.
func NewBlockCipherSource(s Source, m cipher.BlockMode, padding Padding) (Source, error) {
	c := &blockCipherSource{up: s}
	if err := c.x.init(m, padding); err != nil {
		return nil, err
	}
	return c, nil
}

// NewBlockCipherSink returns a sink that writes to k what it is given, sent through m block by block: encrypted or
// decrypted, as m does. What it is given is changed where it lies, in the buffer that it comes in, except where a clone or a
// copy shares it. Whole blocks are passed on a segment at a time, or with Flush. What is short of a block stays until the
// block is full, and so does a last block with [RemovePKCS7]; Close adds or removes the padding. The errors are those of
// [NewBlockCipherSource], whose warning counts here too, and the first error of k sticks. It owns k and m.
func NewBlockCipherSink(k Sink, m cipher.BlockMode, padding Padding) (Sink, error) {
	c := new(blockCipherSink)
	if err := c.x.init(m, padding); err != nil {
		return nil, err
	}
	c.cipherOutput.init(k)
	return c, nil
}

// A blockCipher sends bytes through a block mode.
type blockCipher struct {
	apply   transform
	size    int64
	padding Padding
	raw     Buffer // what has not gone through yet
}

func (x *blockCipher) init(m cipher.BlockMode, padding Padding) error {
	if padding > RemovePKCS7 {
		return fmt.Errorf("okio: unknown padding %d", padding)
	}
	most := segmentSize
	if padding != NoPadding {
		most = maxPadded
	}
	size := m.BlockSize()
	if size < 1 || size > most {
		return fmt.Errorf("okio: cipher block size %d is not in 1..%d", size, most)
	}
	x.apply, x.size, x.padding = m.CryptBlocks, int64(size), padding
	return nil
}

// put sends all the whole blocks that can go through to the end of dst.
func (x *blockCipher) put(dst *Buffer) {
	n := x.raw.Len()
	if x.padding == RemovePKCS7 {
		n-- // of which, if it is whole, the last block may be padding
	}
	if n > 0 {
		x.putBlocks(dst, n/x.size)
	}
}

func (x *blockCipher) putBlocks(dst *Buffer, blocks int64) {
	for left := blocks * x.size; left > 0; {
		level := int64(x.raw.head.level())
		if level < x.size {
			_, _ = x.raw.PeekN(int(x.size)) // joins a block that lies across segments
			level = int64(x.raw.head.level())
		}
		run := min(level, left) / x.size * x.size
		dst.moveChanged(&x.raw, int(run), x.apply)
		left -= run
	}
}

// finish sends the end through to dst.
func (x *blockCipher) finish(dst *Buffer) error {
	if x.padding == AddPKCS7 {
		appendPadding(&x.raw, int(x.size))
	}
	if rest := x.raw.Len(); rest%x.size != 0 || rest == 0 && x.padding == RemovePKCS7 {
		return partialBlock(rest, int(x.size))
	}
	if x.padding != RemovePKCS7 {
		x.putBlocks(dst, x.raw.Len()/x.size)
		return nil
	}
	var last Buffer
	defer last.Clear()
	x.putBlocks(&last, 1)
	block, err := last.PeekN(int(x.size))
	if err != nil {
		return err
	}
	n, err := unpad(block)
	if err != nil {
		return err
	}
	return dst.WriteBuffer(&last, int64(n))
}

type blockCipherSource struct {
	up     Source
	x      blockCipher
	out    Buffer // what has gone through and is not delivered yet
	err    error  // why nothing follows out
	closed bool
}

func (s *blockCipherSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkRead(max, s.closed); err != nil || max == 0 {
		return 0, err
	}
	for s.out.head == nil {
		if s.err != nil {
			return 0, s.err
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	return s.out.ReadBuffer(dst, max)
}

// fill reads once, and gets a block into out unless it takes more reads or the end has come.
func (s *blockCipherSource) fill() error {
	_, err := s.x.raw.refill(s.up, segmentSize)
	switch err {
	case nil:
		s.x.put(&s.out)
	case io.EOF:
		s.err = io.EOF
		if err := s.x.finish(&s.out); err != nil {
			s.err = err
		}
		s.x.raw.Clear()
	default:
		return err
	}
	return nil
}

func (s *blockCipherSource) Timeout() *Timeout { return TimeoutOf(s.up) }

func (s *blockCipherSource) Close() error {
	s.closed = true
	s.x.raw.Clear()
	s.out.Clear()
	return s.up.Close()
}

type blockCipherSink struct {
	cipherOutput
	x blockCipher
}

func (k *blockCipherSink) WriteBuffer(src *Buffer, n int64) error {
	if err := k.check(src, n); err != nil {
		return err
	}
	for n > 0 {
		piece := min(n, int64(src.head.level())) // whole segments move without a copy
		if err := k.x.raw.WriteBuffer(src, piece); err != nil {
			return err
		}
		n -= piece
		k.x.put(&k.out.buf)
		if err := k.out.EmitFull(); err != nil {
			return err
		}
	}
	return nil
}

func (k *blockCipherSink) Close() error {
	if k.closed {
		return nil
	}
	k.closed = true
	err := k.out.Err()
	if err == nil {
		err = k.x.finish(&k.out.buf)
	}
	k.x.raw.Clear()
	if closeErr := k.out.Close(); err == nil {
		err = closeErr
	}
	return err
}
