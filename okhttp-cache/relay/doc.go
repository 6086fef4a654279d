// Package relay hands one stream to many readers through a file.
//
// A [Relay] reads an upstream once, whoever asks first, and keeps what came in a file and its latest bytes in memory. Each source that is made from it
// has a place of its own: it begins at the start, reads what is there already, and when it has caught up waits for more or fetches it. When the
// upstream ends, the file is complete, with a blob of metadata behind the content, and [Read] opens it again later.
//
//	file, err := okio.OS().OpenReadWrite(path, 0)
//	…
//	r, err := relay.New(file, upstream, relay.Config{Metadata: head})
//	…
//	a, _ := r.NewSource(ctx)
//	b, _ := r.NewSource(ctx) // reads the same bytes, at its own pace
//
// # The file
//
//	offset  size  content
//	0       16    "OkHttp cache v1\n" if it is complete, "OkHttp DIRTY :(\n" if it is not
//	16      8     n, the length of the content, signed, big-endian; -1 if it is not complete
//	24      8     m, the length of the metadata, likewise
//	32      n     the content
//	32+n    m     the metadata
//
// It is OkHttp's format. The header says that the file is complete only after everything else is on the disk: what a crash leaves behind is never taken
// for whole.
//
// # Concurrency
//
// A Relay is safe for concurrent use; each source is used by one goroutine at a time. One mutex guards the state that the sources share. It is never
// held while the file or the upstream is read or written: whoever fetches has a role that nobody else has then, in a goroutine of the relay which ends
// with the piece that it fetches. So a source whose context ends stops waiting at once, and the piece is there for the others. When the last source is
// closed before the end, the relay cancels the upstream, waits for nobody, and closes upstream and file as soon as the piece under way has ended.
package relay
