// Package http2 measures HTTP/2 from four sides: single frames, good and bad; header blocks as nine encoders of other projects compressed them; a
// client before servers that break the rules; and a server before clients that do.
//
// The frames and the blocks are data in testdata, copied unchanged; LICENSES.md says where they come from. The servers are the client cases of
// h2spec, the clients its server cases, all of them with the strict ones. The engines know nothing of okhttp: a [FrameDecoder], a [HeaderDecoder],
// a [HeaderEncoder] and a [Client] stand between, and a server is known by its address.
package http2
