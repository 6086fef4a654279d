package okws

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// A maskKey is the key of a frame (RFC 6455 section 5.3), its first byte the lowest, turned so that the next byte of the payload meets the lowest.
type maskKey uint32

// freshMask returns a key that a peer cannot guess: it comes from the runtime's ChaCha8, which the system seeds.
func freshMask() maskKey { return maskKey(rand.Uint32()) }

// after is the key after n bytes.
func (k maskKey) after(n int) maskKey { return maskKey(bits.RotateLeft32(uint32(k), -8*(n&3))) }

// mask writes src, masked or unmasked, to dst, which is as long and either the same memory or apart. It returns the key for what follows.
func (k maskKey) mask(dst, src []byte) maskKey {
	next := k.after(len(src))
	dst = dst[:len(src)]
	word := uint64(k)<<32 | uint64(k)
	for len(src) >= 64 && len(dst) >= 64 {
		s, d := (*[64]byte)(src), (*[64]byte)(dst)
		binary.LittleEndian.PutUint64(d[0:], binary.LittleEndian.Uint64(s[0:])^word)
		binary.LittleEndian.PutUint64(d[8:], binary.LittleEndian.Uint64(s[8:])^word)
		binary.LittleEndian.PutUint64(d[16:], binary.LittleEndian.Uint64(s[16:])^word)
		binary.LittleEndian.PutUint64(d[24:], binary.LittleEndian.Uint64(s[24:])^word)
		binary.LittleEndian.PutUint64(d[32:], binary.LittleEndian.Uint64(s[32:])^word)
		binary.LittleEndian.PutUint64(d[40:], binary.LittleEndian.Uint64(s[40:])^word)
		binary.LittleEndian.PutUint64(d[48:], binary.LittleEndian.Uint64(s[48:])^word)
		binary.LittleEndian.PutUint64(d[56:], binary.LittleEndian.Uint64(s[56:])^word)
		src, dst = src[64:], dst[64:]
	}
	for len(src) >= 8 && len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^word)
		src, dst = src[8:], dst[8:]
	}
	for i, b := range src {
		dst[i] = b ^ byte(k>>(8*(i&3)))
	}
	return next
}
