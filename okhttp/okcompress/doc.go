// Package okcompress asks servers for compressed responses and decodes them, in more codings than the gzip that okhttp does by itself.
//
//	compression := okcompress.New(nil, okcompress.Zstd(), okcompress.Gzip())
//	client := okhttp.New(okhttp.WithInterceptor(compression))
//
// As an application interceptor it sets Accept-Encoding to its codings, in the order of preference they are given in, and undoes the ones that a
// response names in Content-Encoding. What the program gets has neither that header nor a Content-Length. A request that has an Accept-Encoding
// of its own is left alone, and so is its response: whoever asks decodes.
//
// # Codings
//
// [Gzip] is RFC 1952, [Deflate] the zlib format (RFC 9110 section 8.4.1.2) and [Zstd] RFC 8878 with the window that RFC 9659 allows. Others are
// an [Algorithm] each, with a token and a function; that of brotli is in the module okhttp-brotli. A response may name several codings, which are
// undone from the last to the first. One that names a coding the interceptor does not know, or more than four, is returned as it came.
//
// Responses without content keep their headers, which tell of one that was not sent. Requests for a range and responses with a part (206) are
// left alone too, because a part of compressed data cannot be decoded by itself.
//
// # Hostile servers
//
// Bodies are decoded while they are read and memory use does not depend on them: some 50 KiB for gzip and deflate, some 9 MiB for zstd with
// its largest window. A small response can still decode to more than a program wants to keep or write to disk, so decoding fails with an
// [*okhttp.TooLargeError] beyond [Config.MaxDecoded]. Damaged data fails with a [*DecodeError] that names the coding. Both come while the body is
// read, inside the [*okhttp.Error] of the call.
//
// # Concurrency
//
// An [Interceptor] and an [Algorithm] do not change after they were made, and may be shared by any number of clients and goroutines. A decoder belongs to one body; it
// decodes on the goroutine that reads, and starts none.
package okcompress
