package okws

// bitReader takes bits off bytes, the lowest first.
type bitReader struct {
	in   []byte
	at   int // what was taken of in
	bits uint64
	have uint // bits
}

// fill takes bytes as long as there is room for them.
func (r *bitReader) fill() {
	for r.have <= 56 && r.at < len(r.in) {
		r.bits |= uint64(r.in[r.at]) << r.have
		r.at++
		r.have += 8
	}
}

// need has at least n bits, up to 57, if there are so many.
func (r *bitReader) need(n uint) bool {
	if r.have < n {
		r.fill()
	}
	return r.have >= n
}

// take takes bits that there are.
func (r *bitReader) take(n uint) uint64 {
	v := r.bits & (1<<n - 1)
	r.bits >>= n
	r.have -= n
	return v
}

// giveBack returns whole bytes of which nothing was used.
func (r *bitReader) giveBack() {
	r.at -= int(r.have >> 3)
	r.have &= 7
	r.bits &= 1<<r.have - 1
}
