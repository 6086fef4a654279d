//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package okio

// OpenRegular implements [RegularOpener].
func (f *hostFS) OpenRegular(p Path) (*FileHandle, int64, error) { return openRegular(f, p) }
