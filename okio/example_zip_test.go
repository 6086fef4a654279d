package okio_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"

	"github.com/okhttp-go/ok/okio"
)

// exampleArchive is a file system with a zip file in it.
func exampleArchive() okio.FileSystem {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range []string{"readme.txt", "src/main.go"} {
		entry, _ := w.Create(name)
		fmt.Fprintf(entry, "this is %s\n", name)
	}
	_ = w.Close()

	files := new(okio.FakeFileSystem)
	sink, _ := files.Sink(okio.ParsePath("/project.zip"), 0)
	k := okio.NewBufferedSink(sink)
	_, _ = k.Write(archive.Bytes())
	_ = k.Close()
	return files
}

func ExampleOpenZip() {
	project, err := okio.OpenZip(exampleArchive(), okio.ParsePath("/project.zip"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for p, err := range okio.Walk(project, okio.ParsePath("/"), false) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p)
	}
	source, err := project.Source(okio.ParsePath("/src/main.go"))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := okio.NewBufferedSource(source)
	defer s.Close()
	line, err := s.ReadLine()
	fmt.Println(line, err)
	// Output:
	// /readme.txt
	// /src
	// /src/main.go
	// this is src/main.go <nil>
}

// Templates, HTTP file servers and all that takes an fs.FS read from a FileSystem too.
func ExampleToFS() {
	project, err := okio.OpenZip(exampleArchive(), okio.ParsePath("/project.zip"))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := fs.ReadFile(okio.ToFS(project, okio.ParsePath("/src")), "main.go")
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// this is src/main.go
	// <nil>
}
