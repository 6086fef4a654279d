package stub_test

import (
	"fmt"

	"github.com/okhttp-go/ok/mockserver/stub"
)

func ExampleParse() {
	_, err := stub.Parse("users.json", []byte(`{
  "request": {"headers": {"Accept": {"contians": "json"}}},
  "response": {"status": 20}
}`))
	fmt.Println(err)
	// Output:
	// users.json:2: request.headers.Accept.contians: unknown key: did you mean contains? Expected one of all, any, contains, equal, equalFold, not, prefix, present, regexp, suffix
	// users.json:3: response.status: expected an integer from 200 to 999 but it is 20
}

func ExampleImport() {
	stubs, err := stub.Import("mapping.json", []byte(`{"request": {"method": "GET", "urlPath": "/tea"}, "response": {"status": 200, "fixedDelayMilliseconds": 20}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := stub.Marshal(stubs...)
	fmt.Println(string(text), err)
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
	//     "delay": "20ms"
	//   }
	// }
	//  <nil>
}
