package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/okhttp-go/ok/okcurl/cli"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is then an error of the write, which has an exit code
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
