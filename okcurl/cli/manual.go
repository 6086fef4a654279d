package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// roff is a text of a manual page as the formatter wants it.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

// writeManual prints the manual page, out of the table of flags.
func writeManual(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH OKCURL 1 \"\" \"okcurl %s\" \"User Commands\"\n", roff(okhttp.Version))
	b.WriteString(".SH NAME\nokcurl \\- fetch URLs with the okhttp client\n")
	b.WriteString(".SH SYNOPSIS\n.B okcurl\n[\\fIoption\\fR...] \\fIURL\\fR...\n.br\n.B okcurl cache\n\\fIls|show|rm|stats|verify DIR\\fR [\\fIURL\\fR...]\n")
	b.WriteString(".SH DESCRIPTION\n" + roff(about) + "\n.PP\n" +
		roff("Switches can be bundled (-sSL); an argument can be attached or stand apart (-XPUT, -X PUT, --max-time=5). After -- everything is a URL.") + "\n.SH OPTIONS\n")
	for i := range flags {
		f := &flags[i]
		name := roff("--" + f.long)
		if f.short != 0 {
			name = roff("-"+string(f.short)) + `\fR, \fB` + name
		}
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR", name)
		if f.arg != "" {
			fmt.Fprintf(&b, " \\fI%s\\fR", roff(f.arg))
		}
		b.WriteString("\n" + roff(f.help) + ".\n")
	}
	b.WriteString(".SH \"VARIABLES OF \\-\\-WRITE\\-OUT\"\n" + roff(strings.Join(slices.Sorted(maps.Keys(writeOutVariables)), ", ")) + ".\n.PP\n" +
		roff("%{json} is all of them, %{header_json} the head of the response, and %header{name} a field of it. What follows %{stderr} goes there, what follows %{stdout} to the output, "+
			"and what follows %{onerror} is printed after a failure alone.") + "\n")
	b.WriteString(".SH \"EXIT STATUS\"\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, ".TP\n\\fB%d\\fR\n%s.\n", e.code, roff(e.when))
	}
	b.WriteString(".PP\n" + roff("With several URLs it is that of the last failure.") + "\n.SH ENVIRONMENT\n" +
		roff("HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or their lower-case forms, choose proxies. SSLKEYLOGFILE names a file that secrets of TLS sessions are appended to, "+
			"with which Wireshark can read what was recorded.") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// exitCodes are what the manual says of them.
var exitCodes = []struct {
	code int
	when string
}{
	{successful, "Every URL was fetched"},
	{exitScheme, "Not an http or https URL"},
	{exitUsage, "The command line is wrong, or HTTP does not allow the request"},
	{exitURL, "Malformed URL"},
	{exitProxy, "Could not resolve the proxy, or a malformed URL of one"},
	{exitResolve, "Could not resolve the host"},
	{exitConnect, "Could not connect"},
	{exitWeirdReply, "The response is not HTTP, or with --sse not an event stream"},
	{exitPartial, "The body ended early"},
	{exitStatus, "The status was 400 or more, with --fail, or not that of a stream, with --sse"},
	{exitWrite, "Could not write the output"},
	{exitRead, "Could not read data or another input"},
	{exitTimeout, "A time limit was up"},
	{exitRange, "The server does not send parts, with --continue-at"},
	{exitTLS, "Could not agree on TLS"},
	{exitRedirects, "Too many redirects"},
	{exitOption, "--resolve or --connect-to is malformed"},
	{exitEmpty, "The server closed the connection before its response had come"},
	{exitSend, "Could not send the request"},
	{exitReceive, "Could not receive the response, or a proxy refused a tunnel"},
	{exitClientCert, "The client certificate cannot be used"},
	{exitCertificate, "The server's certificate does not verify"},
	{exitCoding, "The body could not be unpacked"},
	{exitFileSize, "The body is larger than --max-filesize"},
	{exitResend, "What came from standard input would have to be sent again"},
	{exitCAFile, "Could not read the file of --cacert"},
	{exitPin, "None of the public keys of --pin was shown"},
	{exitStream, "The server reset the stream, over HTTP/2"},
	{exitHandshake, "The SOCKS proxy does not do its part"},
	{exitTooLarge, "The head of the response is too large"},
	{exitDamaged, "okcurl cache verify found something damaged"},
	{exitInterrupted, "Interrupted"},
}
