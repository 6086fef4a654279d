// Package okbrotli (module okhttp-brotli) is the content coding "br" (RFC 7932) for okhttp/okcompress. It is a module of its own, so that its decoder
// does not reach programs that did not ask for it.
//
//	client := okhttp.New(okhttp.WithInterceptor(okbrotli.New(nil)))
//
// [New] asks for brotli and gzip. [Brotli] is the coding alone, to be put beside others:
//
//	compression := okcompress.New(nil, okbrotli.Brotli(), okcompress.Zstd(), okcompress.Gzip())
//
// Limits and errors are those of okcompress. Brotli has no checksum: data that was changed on its way may decode to something else without an error.
// Data that is cut short does not, its error is [io.ErrUnexpectedEOF]; nor does data that is followed by something else.
//
// A stream may refer back to the last 16 MiB. As much memory as it announces, up to that, is taken at its beginning and as it goes on, and freed at its end,
// at its first error or when the body is closed. A stream that wants a larger window (RFC 9841, up to 1 GiB) is refused before any memory is taken for it.
// Decoders of streams of up to 128 KiB are kept for others, as long as the garbage collector leaves them.
//
// # Concurrency
//
// What [New] and [Brotli] return may be shared by any number of goroutines, and keeps nothing about a call. A decoder belongs to the body it decodes, and like that
// to one goroutine at a time; nothing runs in the background.
package okbrotli
