package okio_test

import (
	"fmt"
	"io/fs"

	"github.com/okhttp-go/ok/okio"
)

// Relative paths start at a directory, absolute ones are refused, and all are logged.
func ExampleForwardingFileSystem() {
	var files okio.FakeFileSystem
	home := okio.ParsePath("/home/jesse")
	_ = okio.CreateDirectories(&files, home, 0)

	relative := okio.ForwardingFileSystem{
		FileSystem: &files,
		OnPathParameter: func(p okio.Path, operation, parameter string) (okio.Path, error) {
			fmt.Println(operation, parameter, p)
			if p.IsAbs() {
				return p, fmt.Errorf("%s: %w", p, fs.ErrPermission)
			}
			return home.Resolve(p).Clean(), nil
		},
	}
	fmt.Println(relative.CreateDirectory(okio.ParsePath("music"), 0))
	fmt.Println(relative.Delete(okio.ParsePath("/home"), 0))
	fmt.Println(files.AllPaths())
	// Output:
	// createDirectory dir music
	// <nil>
	// delete path /home
	// /home: permission denied
	// [/home /home/jesse /home/jesse/music]
}
