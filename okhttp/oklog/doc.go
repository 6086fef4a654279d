// Package oklog prints the requests and responses of okhttp calls.
//
//	logging := oklog.New(func(line string) { log.Print(line) }, &oklog.Config{Level: oklog.Headers})
//	client := okhttp.New(okhttp.WithInterceptor(logging))
//
// As an application interceptor it prints each call once, as the program sees it; as a network interceptor it prints each exchange with a
// server, with the headers and the compressed bodies that are on the wire.
//
//	--> POST https://example.com/greeting?token=%E2%96%88%E2%96%88
//	Content-Type: text/plain; charset=utf-8
//	Content-Length: 3
//	Authorization: ██
//
//	Hi?
//	--> END POST (3-byte body)
//	<-- 200 OK https://example.com/greeting?token=%E2%96%88%E2%96%88 (22ms)
//	Content-Type: text/plain
//	Content-Length: 6
//
//	Hello!
//	<-- END HTTP (22ms, 6-byte body)
//
// # Secrets
//
// User names and passwords in URLs are left out, and the values of Authorization, Cookie, Proxy-Authorization and Set-Cookie are printed as ██,
// as are those of the headers and query parameters that [Config] names. Bodies are printed as they are: leave the level [Body] to development.
// Characters that would control a terminal are printed as escapes.
//
// # Bodies
//
// At the level Body at most [Config.MaxBody] bytes of a body are read ahead, kept in memory and printed; the program reads the same bytes, and
// the rest as it comes. The body of a request is opened once more, for the log. Bodies that must not be read ahead are not: those of requests
// that can be sent only once or are duplex, which may wait for the response, and event streams. A response of any other type is waited for until that
// much came or it ended.
//
// # Concurrency
//
// An [Interceptor] may be shared by any number of clients and goroutines, and its level may change while calls run. It holds no lock: the function that prints is called
// from each call's goroutine, and lines of calls that run at the same time mix.
package oklog
