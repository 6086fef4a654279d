// Package disklru keeps entries in the files of a directory, up to a size: those that were not used for longest go first. It reads and writes directories in the
// format of OkHttp's DiskLruCache, and is the store beneath the HTTP cache.
//
//	store, err := disklru.Open(okio.ParsePath("/var/cache/images"), disklru.Options{AppVersion: 1, ValueCount: 1, MaxSize: 100 << 20})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//
// An entry has a key of 1 to 120 characters of a-z, 0-9, _ and -, and a fixed number of values. [Store.Edit] begins to write them, [Editor.Commit] publishes them
// together, and [Store.Get] returns a [Snapshot] of them that later edits do not change.
//
// # Faults
//
// A cache is something to do without. What goes wrong with a disk therefore costs entries, and calls only where their result would be a lie: Get says
// [ErrNotFound] or why a file cannot be opened, Edit returns a [*RefusedError], and the sinks of an editor swallow a fault, which its Commit then
// tells of. A store that cannot write serves what it has, and repairs itself when it can write again. One whose directory is corrupt empties it.
//
// # What the files are
//
// The file journal says what there is: a header of five lines, then a record for each thing that happened, as in "DIRTY k", "CLEAN k 832 21054", "READ k",
// "REMOVE k". Value i of key k is the file k.i, or k.i.tmp until its edit is committed. A journal with many superfluous records is written anew as
// journal.tmp, which takes the place of journal while the old one is journal.bkp. The file journal.lock is locked by the store that has the directory.
//
// # Crashes
//
// When the process dies, at any time, what it was writing is lost, and nothing else: entries that were committed are there, those that were removed are not, and no
// entry has values of two edits.
//
// When the system dies, by a loss of power say, a store with [Options].Sync promises the same. Without it the store opens all the same, and has lost what the
// file system had not yet written: entries, old ones too if the journal was just written anew; entries that were removed may be there again; a file whose
// length is not what the journal says is no value. But a file of the right length can have zeros in it, or the contents of another edit, on file
// systems that do not keep what is written in order; who cannot live with that has Sync or a checksum.
//
// # Concurrency
//
// A [Store] is safe for concurrent use. Each editor, snapshot and iterator, and each sink and source of theirs, is used by one goroutine at a time.
//
// One mutex guards what a store knows. Under it the journal is appended to, and files are created, renamed and deleted, so that the journal and the
// directory agree. Value files are read, written, opened and synced without it: who opens them looks afterwards whether the entry changed meanwhile. Each sink
// of an editor has a mutex of its own, which is taken before that of the store.
//
// Eviction and the writing of a new journal run on a goroutine of their own, which ends when there is nothing to do; between two evictions others get the lock.
package disklru
