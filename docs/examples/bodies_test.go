package examples

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
)

func Example_bodies() {
	s := scripted(mockserver.Reply(200), mockserver.Reply(200), mockserver.Reply(200))
	defer s.Close()
	url := s.URL("/")
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region bodies
	form := okhttp.Form("q", "tea & cake", "page", "2")

	lines := okhttp.Streamed("text/csv", func(ctx context.Context, w io.Writer) error {
		out := bufio.NewWriter(w)
		for i := range 3 {
			fmt.Fprintf(out, "%d;%d\n", i, i*i)
		}
		return out.Flush()
	})

	watched := okhttp.Progress(okhttp.Text("hello"), func(done, total int64) {
		fmt.Printf("%d of %d\n", done, total)
	})
	// #endregion bodies
	for _, b := range []*okhttp.Body{form, lines, watched} {
		resp, err := client.Post(ctx, url, b)
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
		r, err := s.TakeRequest(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", r.Headers.Get("Content-Type"), r.Body)
	}
	// Output:
	// application/x-www-form-urlencoded "q=tea+%26+cake&page=2"
	// text/csv "0;0\n1;1\n2;4\n"
	// 5 of 5
	// text/plain; charset=utf-8 "hello"
}

func Example_gzippedBody() {
	s := scripted(mockserver.Reply(200))
	defer s.Close()
	url := s.URL("/")
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region gzipped
	body := okhttp.Gzipped(okhttp.Text(strings.Repeat("all the same ", 10_000)))
	req, err := okhttp.NewRequest("POST", url, okhttp.WithBody(body), okhttp.Header("Content-Encoding", "gzip"))
	// #endregion gzipped
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	r, err := s.TakeRequest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.BodySize < 1000)
	// Output: true
}

func Example_multipart() {
	dir, err := os.MkdirTemp("", "multipart")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	logo := filepath.Join(dir, "logo.png")
	if err := os.WriteFile(logo, []byte("not really"), 0o600); err != nil {
		log.Fatal(err)
	}
	s := scripted(mockserver.Reply(201))
	defer s.Close()
	url := s.URL("/images")
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	// #region multipart
	body, err := okmultipart.Form(
		okmultipart.Field("title", `The "square" one`),
		okmultipart.File("image", logo, "image/png"), // opened when it is sent
	)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Post(ctx, url, body)
	// #endregion multipart
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	r, err := s.TakeRequest(ctx)
	if err != nil {
		log.Fatal(err)
	}
	boundary, err := okmultipart.BoundaryOf(r.Headers.Get("Content-Type"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(strings.ReplaceAll(string(r.Body), boundary, "boundary"), "\r", ""))
	// Output:
	// --boundary
	// Content-Disposition: form-data; name="title"
	//
	// The "square" one
	// --boundary
	// Content-Disposition: form-data; name="image"; filename="logo.png"
	// Content-Type: image/png
	//
	// not really
	// --boundary--
}

func Example_multipartReader() {
	s := scripted(mockserver.Reply(200).Header("Content-Type", "multipart/mixed; boundary=x").
		Text("--x\r\nContent-Type: text/plain\r\n\r\none\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>two\r\n--x--\r\n"))
	defer s.Close()
	url := s.URL("/parts")
	ctx := context.Background()
	client := okhttp.New()
	defer client.Close()
	resp, err := client.Get(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	// #region multipartreader
	parts, err := okmultipart.FromResponse(resp)
	if err != nil {
		log.Fatal(err) // no multipart
	}
	defer parts.Close()
	for part, err := range parts.All() {
		if err != nil {
			log.Fatal(err)
		}
		content, err := io.ReadAll(part)
		fmt.Println(part.ContentType(), string(content), err)
	}
	// #endregion multipartreader

	// Output:
	// text/plain one <nil>
	// text/html <p>two <nil>
}
