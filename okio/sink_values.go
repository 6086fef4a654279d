package okio

// WriteByte appends c.
func (k *BufferedSink) WriteByte(c byte) error {
	if t := k.spot(1); t != nil {
		t.data[t.limit] = c
		k.buf.grow(t, 1)
		return nil
	}
	if k.err != nil {
		return k.err
	}
	_ = k.buf.WriteByte(c)
	return k.EmitFull()
}

// WriteRune appends r in UTF-8 as [Buffer.WriteRune] does and returns its width.
func (k *BufferedSink) WriteRune(r rune) (int, error) {
	if k.err != nil {
		return 0, k.err
	}
	n, _ := k.buf.WriteRune(r)
	return n, k.EmitFull()
}

// WriteUint16 appends v, big-endian.
func (k *BufferedSink) WriteUint16(v uint16) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteUint16(v)
	return k.EmitFull()
}

// WriteUint32 appends v, big-endian.
func (k *BufferedSink) WriteUint32(v uint32) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteUint32(v)
	return k.EmitFull()
}

// WriteUint64 appends v, big-endian.
func (k *BufferedSink) WriteUint64(v uint64) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteUint64(v)
	return k.EmitFull()
}

// WriteUint16LE appends v, little-endian.
func (k *BufferedSink) WriteUint16LE(v uint16) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteUint16LE(v)
	return k.EmitFull()
}

// WriteUint32LE appends v, little-endian.
func (k *BufferedSink) WriteUint32LE(v uint32) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteUint32LE(v)
	return k.EmitFull()
}

// WriteUint64LE appends v, little-endian.
func (k *BufferedSink) WriteUint64LE(v uint64) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteUint64LE(v)
	return k.EmitFull()
}

// WriteDecimal appends v in decimal digits, with a '-' when negative.
func (k *BufferedSink) WriteDecimal(v int64) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteDecimal(v)
	return k.EmitFull()
}

// WriteHex appends v in lower-case hexadecimal digits without leading zeros.
func (k *BufferedSink) WriteHex(v uint64) error {
	if k.err != nil {
		return k.err
	}
	k.buf.WriteHex(v)
	return k.EmitFull()
}
