// Package okio moves bytes in pooled segments: buffers, sources and sinks that hand whole segments on instead of copying
// them.
//
// A [Buffer] is a queue of bytes: written at the end, read from the front. A [Source] supplies bytes by moving them to a
// Buffer, a [Sink] takes them from one. [BufferedSource] and [BufferedSink] put a Buffer in front of a stream and read and
// write numbers, text, lines and patterns through it:
//
//	src := okio.NewBufferedSource(okio.FromReader(file))
//	defer src.Close()
//	for {
//		line, err := src.ReadLine()
//		if err == io.EOF {
//			break
//		}
//		…
//	}
//
// All of them speak package io as well: a Buffer, a BufferedSource and a BufferedSink go wherever an io.Reader or io.Writer
// does, and io.Copy between two of them moves segments.
//
// # Errors
//
// The end of a stream is io.EOF, alone and with a count of zero. Whoever demands more bytes than there are gets io.EOF if
// there were none and io.ErrUnexpectedEOF otherwise, and consumes nothing unless the method says so. Closed streams fail
// with [ErrClosed]. Counts that can come from data, such as that of ReadN, are checked and give errors. Methods
// without an error to return panic, as slices do, on an argument that only the program can get wrong: the index of At, the
// range or the empty pattern of a search in a Buffer, the counts of Reserve and Commit. The same search in a BufferedSource
// returns an error.
//
// # Concurrency
//
// A buffer or stream is used by one goroutine at a time; nothing here starts goroutines to read or write. The two ends of a
// [Pipe] and the two sides of a [Socket] are two streams, which two goroutines may use at the same time, and canceling them
// is safe from anywhere, as is [Timeout.Disarm]. A [Throttler] may be shared. Distinct buffers are independent even where they
// share bytes, as after [Buffer.Clone]. Values that never change, such as [ByteString], [ByteSet] and [Options], are safe for
// concurrent use.
//
// Buffers take no locks. What they share is an array and the atomic count of its holders; bytes below the end that the count
// protects never change, and the last holder returns the array to the pool.
//
// # Views
//
// Slices that LineView, PeekN, Chunks and Reserve return are the buffer's own memory. They are valid until the next call on
// that buffer or stream, after which the memory may hold anything. Under the race detector, or with the build tag
// okiopoison, released memory is overwritten so that tests notice.
package okio
