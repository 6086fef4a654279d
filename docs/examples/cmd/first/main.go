// Command first fetches a URL.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/okhttp-go/ok/okhttp"
)

func main() {
	client := okhttp.New() // make one, share it
	defer client.Close()

	resp, err := client.Get(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text() // reads the body and closes it
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, resp.Protocol, text)
}
