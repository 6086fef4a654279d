package http2

import (
	"errors"

	"golang.org/x/net/http2/hpack"
)

// Defaults of [HeaderLimits].
const (
	// DefaultMaxHeaderBytes is the limit of the names and values of one header block, in bytes.
	DefaultMaxHeaderBytes = 256 << 10
	// DefaultMaxHeaderFields is the limit of its fields. Ten times what servers allow, and 32 KiB of slice.
	DefaultMaxHeaderFields = 1000
)

// initialTableSize is the size of the dynamic tables of a new connection (RFC 9113 section 4.3.1).
const initialTableSize = 4096

// HeaderLimits bounds what one header block can make this side hold. The zero value means the defaults.
type HeaderLimits struct {
	// MaxBytes is the most bytes that the names and values of a block may have together, after decompression. 0 and less mean
	// [DefaultMaxHeaderBytes]; it is 256 MiB at most.
	MaxBytes int
	// MaxFields is the most fields of a block, pseudo-header fields counted. 0 and less mean [DefaultMaxHeaderFields].
	MaxFields int
}

// Bounds of what is read of a block beyond its limits, in order to keep the connection.
const (
	mostBytes   = 256 << 20 // of MaxBytes
	leastString = 64 << 10  // strings this long are read whatever MaxBytes is
	leastBudget = 256 << 10 // and this many bytes of fragments
	overBudget  = 4         // times MaxBytes of fragments are read: Huffman coding can make a string almost as much longer
	leastCharge = 1 << 10   // what a fragment costs at least, so that empty ones have an end too
	keptFields  = 512       // names and values that a decoder keeps room for between blocks
)

// HeaderDecoder decompresses the header blocks of one direction of a connection, in their order (RFC 7541). Blocks that are discarded have to go
// through it as well. It is not safe for concurrent use.
//
// A block above the limits is decoded to its end, so that the connection stays usable, but not kept. It must then end within four times
// MaxBytes of fragments (256 KiB at least), with no single string longer than MaxBytes (64 KiB at least); a fragment counts as 1 KiB
// at least.
type HeaderDecoder struct {
	hp     *hpack.Decoder
	limits HeaderLimits
	budget int // bytes of fragments a block may have

	fields []string
	bytes  int
	spent  int
	over   error // the limit that the block exceeds
	failed error // what ended the decoder

	update tableUpdate
}

// NewHeaderDecoder returns a decoder whose dynamic table has the 4096 bytes that a connection begins with.
func NewHeaderDecoder(limits HeaderLimits) *HeaderDecoder {
	if limits.MaxBytes <= 0 {
		limits.MaxBytes = DefaultMaxHeaderBytes
	}
	if limits.MaxFields <= 0 {
		limits.MaxFields = DefaultMaxHeaderFields
	}
	limits.MaxBytes = min(limits.MaxBytes, mostBytes)
	d := &HeaderDecoder{limits: limits, budget: max(overBudget*limits.MaxBytes, leastBudget), update: newTableUpdate()}
	d.hp = hpack.NewDecoder(initialTableSize, d.keep)
	d.hp.SetMaxStringLength(max(limits.MaxBytes, leastString))
	return d
}

// SetTableSize changes how large the peer may make the dynamic table, in bytes. It is to be called when the peer has acknowledged a HEADER_TABLE_SIZE
// of that value; a reduction obliges it to begin its next block with a smaller table (RFC 9113 section 4.3.1).
func (d *HeaderDecoder) SetTableSize(n uint32) {
	d.hp.SetAllowedMaxDynamicTableSize(n)
	d.update.allow(n)
}

// Decode reads the next fragment of a block: of HEADERS or PUSH_PROMISE, without padding, and of every CONTINUATION. Nothing of it is kept. An error is a
// [*ConnectionError], COMPRESSION_ERROR or ENHANCE_YOUR_CALM, and repeats from then on.
func (d *HeaderDecoder) Decode(fragment []byte) error {
	if d.failed != nil {
		return d.failed
	}
	if d.spent += max(len(fragment), leastCharge); d.spent > d.budget {
		return d.fail(connectionErrorf(EnhanceYourCalm, "header block of more than %d bytes in its frames, of which each counts as %d at least",
			d.budget, leastCharge))
	}
	if !d.update.over {
		rest, err := d.update.read(fragment, d.hp)
		if err != nil {
			return d.fail(err)
		}
		fragment = rest
	}
	if _, err := d.hp.Write(fragment); err != nil {
		return d.fail(decodingError(err))
	}
	return nil
}

// Close ends a block and returns its fields, alternating names and values, in a slice of the caller's. A [*TooLargeError] means that the block was above a
// limit and is lost, but the decoder is ready for the next one; it is the stream that ends. Any other error is a [*ConnectionError].
func (d *HeaderDecoder) Close() ([]string, error) {
	if d.failed != nil {
		return nil, d.failed
	}
	if err := d.update.close(); err != nil {
		return nil, d.fail(err)
	}
	if d.hp.Close() != nil {
		return nil, d.fail(connectionErrorf(CompressionError, "header block ends within a field"))
	}
	var fields []string
	if d.over == nil && len(d.fields) > 0 {
		fields = make([]string, len(d.fields))
		copy(fields, d.fields)
	}
	err := d.over
	d.reset()
	return fields, err
}

// keep takes a field from hpack.
func (d *HeaderDecoder) keep(f hpack.HeaderField) {
	if d.over != nil {
		return
	}
	d.bytes += len(f.Name) + len(f.Value)
	switch {
	case d.bytes > d.limits.MaxBytes:
		d.over = &TooLargeError{What: "header block", Limit: int64(d.limits.MaxBytes)}
	case len(d.fields) >= 2*d.limits.MaxFields:
		d.over = &TooLargeError{What: "header block", Limit: int64(d.limits.MaxFields), Unit: "fields"}
	default:
		d.fields = append(d.fields, f.Name, f.Value)
		return
	}
	d.hp.SetEmitEnabled(false) // strings that enter no table are not even decoded
	d.drop()
}

func (d *HeaderDecoder) reset() {
	d.drop()
	d.bytes, d.spent, d.over = 0, 0, nil
	d.hp.SetEmitEnabled(true)
	d.update.over = false
}

// drop forgets the fields, and their room if one block made it large.
func (d *HeaderDecoder) drop() {
	clear(d.fields)
	if d.fields = d.fields[:0]; cap(d.fields) > keptFields {
		d.fields = nil
	}
}

func (d *HeaderDecoder) fail(err error) error {
	d.drop()
	d.failed = err
	return err
}

// decodingError is what hpack found, with the code of RFC 9113 section 4.3: a block that is not decompressed ends the connection, also if it could
// have been.
func decodingError(err error) error {
	if errors.Is(err, hpack.ErrStringLength) {
		return connectionErrorf(CompressionError, "header block has a string that is too long")
	}
	if wrapped := (hpack.DecodingError{}); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if index, ok := err.(hpack.InvalidIndexError); ok {
		return connectionErrorf(CompressionError, "header block refers to field %d, which is in no table", int(index))
	}
	return connectionErrorf(CompressionError, "header block cannot be decoded: %v", err)
}
