package okio_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/okhttp-go/ok/okio"
)

// exampleDir is a directory that is empty at first.
func exampleDir() (dir okio.Path, remove func()) {
	name, err := os.MkdirTemp("", "okio")
	if err != nil {
		panic(err)
	}
	return okio.ParsePath(name), func() { _ = os.RemoveAll(name) }
}

// A table of fixed-size records, read and written in place.
func ExampleFileHandle() {
	dir, remove := exampleDir()
	defer remove()

	h, err := okio.OS().OpenReadWrite(dir.Join("table"), okio.MustCreate)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()

	const recordSize = 4
	out, err := h.Sink(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := okio.NewBufferedSink(out)
	for i := range uint32(10) {
		_ = w.WriteUint32(i * i)
	}
	_ = h.Reposition(w, 3*recordSize) // what is buffered is written first
	_ = w.WriteUint32(33)
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}

	in, err := h.Source(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := okio.NewBufferedSource(in)
	defer r.Close()
	for _, record := range []int64{9, 3, 4} {
		_ = h.Reposition(r, record*recordSize)
		v, err := r.ReadUint32()
		fmt.Println(record, v, err)
	}
	at, _ := h.Position(r)
	size, _ := h.Size()
	fmt.Println("position", at, "of", size)
	// Output:
	// 9 81 <nil>
	// 3 33 <nil>
	// 4 16 <nil>
	// position 20 of 40
}

func ExampleWalk() {
	dir, remove := exampleDir()
	defer remove()

	f := okio.OS()
	_ = okio.CreateDirectories(f, dir.Join("music/new"), 0)
	for _, name := range []string{"music/b.flac", "music/new/a.flac", "notes.txt"} {
		k, err := f.Sink(dir.Join(name), okio.MustCreate)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = k.Close()
	}

	for p, err := range okio.Walk(f, dir, false) {
		if err != nil {
			fmt.Println(err)
			return
		}
		rel, _ := p.RelativeTo(dir)
		fmt.Println(rel.Segments())
	}
	// Output:
	// [music]
	// [music b.flac]
	// [music new]
	// [music new a.flac]
	// [notes.txt]
}

// Names that come from elsewhere, from an archive say, stay where they belong.
func ExampleOpenRoot() {
	dir, remove := exampleDir()
	defer remove()

	root, err := os.OpenRoot(dir.String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	f := okio.OpenRoot(root)
	for _, name := range []string{"readme", "../../etc/passwd", "/etc/passwd"} {
		k, err := f.Sink(okio.ParsePath(name), okio.MustCreate)
		if err != nil {
			fmt.Println(name, "refused:", errors.Is(err, okio.ErrOutsideRoot))
			continue
		}
		_ = k.Close()
	}
	_, err = f.Metadata(okio.ParsePath("absent"))
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// ../../etc/passwd refused: true
	// /etc/passwd refused: true
	// true
}

func ExamplePath() {
	dir := okio.ParsePath("/home/jesse")
	file := dir.Join("music/../notes//todo.txt")
	fmt.Println(file)
	fmt.Println(file.Clean(), file.Name())
	rel, _ := file.Clean().RelativeTo(okio.ParsePath("/home/benoit"))
	fmt.Println(rel)

	// Windows paths are understood everywhere.
	share := okio.ParsePath(`\\server\share/music`)
	root, _ := share.Root()
	fmt.Println(share, root, okio.ParsePath(`C:\Windows`).IsAbs())
	// Output:
	// /home/jesse/music/../notes/todo.txt
	// /home/jesse/notes/todo.txt todo.txt
	// ../jesse/notes/todo.txt
	// \\server\share\music \\server true
}

// Copies and their metadata, on any file system.
func ExampleCopy() {
	var fs okio.FakeFileSystem
	from, to := okio.ParsePath("/a.txt"), okio.ParsePath("/b.txt")
	if err := writeText(&fs, from, "tea"); err != nil {
		fmt.Println(err)
		return
	}
	if err := okio.Copy(&fs, from, to); err != nil {
		fmt.Println(err)
		return
	}
	m, err := fs.Metadata(to)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Regular, m.Directory, m.Size, "bytes")
	// Output: true false 3 bytes
}

func writeText(fs okio.FileSystem, p okio.Path, text string) error {
	s, err := fs.Sink(p, okio.MustCreate)
	if err != nil {
		return err
	}
	sink := okio.NewBufferedSink(s)
	_, err = sink.WriteString(text)
	return errors.Join(err, sink.Close())
}
