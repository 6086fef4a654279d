package okio_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/okio"
)

// A set of bytes is searched for in one pass: here, what ends a token.
func ExampleByteSet() {
	ends := okio.NewByteSet(" \t;=,")
	s := okio.NewBufferedSource(okio.NewBufferString("charset=utf-8; q=1"))
	defer s.Close()
	for {
		n, err := s.IndexAny(ends, 0)
		if err != nil || n < 0 {
			break
		}
		token, _ := s.ReadText(n)
		end, _ := s.ReadByte()
		fmt.Printf("%q then %q\n", token, end)
	}
	// Output:
	// "charset" then '='
	// "utf-8" then ';'
	// "" then ' '
	// "q" then '='
}

// Numbers are read up to the first byte that is not of them. What is no number stays where it is.
func ExampleNumberError() {
	b := okio.NewBufferString("42, ff; 9223372036854775808")
	decimal, err := b.ReadDecimal()
	fmt.Println(decimal, err)
	_ = b.Skip(2)
	hex, err := b.ReadHex()
	fmt.Println(hex, err)
	_ = b.Skip(2)
	_, err = b.ReadDecimal()
	_, malformed := errors.AsType[*okio.NumberError](err)
	fmt.Println(malformed, err)
	fmt.Println(b.ReadLine())
	// Output:
	// 42 <nil>
	// 255 <nil>
	// true okio: number too large: 9223372036854775808
	// 9223372036854775808 <nil>
}

// Base64 comes from elsewhere in either alphabet, broken into lines, with padding or without.
func ExampleDecodeBase64() {
	for _, text := range []string{"aGVsbG8=", "aGVs\r\nbG8", "-_8=", "a"} {
		s, err := okio.DecodeBase64(text)
		fmt.Println(s.Describe(), err)
	}
	fmt.Println(okio.ByteString("hello").Base64())
	// Output:
	// [text=hello] <nil>
	// [text=hello] <nil>
	// [hex=fbff] <nil>
	// [size=0] okio: base64 of 1 characters ends with an incomplete byte
	// aGVsbG8=
}

// A line of a protocol has to end within a limit. The error shows how it began.
func ExampleLineError() {
	s := okio.NewBufferedSource(okio.FromReader(strings.NewReader(strings.Repeat("A", 100))))
	defer s.Close()
	_, err := s.ReadLineLimit(16)
	if line, ok := errors.AsType[*okio.LineError](err); ok {
		fmt.Println(line.TooLong, line.Limit, line.Content[:4])
	}
	// Output: true 16 AAAA
}

// A body that is shorter than was promised is no whole body.
func ExampleLengthError() {
	s := okio.NewBufferedSource(okio.NewLimitSource(okio.NewBufferString("cut o"), 7, true))
	defer s.Close()
	_, err := s.ReadAllTo(okio.Discard())
	if length, ok := errors.AsType[*okio.LengthError](err); ok {
		fmt.Println(length.Got, "of", length.Expected)
	}
	// Output: 5 of 7
}
