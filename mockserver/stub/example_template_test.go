package stub_test

import (
	"fmt"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// What a response says depends on the request that it answers.
func ExampleTemplateData() {
	stubs, err := stub.Parse("users.json", []byte(`{
  "request": {"path": "/users/{id}"},
  "response": {
    "template": true,
    "body": "{\"id\": {{json (.Param \"id\")}}, \"by\": {{json .Method}}, \"q\": {{json (default \"none\" (.Query \"q\"))}}}"
  }
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	serve(stubs, "/users/7", "/users/ada?q=tea")
	// Output:
	// /users/7 200 "{\"id\": \"7\", \"by\": \"GET\", \"q\": \"none\"}" <nil>
	// /users/ada?q=tea 200 "{\"id\": \"ada\", \"by\": \"GET\", \"q\": \"tea\"}" <nil>
}
