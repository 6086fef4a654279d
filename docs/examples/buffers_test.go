package examples

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

func Example_buffer() {
	// #region values
	var b okio.Buffer // ready to use

	b.WriteString("GET ")
	b.WriteDecimal(1024)
	b.WriteByte('\n')
	b.WriteUint32(0xcafe)

	line, _ := b.ReadLine()
	n, _ := b.ReadUint32()
	fmt.Printf("%q %#x, %d bytes left\n", line, n, b.Len())
	// #endregion values

	// Output: "GET 1024" 0xcafe, 0 bytes left
}

func Example_demands() {
	// #region demands
	b := okio.NewBufferString("abc")

	_, err := b.ReadUint32()
	fmt.Println(err, b.Len()) // nothing was consumed
	// #endregion demands

	// Output: unexpected EOF 3
}

func Example_search() {
	// #region search
	b := okio.NewBufferString("name=value; path=/")

	fmt.Println(b.IndexByte('=', 0, math.MaxInt64))
	fmt.Println(b.Index("path", 0, math.MaxInt64))
	fmt.Println(b.IndexAny(okio.NewByteSet(";,"), 0))
	// #endregion search

	// Output:
	// 4
	// 12
	// 10
}

func Example_select() {
	// #region select
	methods, err := okio.NewOptions("GET", "POST", "PUT")
	if err != nil {
		fmt.Println(err)
		return
	}
	b := okio.NewBufferString("POST /form")

	fmt.Println(b.Select(methods)) // consumes the option it found
	rest, _ := b.ReadText(b.Len())
	fmt.Printf("%q\n", rest)
	// #endregion select

	// Output:
	// 1
	// " /form"
}

func Example_byteString() {
	// #region bytestring
	const magic okio.ByteString = "\x1f\x8b"

	header, err := okio.DecodeHex("1f8b0800")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(header[:2] == magic, header.Base64(), header.Describe())
	// #endregion bytestring

	// Output: true H4sIAA== [hex=1f8b0800]
}

func Example_okioFirst() {
	text := strings.NewReader("name: tea\nprice: 3\n")
	// #region first
	src := okio.NewBufferedSource(okio.FromReader(text)) // text is any io.Reader
	for {
		line, err := src.ReadLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		name, value, _ := strings.Cut(line, ": ")
		fmt.Println(name, "is", value)
	}
	// #endregion first

	// Output:
	// name is tea
	// price is 3
}
