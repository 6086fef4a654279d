package okio

import "errors"

// A RegularOpener is a [FileSystem] that can open a file and see what it is in one step. [OS] is.
type RegularOpener interface {
	// OpenRegular does what the function [OpenRegular] says.
	OpenRegular(p Path) (*FileHandle, int64, error)
}

// ErrNotRegular is wrapped by the error of [OpenRegular] for something that is not a regular file.
var ErrNotRegular = errors.New("okio: not a regular file")

// OpenRegular opens an existing file to be read, and returns its size as well. Other than OpenReadOnly it does not follow a link at the end of the path, and
// does not wait for the other end of a pipe: what is no regular file is an [ErrNotRegular]. It is for directories that others can write to.
//
// If f is no [RegularOpener] it asks for Metadata first, so that there is a moment for the file to be replaced by something else.
func OpenRegular(f FileSystem, p Path) (*FileHandle, int64, error) {
	if opener, ok := f.(RegularOpener); ok {
		return opener.OpenRegular(p)
	}
	return openRegular(f, p)
}

func openRegular(f FileSystem, p Path) (*FileHandle, int64, error) {
	m, err := f.Metadata(p)
	if err != nil {
		return nil, 0, err
	}
	if !m.Regular {
		return nil, 0, pathErr("open", p, ErrNotRegular)
	}
	h, err := f.OpenReadOnly(p)
	return h, m.Size, err
}

var _ RegularOpener = (*hostFS)(nil)
