// Package okhttp is an HTTP client that recovers from bad networks, shares connections and reports every event of a call.
//
//	client := okhttp.New()
//	defer client.Close()
//
//	resp, err := client.Get(ctx, "https://example.com/")
//	if err != nil {
//		return err
//	}
//	text, err := resp.Body.Text() // reads and closes
//
// A [Client] is immutable and safe for concurrent use; make one and share it, so that calls share its connections. [Client.With]
// derives a client that shares the pool and differs in some options. The same options can be given to one call
// ([Client.Do], [Client.NewCall]) and, by an interceptor, to the rest of a call ([Chain.With]).
//
// # A call
//
// A call passes through its application interceptors, then retries and follows redirects; each attempt adds the headers of HTTP and
// undoes transparent gzip, finds a connection, passes the network interceptors and exchanges messages with the server. All of that
// runs on the goroutine that called [Call.Execute]. What runs elsewhere: a resolver whose answers come one by one, connecting to one of several
// addresses, a duplex body, connections that are opened in advance, and the reading of an HTTP/2 connection on which nobody waits.
//
// A response must be closed, by [ResponseBody.Close] or by reading it whole with [ResponseBody.Bytes], [ResponseBody.Text] or
// [ResponseBody.JSON]. Until then it holds a connection.
//
// # Errors
//
// A failed call returns an [*Error] that says where the call stopped, whether the request may have reached the server, and what ended
// it. [SafeToRetry] answers whether sending the request again could make the server act twice.
//
// # Concurrency
//
// Client, ConnectionPool, Request, Body, Headers and URL may be shared freely. [Call.Cancel] may be called from any goroutine at any
// time; apart from that a Call, its Response and its body belong to one goroutine at a time. Listeners, interceptors and body
// functions never run while a lock is held.
//
// Locks: Client guards the list of calls that wait for a connection and the count of what runs elsewhere, Dispatcher its counts and queue, the
// pool its lists, a Connection over HTTP/2 the calls on it, the memory of failed routes its map, a look-up its answers, a duplex body its end.
// Each guards memory only, is not held across I/O, and none is taken while another is held. Package http2 says what it locks. A Call has none: who cancels it sets a flag and then ends what the
// call waits for or reads from; the call begins to wait or read and then looks at the flag.
package okhttp
