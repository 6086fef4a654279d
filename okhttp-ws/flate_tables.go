package okws

import (
	"errors"
	"math/bits"
	"sync"
)

// Entries of the tables that decode the codes of deflate (RFC 1951 section 3.2). From the lowest bit on: how many bits to take, how many more follow as a number, what it is,
// and the literal or base that it stands for, or where the table is that goes on.
const (
	entryExtra   = 4 // where the bits of the number are counted
	entryLiteral = 1 << 8
	entryOther   = 1 << 9 // the end of the block if its value is 0, nothing that may be otherwise
	entryMore    = 1 << 10
	entryValue   = 16 // where that begins

	entryWrong = entryOther | 1<<entryValue | 1
)

const (
	literalBits  = 10 // of a code are looked up at once
	distanceBits = 8
	maxCode      = 15 // bits
)

// codes are the two tables of a block, with room for all that codes of 15 bits can need behind the first part.
type codes struct {
	literals  [1 << (literalBits + 1)]uint32
	distances [1 << (distanceBits + 1)]uint32
}

var literalEntries, distanceEntries, orderEntries = makeEntries()

// makeEntries makes the entries of symbols, without the lengths of their codes.
func makeEntries() (literals [288]uint32, distances [32]uint32, order [19]uint32) {
	for i := range 256 {
		literals[i] = entryLiteral | uint32(i)<<entryValue
	}
	literals[256] = entryOther
	base := uint32(3)
	for i := range 28 {
		extra := uint32(max(0, i/4-1))
		literals[257+i] = base<<entryValue | extra<<entryExtra
		base += 1 << extra
	}
	literals[285] = 258 << entryValue
	literals[286], literals[287] = entryWrong&^1, entryWrong&^1
	base = 1
	for i := range 30 {
		extra := uint32(max(0, i/2-1))
		distances[i] = base<<entryValue | extra<<entryExtra
		base += 1 << extra
	}
	distances[30], distances[31] = entryWrong&^1, entryWrong&^1
	for i := range order {
		order[i] = uint32(i) << entryValue
	}
	return literals, distances, order
}

// fixedCodes are those of RFC 1951 section 3.2.6.
var fixedCodes = sync.OnceValue(func() *codes {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	c := new(codes)
	_ = fillTable(c.literals[:], literalBits, lengths[:], literalEntries[:]) // is complete
	for i := range 32 {
		lengths[i] = 5
	}
	_ = fillTable(c.distances[:], distanceBits, lengths[:32], distanceEntries[:])
	return c
})

var errCodeLengths = errors.New("the lengths of codes do not fit together")

// fillTable makes a table, of which root bits are looked up first, from the lengths of the symbols' codes. A code may be incomplete if it has one symbol of one bit, or none.
func fillTable(table []uint32, root int, lengths []uint8, entries []uint32) error {
	var count [maxCode + 1]int
	for _, n := range lengths {
		count[n]++
	}
	used := len(lengths) - count[0]
	count[0] = 0
	left, longest := 1, 0
	for n := 1; n <= maxCode; n++ {
		if left = left<<1 - count[n]; left < 0 {
			return errCodeLengths
		}
		if count[n] > 0 {
			longest = n
		}
	}
	if left > 0 {
		if used > 1 || used == 1 && longest != 1 {
			return errCodeLengths
		}
		for i := range table[:1<<root] {
			table[i] = entryWrong
		}
	}
	var sorted [288]uint16
	var next [maxCode + 1]int
	for n := 1; n < maxCode; n++ {
		next[n+1] = next[n] + count[n]
	}
	for symbol, n := range lengths {
		if n > 0 {
			sorted[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	code, free := 0, 1<<root // code of the length under way; where the next further table may be
	prefix, sub, subBits := -1, 0, 0
	previous := 0
	for _, symbol := range sorted[:used] {
		n := int(lengths[symbol])
		code <<= n - previous
		previous = n
		reversed := int(bits.Reverse16(uint16(code)) >> (16 - n))
		e := entries[symbol] | uint32(n)
		if n <= root {
			for i := reversed; i < 1<<root; i += 1 << n {
				table[i] = e
			}
		} else {
			if low := reversed & (1<<root - 1); low != prefix {
				prefix, sub = low, free
				subBits = n - root
				for room := 1 << subBits; subBits+root < longest; {
					if room -= count[subBits+root]; room <= 0 {
						break
					}
					subBits++
					room <<= 1
				}
				if free += 1 << subBits; free > len(table) {
					return errCodeLengths
				}
				table[low] = entryMore | uint32(subBits)<<entryExtra | uint32(sub)<<entryValue
			}
			for i := reversed >> root; i < 1<<subBits; i += 1 << (n - root) {
				table[sub+i] = e
			}
		}
		count[n]-- // what is left of this length, for the size of a further table
		code++
	}
	return nil
}
