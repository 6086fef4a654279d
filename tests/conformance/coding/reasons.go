package coding

const trailing = "after the last member the source must end: what follows may be what matters, and a response that is cut wrongly should not pass for whole. Reading to the end also lets the connection be used again"

// reasons says why each case that is for the decoder to decide is decided as it is.
var reasons = map[string]string{
	"gzip reserved-flag":    "RFC 1952 section 2.3.1.2: a decoder must give an error if a reserved bit is set, since it may announce a field that it would take for data",
	"gzip trailing-zeros":   trailing + ". Padding with zeros comes from tapes, not from HTTP",
	"gzip trailing-garbage": trailing,
	"gzip empty-input":      "nothing is not a gzip stream. A body without content has no coding to undo, which is for HTTP to know: it does not ask the decoder",
	"deflate raw":           "the coding is zlib, and RFC 9110 section 8.4.1.2 notes that some servers leave its header out: what does not begin with one is taken for that",
	"zstd window-16MiB":     "RFC 9659 section 3: the window is 8 MB at most, and a client that is ready for more is a way to its memory",
	"br trailing-garbage":   trailing,
}

// known says why a scored case is not decided as the vectors want.
var known = map[string]string{
	"zstd off0.bin.zst": "klauspost/compress takes a repeated offset of 0 for 1, where RFC 8878 section 3.1.1.5 has the data be corrupt. The frame has no checksum that would tell. The copy stays inside of what was decoded",
}
