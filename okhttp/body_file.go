package okhttp

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// File is a body of a file's content, whose length is read now. The file is opened anew for each attempt; if it is longer or shorter
// by then, the call fails. A file that cannot be opened fails the call, which is not tried again.
func File(path, contentType string) *Body {
	info, err := os.Stat(path)
	return fileBody(contentType, info, err, func() (fs.File, error) { return os.Open(path) })
}

// FileFS is like [File] for a file in a file system.
func FileFS(fsys fs.FS, name, contentType string) *Body {
	info, err := fs.Stat(fsys, name)
	return fileBody(contentType, info, err, func() (fs.File, error) { return fsys.Open(name) })
}

func fileBody(contentType string, info fs.FileInfo, err error, open func() (fs.File, error)) *Body {
	length := int64(-1)
	if err == nil && info.Mode().IsRegular() {
		length = info.Size()
	}
	return &Body{cfg: BodyConfig{ContentType: contentType, Len: length, Open: func(context.Context) (io.ReadCloser, error) {
		return open()
	}}}
}
