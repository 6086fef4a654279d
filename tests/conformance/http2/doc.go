// Package http2 measures HTTP/2 from three sides: single frames, good and bad; header blocks as nine encoders of other projects compressed them; and a
// client before servers that break the rules.
//
// The frames and the blocks are data in testdata, copied unchanged; LICENSES.md says where they come from. The servers are the client cases of
// h2spec. The engines know nothing of okhttp: a [FrameDecoder], a [HeaderDecoder], a [HeaderEncoder] and a [Client] stand between.
package http2
