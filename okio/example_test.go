package okio_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

func Example() {
	src := okio.NewBufferedSource(okio.FromReader(strings.NewReader("one\r\ntwo\nthree")))
	defer src.Close()
	for {
		line, err := src.ReadLine()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(line)
	}
	// Output:
	// one
	// two
	// three
}

func ExampleBuffer() {
	var b okio.Buffer
	b.WriteUint16(0xcafe)
	b.WriteDecimal(-42)
	_, _ = b.WriteString(" and so on")

	magic, _ := b.ReadUint16()
	number, _ := b.ReadDecimal()
	text, _ := b.ReadText(b.Len())
	fmt.Printf("%x %d%s\n", magic, number, text)
	// Output: cafe -42 and so on
}

// Moving relinks segments instead of copying bytes.
func ExampleBuffer_WriteBuffer() {
	a := okio.NewBufferString("hello, ")
	b := okio.NewBufferString("world, again")
	_ = a.WriteBuffer(b, 5)
	fmt.Printf("%q %q\n", a.Snapshot(), b.Snapshot())
	// Output: "hello, world" ", again"
}

func ExampleBuffer_Reserve() {
	var b okio.Buffer
	room := b.Reserve(100)
	n := copy(room, "straight into the segment")
	b.Commit(n)
	fmt.Println(b.Len())
	// Output: 25
}

// A length that came from the network does not make ReadText allocate before the bytes are there.
func ExampleBufferedSource_ReadText() {
	src := okio.NewBufferedSource(okio.NewBufferString("\x7f\xff\xff\xffshort"))
	length, _ := src.ReadUint32()
	_, err := src.ReadText(int64(length))
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	rest, _ := src.ReadText(5)
	fmt.Println(rest)
	// Output:
	// true
	// short
}

// Lines of a protocol have a limit, and a view of one costs no allocation.
func ExampleBufferedSource_LineView() {
	src := okio.NewBufferedSource(okio.NewBufferString("Host: example.com\r\nX: " + strings.Repeat("x", 100) + "\r\n"))
	for {
		line, err := src.LineView(64)
		var tooLong *okio.LineError
		if errors.As(err, &tooLong) {
			fmt.Println("longer than", tooLong.Limit)
			return
		}
		fmt.Printf("%s\n", line)
	}
	// Output:
	// Host: example.com
	// longer than 64
}

func ExampleBufferedSource_Peek() {
	src := okio.NewBufferedSource(okio.NewBufferString(`{"kind":"cat"}`))
	ahead := src.Peek()
	first, _ := ahead.ReadByte()
	_ = ahead.Close()
	all, _ := src.ReadLine()
	fmt.Printf("%c %s\n", first, all)
	// Output: { {"kind":"cat"}
}

func ExampleBufferedSink() {
	sink := okio.NewBufferedSink(okio.ToWriter(os.Stdout))
	// The first error sticks, so checking the last call is enough.
	_, _ = sink.WriteString("Content-Length: ")
	_ = sink.WriteDecimal(1234)
	_, _ = sink.WriteString("\r\n")
	if err := sink.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output: Content-Length: 1234
}

func ExampleOptions() {
	methods, _ := okio.NewOptions("GET ", "HEAD ", "POST ")
	src := okio.NewBufferedSource(okio.NewBufferString("HEAD /index.html"))
	i, _ := src.Select(methods)
	path, _ := src.ReadLine()
	fmt.Println(i, path)
	// Output: 1 /index.html
}

func ExampleChoices() {
	colors, _ := okio.NewChoices([]string{"Red", "Green"}, func(c string) okio.ByteString {
		return okio.ByteString(strings.ToLower(c))
	})
	src := okio.NewBufferedSource(okio.NewBufferString("greenblue"))
	fmt.Println(colors.Select(src))
	fmt.Println(colors.Select(src))
	// Output:
	// Green true <nil>
	//  false <nil>
}

func ExampleNewGzipSink() {
	var packed okio.Buffer
	gz, err := okio.NewGzipSink(&packed, -1)
	if err != nil {
		fmt.Println(err)
		return
	}
	sink := okio.NewBufferedSink(gz)
	_, _ = sink.WriteString(strings.Repeat("hello ", 1000))
	if err := sink.Close(); err != nil {
		fmt.Println(err)
		return
	}
	small := packed.Len() < 200

	src := okio.NewBufferedSource(okio.NewGzipSource(&packed))
	n, err := src.ReadAllTo(okio.Discard())
	fmt.Println(small, n, err)
	// Output: true 6000 <nil>
}

func ExampleNewLimitSource() {
	src := okio.NewBufferedSource(okio.NewLimitSource(okio.NewBufferString("body"), 10, false))
	_, err := src.ReadAllTo(okio.Discard())
	fmt.Println(err)
	// Output: okio: expected 10 bytes but got 4
}

func ExampleByteString() {
	const magic okio.ByteString = "\x1f\x8b"
	fmt.Println(magic.Hex(), magic.Base64(), magic.Describe())
	fmt.Println(okio.ByteString("hello").Sum(sha256.New()).Hex()[:16])
	// Output:
	// 1f8b H4s= [hex=1f8b]
	// 2cf24dba5fb0a30e
}
