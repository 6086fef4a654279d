package okio

// OpenReadOnly implements [FileSystem].
func (f *FakeFileSystem) OpenReadOnly(p Path) (*FileHandle, error) {
	file, err := f.openReadable("openReadOnly", p)
	if err != nil {
		return nil, err
	}
	return NewReadOnlyFileHandle(file), nil
}

// Source implements [FileSystem].
func (f *FakeFileSystem) Source(p Path) (Source, error) {
	file, err := f.openReadable("source", p)
	if err != nil {
		return nil, err
	}
	h := NewReadOnlyFileHandle(file)
	defer func() { _ = h.Close() }() // the file stays open for the source
	return h.Source(0)
}

func (f *FakeFileSystem) openReadable(op string, p Path) (*fakeFile, error) {
	spot, err := f.existing(op, p, true)
	if err != nil {
		return nil, err
	}
	defer f.mu.Unlock()
	switch {
	case !spot.node.isFile():
		return nil, pathErr(op, p, errFakeNotFile)
	case !f.AllowReadsWhileWriting && f.isOpen(spot.node, true):
		return nil, pathErr(op, p, errFakeWriting)
	}
	spot.node.accessed = f.now()
	return f.openFile(spot.node, spot.path, false), nil
}

// isOpen reports whether somebody has the file open for writing, or for reading.
func (f *FakeFileSystem) isOpen(node *fakeNode, writable bool) bool {
	return f.opened(func(o *fakeFile) bool { return o.node == node && o.writable == writable })
}

// OpenReadWrite implements [FileSystem].
func (f *FakeFileSystem) OpenReadWrite(p Path, m OpenMode) (*FileHandle, error) {
	file, _, err := f.openWritable("openReadWrite", p, m, false)
	if err != nil {
		return nil, err
	}
	return NewFileHandle(file), nil
}

// Sink implements [FileSystem].
func (f *FakeFileSystem) Sink(p Path, m OpenMode) (Sink, error) {
	return f.openSink("sink", p, m, true)
}

// Appending implements [FileSystem].
func (f *FakeFileSystem) Appending(p Path, m OpenMode) (Sink, error) {
	return f.openSink("appending", p, m, false)
}

func (f *FakeFileSystem) openSink(op string, p Path, m OpenMode, truncate bool) (Sink, error) {
	file, size, err := f.openWritable(op, p, m, truncate)
	if err != nil {
		return nil, err
	}
	h := NewFileHandle(file)
	defer func() { _ = h.Close() }() // the file stays open for the sink
	return h.Sink(size)
}

// openWritable opens or creates a file, and returns its size.
func (f *FakeFileSystem) openWritable(op string, p Path, m OpenMode, truncate bool) (*fakeFile, int64, error) {
	// What must not exist must not be a link either, wherever that leads.
	spot, err := f.spot(FakeOp{Name: op, Path: p}, m, MustCreate|MustExist, m&MustCreate == 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.mu.Unlock()
	if err := f.mayWrite(spot, m); err != nil {
		return nil, 0, pathErr(op, p, err)
	}
	now := f.now()
	if spot.node == nil {
		spot.node = newFakeNode(0, now)
		f.change(fakeEntry{spot.parent, spot.name, spot.node})
	} else {
		spot.node.wrote(now)
		spot.parent.wrote(now)
	}
	if truncate && len(spot.node.data) > 0 {
		spot.node.write(fakeWrite{})
	}
	return f.openFile(spot.node, spot.path, true), int64(len(spot.node.data)), nil
}

func (f *FakeFileSystem) mayWrite(spot fakeSpot, m OpenMode) error {
	switch {
	case spot.node.isDirectory():
		return errFakeDestination
	case spot.node != nil && m&MustCreate != 0:
		return errFakeExists
	case spot.node == nil && m&MustExist != 0:
		return errFakeNoFile
	case !f.AllowWritesWhileWriting && f.isOpen(spot.node, true):
		return errFakeWriting
	case !f.AllowReadsWhileWriting && f.isOpen(spot.node, false):
		return errFakeReading
	case spot.parent == nil:
		return errFakeNoParent
	}
	return nil
}
