package okio

// Copy replaces the contents of the file to by those of the file from, creating it if it is absent. Only bytes are copied. If from cannot be
// opened, to is not touched; if copying fails later, to holds a part. Copying a file onto itself, under whatever name the paths give it, does nothing.
func Copy(f FileSystem, from, to Path) (err error) {
	source, err := f.Source(from)
	if err != nil {
		return err
	}
	defer closeInto(source, &err)
	if sameFile(f, from, to) { // opening the sink would empty the source
		return nil
	}
	sink, err := f.Sink(to, 0)
	if err != nil {
		return err
	}
	k := NewBufferedSink(sink)
	defer closeInto(k, &err)
	_, err = k.WriteAllFrom(source)
	return err
}

// sameFile reports whether both paths are known to lead to one file.
func sameFile(f FileSystem, a, b Path) bool {
	if a == b {
		return true
	}
	a, err := f.Canonicalize(a)
	if err != nil {
		return false
	}
	b, err = f.Canonicalize(b)
	return err == nil && a == b
}

// closeInto closes c at the end of a function that returns *err.
func closeInto(c interface{ Close() error }, err *error) {
	if closeErr := c.Close(); *err == nil {
		*err = closeErr
	}
}
