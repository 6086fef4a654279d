// Package disklru keeps entries in the files of a directory, up to a size: those that were not used for longest go first. It reads and writes directories in the
// format of OkHttp's DiskLruCache, and is the store beneath the HTTP cache.
//
//	store, err := disklru.New(okio.ParsePath("/var/cache/images"), disklru.Options{AppVersion: 1, ValueCount: 1, MaxSize: 100 << 20})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//
//	editor, err := store.Edit("cat")
//	if err != nil {
//		return err // somebody else writes it, or the disk is full: do without
//	}
//	sink, err := editor.Sink(0)
//	...
//	err = editor.Commit()
//
//	snapshot, err := store.Get("cat")
//	if errors.Is(err, disklru.ErrNotFound) {
//		...
//	}
//	defer snapshot.Close()
package disklru
