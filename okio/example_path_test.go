package okio_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/okhttp-go/ok/okio"
)

// A path keeps its parts "..", as a link before one may lead elsewhere; who knows that there is none cleans it.
func ExampleParsePathClean() {
	const text = "/srv/./site//images/../style.css"
	fmt.Println(okio.ParsePath(text))
	fmt.Println(okio.ParsePathClean(text))
	fmt.Println(okio.ParsePathClean(`C:\srv\..\site`))
	// Output:
	// /srv/site/images/../style.css
	// /srv/site/style.css
	// C:\site
}

// The way from a directory to a file; between two volumes there is none.
func ExamplePath_RelativeTo() {
	base := okio.ParsePath("/srv/site")
	way, err := okio.ParsePath("/srv/images/logo.png").RelativeTo(base)
	fmt.Println(way, err)
	fmt.Println(base.Resolve(way).Clean())
	_, err = okio.ParsePath(`D:\logo.png`).RelativeTo(okio.ParsePath(`C:\srv`))
	if none, ok := errors.AsType[*okio.RelativePathError](err); ok {
		fmt.Println(none)
	}
	// Output:
	// ../images/logo.png <nil>
	// /srv/images/logo.png
	// okio: paths of different roots cannot be relative to each other: D:\logo.png and C:\srv
}

// A walk that follows links ends where one leads back into what it is in.
func ExampleSymlinkCycleError() {
	var files okio.FakeFileSystem
	files.EmulateUnix()
	root := okio.ParsePath("/site")
	err := errors.Join(
		okio.CreateDirectories(&files, root.Join("pages"), 0),
		files.CreateSymlink(root.Join("pages/self"), root),
	)
	if err != nil {
		log.Fatal(err)
	}
	for p, err := range okio.Walk(&files, root, true) {
		_, cycle := errors.AsType[*okio.SymlinkCycleError](err)
		fmt.Println(p, cycle)
	}
	// Output:
	// /site/pages false
	// /site/pages/self false
	// /site/pages/self true
}

// The archive says itself what is wrong with it.
func ExampleZipError() {
	var files okio.FakeFileSystem
	path := okio.ParsePath("/photos.zip")
	sink, err := files.Sink(path, okio.MustCreate)
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(sink.WriteBuffer(okio.NewBufferString("JPEG"), 4), sink.Close()); err != nil {
		log.Fatal(err)
	}
	_, err = okio.OpenZip(&files, path)
	if bad, ok := errors.AsType[*okio.ZipError](err); ok {
		fmt.Println(bad.Archive, "-", bad.Problem)
	}
	// Output: /photos.zip - not a zip: size=4
}
