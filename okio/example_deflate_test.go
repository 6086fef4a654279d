package okio_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// A deflate stream tells where it ends: what follows it is still there.
func ExampleNewInflaterSource() {
	var wire okio.Buffer
	deflater, err := okio.NewDeflaterSink(&wire, 9)
	if err != nil {
		log.Fatal(err)
	}
	out := okio.NewBufferedSink(deflater)
	_, _ = out.WriteString(strings.Repeat("over and over ", 1000))
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("small:", wire.Len() < 200)
	_, _ = wire.WriteString("and the next thing")

	in := okio.NewBufferedSource(&wire)
	text := okio.NewBufferedSource(okio.NewInflaterSource(in))
	fmt.Println(text.ReadAllTo(okio.Discard()))
	fmt.Println(in.ReadLine())
	// Output:
	// small: true
	// 14000 <nil>
	// and the next thing <nil>
}

// Flush makes what was written so far readable for the other side, as a protocol with messages needs it.
func ExampleNewDeflaterSink() {
	var wire okio.Buffer
	deflater, err := okio.NewDeflaterSink(&wire, -1)
	if err != nil {
		log.Fatal(err)
	}
	out := okio.NewBufferedSink(deflater)
	in := okio.NewBufferedSource(okio.NewInflaterSource(okio.NewBufferedSource(&wire)))
	for _, message := range []string{"first\n", "second\n"} {
		_, _ = out.WriteString(message)
		if err := out.Flush(); err != nil {
			log.Fatal(err)
		}
		fmt.Println(in.ReadLine())
	}
	// Output:
	// first <nil>
	// second <nil>
}

// What is damaged says so, and keeps saying so.
func ExampleFormatError() {
	s := okio.NewBufferedSource(okio.NewGzipSource(okio.NewBufferString("no gzip at all")))
	defer s.Close()
	for range 2 {
		_, err := s.ReadByte()
		fmt.Println(err)
	}
	// Output:
	// okio: gzip: ID1ID2: actual 0x00006e6f != expected 0x00001f8b
	// okio: gzip: ID1ID2: actual 0x00006e6f != expected 0x00001f8b
}
