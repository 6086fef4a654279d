// Package servecli is the mockserver command: it serves a folder of files, a script or stub files over HTTP/1.1 and HTTP/2, records another server, and
// imports mappings of WireMock.
//
//	mockserver serve [--addr HOST:PORT] [--tls | --h2c] [--cert-out FILE] [--verbose] [--seed N] [--stubs PATH]... [PATH]
//	mockserver serve --record ORIGIN [--record-to DIR] [--record-mode MODE] [--replay-latency] …
//	mockserver serve --admin HOST:PORT --admin-token-file FILE …
//	mockserver import [--out DIR] PATH...
//	mockserver journal --token-file FILE [--unmatched | --json] [--limit N] [--forget] URL
//	mockserver version
//	mockserver help
//
// The first line of output is "listening on URL", once connections are accepted. The command ends with status 0 on SIGTERM or SIGINT, once the requests under way are answered, or after --grace. It
// listens on a free port of 127.0.0.1 unless --addr says otherwise. --tls serves HTTPS with a certificate made for localhost and the
// host of --addr, with HTTP/2 and HTTP/1.1 by ALPN; --cert-out writes what clients must trust, in PEM, before the first line of output. --h2c
// serves HTTP/2 in cleartext to clients that begin with its preface (prior knowledge), and HTTP/1.1 to others. --verbose logs each request to
// the error output. Status 2 means that the command was not understood, 1 that it failed.
//
// # Stub files
//
// A PATH that ends with .json is a stub file, as package stub describes it; --stubs names further ones, or folders of them. They answer first, and PATH, or the server
// of --record, what none of them matches. Without either that gets 404 with a report of the closest stubs; --verbose logs it too.
//
// # Recording
//
// --record forwards what nothing else answers to ORIGIN and remembers what it said, as package record does: secrets are not kept. When the server ends, it
// is saved in the folder of --record-to, which answers by itself the next time, and is a folder for --stubs too. What could not be recorded is then
// said on the error output, with the reason. --record-mode is once, which asks for what was not recorded; always, which asks each time and records the answers that
// differ, to be replayed one after another; or passthrough, which asks each time and records nothing.
//
// # Administration
//
// --admin listens on a second address, which has to be one of loopback, and says so in the second line of output, "admin on URL". Each request to it needs
// the token of --admin-token-file as "Authorization: Bearer TOKEN"; a file that does not exist is made with a random token. GET / lists what there is: the
// journal of the last 1000 requests, in which credentials, cookies and the query parameters that are called like secrets are not shown, but bodies are, as they came, up to 64 KiB, stubs to add and to remove, scenarios, verification. The journal
// command shows the requests, or with --unmatched the reports of those that no stub matched.
//
// # Folders
//
// A PATH that is a folder is served file by file to GET and HEAD: index.html stands for its folder, the content type follows the
// extension, and what does not exist is 404. Nothing outside of the folder can be reached, by dots or by symbolic links.
//
// # Scripts
//
// A PATH that is a file, or a pipe such as a shell's <(…), is a script, read once, at the start. The files that one from a pipe names are found from the current
// folder.
//
//	# What each request gets.
//	GET /hello
//	  header Content-Type: text/plain
//	  body "hello, world\n"
//
//	GET /old
//	  redirect 302 /hello
//
//	POST /upload
//	  continue
//	  status 201 Created
//	  echo
//
//	GET /flaky
//	  disconnect
//	then
//	  body finally
//
//	* /*
//	  status 404
//	  body <<END
//	no such page
//	END
//
// A route begins at the start of a line with a method, or * for all, and a path. A path that ends with * stands for all that begin so. A
// path with a question mark is compared with the whole target, others with what comes before its query. The first route that fits
// answers; HEAD also fits routes of GET. A path without a route gets 404, or 405 if a route has the path with another method.
//
// What a route answers follows in indented lines. The line "then" begins its next answer: the first request gets the first one, and so
// on; the last one repeats. Empty lines and lines that begin with # are skipped.
//
//	status CODE [REASON]   the status; 200 by default
//	header NAME: VALUE     a header field, more than once for several
//	trailer NAME: VALUE    a trailer field; after chunked
//	body TEXT              the body: the rest of the line, or a quoted Go string, or <<WORD for the lines up to WORD
//	file NAME              the body is that file, found from the script's folder, and the content type is its own
//	echo                   the body, and the content type, are those of the request
//	raw TEXT               these bytes in place of status line, headers and body, on HTTP/1.1 only; TEXT as for body
//	redirect CODE TARGET   a status 3xx and the Location
//	chunked [SIZE ...]     the body in chunks of these sizes, the last one repeating
//	until-close            the body without framing, ended by the end of the connection
//	continue               100 (Continue) before the request body is read
//	informational CODE [NAME: VALUE]
//	                       a response 1xx before this one
//	delay TIME             wait before the response, for a time such as 200ms or 1.5s
//	body-delay TIME        wait between head and body
//	throttle BYTES TIME    wait that long after each so many bytes of the body
//	close                  close the connection after the response; HTTP/2 says goodbye (GOAWAY)
//	disconnect [BYTES]     close it in place of the response, or after so many bytes of the body
//	reset [BYTES]          the same, with a TCP reset
//	stall [BYTES]          the same, but leave it open and silent
//	reset-stream CODE [BYTES]
//	                       reset the stream of HTTP/2 with that error code, such as 8 or 0xb, in place of the response or after so many bytes of the
//	                       body; HTTP/1.1 closes the connection
//
// A request with "Expect: 100-continue" is told to continue, in folders and scripts alike.
//
// # Concurrency
//
// [Main] may run several times at the same time in one process, on addresses of their own; SIGTERM and SIGINT end all of them.
package servecli
