// Command mockserver serves a folder or a script over HTTP. Run "mockserver help".
package main

import (
	"os"

	"github.com/okhttp-go/ok/mockserver/servecli"
)

func main() { os.Exit(servecli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
