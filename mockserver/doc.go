// Package mockserver is a scriptable HTTP server for tests, with control over faults below HTTP.
//
//	func TestGreeting(t *testing.T) {
//		server := mockserver.New(t)
//		server.Enqueue(mockserver.Reply(200).Header("Content-Type", "text/plain").Text("hello"))
//
//		resp, err := http.Get(server.URL("/greeting"))
//		…
//		req, err := server.TakeRequest(t.Context())
//		if err != nil || req.Target != "/greeting" {
//			t.Errorf("request was %v, %v", req, err)
//		}
//	}
//
// [New] starts a server and stops it when the test ends, [Strict] has the test fail if anything is left over, [AllRoutesUsed] if a route was never used; [Start] is for programs. [Server.Client] makes
// a client that reaches and trusts the server. The server speaks HTTP/1.1 over loopback TCP, HTTP/2 or
// HTTP/1.1 over TLS ([WithLocalhostTLS]), HTTP/2 in cleartext too if asked to ([WithProtocols]), or over an [okio.Network] in memory ([WithNetwork]), which makes it run inside a [testing/synctest] bubble,
// on the bubble's time.
//
// # Answers
//
// Responses come from a queue ([Server.Enqueue]), one for each request in the order of their arrival, or from a [Dispatcher]
// ([Server.SetDispatcher]). A request that finds the queue empty waits until a response is enqueued, unless [Queue.SetFailFast] says
// otherwise; it is released when the server closes, and leaves its place to the next one when its client gives up. GET /favicon.ico, which browsers ask for by themselves, is answered with 404 and
// takes nothing from the queue.
//
// Package route has a dispatcher that answers by what the request is, in the words of package match; package stub reads such routes from files, and package
// record has one that asks another server and remembers. [Handler] makes a dispatcher of an http.Handler, and [HTTPHandler] the other way around.
//
// A [Response] is sent as it was scripted. The server adds the header that frames the body, unless the script sets one, and corrects
// nothing: a wrong Content-Length goes out wrong. Methods and statuses that have no content (RFC 9110 section 6.4.1) are respected.
// [Response.Raw] sends bytes verbatim.
//
// On HTTP/2 the same scripts go out in frames: the reason phrase, Connection and Transfer-Encoding are left out, which HTTP/2 does not have, a chunked
// body is one of unknown length, and trailers follow it. Raw and the status 101 are faults of the script there.
//
// # Faults
//
// [Response.On] puts an [Effect] at a [Moment] of the exchange: close, reset or stall the connection when it is accepted, in the middle of the
// request body, before the response, within its body or after it. On HTTP/2 what happens to the connection happens to all streams of it;
// [CloseStream] resets one, [Stall] stalls one, and [ShutdownConnection] says goodbye (GOAWAY).
//
// A fault that cannot strike proves nothing, and is told: as a fault of the script where the script says so, in [Request.Missed] and by [Strict] where the request does.
//
// # Requests
//
// Every request is recorded before it is answered, and [Server.TakeRequest] returns them in that order. A request that cannot be read
// is recorded too, with its Failure, and takes nothing from the queue; it is answered with 400, or 431 for a head above the limit of
// package http1, and the connection is closed. Where an effect keeps a request from being read at all, a "GET / HTTP/1.1" without
// headers is recorded and counted in its place, so that the scripted response is used up. What is no request of HTTP/2 (RFC 9113 section 8.1.1) is reset
// and not recorded.
//
// [Server.Verify] counts the requests that a [Matcher] describes, be they taken or not, and says what is closest where they are too few.
//
// "Expect: 100-continue" is not answered by itself: script [Response.Continue]. A response of 4xx or 5xx without it refuses the body: it goes
// out at once, if it is enqueued by then or a [Peeker] knows it.
//
// # Sockets
//
// [Response.Socket] lets a [SocketHandler] speak after the head of a response: as the content of it, while the request is still coming, or,
// after [Upgrade] and CONNECT, as another protocol on the same connection, or stream of HTTP/2. [SocketScript] is one that expects and sends in turns. [Response.Adapt] lets the head depend on the
// request.
//
// # Proxies
//
// With [WithHTTPProxy] and [WithSOCKS5] the server is a proxy whose every destination is the server itself; it never opens a connection. A proxy that
// misbehaves is scripted with [Response.InTunnel].
//
// # Concurrency
//
// All methods of [Server] and [Queue] are safe for concurrent use. There is one goroutine that accepts and one for each connection
// and each request of HTTP/2, which calls the dispatcher; [Server.Close] waits for all of them, [Server.Shutdown] for the requests first. An http.Handler of [Handler] has a goroutine of its own for each request, of which the same holds.
//
// What is random, of the seed of [WithSeed], is one sequence for the server: requests that come one after the other meet the same each time, while those at the same time share it in
// the order in which they draw.
//
// Locks: Server guards its listener, what fills its backlog, and its set of connections, a connection whether it is idle, Queue its responses and the requests that wait for
// them, the journal its requests. Each guards memory, and what does not block: starting to listen, setting a deadline. None is held while another is
// taken, and user code never runs under one, with the exception of the Error of the test, which has a lock of its own.
package mockserver
