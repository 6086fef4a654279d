package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Main runs okcurl with the arguments after the command's name, and returns its exit code. It writes responses to out and everything else
// to err, and reads in only where an option says so. While it fetches, SIGINT cancels what is under way. It may run concurrently with
// itself.
func Main(args []string, in io.Reader, out, err io.Writer) int {
	if isCacheCommand(args) {
		if failed := (&cacheCommand{out: out, err: err}).run(args[1:]); failed != nil {
			return report(err, failed)
		}
		return successful
	}
	o, failed := parse(args)
	if failed != nil {
		return report(err, failed)
	}
	if len(args) == 0 {
		io.WriteString(err, synopsis+"\nokcurl --help tells all options.\n")
		return exitUsage
	}
	switch {
	case o.help:
		return printed(err, writeHelp(out))
	case o.version:
		return printed(err, writeVersion(out))
	case o.manual:
		return printed(err, writeManual(out))
	case o.completion != "":
		return printed(err, writeCompletion(out, o.completion))
	}
	s, failed := newSession(o, in, out, err)
	if failed != nil {
		return report(err, failed)
	}
	defer s.close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// A second SIGINT ends the program even if it hangs in writing to someone who does not read.
	defer context.AfterFunc(ctx, stop)()
	return s.run(ctx)
}

// printed turns the outcome of printing into an exit code.
func printed(err io.Writer, failed error) int {
	if failed == nil {
		return successful
	}
	if f, ok := failed.(*failure); ok {
		return report(err, f)
	}
	return report(err, (&destination{err: failed}).close())
}

// report prints a failure and returns its exit code.
func report(err io.Writer, failed error) int {
	f := classify(context.Background(), failed)
	if f.text != "" {
		fmt.Fprintf(err, "okcurl: (%d) %s\n", f.code, f.text)
	}
	return f.code
}
