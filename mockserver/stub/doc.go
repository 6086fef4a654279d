// Package stub describes routes in files of JSON.
//
//	{
//	  "name": "one user",
//	  "request": {"method": "GET", "path": "/users/{id}", "headers": {"Accept": {"contains": "json"}}},
//	  "response": {"status": 200, "headers": {"Content-Type": "application/json"}, "json": {"name": "ann"}, "delay": "20ms"}
//	}
//
// A file is one stub, a list of them, or an object with the list as "stubs". [Load] reads a file, or all files *.json of a folder in the order of their
// names, but for folders called __files, and returns what package route answers with. [Import] reads mappings of WireMock.
//
// # Members of a stub
//
//	name        for reports
//	priority    a number; smaller ones are asked first, 0 by default
//	request     what it matches, each request if absent
//	response    what it answers
//	responses   in its place: a list, given out one after another, of which the last repeats
//	times       how many requests it answers before it is used up
//	scenario    {"name": …, "when": state, "then": next state}; the first state is "Started"
//	after       the time from the first request on, such as "5s", from which it answers
//	until       and up to which
//	recorded    where it comes from: {"origin": …, "at": …, "latency": …}
//
// # Members of a request
//
//	method      a name or a list of them
//	path        a template such as /users/{id} or /static/{rest...}, compared without the query
//	rawPath     text: the path as it was sent
//	target      text: path and query as they were sent
//	query       {name: text, …}
//	headers     {name: text, …}
//	cookies     {name: text, …}
//	host        text
//	basicAuth   {"user": …, "password": …}
//	protocol    "HTTP/1.1", "HTTP/2", "HTTP/1.0", or a list of them
//	tls         true or false
//	serverName  text: SNI
//	clientCertificate   text: a name in the client's certificate
//	connection  the number of the connection, from 0
//	body        {"text": text, "base64": bytes, "json": value, "jsonSubset": value, "extraElements": true, "anyOrder": true,
//	            "jsonPath": {path: text or {"json": value}, …}, "form": {name: text, …},
//	            "parts": [{"name": …, "fileName": …, "headers": {…}, "text": text, "json": value}, …]}
//	not         a request that it must not be
//	any         a list of requests, of which it has to be one
//
// A path of jsonPath is one of RFC 9535. Beyond it [??…] is a filter that asks an object itself, as WireMock does, where [?…] asks its members.
//
// text is a string, which is compared whole, or an object whose members have all to hold: equal, equalFold, contains, prefix, suffix, regexp (of the
// whole), present (true or false), not (a text), all and any (lists of texts).
//
// # Members of a response
//
//	status, reason     200 and the usual reason by default
//	headers, trailers  {name: value or list of values, …}, in their order
//	body        text; or one of
//	json        a value, sent without blanks
//	base64      bytes
//	file        a file, found from the folder of the stub file, which it cannot leave
//	raw         text that is sent in place of status line, headers and body; rawBase64 is the same for bytes
//	rawHeaders  {name: value or list of values, …}, sent after the others as they are, also where they must not be (RFC 9110 section 5.5)
//	template    true: body, file and header values are templates, see below
//	chunked     true, or a list of sizes
//	untilClose  true: the body ends with the connection
//	informational   [{"status": 103, "headers": {…}, "delay": "5ms"}, …], sent before, each after its delay
//	delay, bodyDelay   a time such as "200ms"; {"from": "10ms", "to": "50ms"} for one at random between them; {"median": "50ms", "sigma": 0.4} for one of
//	            a log-normal distribution, at most "max": "1s" if that is there
//	throttle    {"bytes": 1024, "every": "100ms"}; slowHead is the same for the head
//	dribble     {"pieces": 5, "over": "1s"}: the body in pieces over that time
//	trailersDelay      a time between the body and the trailers
//	malformedChunk     true: there is garbage in place of the last chunk
//	wrongLength a number that is added to the Content-Length
//	effects     [{"at": moment, "do": effect, …}, …], see below
//	skipRequestBody    true: answered before the request body is read
//	shutdownServer     true: the server closes after it
//	settings    {"MAX_CONCURRENT_STREAMS": 1, …}: settings of HTTP/2 that are sent before it
//	inTunnel    true: a proxy's answer to CONNECT, beneath which the exchanges of the tunnel follow; a server with TLS hears CONNECT in
//	            the clear
//	pushes      [{"path": …, "method": "GET", "headers": {…}, "response": …}, …]: pushed along over HTTP/2; without files and templates
//
// # Effects
//
// Moments are requestStart, requestHead, requestBody, responseStart, responseBody, responseEnd. "bytes" says after how many bytes of a body an effect strikes, half of
// it by default, and "chunks" after how many of its chunks. Several at one moment come one after the other. They are those of package mockserver:
//
//	closeSocket         with "in", "out", "noClose"
//	reset, stall, shutdownConnection, partialRecord, failHandshake
//	closeStream         with "code", a number or a name such as "REFUSED_STREAM"
//	goAway              with "code", "debug", "refuse"
//	sendSettings        with "settings", such as {"MAX_CONCURRENT_STREAMS": 1}
//	garbage             with "size" in bytes
//	write               with "text", or "base64" for bytes
//	wait                with "for", a time, or one at random as of delay
//	refuseConnections   with "for", a time; for good without it
//	ignoreConnections   the same
//	badCertificate      with "fault": "Expired", "NotYetValid", "WrongHost" or "UnknownAuthority"
//
// Each may have one of "probability" from 0 to 1, "everyNth": 3 for each third time, and "first": 2 for the first two times. One that cannot strike is an error: at requestStart of a stub whose
// request looks at more than the connection, after one that ends the exchange, at requestBody with skipRequestBody.
//
// # Templates
//
// Templates are those of package text/template over [TemplateData], for example {{.Param "id"}} or {{json (.Query "q")}}. They are off unless a response
// asks for them. One that runs for too long or makes more than 1 MiB is stopped, and answered with 500.
//
// # Concurrency
//
// The functions of this package may be called by any goroutine at any time; what they return is not shared with later calls. Routes that were read are
// answered with by several goroutines at once, as those of package route. A file that a response names is opened anew for each response, on the goroutine that
// sends it; templates are run there too.
//
// # Errors
//
// A file with faults is refused as a whole. The error lists them as [Error], with file, line and the path of the key, the first 20 of a file; a key that is not
// known is one, and so is a file that a response names and that cannot be read. A file is of at most 16 MiB, 10,000 stubs and 200 levels, a response of at most 1000
// fields, effects, informational responses and pushes each.
//
// # What only code can say
//
// Responses of code can do four things more: [mockserver.Response.Adapt] makes any response for a request, of which templates are the part that files have,
// [mockserver.Response.Socket] takes the connection over, as web sockets do, [mockserver.Response.ThrottleBy] shares one rate among several responses, and
// [mockserver.Response.LateTrailers] gives trailers that the end of the body tells.
package stub
