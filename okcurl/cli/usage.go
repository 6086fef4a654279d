package cli

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// helpWidth is how wide the help may be, in columns.
const helpWidth = 100

// about is what help and manual begin with.
const about = "Fetches URLs, one after another over the same connections where that is possible, or at the same time with --parallel, and prints what they " +
	"respond. A URL without a scheme is an http one. Options may stand anywhere; switches can be undone by --no-NAME."

const synopsis = "Usage: okcurl [option...] URL...\n       okcurl cache ls|show|rm|stats|verify DIR [URL...]\n"

// writeHelp prints the table of flags.
func writeHelp(w io.Writer) error {
	var b strings.Builder
	b.WriteString(synopsis + "\n")
	wrap(&b, about, 0)
	b.WriteByte('\n')
	left := 0
	for i := range flags {
		left = max(left, len(flags[i].usage()))
	}
	for i := range flags {
		f := &flags[i]
		fmt.Fprintf(&b, "  %-*s  ", left, f.usage())
		wrap(&b, f.help, left+4)
	}
	b.WriteString("\nExit codes are those of curl; of several failures the last counts. Interrupted: 130.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// usage renders the forms of a flag.
func (f *flag) usage() string {
	s := "    --" + f.long
	if f.short != 0 {
		s = "-" + string(f.short) + ", --" + f.long
	}
	if f.arg != "" {
		s += " " + f.arg
	}
	return s
}

// wrap writes text in lines that begin at a column.
func wrap(b *strings.Builder, text string, column int) {
	at := column
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case at+1+len(word) > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	b.WriteByte('\n')
}

func writeVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "okcurl %s (%s/%s) okhttp/%s %s\nProtocols: http https ws wss\nFeatures: brotli gzip HTTP/1.1 HTTP/2 IDN TLS zstd\n",
		okhttp.Version, runtime.GOOS, runtime.GOARCH, okhttp.Version, runtime.Version())
	return err
}
