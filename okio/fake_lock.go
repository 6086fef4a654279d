package okio

import "io"

// LockFile implements [FileLocker]. The file is open for writing as long as it is locked. A lock does not outlast a crash.
func (f *FakeFileSystem) LockFile(p Path) (io.Closer, error) {
	const op = "lockFile"
	spot, err := f.spot(FakeOp{Name: op, Path: p}, 0, 0, true)
	if err != nil {
		return nil, err
	}
	defer f.mu.Unlock()
	if spot.node != nil && f.opened(func(o *fakeFile) bool { return o.node == spot.node && o.locked }) {
		return nil, pathErr(op, p, ErrLocked)
	}
	if err := f.mayWrite(spot, 0); err != nil {
		return nil, pathErr(op, p, err)
	}
	if spot.node == nil {
		spot.node = newFakeNode(0, f.now())
		f.change(fakeEntry{spot.parent, spot.name, spot.node})
	}
	o := f.openFile(spot.node, spot.path, true)
	o.locked = true
	return o, nil
}

// SyncDirectory implements [DirectorySyncer]. Since changes of directories become durable in their order, those before the last of this directory do as well.
func (f *FakeFileSystem) SyncDirectory(dir Path) error {
	const op = "syncDirectory"
	spot, err := f.existing(op, dir, true)
	if err != nil {
		return err
	}
	defer f.mu.Unlock()
	if !spot.node.isDirectory() {
		return pathErr(op, dir, errNotDirectory)
	}
	last := 0
	for i, entries := range f.journal {
		for _, e := range entries {
			if e.directory == spot.node {
				last = i + 1
			}
		}
	}
	f.commit(last)
	return nil
}
