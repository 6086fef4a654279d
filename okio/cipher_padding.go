package okio

import (
	"crypto/subtle"
	"fmt"
	"io"
)

// A Padding says what a block cipher does about a length that is no multiple of its block size.
type Padding uint8

const (
	// NoPadding leaves lengths alone, in either direction: the total must be a multiple of the block size.
	NoPadding Padding = iota

	// AddPKCS7 appends the padding of RFC 5652 section 6.3, between one byte and a block of them: for encrypting.
	AddPKCS7

	// RemovePKCS7 checks that padding and removes it: for decrypting.
	RemovePKCS7
)

// maxPadded is the largest block size whose padding has room for its length.
const maxPadded = 255

// appendPadding fills the block that b ends in, or appends a whole one.
func appendPadding(b *Buffer, blockSize int) {
	n := byte(blockSize - int(b.Len()%int64(blockSize)))
	for range n {
		_ = b.WriteByte(n)
	}
}

// unpad returns how many bytes of the last block are data. Its time does not depend on what is in the block unless the
// padding is wrong, so that it does not tell where.
func unpad(block []byte) (int, error) {
	size := len(block)
	length := block[size-1]
	good := subtle.ConstantTimeLessOrEq(1, int(length)) & subtle.ConstantTimeLessOrEq(int(length), size)
	for i, c := range block {
		padding := subtle.ConstantTimeLessOrEq(size-i, int(length))
		good &= subtle.ConstantTimeSelect(padding, subtle.ConstantTimeByteEq(c, length), 1)
	}
	if good != 1 {
		return 0, &FormatError{Format: cipherFormat, Problem: "bad padding"}
	}
	return size - int(length), nil
}

const cipherFormat = "block cipher"

// partialBlock is the error of data that ends within a block.
func partialBlock(n int64, blockSize int) error {
	return &FormatError{
		Format:  cipherFormat,
		Problem: fmt.Sprintf("the last block has %d bytes, expected %d", n, blockSize),
		Err:     io.ErrUnexpectedEOF,
	}
}
