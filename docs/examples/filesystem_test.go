package examples

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing/fstest"

	"github.com/okhttp-go/ok/okio"
)

func Example_fileSystem() {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	// #region filesystem
	files := okio.OS()
	home := okio.ParsePath(dir)
	today := home.Join("notes/today.txt")

	if err := okio.CreateDirectories(files, home.Join("notes"), 0); err != nil {
		fmt.Println(err)
		return
	}
	sink, err := files.Sink(today, okio.MustCreate) // an existing file would be an error
	if err != nil {
		fmt.Println(err)
		return
	}
	out := okio.NewBufferedSink(sink)
	out.WriteString("buy tea\nread\n")
	if err := out.Close(); err != nil {
		fmt.Println(err)
		return
	}

	source, err := files.Source(today)
	if err != nil {
		fmt.Println(err)
		return
	}
	in := okio.NewBufferedSource(source)
	defer in.Close()
	line, err := in.ReadLine()
	fmt.Println(line, err)

	for p, err := range okio.Walk(files, home, false) {
		if err != nil {
			fmt.Println(err)
			return
		}
		name, _ := p.RelativeTo(home)
		fmt.Println(name)
	}
	// #endregion filesystem

	// Output:
	// buy tea <nil>
	// notes
	// notes/today.txt
}

func Example_fileHandle() {
	files := new(okio.FakeFileSystem)
	files.EmulateUnix()
	// #region handle
	h, err := files.OpenReadWrite(okio.ParsePath("/journal"), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()

	end, err := h.Appending()
	if err != nil {
		fmt.Println(err)
		return
	}
	out := okio.NewBufferedSink(end)
	out.WriteString("dirty\nlibjunk\n")
	if err := out.Close(); err != nil { // the sink; the file stays open for the handle
		fmt.Println(err)
		return
	}
	if _, err := h.WriteAt([]byte("clean"), 0); err != nil {
		fmt.Println(err)
		return
	}
	if err := h.Sync(); err != nil { // now it would survive a crash
		fmt.Println(err)
		return
	}

	start, err := h.Source(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	in := okio.NewBufferedSource(start)
	defer in.Close()
	line, err := in.ReadLine()
	fmt.Println(line, err)
	at, err := h.Position(in) // what is buffered and not read yet does not count
	fmt.Println(at, err)
	// #endregion handle

	// Output:
	// clean <nil>
	// 6 <nil>
}

func Example_openRoot() {
	dir, err := os.MkdirTemp("", "uploads")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	// #region root
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	uploads := okio.OpenRoot(root)

	for _, name := range []string{"report.txt", "../../etc/passwd", "/etc/passwd"} {
		sink, err := uploads.Sink(okio.ParsePath(name), 0)
		if err == nil {
			err = sink.Close()
		}
		fmt.Println(name, errors.Is(err, okio.ErrOutsideRoot))
	}
	// #endregion root

	// Output:
	// report.txt false
	// ../../etc/passwd true
	// /etc/passwd true
}

// #region forwarding

// noDelete refuses to delete anything, whoever asks: DeleteRecursively too,
// which is made of the operations of its file system.
type noDelete struct{ okio.ForwardingFileSystem }

func (noDelete) Delete(p okio.Path, _ okio.OpenMode) error {
	return &fs.PathError{Op: "delete", Path: p.String(), Err: fs.ErrPermission}
}

// #endregion forwarding

func Example_forwarding() {
	memory := new(okio.FakeFileSystem)
	if err := memory.CreateDirectory(okio.ParsePath("/kept"), 0); err != nil {
		fmt.Println(err)
		return
	}
	files := noDelete{okio.ForwardingFileSystem{FileSystem: memory}}
	fmt.Println(okio.DeleteRecursively(files, okio.ParsePath("/kept"), 0))

	// #region forwarding-paths
	// All paths begin in /srv, and each operation is told on its way.
	below := okio.ForwardingFileSystem{
		FileSystem: memory,
		OnPathParameter: func(p okio.Path, operation, parameter string) (okio.Path, error) {
			fmt.Println(operation, parameter, p)
			return okio.ParsePath("/srv" + p.String()), nil
		},
	}
	// #endregion forwarding-paths
	if err := memory.CreateDirectory(okio.ParsePath("/srv"), 0); err != nil {
		fmt.Println(err)
		return
	}
	if err := below.CreateDirectory(okio.ParsePath("/data"), okio.MustCreate); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(memory.AllPaths())

	// Output:
	// delete /kept: permission denied
	// createDirectory dir /data
	// [/kept /srv /srv/data]
}

func Example_openZip() {
	files := new(okio.FakeFileSystem)
	archive := okio.ParsePath("/site.zip")
	if err := writeZip(files, archive, "docs/index.html", "<h1>hello</h1>"); err != nil {
		fmt.Println(err)
		return
	}
	// #region zip
	site, err := okio.OpenZip(files, archive)
	if err != nil {
		fmt.Println(err) // damaged, or with a name that leads out of it
		return
	}
	defer site.Close()
	list, err := site.List(okio.ParsePath("/docs"))
	fmt.Println(list, err)
	source, err := site.Source(okio.ParsePath("/docs/index.html"))
	if err != nil {
		fmt.Println(err)
		return
	}
	in := okio.NewBufferedSource(source)
	defer in.Close()
	line, err := in.ReadLine()
	fmt.Println(line, err)
	// #endregion zip

	// Output:
	// [/docs/index.html] <nil>
	// <h1>hello</h1> <nil>
}

func writeZip(files okio.FileSystem, archive okio.Path, name, content string) error {
	sink, err := files.Sink(archive, 0)
	if err != nil {
		return err
	}
	out := okio.NewBufferedSink(sink)
	w := zip.NewWriter(out)
	entry, err := w.Create(name)
	if err == nil {
		_, err = entry.Write([]byte(content))
	}
	return errors.Join(err, w.Close(), out.Close())
}

func Example_fsAdapters() {
	embedded := fstest.MapFS{"greeting.txt": {Data: []byte("hello")}} // an embed.FS, say
	// #region adapters
	files := okio.FromFS(embedded) // any fs.FS as a FileSystem, read-only
	m, err := files.Metadata(okio.ParsePath("/greeting.txt"))
	fmt.Println(m.Regular, m.Size, err)

	// The reverse: any FileSystem as an fs.FS, for html/template or http.FileServerFS.
	back := okio.ToFS(files, okio.ParsePath("/"))
	content, err := fs.ReadFile(back, "greeting.txt")
	fmt.Println(string(content), err)
	// #endregion adapters

	// Output:
	// true 5 <nil>
	// hello <nil>
}
