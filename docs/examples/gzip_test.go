package examples

import (
	"errors"
	"fmt"

	"github.com/okhttp-go/ok/okio"
)

func Example_gzip() {
	// #region gzip
	var packed okio.Buffer
	sink, err := okio.NewGzipSink(&packed, -1) // the default level
	if err != nil {
		fmt.Println(err)
		return
	}
	out := okio.NewBufferedSink(sink)
	out.WriteString("the same line\nthe same line\nthe same line\n")
	if err := out.Close(); err != nil { // writes the trailer
		fmt.Println(err)
		return
	}

	in := okio.NewBufferedSource(okio.NewGzipSource(&packed))
	defer in.Close()
	var plain okio.Buffer
	n, err := in.ReadAllTo(&plain) // checks the trailer
	fmt.Println(n, err)
	// #endregion gzip

	// Output: 42 <nil>
}

func Example_damaged() {
	// #region damaged
	source := okio.NewGzipSource(okio.NewBufferString("GET / HTTP/1.1"))

	var plain okio.Buffer
	_, err := source.ReadBuffer(&plain, 100)
	var damage *okio.FormatError
	fmt.Println(errors.As(err, &damage))
	// #endregion damaged

	// Output: true
}
