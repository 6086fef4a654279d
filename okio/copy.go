package okio

// Copy replaces the contents of the file to by those of the file from, creating it if it is absent. Only bytes are copied. If from cannot be
// opened, to is not touched; if copying fails later, to holds a part. Copying a file onto itself does nothing, under
// whatever names the paths give it; that two names are hard links is known of the file systems of [OS] and [OpenRoot].
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

// A linkTeller knows when two names are hard links of one file, which no path tells.
type linkTeller interface {
	// hardLinks reports whether both paths, followed to their ends, are known to lead to one file.
	hardLinks(a, b Path) bool
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
	if err != nil || a == b {
		return err == nil
	}
	host, ok := f.(linkTeller)
	return ok && host.hardLinks(a, b)
}

// hardLinks implements [linkTeller] by asking the file system that the operations are passed on to.
func (f ForwardingFileSystem) hardLinks(a, b Path) bool {
	host, ok := f.FileSystem.(linkTeller)
	if !ok {
		return false
	}
	a, err := f.parameter(a, "metadata", "path")
	if err != nil {
		return false
	}
	b, err = f.parameter(b, "metadata", "path")
	return err == nil && host.hardLinks(a, b)
}

// closeInto closes c at the end of a function that returns *err.
func closeInto(c interface{ Close() error }, err *error) {
	if closeErr := c.Close(); *err == nil {
		*err = closeErr
	}
}
