package okhttp_test

import (
	"cmp"
	"fmt"

	"github.com/okhttp-go/ok/okhttp"
)

func ExampleParseMediaType() {
	m, err := okhttp.ParseMediaType(`Multipart/Form-Data; boundary="a b"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	boundary, _ := m.Parameter("Boundary")
	fmt.Println(m.Type(), m.Subtype(), boundary)
	fmt.Println(cmp.Or(m.Charset(), "utf-8"))
	fmt.Println(m)

	_, err = okhttp.ParseMediaType("text/plain; charset=")
	fmt.Println(err)
	// Output:
	// multipart form-data a b
	// utf-8
	// Multipart/Form-Data; boundary="a b"
	// okhttp: parameter is not formatted correctly: "charset=" for: "text/plain; charset="
}
