// Okcurl fetches URLs with the okhttp client, under curl's options and exit codes.
//
// # Usage
//
//	okcurl [option...] URL...
//
// The URLs are fetched one after another by one client, so that connections are used again where that is possible, or at the same time with -Z, --parallel,
// --parallel-max of them. Each response body goes to standard output as it comes, piece by piece. A URL without a scheme is an http one. What follows is the manual in short; okcurl --help
// prints every option with its default.
//
// Options and URLs may stand in any order. Switches can be bundled (-sSL); an argument can be attached or stand apart (-XPUT, -X PUT,
// --max-time=5, --max-time 5); --no-NAME undoes a switch; after "--" everything is a URL.
//
// # The request
//
// -X, --request names the method. Otherwise it is HEAD with -I, --head, POST with data, and GET.
//
// -d, --data (--data-ascii) sends a form. @FILE stands for a file without its line ends, @- for standard input. --data-binary keeps the bytes of a file,
// --data-raw takes no file, --json sends and asks for JSON. Repeated data is joined with "&", JSON with nothing. A file that is the
// only piece of --data-binary or --json is streamed; all other data is held in memory. --data-urlencode encodes it, and -G, --get puts all data into the
// query. --url-query puts something into the query whatever the body is, encoded as by --data-urlencode unless it begins with +.
//
// -F, --form sends a multipart form, a part each: name=text, name=@FILE for a file, name=<FILE for the text of one, with ;type=T and ;filename=N behind;
// --form-string takes no file. -T, --upload-file sends a file by PUT, named after the URL's last slash; - is standard input.
//
// -b, --cookie sends "a=1; b=2" to the host of each URL, or begins with the cookies of a file, and -c, --cookie-jar keeps cookies and writes them at the end,
// both as cookies.txt, session cookies too unless -j, --junk-session-cookies leaves them out. -r, --range asks for a part. --limit-rate bounds the bytes a second of each direction.
//
// -H, --header sends "Name: value" in place of a default header. "Name:" removes a default header and "Name;" sends it empty; @FILE has lines of those. Content-Type
// is that of the body, to which a form adds its boundary. Content-Length is never taken from here but follows the body, and "Transfer-Encoding: chunked" sends the body chunked. A Cookie of -H goes before those of --cookie.
// Short cuts: -A, --user-agent; -e, --referer (with ";auto" behind it the URL that a redirect came from); -u, --user for Basic credentials (--basic), which --digest keeps back until a server asks for Digest; --oauth2-bearer. User info of the URL is sent as such credentials too; it is never printed.
//
// --compressed asks for br, zstd, gzip or deflate and unpacks what comes. Without it no Accept-Encoding is sent and nothing is unpacked.
//
// # The response
//
// -i, --include prints the heads of all responses, -I, --head only those. -o, --output FILE and -O, --remote-name write to a file; the nth
// of them belongs to the nth URL, and --remote-name-all is -O for all that are left. With -J, --remote-header-name -O takes the name that Content-Disposition gives, without folders and what could mislead, and replaces no file
// unless there is --clobber; with --no-clobber no file is replaced at all, and a number stands behind the name of the new one. --output-dir puts them into a folder, --create-dirs makes what is missing, and -C, --continue-at goes on with a file
// (- after what it has). -D, --dump-header writes the heads to a file. A file that is written while standard error is a terminal has a progress bar (-#, --progress-bar; none with --no-progress-meter). A download that fails leaves
// what it got, unless --remove-on-error removes it. -R, --remote-time gives a file the time of Last-Modified. --fail-early ends with the first URL that fails. -f, --fail takes a status of 400 or more for a failure, and --fail-with-body keeps its body. -w, --write-out prints variables: content_type, errormsg, exitcode, filename_effective,
// http_code, http_version, local_ip, local_port, method, num_connects, num_headers, num_redirects, num_retries, redirect_url, referer, remote_ip, remote_port,
// response_code, scheme, size_download, size_header, size_request, size_upload, speed_download, speed_upload, time_appconnect, time_connect, time_namelookup,
// time_pretransfer, time_redirect, time_starttransfer, time_total, url, url_effective and urlnum. %{json} is all of them as an object, %{header_json} the
// head of the response, %header{name} a field of it; %{stderr} and %{stdout} say where what follows goes, %{onerror} that it is for failures alone.
//
// --retry N tries N times more after a time limit, a host that was not found, a status of 408, 429, 500, 502, 503 or 504, and, where the method may be
// repeated, a connection that broke. It waits a second, twice as long each time up to ten minutes, or --retry-delay, or what Retry-After says, within
// --retry-max-time. --retry-connrefused and --retry-all-errors let it do more. What is on standard output already is not fetched again.
//
// --proto permits URLs of some schemes alone, =https for one, and --proto-redir redirects; what --proto does not permit, no redirect may either.
// --max-filesize bounds a body.
//
// -L, --location follows redirects, --max-redirs of them. A redirect by 300, 301, 302 or 303 becomes a GET, also with -X. Credentials and
// cookies do not follow to another origin.
//
// # Web sockets
//
// URLs that begin with ws: or wss: are web sockets (RFC 6455). Each line of standard input is sent as a text message; what the server sends is printed, text with a
// line end after it. At the end of the input okcurl closes with 1000 and prints what comes until the server closes too, for which --close-timeout is the limit, 60 seconds
// by default. A code other than 1000, 1001 or none from the server is exit code 56. --ping sends pings and notices a dead peer, --compress asks for permessage-deflate.
//
// # Event streams
//
// --sse follows a stream of server-sent events (HTML standard, section 9.2). Each event is printed as it comes, in the form of the stream, with its last event
// ID and its type; with --sse-json it is an object of JSON on a line of its own, with the members id, type, data and, if the event changed it, retry, in milliseconds. When the connection ends or breaks,
// another is made after the time that the server wants, which goes on after the last event; --last-event-id says where to begin. A request with data is not
// repeated. --read-timeout, if it is given, bounds each wait for something to come, comments included, and -m, --max-time the whole. The status 204 ends the stream
// with exit code 0. A first connection that fails is not made again; any other answer than a stream is a failure, with exit code 22 if that is for its status.
//
// # The cache
//
// --cache DIR keeps responses in a directory and uses them again, as RFC 9111 says; the directory is of OkHttp's format. --cache-size bounds it,
// at 1G by default: what was not used for longest goes first. What goes wrong there fails no transfer. These commands look into such a directory, and apart from rm change nothing in it:
//
//	okcurl cache ls DIR                   a line for each URL: status, bytes of the body, when it came, URL
//	okcurl cache show [-I] DIR URL        the head that is stored, and without -I the body, compressed if it came like that
//	okcurl cache rm DIR URL...            removes what is stored for the URLs; with --all everything
//	okcurl cache stats DIR                the numbers of URLs, responses, bytes and problems
//	okcurl cache verify DIR               what is damaged or left over, with exit code 101 if anything is
//
// # The connection
//
// --connect-timeout bounds connecting to one address, --read-timeout each wait for bytes and the TLS handshake (both 10 seconds by default), and
// -m, --max-time a whole transfer, each try of --retry anew. -k, --insecure accepts any certificate; --cacert FILE names those to trust.
// -E, --cert and --key are the client's own. --pin HOST=sha256/... demands a public key. --tlsv1.2, --tlsv1.3 and --tls-max bound the version. Secrets of the
// sessions are appended to the file that SSLKEYLOGFILE names, for who reads what was recorded on the wire.
//
// Over TLS the server chooses between HTTP/2 and HTTP/1.1 (--http2, the default); --http1.1 offers HTTP/1.1 alone. In cleartext it is HTTP/1.1, or HTTP/2
// with --http2-prior-knowledge, which https URLs fail with.
//
// --resolve HOST:PORT:ADDR[,ADDR...] connects to an address instead of looking the host up, for that port alone; * as HOST means all others. +HOST is the same, and -HOST:PORT takes back what was said before it. --doh-url
// URL looks hosts up over HTTPS. The host of that URL and names of the local network (single labels, .local, .localhost, .internal, .home.arpa) are looked
// up by the system, --resolve goes before both, and --insecure is not about that URL. -4, --ipv4 and -6, --ipv6 use one family of addresses.
//
// --connect-to HOST1:PORT1:HOST2:PORT2 connects to HOST2:PORT2 for the URLs of HOST1:PORT1, whose host stays the one that is sent, that a certificate must be for, and that cookies belong to. An empty HOST1 or PORT1 is any,
// an empty HOST2 or PORT2 that of the URL; IPv6 addresses are in brackets. The first rule that fits counts, for redirects too. --resolve and --doh-url look HOST2 up, an HTTP proxy is asked for a tunnel to it, and a SOCKS
// proxy for a connection. --noproxy is about HOST1, and --unix-socket goes before all of it.
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
// of Authorization, Cookie, Proxy-Authorization and Set-Cookie are hidden, and nothing else but the user info of URLs. -s, --silent prints no errors and no progress, -S, --show-error prints
// errors nevertheless. --frames prints a line for each frame of HTTP/2, without its content, --events one for each event of a call with its time, and --har FILE records
// the exchanges as an HTTP Archive. Left out of it are cookies, the values of headers that carry credentials, and those in queries, forms and JSON whose names are usual for secrets, such as token,
// access_token, client_secret and password, or named by --har-redact; paths of URLs and bodies of other formats are kept as they are. --completion SHELL prints a completion for bash, zsh or fish, -M, --manual this page for man. -h, --help and -V, --version print and do nothing else; --url URL is another way to write a URL.
//
// # Exit codes
//
//	0    every URL was fetched
//	1    not an http or https URL
//	2    the command line is wrong, or HTTP does not allow the request
//	3    malformed URL
//	5    could not resolve the proxy, or a malformed URL of one
//	6    could not resolve the host
//	7    could not connect, or the scheme of the proxy is unknown
//	8    the response is not HTTP, or not an event stream
//	18   the body ended early
//	22   the status was 400 or more, with --fail, or not that of an event stream
//	23   could not write the output
//	26   could not read data or another input
//	28   a time limit was up
//	33   the server sends no parts, with --continue-at
//	35   could not agree on TLS
//	47   too many redirects
//	49   --resolve or --connect-to is malformed
//	52   the server closed the connection before its response had come
//	55   could not send the request
//	56   could not receive the response, or a proxy refused a tunnel
//	58   the client certificate cannot be used
//	60   the server's certificate does not verify
//	61   the body could not be unpacked
//	63   the body is larger than --max-filesize
//	65   a redirect or a challenge wants standard input to be sent again
//	77   could not read the file of --cacert
//	90   none of the public keys of --pin was shown
//	92   the server reset the stream, over HTTP/2
//	97   the SOCKS proxy does not do its part
//	100  the head of the response is too large
//	101  okcurl cache verify found something damaged
//	130  interrupted
//
// With several URLs the code is that of the last failure, also if later URLs succeed; curl forgets the failure then.
//
// # Different from curl
//
// GET cannot carry data. URL patterns ([1-3], {a,b}) are not expanded, so that -g, --globoff changes nothing; neither does -N, --no-buffer. Time limits have defaults. An interrupt ends with code 130 instead of
// the signal; if writing the output hangs, a second one ends the program.
package main
