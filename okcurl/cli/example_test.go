package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/okhttp-go/ok/okcurl/cli"
)

// The command within a program, as a test of scripts runs it.
func ExampleMain() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s of %d bytes\n", r.Method, r.ContentLength)
	}))
	defer server.Close()
	code := cli.Main([]string{"-d", "@-", "-w", `%{http_code}\n`, server.URL}, strings.NewReader("name=tea"), os.Stdout, os.Stdout)
	fmt.Println(code)
	// Nothing is read where no option says so.
	code = cli.Main([]string{"gopher://127.0.0.1/"}, nil, os.Stdout, os.Stdout)
	fmt.Println(code)
	// Output:
	// POST of 8 bytes
	// 200
	// 0
	// okcurl: (1) scheme gopher is not supported, expected http, https, ws or wss
	// 1
}
