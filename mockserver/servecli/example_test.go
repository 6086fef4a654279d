package servecli_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/okhttp-go/ok/mockserver/servecli"
)

// The command within a program: a mapping of WireMock becomes a stub file.
func ExampleMain() {
	dir, err := os.MkdirTemp("", "mappings")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	mapping := filepath.Join(dir, "tea.json")
	const text = `{"request": {"method": "GET", "urlPath": "/tea"}, "response": {"status": 200, "body": "hot"}}`
	if err := os.WriteFile(mapping, []byte(text), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(servecli.Main([]string{"import", mapping}, nil, os.Stdout, os.Stdout))
	// Output:
	// {
	//   "request": {
	//     "method": [
	//       "GET"
	//     ],
	//     "rawPath": "/tea"
	//   },
	//   "response": {
	//     "status": 200,
	//     "body": "hot"
	//   }
	// }
	// 0
}
