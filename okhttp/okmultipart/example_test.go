package okmultipart_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing/fstest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
	"github.com/okhttp-go/ok/okio"
)

// A form with a file, sent to a server of package net/http.
func ExampleForm() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("image")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		content, _ := io.ReadAll(file)
		fmt.Fprintf(w, "%s: %s, %d bytes of %s", r.FormValue("title"), header.Filename, len(content), header.Header.Get("Content-Type"))
	}))
	defer server.Close()
	client := okhttp.New()
	defer func() { _ = client.Close() }()

	files := fstest.MapFS{"logos/square.png": {Data: []byte("pixels")}}
	body, err := okmultipart.Form(
		okmultipart.Field("title", "Square Logo"),
		okmultipart.FileFS("image", files, "logos/square.png", "image/png"),
	)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Post(context.Background(), server.URL, body)
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	fmt.Println(text, err)
	// Output: Square Logo: square.png, 6 bytes of image/png <nil>
}

// Parts of several types, with another multipart inside, and their length before anything is opened.
func ExampleNew() {
	var none okhttp.Headers
	body, err := okmultipart.New(&okmultipart.Config{Type: okmultipart.Mixed, Boundary: "outer"},
		okmultipart.Data(none, "application/json", []byte("{}")),
		okmultipart.Nested(none, &okmultipart.Config{Type: okmultipart.Alternative, Boundary: "inner"},
			okmultipart.Data(none, "text/plain", []byte("Hello")),
			okmultipart.Data(none, "text/html", []byte("<h1>Hello</h1>"))))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(body.ContentType(), body.Len())
	// Output: multipart/mixed; boundary=outer 231
}

// A part of any body that a request could have, here of JSON, beside a file.
func ExampleFromBody() {
	meta, err := okhttp.JSON(map[string]string{"title": "Square Logo"})
	if err != nil {
		log.Fatal(err)
	}
	body, err := okmultipart.Form(
		okmultipart.FromBody("meta", "", meta),
		okmultipart.FromBody("image", "square.png", okhttp.Bytes("image/png", []byte("pixels"))),
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(body.Len() > 0, body.IsOneShot())
	// Output: true false
}

// The parts of a response, read one after the other.
func ExampleFromResponse() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		parts := multipart.NewWriter(w)
		w.Header().Set("Content-Type", "multipart/mixed; boundary="+parts.Boundary())
		for _, s := range []string{"first", "second"} {
			p, _ := parts.CreatePart(map[string][]string{"Content-Type": {"text/plain"}})
			_, _ = io.WriteString(p, s)
		}
		_ = parts.Close()
	}))
	defer server.Close()
	client := okhttp.New()
	defer func() { _ = client.Close() }()

	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	parts, err := okmultipart.FromResponse(resp)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = parts.Close() }()
	for part, err := range parts.All() {
		if err != nil {
			log.Fatal(err)
		}
		content, err := io.ReadAll(part)
		fmt.Println(part.ContentType(), string(content), err)
	}
	// Output:
	// text/plain first <nil>
	// text/plain second <nil>
}

// A reader needs no client: this is the body of a request in a server.
func ExampleNewReader() {
	const contentType, body = "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n"
	boundary, err := okmultipart.BoundaryOf(contentType)
	if err != nil {
		log.Fatal(err)
	}
	parts, err := okmultipart.NewReader(okio.FromReader(strings.NewReader(body)), boundary)
	if err != nil {
		log.Fatal(err)
	}
	part, err := parts.NextPart()
	if err != nil {
		log.Fatal(err)
	}
	value, err := io.ReadAll(part)
	fmt.Printf("%s=%s %v\n", part.FormName(), value, err)
	// Output: a=1 <nil>
}

// A part whose content is made while it is sent, and whose length nobody knows beforehand.
func ExampleNewPart() {
	headers, err := okhttp.NewHeaders("Content-ID", "<rows>")
	if err != nil {
		log.Fatal(err)
	}
	body, err := okmultipart.New(&okmultipart.Config{Boundary: "edge"}, okmultipart.NewPart(okmultipart.PartConfig{
		Headers:     headers,
		ContentType: "text/csv",
		Len:         -1,
		Write: func(_ context.Context, w io.Writer) error {
			for n := range 2 {
				if _, err := fmt.Fprintf(w, "%d,%d\n", n, n*n); err != nil {
					return err
				}
			}
			return nil
		},
	}))
	if err != nil {
		log.Fatal(err)
	}
	text := new(strings.Builder)
	err = body.Write(context.Background(), text)
	fmt.Println(body.Len(), err)
	fmt.Print(strings.ReplaceAll(text.String(), "\r\n", "\n"))
	// Output:
	// -1 <nil>
	// --edge
	// Content-ID: <rows>
	// Content-Type: text/csv
	//
	// 0,0
	// 1,1
	//
	// --edge--
}

// The body of a request becomes a part with headers of its own, here of multipart/related.
func ExampleBodyPart() {
	meta, err := okhttp.JSON(map[string]string{"name": "logo.png"})
	if err != nil {
		log.Fatal(err)
	}
	var none okhttp.Headers
	body, err := okmultipart.New(&okmultipart.Config{Type: "multipart/related", Boundary: "edge"},
		okmultipart.BodyPart(none, meta),
		okmultipart.BodyPart(none, okhttp.Bytes("image/png", []byte("pixels"))))
	if err != nil {
		log.Fatal(err)
	}
	text := new(strings.Builder)
	err = body.Write(context.Background(), text)
	fmt.Println(body.ContentType(), body.Len() == int64(text.Len()), err)
	fmt.Print(strings.ReplaceAll(text.String(), "\r\n", "\n"))
	// Output:
	// multipart/related; boundary=edge true <nil>
	// --edge
	// Content-Type: application/json
	//
	// {"name":"logo.png"}
	// --edge
	// Content-Type: image/png
	//
	// pixels
	// --edge--
}
