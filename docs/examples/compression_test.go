package examples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-brotli"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// gzipped is text as gzip has it.
func gzipped(text string) []byte {
	var b okio.Buffer
	gz, err := okio.NewGzipSink(&b, -1)
	if err != nil {
		log.Fatal(err)
	}
	w := okio.NewBufferedSink(gz)
	_, _ = w.WriteString(text)
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	p, err := b.ReadN(b.Len())
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// zstandard is Hello as zstd has it: a frame with one block, which is not compressed.
var zstandard = []byte("\x28\xb5\x2f\xfd\x00\x68\x29\x00\x00Hello")

func Example_compression() {
	s := scripted(mockserver.Reply(200).Header("Content-Encoding", "zstd").Body(zstandard))
	defer s.Close()
	url, ctx := s.URL("/"), context.Background()
	// #region codings
	compression := okcompress.New(nil, okcompress.Zstd(), okcompress.Gzip(), okcompress.Deflate())
	client := okhttp.New(okhttp.WithInterceptor(compression))
	defer client.Close()

	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	fmt.Printf("%q\n", resp.Headers().Get("Content-Encoding"))
	fmt.Printf("%q\n", resp.NetworkResponse().Headers().Get("Content-Encoding"))
	// #endregion codings
	r, err := s.TakeRequest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Headers.Get("Accept-Encoding"))
	// Output:
	// Hello
	// ""
	// "zstd"
	// zstd, gzip, deflate
}

func Example_compressionLimit() {
	s := scripted(mockserver.Reply(200).Header("Content-Encoding", "gzip").Body(gzipped(strings.Repeat("0", 1<<20))))
	defer s.Close()
	url, ctx := s.URL("/"), context.Background()
	// #region limit
	compression := okcompress.New(&okcompress.Config{MaxDecoded: 64 << 10}, okcompress.Gzip())
	client := okhttp.New(okhttp.WithInterceptor(compression))
	defer client.Close()

	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	_, err = io.Copy(io.Discard, resp.Body) // a MiB of zeros, of which the server sent about a KiB
	var large *okhttp.TooLargeError
	if errors.As(err, &large) {
		fmt.Println("more than", large.Limit, "bytes")
	}
	// #endregion limit

	// Output: more than 65536 bytes
}

func Example_compressionDamaged() {
	whole := gzipped("Hello")
	s := scripted(mockserver.Reply(200).Header("Content-Encoding", "gzip").Body(whole[:len(whole)-3]))
	defer s.Close()
	url, ctx := s.URL("/"), context.Background()
	client := okhttp.New(okhttp.WithInterceptor(okcompress.New(nil, okcompress.Gzip())))
	defer client.Close()
	// #region damaged
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	_, err = resp.Body.Text()
	var damaged *okcompress.DecodeError
	if errors.As(err, &damaged) {
		fmt.Println(damaged.Coding, errors.Is(err, io.ErrUnexpectedEOF))
	}
	// #endregion damaged

	// Output: gzip true
}

func Example_brotli() {
	s := scripted(mockserver.Reply(200).Header("Content-Encoding", "br").Text("\x0b\x02\x80Xyzzy\x03"))
	defer s.Close()
	url, ctx := s.URL("/"), context.Background()
	// #region brotli
	client := okhttp.New(okhttp.WithInterceptor(okbrotli.New(nil))) // br, gzip
	defer client.Close()

	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(os.Stdout, resp.Body); err != nil {
		log.Fatal(err)
	}
	// #endregion brotli

	// Output: Xyzzy
}

func Example_brotliBesideOthers() {
	// #region beside
	compression := okcompress.New(nil, okbrotli.Brotli(), okcompress.Zstd(), okcompress.Gzip())
	// #endregion beside
	client := okhttp.New(okhttp.WithInterceptor(compression))
	defer client.Close()
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	resp, err := client.Get(context.Background(), s.URL("/"))
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	r, err := s.TakeRequest(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Headers.Get("Accept-Encoding"))
	// Output: br, zstd, gzip
}

func Example_ownCoding() {
	s := scripted(mockserver.Reply(200).Header("Content-Encoding", "x-rot13").Text("Uryyb"))
	defer s.Close()
	url, ctx := s.URL("/"), context.Background()
	// #region own
	rot13 := okcompress.Algorithm{Token: "x-rot13", Decoder: func(src okio.Source) (okio.Source, error) {
		return okio.FromReader(rotated{okio.NewBufferedSource(src)}), nil
	}}
	client := okhttp.New(okhttp.WithInterceptor(okcompress.New(nil, rot13)))
	// #endregion own
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text, err)
	// Output: Hello <nil>
}

// rotated is letters turned by 13.
type rotated struct{ io.ReadCloser }

func (r rotated) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	for i, c := range p[:n] {
		if l := c | 0x20; 'a' <= l && l <= 'z' {
			p[i] = c&0x20 | 'A' + (l-'a'+13)%26
		}
	}
	return n, err
}
