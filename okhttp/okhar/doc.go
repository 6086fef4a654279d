// Package okhar records calls as an HTTP Archive (HAR 1.2), the format that the developer tools of browsers and many others read.
//
//	recorder := okhar.New(nil)
//	client := okhttp.New(okhttp.WithEventListener(recorder.Listen), okhttp.WithNetworkInterceptor(recorder))
//	…
//	recorder.WriteTo(file)
//
// Each exchange with a server is an entry: a redirect, an answer to a challenge and a retry are entries of their own, as is a request that
// failed, with the status 0 and the reason in "_error". A response of the cache is an entry without timings of a connection. Entries are
// complete, and in the archive, once the next one of their call began or the call ended, for which its response has to be closed.
//
// The events alone give everything but the bodies. For these the [Recorder] is also a network interceptor, which should be the last, so that it
// sees what is sent and what comes.
//
// # Secrets
//
// Archives are made to be given to others. The values of cookies and of headers that carry credentials are replaced by ██ when they are
// recorded, as are those of query parameters, fields of forms and members of JSON that are named as secrets usually are, such as token and password, and of what
// [Config] names besides. URLs have no user names and passwords. [Config.KeepSecrets] turns that off. Bodies of other formats and of codings that are not decoded, paths
// of URLs and other headers are recorded as they are: a negative [Config.MaxBody] leaves the bodies out.
//
// # Bodies
//
// Bodies of responses are recorded as the program reads them, and what it does not read is missing. They are decoded from gzip, deflate and zstd
// and written as text in UTF-8 if they are text, in base64 otherwise. Bodies of requests are opened once more for the record, unless
// they can be sent only once or have no known length.
//
// # Memory
//
// Entries are kept as the JSON they are written as, up to [Config.MaxEntries] and [Config.MaxBytes]; the oldest make room for new ones. Besides, each
// call that runs holds at most two beginnings of bodies of [Config.MaxBody].
//
// # Concurrency
//
// A [Recorder] may be used by any number of clients and goroutines, and written while calls run: the archive then has what was complete at that moment. One mutex
// guards its entries; it is not held while bodies are read nor while an archive is written.
package okhar
