// Package coding measures the decoders of content codings in okcompress and okbrotli, of which gzip is that of okio, against vectors of edge cases:
// flags and members, damage to each part, truncation at each part, a bomb.
//
// The data in testdata is copied unchanged; LICENSES.md says where it comes from. The engine knows nothing of the decoders: a [Decoder] stands
// between. What becomes of every case is in testdata/results.txt, which `go test -run TestConformance -update` writes, with the reason wherever the
// vectors leave the decision to the decoder.
package coding
