// Okcurl fetches URLs with the okhttp client, under curl's options and exit codes.
//
// # Usage
//
//	okcurl [option...] URL...
//
// The URLs are fetched one after another by one client, so that connections are used again where that is possible. Each response body goes
// to standard output as it comes, piece by piece. A URL without a scheme is an http one. What follows is the manual in short; okcurl --help
// prints every option with its default.
//
// Options and URLs may stand in any order. Switches can be bundled (-sSL); an argument can be attached or stand apart (-XPUT, -X PUT,
// --max-time=5, --max-time 5); --no-NAME undoes a switch; after "--" everything is a URL.
//
// # The request
//
// -X, --request names the method. Otherwise it is HEAD with -I, --head, POST with data, and GET.
//
// -d, --data sends a form. @FILE stands for a file without its line ends, @- for standard input. --data-binary keeps the bytes of a file,
// --data-raw takes no file, --json sends and asks for JSON. Repeated data is joined with "&", JSON with nothing. A file that is the
// only piece of --data-binary or --json is streamed; all other data is held in memory.
//
// -H, --header sends "Name: value" in place of a default header. "Name:" removes a default header and "Name;" sends it empty. Content-Type
// is that of the body. Content-Length is never taken from here but follows the body, and "Transfer-Encoding: chunked" sends the body chunked.
// Short cuts: -A, --user-agent; -e, --referer; -u, --user for Basic credentials. User info of the URL is sent as such credentials too; it is never printed.
//
// --compressed asks for br, zstd, gzip or deflate and unpacks what comes. Without it no Accept-Encoding is sent and nothing is unpacked.
//
// # The response
//
// -i, --include prints the heads of all responses, -I, --head only those. -o, --output FILE and -O, --remote-name write to a file; the nth
// of them belongs to the nth URL. A file that is written while standard error is a terminal has a progress bar. A download that fails leaves
// what it got. -f, --fail takes a status of 400 or more for a failure. -w, --write-out prints variables: content_type, errormsg, exitcode, filename_effective,
// http_code, http_version, local_ip, local_port, method, num_connects, num_redirects, redirect_url, remote_ip, remote_port, response_code,
// scheme, size_download, size_upload, speed_download, time_appconnect, time_connect, time_namelookup, time_pretransfer, time_starttransfer,
// time_total and url_effective.
//
// -L, --location follows redirects, --max-redirs of them. A redirect by 301, 302 or 303 becomes a GET, also with -X. Credentials and
// cookies do not follow to another origin.
//
// # The connection
//
// --connect-timeout bounds connecting to one address, --read-timeout each wait for bytes and the TLS handshake (both 10 seconds by default), and
// -m, --max-time the whole. -k, --insecure accepts any certificate; --cacert FILE names those to trust.
//
// Over TLS the server chooses between HTTP/2 and HTTP/1.1 (--http2, the default); --http1.1 offers HTTP/1.1 alone. In cleartext it is HTTP/1.1, or HTTP/2
// with --http2-prior-knowledge, which https URLs fail with.
//
// --resolve HOST:PORT:ADDR[,ADDR...] connects to an address instead of looking the host up, for that port alone; * as HOST means all others. --doh-url
// URL looks hosts up over HTTPS. The host of that URL and names of the local network (single labels, .local, .localhost, .internal, .home.arpa) are looked
// up by the system, --resolve goes before both, and --insecure is not about that URL.
//
// -x, --proxy goes through a proxy: http, also for https URLs by CONNECT; https, over TLS, under the same options as servers; socks5 and socks5h.
// --socks5 and --socks5-hostname are short for the latter two, which resolve host names here and at the proxy; the last of the three counts. Without
// a scheme it is http, and without a port 1080, or 443 for https. -U, --proxy-user are its credentials, unless the URL has some. Without such an
// option HTTP_PROXY, HTTPS_PROXY and NO_PROXY count, or their lower-case forms, but not for localhost. --noproxy names hosts without a proxy, in
// the place of NO_PROXY, or besides it for proxies of the environment. --unix-socket PATH connects to a socket on this machine instead of all that.
//
// # Messages
//
// -v, --verbose prints events of the connection ("*") and the heads that were sent (">") and received ("<") to standard error. The values
// of Authorization, Cookie, Proxy-Authorization and Set-Cookie are hidden. -s, --silent prints no errors and no progress, -S, --show-error prints
// errors nevertheless. --frames prints a line for each frame of HTTP/2, without its content. -h, --help and -V, --version print and do nothing else; --url URL is another way to write a URL.
//
// # Exit codes
//
//	0    every URL was fetched
//	1    not an http or https URL
//	2    the command line is wrong, or HTTP does not allow the request
//	3    malformed URL
//	5    could not resolve the proxy, or a malformed URL of one
//	6    could not resolve the host
//	7    could not connect
//	8    the response is not HTTP
//	18   the body ended early
//	22   the status was 400 or more, with --fail
//	23   could not write the output
//	26   could not read data or another input
//	28   a time limit was up
//	35   could not agree on TLS
//	47   too many redirects
//	52   the server closed the connection before its response had come
//	55   could not send the request
//	56   could not receive the response, or a proxy refused a tunnel
//	60   the server's certificate does not verify
//	61   the body could not be unpacked
//	77   could not read the file of --cacert
//	92   the server reset the stream, over HTTP/2
//	97   the SOCKS proxy does not do its part
//	100  the head of the response is too large
//	130  interrupted
//
// With several URLs the code is that of the last failure, also if later URLs succeed; curl forgets the failure then.
//
// # Different from curl
//
// GET cannot carry data. URL patterns ([1-3], {a,b}) are not expanded. Time limits have defaults. An interrupt ends with code 130 instead of
// the signal; if writing the output hangs, a second one ends the program.
package main
