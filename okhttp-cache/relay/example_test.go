package relay_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/okhttp-go/ok/okhttp-cache/relay"
	"github.com/okhttp-go/ok/okio"
)

// One stream is read by two, and once more from the file that it left.
func Example() {
	files, path := new(okio.FakeFileSystem), okio.ParsePath("/download")
	file, err := files.OpenReadWrite(path, 0)
	if err != nil {
		log.Fatal(err)
	}
	upstream := okio.NewBufferString("read once")
	r, err := relay.New(file, upstream, relay.Config{Metadata: okio.ByteString("text/plain")})
	if err != nil {
		log.Fatal(err)
	}
	first, _ := r.NewSource(context.Background())
	second, _ := r.NewSource(context.Background())
	for _, source := range []okio.Source{first, second} {
		text, err := io.ReadAll(okio.NewBufferedSource(source))
		fmt.Printf("%s %v\n", text, err)
		source.Close()
	}

	if file, err = files.OpenReadWrite(path, okio.MustExist); err != nil {
		log.Fatal(err)
	}
	if r, err = relay.Read(file); err != nil {
		log.Fatal(err)
	}
	again, _ := r.NewSource(context.Background())
	defer again.Close()
	text, err := io.ReadAll(okio.NewBufferedSource(again))
	fmt.Printf("%s %v, %s\n", text, err, r.Metadata())
	// Output:
	// read once <nil>
	// read once <nil>
	// read once <nil>, text/plain
}
